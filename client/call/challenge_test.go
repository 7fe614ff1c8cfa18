package call_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// silentDocument does not mention credentials.
var silentDocument = document("", operation("get", "/api/read", "read", ""), operation("post", "/api/write", "write", jsonBody))

// newSilent returns a realm whose document names no scheme and whose API demands a token
// nevertheless.
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

// If the documents of a site do not mention credentials and the site demands a token by a 401,
// the caller's hook is called, a person agrees to the credential, and the call is made once.
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
		wantCode(t, res, err, made)
		if len(asked) != 1 || !asked[0].Challenged || asked[0].Name != "bearer" || !slices.Equal(asked[0].Scopes, []string{"read", "mail"}) || asked[0].Origin != apiOrigin {
			t.Errorf("%+v", asked)
		}
		if y.count() != 1 || !slices.Equal(y.asked[0].Reasons, []call.Reason{call.ReasonNewCredential}) || len(m.calls()) != 2 || len(m.forms()) != 1 || m.forms()[0].Get("scope") != "mail read" || m.forms()[0].Get("resource") != apiOrigin {
			t.Errorf("%d questions, %d requests, %+v", y.count(), len(m.calls()), m.forms())
		}
		res, err = c.Call(t.Context(), m.box, "read", nil)
		if wantCode(t, res, err, made); len(m.calls()) != 3 || len(m.forms()) != 1 || y.count() != 1 {
			t.Errorf("%d requests, %d tokens, %d questions", len(m.calls()), len(m.forms()), y.count())
		}
		res, err = c.Call(t.Context(), m.box, "write", []byte(`{"reason":"x"}`))
		if wantCode(t, res, err, made); len(m.calls()) != 4 {
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

// If no person can be asked, the call ends with a ticket that covers the request with the
// credential.
func TestChallengeTicket(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newSilent(t, ownChallenge)
		c := m.caller(machine(), func(o *call.Options) { o.Confirm = nil })
		res, err := c.Call(t.Context(), m.box, "read", nil)
		if wantCode(t, res, err, call.ConfirmationRequired); res.Program.Ticket == "" || len(res.Program.Question.Request.Credentials) != 1 || len(m.forms()) != 0 {
			t.Fatalf("%+v", res)
		}
		res, err = c.CallConfirmed(t.Context(), m.box, "read", nil, res.Program.Ticket)
		if wantCode(t, res, err, made); len(m.calls()) != 2 || len(m.forms()) != 1 {
			t.Errorf("%d requests, %d tokens", len(m.calls()), len(m.forms()))
		}
	})
}

// A challenge never sends a credential to another site.
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
			words     string // of the reason
		}{
			"metadata of a stranger":  {`Bearer resource_metadata="https://thief.example.net/meta"`, nil, call.CredentialRefused, wayfind.CodeCrossSite, "metadata on another site"},
			"an address for metadata": {`Bearer resource_metadata="https://169.254.169.254/meta"`, nil, call.CredentialRefused, wayfind.CodeCrossSite, "metadata on another site"},
			"a stranger's server": {ownChallenge, func(m *realm) {
				m.api.Handle("/meta", page(`{"resource": "https://api.example.com", "authorization_servers": ["https://thief.example.net"]}`))
			}, call.CredentialRefused, "", "does not name the issuer of the credential"},
			"metadata of another resource": {ownChallenge, func(m *realm) {
				m.api.Handle("/meta", page(`{"resource": "https://bank.example.net", "authorization_servers": ["https://login.example.com"]}`))
			}, call.CredentialRefused, "", "is about another one"},
			"metadata that redirect":     {ownChallenge, func(m *realm) { m.api.Handle("/meta", clienttest.Redirect(302, "https://thief.example.net/meta")) }, call.CredentialRefused, "", "a secret belongs to an issuer, and none was named"},
			"a token endpoint elsewhere": {ownChallenge, func(m *realm) { m.meta["token_endpoint"] = "https://thief.example.net/token" }, call.CredentialMissing, wayfind.CodeCrossSite, "is not on the site of the issuer"},
			"a token endpoint inside": {ownChallenge, func(m *realm) {
				m.net.Host("inside.example.com", nil).At(netip.MustParseAddr("10.0.0.1"))
				m.meta["token_endpoint"] = "https://inside.example.com/token"
			}, call.CredentialMissing, wayfind.CodeBlockedAddress, "(blocked_address)"},
			"basic alone":  {`Basic realm="x"`, nil, call.CredentialMissing, "", "401 from api.example.com"},
			"no challenge": {"", nil, call.CredentialMissing, "", "401 from api.example.com"},
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
			wantReason(t, name, res, err, tt.want, tt.words)
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

// If the document of a site names a scheme, the site gets the credential of that scheme. A
// challenge causes no new login, even if the document declares the credential as optional.
func TestChallengeOfADeclaredScheme(t *testing.T) {
	bubble(t, func(t *testing.T) {
		doc := document(schemes, operation("get", "/api/read", "read", `, "security": [{"head": []}, {}]`))
		s := newShop(t, doc, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
		})
		h := &hooks{}
		var names []string
		c := s.caller(h.counted(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm, Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			if names = append(names, q.Name); q.Name == "head" {
				return nil, nil
			}
			return call.Bearer("s3cret-token", call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
		}}))
		res, err := c.Call(t.Context(), s.box, "read", nil)
		wantReason(t, "a declared scheme", res, err, call.CredentialMissing, "401 from shop.example")
		if slices.Contains(names, "bearer") || len(s.calls()) != 1 {
			t.Errorf("asked for %q, sent %+v", names, s.calls())
		}
		h.wantAsked(t, "a declared scheme", slices.Repeat([]string{"credentials"}, len(names))...)
	})
}

// Data of one issuer is never sent to another, neither the registration of a client nor a
// refresh token, even if the resource then names the other one. If the challenge has no
// scopes, the supported scopes of the resource are requested.
func TestIssuersAreKeptApart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newSilent(t, `Bearer resource_metadata="https://api.example.com/meta"`)
		page := func(body string) http.Handler {
			return clienttest.Page{Header: http.Header{"Content-Type": {"application/json"}}, Body: body}
		}
		about := func(host string) http.Handler {
			return page(`{"resource": "https://api.example.com", "authorization_servers": ["https://` + host + `"], "scopes_supported": ["all", "some"]}`)
		}
		var second []string
		other := m.net.Host("other.example.com", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			second = append(second, r.URL.Path+" "+string(body))
			w.Header().Set("Content-Type", "application/json")
			switch r.URL.Path {
			case "/.well-known/oauth-authorization-server":
				_, _ = io.WriteString(w, `{"issuer": "https://other.example.com", "token_endpoint": "https://other.example.com/token", "device_authorization_endpoint": "https://other.example.com/device", "registration_endpoint": "https://other.example.com/register"}`)
			case "/register":
				_, _ = io.WriteString(w, `{"client_id": "client-of-other"}`)
			case "/device":
				_, _ = io.WriteString(w, `{"device_code": "d", "user_code": "EFGH", "verification_uri": "https://other.example.com/activate", "expires_in": 600, "interval": 1}`)
			case "/token":
				_, _ = io.WriteString(w, `{"access_token": "s3cret-token-other", "token_type": "Bearer", "expires_in": 600}`)
			}
		}))
		m.issue = func(url.Values, int) (int, map[string]any) {
			return 200, map[string]any{"access_token": "s3cret-token-1", "token_type": "bearer", "expires_in": 600, "refresh_token": "s3cret-refresh-1"}
		}
		m.meta["registration_endpoint"] = issuer + "/register"
		m.login.Handle("/register", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"client_id": "client-of-login"}`)
		}))
		m.api.Handle("/meta", about("login.example.com"))
		shows := 0
		c := m.caller(&call.OAuthConfig{Grant: call.DeviceCode, Register: true, Device: func(context.Context, string, string) error { shows++; return nil }})
		res, err := c.Call(t.Context(), m.box, "read", nil)
		wantCode(t, res, err, made)
		if len(m.forms()) == 0 {
			t.Fatal("no token")
		}
		if form := m.forms()[0]; form.Get("client_id") != "client-of-login" {
			t.Errorf("%+v", form)
		}
		m.api.Handle("/meta", about("other.example.com"))
		time.Sleep(time.Hour)
		res, err = c.Call(t.Context(), m.box, "read", nil)
		wantCode(t, res, err, made)
		all := strings.Join(second, "\n")
		if shows != 2 || strings.Contains(all, "s3cret-refresh") || strings.Contains(all, "client-of-login") || !strings.Contains(all, "client_id=client-of-other") || !strings.Contains(all, "scope=all+some") {
			t.Errorf("%d codes shown; the second issuer saw %s", shows, all)
		}
		if len(other.Requests()) == 0 || len(m.forms()) != 1 {
			t.Errorf("%d tokens of the first", len(m.forms()))
		}
	})
}
