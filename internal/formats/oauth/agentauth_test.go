package oauth_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/oauth"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/parse"
)

const serverPlace = "https://shop.example/.well-known/oauth-authorization-server"

// registered returns the registration in a server's document.
func registered(t *testing.T, agentAuth string) *wayfind.Registration {
	t.Helper()
	r := formattest.Read(t, oauth.Format(), at(t, serverPlace, `{"issuer": "https://shop.example", "token_endpoint": "https://shop.example/t",
		"response_types_supported": ["none"], "agent_auth": `+agentAuth+`}`))
	return r.Services[0].Auth.Registration
}

func TestBothDialectsGiveOneRegistration(t *testing.T) {
	first := registered(t, `{"skill": "https://shop.example/auth.md", "register_uri": "https://shop.example/r", "claim_uri": "https://shop.example/c",
		"revocation_uri": "https://shop.example/e", "identity_types_supported": ["anonymous"]}`)
	second := registered(t, `{"skill": "https://shop.example/auth.md", "identity_endpoint": "https://shop.example/r", "claim_endpoint": "https://shop.example/c",
		"events_endpoint": "https://shop.example/e", "identity_types_supported": ["anonymous"]}`)
	if first.Dialect != "v0.1" || second.Dialect != "v0.2" {
		t.Errorf("dialects %q, %q", first.Dialect, second.Dialect)
	}
	first.Dialect = second.Dialect
	if diff := cmp.Diff(first, second); diff != "" || first.Endpoint == "" || first.Claim == "" || first.Revocation == "" {
		t.Errorf("%+v:\n%s", first, diff)
	}
}

// A value that is not an endpoint is not offered as one: a page, a part of a page, plain http,
// null.
func TestARegistrationHasOnlyEndpointsThatTakeIt(t *testing.T) {
	for _, uri := range []string{`null`, `7`, `"http://shop.example/r"`, `"/r"`, `"https://shop.example/auth.md#register"`, `"https://shop.example/auth.md"`,
		`"https://shop.example/"`, `"https://shop.example"`, `"https://shop.example/a#b"`, `"https://u:p@shop.example/r"`} {
		if got := registered(t, `{"register_uri": `+uri+`}`); got != nil {
			t.Errorf("%s: %+v", uri, got)
		}
		if got := registered(t, `{"register_uri": `+uri+`, "skill": "https://shop.example/guide"}`); got == nil || got.Endpoint != "" || got.GuideURL == "" {
			t.Errorf("%s with a guide: %+v", uri, got)
		}
	}
}

// The place decides what a document describes, and then the members of a server.
func TestAServerWithTheMembersOfAResourceIsAServer(t *testing.T) {
	const mixed = `{"resource": "https://shop.example", "authorization_servers": ["https://shop.example"], "agent_auth": {"register_uri": "https://shop.example/r"}`
	const full = mixed + `, "issuer": "https://shop.example", "token_endpoint": "https://shop.example/t"}`
	for place, want := range map[string]string{
		serverPlace: oauth.DialectServer, "": oauth.DialectServer, "https://shop.example/other.json": oauth.DialectServer,
		"https://shop.example/.well-known/oauth-protected-resource": oauth.DialectResource,
	} {
		for _, body := range []string{mixed + "}", full} {
			if c := oauth.Format().Match(at(t, place, body)); c.Level != parse.Exact || c.Dialect != want {
				t.Errorf("%q %s: %+v, want %s", place, body, c, want)
			}
		}
	}
}

// Without an issuer the document can only be about the host that serves it.
func TestEndpointsOfANamelessIssuerAreAtItsHost(t *testing.T) {
	r := formattest.Read(t, oauth.Format(), at(t, serverPlace, `{"token_endpoint": "https://login.example/t", "grant_types_supported": ["client_credentials"],
		"agent_auth": {"register_uri": "https://shop.example/r", "claim_uri": "https://login.example/c"}}`))
	auth := r.Services[0].Auth
	if reg := auth.Registration; r.Unusable != "" || reg == nil || reg.Endpoint == "" || reg.Claim != "" || auth.Schemes["oauth2"].Flows[0].TokenURL != "" {
		t.Errorf("%+v, %+v", r, auth)
	}
}
