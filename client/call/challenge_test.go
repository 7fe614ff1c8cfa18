package call_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// silentDocument says nothing of credentials.
var silentDocument = document("", operation("get", "/api/read", "read", ""), operation("post", "/api/write", "write", jsonBody))

// newSilent is a realm whose document names no scheme, and whose API wants a token all
// the same.
func newSilent(t *testing.T, challenge string) *realm {
	m := newRealm(t)
	m.status = func(token string, _ *http.Request) (int, string) {
		if strings.HasPrefix(token, "s3cret-token") {
			return 200, ""
		}
		return 401, challenge
	}
	m.api.Handle("/openapi.json", clienttest.Page{Header: http.Header{"Content-Type": {"application/json"}}, Body: silentDocument})
	m.api.Handle("/.well-known/oauth-protected-resource", http.NotFoundHandler())
	m.api.Handle("/meta", clienttest.Page{Header: http.Header{"Content-Type": {"application/json"}}, Body: `{"resource": "https://api.example.com", "authorization_servers": ["https://login.example.com"]}`})
	m.client = m.net.Client()
	box, err := tools.Load(t.Context(), m.client, []string{"api.example.com"}, nil)
	if err != nil || box.Len() != 2 {
		t.Fatal(err, box.Skipped())
	}
	m.box = box
	return m
}

const ownChallenge = `Bearer realm="x", scope="read mail", resource_metadata="https://api.example.com/meta"`

// A site whose documents say nothing of credentials asks for a token by a 401: the
// caller's hook is asked, somebody agrees to the credential, and the call is made once.
func TestChallengeBegins(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newSilent(t, ownChallenge)
		y := &yes{verdict: call.AllowOnce}
		var asked []*call.CredentialRequest
		c := m.caller(machine(), func(o *call.Options) {
			o.Confirm = y.confirm
			credentials := o.Credentials
			o.Credentials = func(ctx context.Context, q *call.CredentialRequest) (*call.Grant, error) {
				asked = append(asked, q)
				return credentials(ctx, q)
			}
		})
		res, err := c.Call(t.Context(), m.box, "read", nil)
		wantCode(t, res, err, "")
		if len(asked) != 1 || !asked[0].Challenged || asked[0].Name != "bearer" || !slices.Equal(asked[0].Scopes, []string{"read", "mail"}) || asked[0].Origin != apiOrigin {
			t.Errorf("%+v", asked)
		}
		if y.count() != 1 || !slices.Equal(y.asked[0].Reasons, []call.Reason{call.ReasonNewCredential}) || len(m.calls()) != 2 || len(m.forms) != 1 || m.forms[0].Get("scope") != "mail read" || m.forms[0].Get("resource") != apiOrigin {
			t.Errorf("%d questions, %d requests, %+v", y.count(), len(m.calls()), m.forms)
		}
		res, err = c.Call(t.Context(), m.box, "read", nil)
		if wantCode(t, res, err, ""); len(m.calls()) != 3 || len(m.forms) != 1 || y.count() != 1 {
			t.Errorf("%d requests, %d tokens, %d questions", len(m.calls()), len(m.forms), y.count())
		}
		res, err = c.Call(t.Context(), m.box, "write", []byte(`{"reason":"x"}`))
		if wantCode(t, res, err, ""); len(m.calls()) != 4 {
			t.Errorf("%d requests", len(m.calls()))
		}
		leaks(t, "a result", mustJSON(t, res)+mustJSON(t, y.asked))
		for _, r := range m.login.Requests() {
			if r.Host != "login.example.com" {
				t.Errorf("%+v", r)
			}
		}
	})
}

// Where nobody can be asked a ticket is: it covers the request with the credential.
func TestChallengeTicket(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newSilent(t, ownChallenge)
		c := m.caller(machine(), func(o *call.Options) { o.Confirm = nil })
		res, err := c.Call(t.Context(), m.box, "read", nil)
		if wantCode(t, res, err, call.ConfirmationRequired); res.Program.Ticket == "" || len(res.Program.Question.Request.Credentials) != 1 || len(m.forms) != 0 {
			t.Fatalf("%+v", res)
		}
		res, err = c.Redeem(t.Context(), m.box, "read", nil, res.Program.Ticket)
		if wantCode(t, res, err, ""); len(m.calls()) != 2 || len(m.forms) != 1 {
			t.Errorf("%d requests, %d tokens", len(m.calls()), len(m.forms))
		}
	})
}

// What a challenge says moves nothing to a stranger.
func TestChallengeRefuses(t *testing.T) {
	bubble(t, func(t *testing.T) {
		page := func(body string) http.Handler {
			return clienttest.Page{Header: http.Header{"Content-Type": {"application/json"}}, Body: body}
		}
		for name, tt := range map[string]struct {
			challenge string
			change    func(m *realm)
			want      call.Code
			reason    wayfind.Code
		}{
			"metadata of a stranger":  {`Bearer resource_metadata="https://thief.example.net/meta"`, nil, call.CredentialRefused, wayfind.CodeCrossSite},
			"an address for metadata": {`Bearer resource_metadata="https://169.254.169.254/meta"`, nil, call.CredentialRefused, wayfind.CodeCrossSite},
			"a stranger's server": {ownChallenge, func(m *realm) {
				m.api.Handle("/meta", page(`{"resource": "https://api.example.com", "authorization_servers": ["https://thief.example.net"]}`))
			}, call.CredentialRefused, ""},
			"metadata of another resource": {ownChallenge, func(m *realm) {
				m.api.Handle("/meta", page(`{"resource": "https://bank.example.net", "authorization_servers": ["https://login.example.com"]}`))
			}, call.CredentialRefused, ""},
			"metadata that redirect":     {ownChallenge, func(m *realm) { m.api.Handle("/meta", clienttest.Redirect(302, "https://thief.example.net/meta")) }, call.CredentialRefused, ""},
			"a token endpoint elsewhere": {ownChallenge, func(m *realm) { m.meta["token_endpoint"] = "https://thief.example.net/token" }, call.CredentialMissing, wayfind.CodeCrossSite},
			"a token endpoint inside": {ownChallenge, func(m *realm) {
				m.net.Host("inside.example.com", nil).At(netip.MustParseAddr("10.0.0.1"))
				m.meta["token_endpoint"] = "https://inside.example.com/token"
			}, call.CredentialMissing, wayfind.CodeBlockedAddress},
			"basic alone":  {`Basic realm="x"`, nil, call.CredentialMissing, ""},
			"no challenge": {"", nil, call.CredentialMissing, ""},
		} {
			m := newSilent(t, tt.challenge)
			thief := m.net.Host("thief.example.net", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{}`) }))
			if tt.change != nil {
				tt.change(m)
			}
			cfg := machine()
			if name == "metadata that redirect" {
				cfg.Issuer = ""
			}
			res, err := m.caller(cfg).Call(t.Context(), m.box, "write", []byte(`{"reason":"x"}`))
			wantCode(t, res, err, tt.want)
			if known, _ := errors.AsType[*wayfind.Error](err); tt.reason != "" && (known == nil || known.Code != tt.reason) {
				t.Errorf("%s: %v", name, err)
			}
			if len(m.calls()) != 1 || len(thief.Requests()) != 0 {
				t.Errorf("%s: the API saw %d requests, the thief %+v", name, len(m.calls()), thief.Requests())
			}
			leaks(t, name, fmt.Sprintf("%+v %v", res, err))
			if t.Failed() {
				t.Fatal(name)
			}
		}
		m := newSilent(t, ownChallenge)
		c, err := call.New(m.client, &call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm, Credentials: func(context.Context, *call.CredentialRequest) (*call.Grant, error) { return nil, nil }})
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Call(t.Context(), m.box, "write", []byte(`{"reason":"x"}`))
		if wantCode(t, res, err, call.CredentialMissing); len(m.calls()) != 1 {
			t.Errorf("%d requests", len(m.calls()))
		}
	})
}
