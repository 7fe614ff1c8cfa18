package call_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/security"
)

const (
	resourceMeta = "/.well-known/oauth-protected-resource"
	serverMeta   = "/.well-known/oauth-authorization-server"
)

// refusal is one way in which no token is obtained.
type refusal struct {
	change func(m *realm)
	cfg    *call.OAuthConfig
	want   call.Code
	words  string // of the reason
	// asked are the hooks that were called in addition to the hooks of each call.
	asked []string
	// approve is the error of the hook Approve; nil if there is no hook.
	approve error
}

// try makes a call that needs a token, and checks that no request went to the API or to a
// stranger.
func (tt *refusal) try(t *testing.T, name string) {
	t.Helper()
	m, h := newRealm(t), &hooks{}
	thief := m.net.Host("thief.example.net", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"access_token": "x", "token_type": "Bearer", "client_id": "x"}`)
	}))
	if tt.change != nil {
		tt.change(m)
	}
	cfg := *tt.cfg
	cfg.Open = func(context.Context, string) error { h.count("open"); return errors.New("closed") }
	cfg.Device = func(context.Context, string, string) error { h.count("device"); return errors.New("closed") }
	c := m.caller(&cfg, func(o *call.Options) {
		if tt.approve != nil {
			o.Approve = func(context.Context, security.ApprovalRequest) error { return tt.approve }
		}
		*o = *h.counted(o)
	})
	res, err := c.Call(t.Context(), m.box, "write", []byte(`{"reason":"x"}`))
	wantReason(t, name, res, err, tt.want, tt.words)
	h.wantAsked(t, name, append([]string{"credentials", "confirm"}, tt.asked...)...)
	leaks(t, name, fmt.Sprintf("%+v %v", res, err))
	if len(thief.Requests()) != 0 || len(m.calls()) != 0 {
		t.Errorf("%s: the thief saw %+v, the API %+v", name, thief.Requests(), m.calls())
	}
	if t.Failed() {
		t.Fatal(name)
	}
}

// person returns a configuration for a user with a browser, or with another device.
func person(grant string) *call.OAuthConfig { return &call.OAuthConfig{Grant: grant, ClientID: "app"} }

// Statements of a hostile resource or server cause no secret to be sent and no page to be
// shown.
func TestOAuthRefuses(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for name, tt := range map[string]*refusal{
			"a secret without an issuer": {cfg: &call.OAuthConfig{Grant: call.ClientCredentials, ClientID: "robot", ClientSecret: "s3cret-client"},
				want: call.CredentialRefused, words: "a secret belongs to an issuer, and none was named"},
			"a stranger's server":                      {change: naming(apiOrigin, "https://thief.example.net"), cfg: machine(), want: call.CredentialRefused, words: "does not name the issuer of the credential"},
			"a stranger's server, for a person":        {change: naming(apiOrigin, "https://thief.example.net"), cfg: person(call.AuthorizationCode), want: call.CredentialRefused, words: "on another site, which was not approved"},
			"a stranger's server that nobody approves": {change: naming(apiOrigin, "https://thief.example.net"), cfg: person(call.AuthorizationCode), approve: errors.New("not there"), want: call.CredentialRefused, words: "was not approved: not there", asked: []string{"approve"}},
			"metadata of another resource":             {change: naming("https://bank.example.net", issuer), cfg: machine(), want: call.CredentialRefused, words: "is about another one"},
			"metadata of another issuer":               {change: func(m *realm) { m.meta["issuer"] = "https://thief.example.net" }, cfg: machine(), want: call.CredentialRefused, words: "are those of another issuer"},
			"a token endpoint elsewhere":               {change: func(m *realm) { m.meta["token_endpoint"] = "https://thief.example.net/token" }, cfg: machine(), want: call.CredentialMissing, words: "the endpoint is not on the site of the issuer"},
			"a token endpoint on a private address": {change: func(m *realm) {
				m.net.Host("inside.example.com", nil).At(netip.MustParseAddr("10.0.0.1"))
				m.meta["token_endpoint"] = "https://inside.example.com/token"
			}, cfg: machine(), want: call.CredentialMissing, words: "(blocked_address)"},
			"a literal address": {change: func(m *realm) { m.meta["token_endpoint"] = "https://169.254.169.254/token" }, cfg: machine(), want: call.CredentialMissing, words: "(host_ip_literal)"},
			"not encrypted":     {change: func(m *realm) { m.meta["token_endpoint"] = "http://login.example.com/token" }, cfg: machine(), want: call.CredentialMissing, words: "only https is asked"},
			"a redirect": {change: func(m *realm) {
				m.login.Handle("/token", http.RedirectHandler("https://thief.example.net/token", http.StatusTemporaryRedirect))
			}, cfg: machine(), want: call.CredentialMissing, words: "refuses with 307"},
			"no proof key":     {change: func(m *realm) { m.meta["code_challenge_methods_supported"] = nil }, cfg: person(call.AuthorizationCode), want: call.CredentialMissing, words: "does not say that it checks proof keys by S256"},
			"a weak proof key": {change: func(m *realm) { m.meta["code_challenge_methods_supported"] = []string{"plain"} }, cfg: person(call.AuthorizationCode), want: call.CredentialMissing, words: "does not say that it checks proof keys by S256"},
			"a page elsewhere": {change: func(m *realm) { m.meta["authorization_endpoint"] = "https://thief.example.net/authorize" }, cfg: person(call.AuthorizationCode), want: call.CredentialMissing, words: "the page of the authorization server is not on its site"},
			"a page that is not encrypted": {change: func(m *realm) { m.meta["authorization_endpoint"] = "http://login.example.com/authorize" },
				cfg: person(call.AuthorizationCode), want: call.CredentialMissing, words: "only https is asked"},
			"a page that is a script":               {change: func(m *realm) { m.meta["authorization_endpoint"] = "javascript:alert(1)" }, cfg: person(call.AuthorizationCode), want: call.CredentialMissing, words: "only https is asked"},
			"nobody who looks at it":                {cfg: person(call.AuthorizationCode), want: call.CredentialMissing, words: "closed", asked: []string{"open"}},
			"a device's page that is not encrypted": {change: verification("http://login.example.com/activate"), cfg: person(call.DeviceCode), want: call.CredentialMissing, words: "only https is asked"},
			"a device's page that is a script":      {change: verification("javascript:alert(1)"), cfg: person(call.DeviceCode), want: call.CredentialMissing, words: "only https is asked"},
			"a device's page on an address":         {change: verification("https://127.0.0.1/activate"), cfg: person(call.DeviceCode), want: call.CredentialMissing, words: "(host_ip_literal)"},
			"nobody who types a code":               {cfg: person(call.DeviceCode), want: call.CredentialMissing, words: "closed", asked: []string{"device"}},
			"no codes for devices":                  {change: func(m *realm) { m.meta["device_authorization_endpoint"] = nil }, cfg: person(call.DeviceCode), want: call.CredentialMissing, words: "gives no codes for devices"},
			"a client of a document":                {cfg: &call.OAuthConfig{Grant: call.AuthorizationCode, ClientID: "https://me.example/client.json"}, want: call.CredentialRefused, words: "does not read metadata of clients"},
			"no client":                             {cfg: &call.OAuthConfig{Grant: call.AuthorizationCode}, want: call.CredentialMissing, words: "must know the client, and does not"},
			"clients are registered elsewhere": {change: func(m *realm) { m.meta["registration_endpoint"] = "https://thief.example.net/register" },
				cfg: &call.OAuthConfig{Grant: call.DeviceCode, Register: true}, want: call.CredentialRefused, words: "registers clients elsewhere"},
			"clients are registered without encryption": {change: func(m *realm) { m.meta["registration_endpoint"] = "http://login.example.com/register" },
				cfg: &call.OAuthConfig{Grant: call.DeviceCode, Register: true}, want: call.CredentialRefused, words: "registers clients elsewhere: url http://login.example.com/register"},
			"clients are not registered": {change: func(m *realm) { m.meta["registration_endpoint"] = issuer + "/nothing" },
				cfg: &call.OAuthConfig{Grant: call.DeviceCode, Register: true}, want: call.CredentialMissing, words: "did not register the client (404)"},
			"a machine without a secret": {cfg: &call.OAuthConfig{Grant: call.ClientCredentials, ClientID: "robot"}, want: call.CredentialMissing, words: "client credentials need a secret"},
			"a grant of no name":         {cfg: &call.OAuthConfig{Grant: "password", ClientID: "robot"}, want: call.CredentialMissing, words: "there is no such grant"},
			"a server that tells what it got": {change: func(m *realm) {
				m.issue = func(url.Values, int) (int, map[string]any) {
					return 400, map[string]any{"error": "invalid_client", "error_description": "s3cret-client is wrong"}
				}
			}, cfg: machine(), want: call.CredentialMissing, words: "refuses with 400 (invalid_client)"},
			"a token of another kind":  {change: issuing("s3cret", "mac"), cfg: machine(), want: call.CredentialMissing, words: "cannot be sent as a bearer token"},
			"a token that is no field": {change: issuing("s3cret\r\nX: y", "Bearer"), cfg: machine(), want: call.CredentialMissing, words: "cannot be sent as a bearer token"},
		} {
			tt.try(t, name)
		}
	})
}

// naming makes the metadata of a resource name a server.
func naming(resource, server string) func(m *realm) {
	return func(m *realm) {
		m.api.Handle(resourceMeta, answers("application/json", `{"resource": "`+resource+`", "authorization_servers": ["`+server+`"]}`))
	}
}

// issuing makes a realm issue one token.
func issuing(token, kind string) func(m *realm) {
	return func(m *realm) {
		m.issue = func(url.Values, int) (int, map[string]any) {
			return 200, map[string]any{"access_token": token, "token_type": kind}
		}
	}
}

// verification makes a realm send the user of a device to a page.
func verification(page string) func(m *realm) {
	return func(m *realm) {
		m.login.Handle("/device", answers("application/json", `{"device_code": "s3cret-device", "user_code": "ABCD", "verification_uri": "`+page+`", "expires_in": 600, "interval": 5}`))
	}
}

// Wrong or missing metadata of the server result in no token.
func TestServersThatAreNotFound(t *testing.T) {
	bubble(t, func(t *testing.T) {
		missing := func(m *realm) { m.api.Handle(resourceMeta, http.NotFoundHandler()) }
		for name, tt := range map[string]*refusal{
			"an issuer that the resource does not name": {change: naming(apiOrigin, "https://login2.example.com"), cfg: machine(), want: call.CredentialRefused, words: "does not name the issuer of the credential"},
			"an issuer with a query":                    {change: naming(apiOrigin, "https://login.example.com?x=1"), cfg: person(call.DeviceCode), want: call.CredentialRefused, words: "the issuer is no URL of one"},
			"an issuer that is no URL":                  {change: naming(apiOrigin, "login"), cfg: person(call.DeviceCode), want: call.CredentialMissing, words: "(host_syntax)"},
			"an issuer that says nothing":               {change: func(m *realm) { m.login.Handle(serverMeta, http.NotFoundHandler()) }, cfg: machine(), want: call.CredentialMissing, words: "does not say where it gives tokens"},
			"an issuer that says no JSON":               {change: func(m *realm) { m.login.Handle(serverMeta, answers("application/json", `<html>`)) }, cfg: machine(), want: call.CredentialMissing, words: "does not say where it gives tokens"},
			"an issuer that says too much": {change: func(m *realm) {
				m.login.Handle(serverMeta, answers("application/json", `{"x":"`+strings.Repeat("x", 64<<10)+`"}`))
			},
				cfg: machine(), want: call.TooLarge, words: "the statement about authentication"},
			"an issuer that is redirected": {change: func(m *realm) { m.login.Handle(serverMeta, clienttest.Redirect(302, "https://thief.example.net/meta")) },
				cfg: machine(), want: call.CredentialMissing, words: "does not say where it gives tokens"},
			"nobody names an issuer, and there is a secret": {change: missing, cfg: &call.OAuthConfig{Grant: call.ClientCredentials, ClientID: "robot", ClientSecret: "s3cret-client"},
				want: call.CredentialRefused, words: "a secret belongs to an issuer, and none was named"},
			"nobody names an issuer, and the document another grant": {change: missing, cfg: person(call.DeviceCode), want: call.CredentialMissing, words: "nothing says who gives tokens for it"},
			"the document alone names one": {change: missing, cfg: &call.OAuthConfig{Grant: call.ClientCredentials, ClientID: "robot"},
				want: call.CredentialMissing, words: "client credentials need a secret"},
			"the document alone names a stranger": {change: func(m *realm) {
				missing(m)
				m.box = edited(m.t, m.box, "https://login.example.com/token", "https://thief.example.net/token")
			}, cfg: &call.OAuthConfig{Grant: call.ClientCredentials, ClientID: "robot"}, want: call.CredentialRefused, words: "on another site, which was not approved"},
		} {
			tt.try(t, name)
		}
	})
}
