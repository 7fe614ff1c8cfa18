package call_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/security"
)

const (
	apiOrigin = "https://api.example.com"
	issuer    = "https://login.example.com"
)

var oauthDocument = document(`, "components": {"securitySchemes": {"login": {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://login.example.com/token", "scopes": {"read": "x", "write": "y"}}}}}}`,
	operation("get", "/api/read", "read", `, "security": [{"login": ["read"]}]`), operation("post", "/api/write", "write", jsonBody+`, "security": [{"login": ["write"]}]`))

// realm is an API with an authorization server.
type realm struct {
	t      *testing.T
	net    *clienttest.Internet
	api    *clienttest.Host
	login  *clienttest.Host
	client *client.Client
	box    *tools.Box
	*sniffer

	oauth  *clienttest.OAuth
	issued int
	meta   map[string]any                                                   // members that replace those of its metadata; nil: removed
	issue  func(form url.Values, n int) (status int, answer map[string]any) // nil: its own tokens
	status func(token string, r *http.Request) (int, string)                // of the API, with its challenge
}

func newRealm(t *testing.T) *realm {
	m := &realm{t: t, net: clienttest.New(t), sniffer: &sniffer{}, meta: map[string]any{}}
	m.oauth = &clienttest.OAuth{Issuer: issuer, Edit: m.edit}
	m.status = func(string, *http.Request) (int, string) { return 200, "" }
	pages := clienttest.Pages{"/openapi.json": oauthDocument, "/.well-known/ai-plugin.json": strings.ReplaceAll(plugin, "shop.example", "api.example.com"),
		"/.well-known/oauth-protected-resource": `{"resource": "https://api.example.com", "authorization_servers": ["https://login.example.com"]}`}
	m.api = m.net.Host("api.example.com", m.watch("api.example.com", pages, func(w http.ResponseWriter, r *http.Request) {
		status, challenge := m.status(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), r)
		if challenge != "" {
			w.Header().Set("WWW-Authenticate", challenge)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "you sent "+r.Header.Get("Authorization"))
	}))
	m.login = m.net.Host("login.example.com", m.oauth)
	m.client = m.net.Client()
	box, err := tools.Load(t.Context(), m.client, []string{"api.example.com"}, nil)
	if err != nil || box.Len() != 2 {
		t.Fatal(box, err)
	}
	m.box = box
	return m
}

// edit changes an answer of the authorization server as a test demands.
func (m *realm) edit(r *http.Request, status int, answer map[string]any) int {
	switch {
	case r.URL.Path == serverMeta:
		maps.Copy(answer, m.meta)
		maps.DeleteFunc(answer, func(_ string, v any) bool { return v == nil })
	case r.URL.Path == "/token" && m.issue != nil:
		clear(answer)
		var own map[string]any
		m.issued++
		status, own = m.issue(r.PostForm, m.issued)
		maps.Copy(answer, own)
	}
	return status
}

// forms returns the forms that the token endpoint received.
func (m *realm) forms() (list []url.Values) {
	for _, r := range m.oauth.Requests() {
		list = append(list, r.Form)
	}
	return list
}

func (m *realm) caller(cfg *call.OAuthConfig, change ...func(*call.Options)) *call.Caller {
	m.t.Helper()
	o := &call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm, Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
		return call.OAuth(cfg, call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
	}}
	for _, f := range change {
		f(o)
	}
	c, err := call.New(m.client, o)
	if err != nil {
		m.t.Fatal(err)
	}
	return c
}

func machine() *call.OAuthConfig {
	return &call.OAuthConfig{Grant: call.ClientCredentials, Issuer: issuer, ClientID: "robot", ClientSecret: "s3cret-client"}
}

// Twenty calls at once request one token. It is renewed a minute before it expires.
func TestClientCredentials(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newRealm(t)
		c := m.caller(machine())
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				res, err := c.Call(t.Context(), m.box, "read", nil)
				wantCode(t, res, err, made)
				leaks(t, "a result", mustJSON(t, res)+string(res.Program.Body))
			})
		}
		all.Wait()
		if len(m.forms()) != 1 || m.forms()[0].Get("resource") != apiOrigin || m.forms()[0].Get("scope") != "read" || m.forms()[0].Get("grant_type") != "client_credentials" ||
			!strings.HasPrefix(m.oauth.Requests()[0].Header.Get("Authorization"), "Basic ") || m.forms()[0].Get("client_secret") != "" {
			t.Errorf("%+v", m.oauth.Requests())
		}
		for _, r := range m.calls() {
			if r.header.Get("Authorization") != "Bearer s3cret-token-1" {
				t.Errorf("%+v", r)
			}
		}
		time.Sleep(3600*time.Second - 61*time.Second)
		res, err := c.Call(t.Context(), m.box, "read", nil)
		wantCode(t, res, err, made)
		time.Sleep(2 * time.Second)
		res, err = c.Call(t.Context(), m.box, "read", nil)
		wantCode(t, res, err, made)
		if len(m.forms()) != 2 {
			t.Errorf("%d tokens", len(m.forms()))
		}
		for _, r := range m.api.Requests() { // nothing but bearer tokens of the issuer
			if strings.Contains(fmt.Sprint(r.Header), "s3cret-client") || strings.Contains(fmt.Sprint(r.Header), "cm9ib3Q6") {
				t.Errorf("the secret went to the API: %+v", r)
			}
		}
	})
}

// A site that demands more scopes, or another token, gets it once.
func TestStepUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for name, tt := range map[string]struct {
			status    int
			challenge string
			good      string
			tokens    int
			scope     string
			want      call.Code
		}{
			"more scopes":    {403, `Bearer error="insufficient_scope", scope="admin"`, "s3cret-token-2", 2, "admin write", made},
			"never enough":   {403, `Bearer error="insufficient_scope", scope="admin"`, "none", 2, "admin write", call.CredentialRefused},
			"an ended token": {401, `Bearer error="invalid_token"`, "s3cret-token-2", 2, "write", made},
			"just forbidden": {403, "", "none", 1, "write", call.CredentialRefused},
			"a stranger's":   {401, `Bearer resource_metadata="https://thief.example.net/meta"`, "none", 2, "write", call.CredentialRefused},
		} {
			m := newRealm(t)
			thief := m.net.Host("thief.example.net", nil)
			m.status = func(token string, _ *http.Request) (int, string) {
				if token == tt.good {
					return 200, ""
				}
				return tt.status, tt.challenge
			}
			res, err := m.caller(machine()).Call(t.Context(), m.box, "write", []byte(`{"reason":"x"}`))
			wantCode(t, res, err, tt.want)
			if len(m.forms()) != tt.tokens || m.forms()[len(m.forms())-1].Get("scope") != tt.scope || len(m.calls()) != tt.tokens || len(thief.Requests()) != 0 {
				t.Errorf("%s: %d tokens, last %+v, %d calls", name, len(m.forms()), m.forms(), len(m.calls()))
			}
			leaks(t, name, fmt.Sprintf("%+v %v", res, err))
		}
	})
}

// store keeps refresh tokens in memory.
type store struct {
	mu   sync.Mutex
	kept map[call.TokenKey]string
}

func (s *store) Update(_ context.Context, key call.TokenKey, change func([]byte) ([]byte, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next, err := change([]byte(s.kept[key]))
	if err != nil {
		return err
	}
	if s.kept == nil {
		s.kept = map[call.TokenKey]string{}
	}
	s.kept[key] = string(next)
	return nil
}

func (s *store) Forget(principal string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.kept, func(k call.TokenKey, _ string) bool { return k.Principal == principal })
	return nil
}

// refresh returns the refresh token of the client "app" of the only user.
func (s *store) refresh(t *testing.T) string {
	t.Helper()
	var kept struct{ Refresh string }
	if err := json.Unmarshal([]byte(s.kept[call.TokenKey{Issuer: issuer, Resource: apiOrigin, Client: "app"}]), &kept); err != nil {
		t.Fatal(err)
	}
	return kept.Refresh
}

// A device shows a code, and the refresh token outlives the Caller.
func TestDeviceAndRefresh(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newRealm(t)
		m.oauth.Pending = 2
		var shown []string
		kept := &store{}
		cfg := &call.OAuthConfig{Grant: call.DeviceCode, ClientID: "app", Device: func(_ context.Context, code, at string) error {
			shown = append(shown, code+" "+at)
			return nil
		}}
		keeping := func(o *call.Options) { o.Tokens = kept }
		res, err := m.caller(cfg, keeping).Call(t.Context(), m.box, "read", nil)
		wantCode(t, res, err, made)
		if !slices.Equal(shown, []string{"WDJB-MJHT https://login.example.com/activate"}) || kept.refresh(t) != "s3cret-refresh-1" {
			t.Errorf("%q %+v", shown, kept.kept)
		}
		res, err = m.caller(cfg, keeping).Call(t.Context(), m.box, "read", nil) // a new process
		wantCode(t, res, err, made)
		last := m.forms()[len(m.forms())-1]
		if len(shown) != 1 || last.Get("grant_type") != "refresh_token" || last.Get("refresh_token") != "s3cret-refresh-1" || last.Get("resource") != apiOrigin {
			t.Errorf("%q %+v", shown, last)
		}
		if kept.refresh(t) != "s3cret-refresh-2" {
			t.Errorf("%+v", kept.kept)
		}
	})
}

// fullStore is a store that can no longer keep a value, as on a full disk.
type fullStore struct {
	store
	full bool
}

func (s *fullStore) Update(ctx context.Context, key call.TokenKey, change func([]byte) ([]byte, error)) error {
	return s.store.Update(ctx, key, func(kept []byte) ([]byte, error) {
		next, err := change(kept)
		if err == nil && s.full {
			err = errors.New("the disk is full")
		}
		return next, err
	})
}

// A token that the store cannot keep is used all the same, and so is the refresh token that came with it:
// the one in the store was spent.
func TestATokenThatCannotBeKeptIsUsed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newRealm(t)
		kept := &fullStore{}
		logins := 0
		cfg := &call.OAuthConfig{Grant: call.DeviceCode, ClientID: "app", Device: func(context.Context, string, string) error { logins++; return nil }}
		c := m.caller(cfg, func(o *call.Options) { o.Tokens = kept })
		for round := range 4 {
			kept.full = round == 1 || round == 2
			res, err := c.Call(t.Context(), m.box, "read", nil)
			wantCode(t, res, err, made)
			time.Sleep(2 * time.Hour) // the token expires
		}
		if logins != 1 || m.oauth.Count("refresh_token") != 3 || m.oauth.Reused() != 0 {
			t.Errorf("%d logins, %d renewals, %d with a spent token", logins, m.oauth.Count("refresh_token"), m.oauth.Reused())
		}
		if got := kept.refresh(t); got != "s3cret-refresh-4" {
			t.Errorf("at last the store has %s", got)
		}
	})
}

// An authorization server on another site is contacted only after approval.
func TestApprovedIssuer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newRealm(t)
		m.api.Handle("/.well-known/oauth-protected-resource", clienttest.Page{Header: http.Header{"Content-Type": {"application/json"}},
			Body: `{"resource": "https://api.example.com", "authorization_servers": ["https://id.example.net"]}`})
		m.net.Host("id.example.net", m.oauth)
		m.meta["issuer"], m.meta["token_endpoint"] = "https://id.example.net", "https://id.example.net/token"
		m.meta["device_authorization_endpoint"] = "https://id.example.net/device"
		var asked []string
		cfg := &call.OAuthConfig{Grant: call.DeviceCode, ClientID: "app", Device: func(context.Context, string, string) error { return nil }}
		res, err := m.caller(cfg, func(o *call.Options) {
			o.Approve = func(_ context.Context, q security.ApprovalRequest) error {
				asked = append(asked, q.Purpose+" "+q.Endpoint)
				return nil
			}
		}).Call(t.Context(), m.box, "read", nil)
		wantCode(t, res, err, made)
		if len(asked) != 1 || !strings.HasPrefix(asked[0], "oauth https://id.example.net") {
			t.Errorf("%q", asked)
		}
		var e *wayfind.Error
		if errors.As(err, &e) {
			t.Error(e)
		}
	})
}

// A client with a metadata document is identified by the URL of that document if the server
// reads such documents. It is not registered.
func TestClientOfADocument(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newRealm(t)
		m.meta["client_id_metadata_document_supported"], m.meta["registration_endpoint"] = true, issuer+"/register"
		const me = "https://me.example/client.json"
		cfg := &call.OAuthConfig{Grant: call.DeviceCode, ClientID: me, Device: func(context.Context, string, string) error { return nil }}
		res, err := m.caller(cfg).Call(t.Context(), m.box, "read", nil)
		wantCode(t, res, err, made)
		if len(m.forms()) != 1 || m.forms()[0].Get("client_id") != me || m.forms()[0].Get("client_secret") != "" || slices.Contains(m.login.Paths(), "/register") {
			t.Errorf("%+v, asked %q", m.forms(), m.login.Paths())
		}
		cfg.ClientID = "" // nothing is registered that was not asked for
		res, err = m.caller(cfg).Call(t.Context(), m.box, "read", nil)
		wantCode(t, res, err, call.CredentialMissing)
		if slices.Contains(m.login.Paths(), "/register") || len(m.calls()) != 1 {
			t.Errorf("asked %q", m.login.Paths())
		}
	})
}
