package tokens_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/act/tokens"
)

func TestAPassingFailureKeepsTheRefreshToken(t *testing.T) {
	for name, tt := range map[string]struct {
		path   string
		status int
		code   string
		why    tokens.Why
	}{
		"503":                         {"/token", http.StatusServiceUnavailable, "", tokens.Throttled},
		"503 with a code":             {"/token", http.StatusServiceUnavailable, "temporarily_unavailable", tokens.Throttled},
		"429":                         {"/token", http.StatusTooManyRequests, "", tokens.Throttled},
		"500":                         {"/token", http.StatusInternalServerError, "", tokens.Unreachable},
		"500 that says invalid_grant": {"/token", http.StatusInternalServerError, "invalid_grant", tokens.Unreachable},
		"502":                         {"/token", http.StatusBadGateway, "", tokens.Unreachable},
		"503 of the metadata":         {"/.well-known/oauth-authorization-server", http.StatusServiceUnavailable, "", tokens.Throttled},
	} {
		inRealm(t, &clienttest.OAuth{}, func(t *testing.T, m *realm) {
			k := tokens.NewKeeper(m.client, nil)
			get(t, k, m.device("alice", "read"))
			time.Sleep(2 * time.Hour)
			m.Fail(tt.path, 3, tt.status, tt.code)
			for range 3 {
				wantFailure(t, name, k, m.device("alice", "read"), tt.why)
				time.Sleep(10 * time.Minute) // a pause that the client may keep
			}
			get(t, k, m.device("alice", "read"))
			m.wantLogins(t, name, 1)
		})
	}
}

func TestARefusalThatIsNotOfTheTokenKeepsIt(t *testing.T) {
	for _, code := range []string{"invalid_request", "invalid_scope", "unsupported_grant_type", "invalid_client", "unauthorized_client", "of_a_stranger", ""} {
		inRealm(t, &clienttest.OAuth{}, func(t *testing.T, m *realm) {
			k := tokens.NewKeeper(m.client, nil)
			get(t, k, m.device("alice", "read"))
			time.Sleep(2 * time.Hour)
			m.Fail("/token", 1, http.StatusBadRequest, code)
			if token, err := k.Token(t.Context(), m.device("alice", "read")); err == nil {
				t.Errorf("%s: %v", code, token)
			}
			get(t, k, m.device("alice", "read"))
			m.wantLogins(t, code, 1)
		})
	}
}

func TestARefreshTokenThatHasEndedLeadsToALogin(t *testing.T) {
	inRealm(t, &clienttest.OAuth{}, func(t *testing.T, m *realm) {
		k := tokens.NewKeeper(m.client, nil)
		get(t, k, m.device("alice", "read"))
		m.Revoke()
		time.Sleep(2 * time.Hour)
		get(t, k, m.device("alice", "read"))
		m.wantLogins(t, "after all tokens were revoked", 2)
		time.Sleep(2 * time.Hour)
		get(t, k, m.device("alice", "read"))
		m.wantLogins(t, "with the refresh token of the second", 2)
	})
}

func TestAClientThatTheServerHasForgottenIsRegisteredAgainOnce(t *testing.T) {
	inRealm(t, &clienttest.OAuth{}, func(t *testing.T, m *realm) {
		kept := newStore()
		for _, login := range []struct {
			name string
			wait time.Duration
		}{{"a login", 0}, {"a renewal", 2 * time.Hour}} {
			k := tokens.NewKeeper(m.client, kept)
			get(t, k, m.registering("alice"))
			time.Sleep(login.wait)
			for key := range kept.kept {
				m.Unregister(key.Client)
			}
			m.logins = 0
			get(t, k, func() *tokens.Request { r := m.registering("alice"); r.More = []string{login.name}; return r }())
			m.wantLogins(t, login.name, 1)
			if len(kept.kept) != 2 {
				t.Errorf("%s: the store has %v", login.name, kept.kept)
			}
		}
		m.Fail("/token", 2, http.StatusUnauthorized, "invalid_client")
		r := m.registering("alice")
		r.More = []string{"admin"}
		if token, err := tokens.NewKeeper(m.client, kept).Token(t.Context(), r); err == nil {
			t.Errorf("%v", token)
		}
		if n := len(m.login.Requests()); n > 40 {
			t.Errorf("%d requests", n)
		}
	})
}

// A client registers as native, because a server may take any other for one of the web, and refuse
// a redirect to this machine.
func TestAClientRegistersAsNative(t *testing.T) {
	var body []byte
	inRealm(t, &clienttest.OAuth{Edit: func(r *http.Request, status int, _ map[string]any) int {
		if r.URL.Path == "/register" {
			body, _ = io.ReadAll(r.Body)
		}
		return status
	}}, func(t *testing.T, m *realm) {
		get(t, tokens.NewKeeper(m.client, newStore()), m.registering("alice"))
		var said struct {
			Type      string   `json:"application_type"`
			Redirects []string `json:"redirect_uris"`
		}
		if err := json.Unmarshal(body, &said); err != nil || said.Type != "native" || len(said.Redirects) != 1 || !strings.HasPrefix(said.Redirects[0], "http://127.0.0.1/") {
			t.Errorf("registered with %s, %v", body, err)
		}
	})
}

func TestAClientIsRegisteredOnceForAllProcesses(t *testing.T) {
	inRealm(t, &clienttest.OAuth{}, func(t *testing.T, m *realm) {
		kept := newStore()
		for range 3 {
			get(t, tokens.NewKeeper(m.client, kept), m.registering("alice"))
		}
		n := 0
		for _, path := range m.login.Paths() {
			if path == "/register" {
				n++
			}
		}
		if m.wantLogins(t, "three processes", 1); n != 1 {
			t.Errorf("%d registrations", n)
		}
	})
}

func TestAStateThatCannotBeReadIsNone(t *testing.T) {
	inRealm(t, &clienttest.OAuth{}, func(t *testing.T, m *realm) {
		kept := newStore()
		for _, bad := range []string{`{`, `[]`, `{"refresh": 7}`, `{"refresh": "x", "proofs": "AAAA"}`, `{"refresh": "x", "proofs": 7}`} {
			kept.kept[tokens.Key{Principal: "alice", Issuer: issuer, Resource: apiOrigin, Client: "app"}] = bad
			get(t, tokens.NewKeeper(m.client, kept), m.device("alice", "read"))
		}
		m.wantLogins(t, "files that are damaged", 5)
	})
}

func TestARefreshTokenBesideAnUnusableTokenIsKept(t *testing.T) {
	kind := ""
	inRealm(t, &clienttest.OAuth{Edit: func(r *http.Request, status int, answer map[string]any) int {
		if kind != "" && r.URL.Path == "/token" {
			answer["token_type"] = kind
		}
		return status
	}}, func(t *testing.T, m *realm) {
		k := tokens.NewKeeper(m.client, nil)
		get(t, k, m.device("alice", "read"))
		time.Sleep(2 * time.Hour)
		kind = "mac"
		wantFailure(t, "a token of another kind", k, m.device("alice", "read"), tokens.Missing)
		kind = ""
		get(t, k, m.device("alice", "read"))
		if m.wantLogins(t, "after it", 1); m.Reused() != 0 {
			t.Errorf("%d refresh tokens were used twice", m.Reused())
		}
	})
}

func TestARegistrationThatHasEndedTakesItsTokensWithIt(t *testing.T) {
	inRealm(t, &clienttest.OAuth{}, func(t *testing.T, m *realm) {
		k := tokens.NewKeeper(m.client, nil)
		first := get(t, k, m.registering("alice"))
		m.Unregister("client-1")
		more := m.registering("alice")
		more.Needed, more.More = nil, []string{"admin"}
		if get(t, k, more); get(t, k, m.registering("alice")) == first {
			t.Errorf("%s of the first registration is still sent", first)
		}
	})
}
