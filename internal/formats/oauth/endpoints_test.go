package oauth_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
)

// TestTheAuthorizationEndpointIsKept checks that the authorization endpoint of a server is kept
// (RFC 8414 §2), also if no listed grant uses it.
func TestTheAuthorizationEndpointIsKept(t *testing.T) {
	r, err := client.Parse(t.Context(), []byte(`{"issuer": "https://example.com", "authorization_endpoint": "https://example.com/oauth/ask-people",
		"token_endpoint": "https://example.com/token", "grant_types_supported": ["client_credentials"], "response_types_supported": ["code"]}`),
		&client.ParseOptions{URL: "https://example.com/.well-known/oauth-authorization-server"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r.Site)
	if err != nil {
		t.Fatal(err)
	}
	if r.Format != "oauth" || !strings.Contains(string(b), "https://example.com/oauth/ask-people") {
		t.Errorf("%q %s: the endpoint is lost: %s", r.Format, r.Verdict, b)
	}
}

// TestEachEndpointIsKeptOnce checks that each endpoint is kept once: in a flow, or outside the
// flows if no listed grant uses it.
func TestEachEndpointIsKeptOnce(t *testing.T) {
	const a, b, c = "https://example.com/ask", "https://example.com/token", "https://example.com/device"
	for grants, kept := range map[string]int{
		`["implicit"]`: 2, `["authorization_code"]`: 1, `["client_credentials"]`: 2, `["refresh_token"]`: 3,
		`["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"]`: 0,
	} {
		body := `{"issuer": "https://example.com", "authorization_endpoint": "` + a + `", "token_endpoint": "` + b + `",
			"device_authorization_endpoint": "` + c + `", "grant_types_supported": ` + grants + `, "response_types_supported": ["code"]}`
		r, err := client.Parse(t.Context(), []byte(body), &client.ParseOptions{URL: "https://example.com/.well-known/oauth-authorization-server"})
		if err != nil {
			t.Fatal(err)
		}
		s := r.Site.Services[0]
		beside := 0
		for _, member := range []string{"authorization_endpoint", "token_endpoint", "device_authorization_endpoint"} {
			if s.Extensions[member] != nil {
				beside++
			}
		}
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range []string{a, "https://example.com/token", c} {
			if !strings.Contains(string(b), u) {
				t.Errorf("%s: %s is lost: %s", grants, u, b)
			}
		}
		if beside != kept {
			t.Errorf("%s: %d endpoints beside the flows, want %d: %s", grants, beside, kept, b)
		}
	}
}
