package call_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

const otherIssuer = "https://login2.example.com"

// twoRealms adds another API and another issuer to a realm, and returns the tools of that API.
// Each API names both issuers.
func twoRealms(t *testing.T, m *realm) (other *tools.Box) {
	t.Helper()
	about := func(origin string) http.Handler {
		return answers("application/json", `{"resource": "`+origin+`", "authorization_servers": ["`+issuer+`", "`+otherIssuer+`"]}`)
	}
	m.api.Handle("/.well-known/oauth-protected-resource", about(apiOrigin))
	m.net.Host("login2.example.com", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		m.oauth.ServeHTTP(answer, r)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, strings.ReplaceAll(answer.Body.String(), issuer, otherIssuer))
	}))
	host := m.net.Host("api2.example.com", m.watch("api2.example.com", clienttest.Pages{
		"/openapi.json": oauthDocument, "/.well-known/ai-plugin.json": strings.ReplaceAll(plugin, "shop.example", "api2.example.com"),
	}, okay))
	host.Handle("/.well-known/oauth-protected-resource", about("https://api2.example.com"))
	other, err := tools.Load(t.Context(), m.client, []string{"api2.example.com"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// A token is for one user and one resource, from one issuer to one client, with its scopes. If
// one of them differs, another token is used.
func TestTwoTokens(t *testing.T) {
	type use struct {
		who, tool string
		other     bool // site
		cfg       call.OAuthConfig
		forget    string // before it
	}
	for _, tt := range []struct {
		name   string
		change func(u *use)
		shared bool
	}{
		{"the same", func(*use) {}, true},
		{"another principal", func(u *use) { u.who = "bob" }, false},
		{"another resource", func(u *use) { u.other = true }, false},
		{"another issuer", func(u *use) { u.cfg.Issuer = otherIssuer }, false},
		{"another client", func(u *use) { u.cfg.ClientID = "other" }, false},
		{"other scopes of the tool", func(u *use) { u.tool = "write" }, false},
		{"other scopes of the caller", func(u *use) { u.cfg.Scopes = []string{"admin"} }, false},
		{"a user who is forgotten", func(u *use) { u.forget = "alice" }, false},
		{"another user is forgotten", func(u *use) { u.forget = "bob" }, true},
	} {
		bubble(t, func(t *testing.T) {
			m := newRealm(t)
			other := twoRealms(t, m)
			made := use{who: "alice", tool: "read", cfg: *machine()}
			changed := made
			tt.change(&changed)
			var now *use
			c := m.caller(nil, func(o *call.Options) {
				o.Principal = principal
				o.Credentials = func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
					return call.OAuth(&now.cfg, call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
				}
			})
			var got []string
			for _, now = range []*use{&made, &changed, &made} {
				box := m.box
				if now.other {
					box = other
				}
				if now.forget != "" {
					c.Forget(now.forget)
				}
				res, err := c.Call(as(t, now.who), box, now.tool, argumentsOf(now.tool))
				wantCode(t, res, err, call.Code{})
				list := m.calls()
				got = append(got, strings.TrimPrefix(list[len(list)-1].header.Get("Authorization"), "Bearer s3cret-token-"))
			}
			want := []string{"1", "2", "1"}
			switch {
			case tt.shared:
				want[1] = "1"
			case changed.forget != "":
				want[2] = "2"
			}
			if !slices.Equal(got, want) || len(m.forms()) > 2 {
				t.Errorf("%s: tokens %q, want %q; %d were asked for", tt.name, got, want, len(m.forms()))
			}
		})
	}
}

// A site that has demanded a token from one user has not demanded one from another: the first
// request of the other user has no token, and the hook is not called before the site demands
// one.
func TestTwoChallenges(t *testing.T) {
	for _, tt := range []struct {
		name, who, forget string
		want              []string // tokens of the requests of the second call
	}{
		{"the same", "alice", "", []string{"Bearer s3cret-token-1"}},
		{"another principal", "bob", "", []string{"", "Bearer s3cret-token-2"}},
		{"a user who is forgotten", "alice", "alice", []string{"", "Bearer s3cret-token-2"}},
	} {
		bubble(t, func(t *testing.T) {
			m := newSilent(t, ownChallenge)
			c := m.caller(machine(), func(o *call.Options) { o.Principal = principal })
			res, err := c.Call(as(t, "alice"), m.box, "read", nil)
			wantCode(t, res, err, made)
			if tt.forget != "" {
				c.Forget(tt.forget)
			}
			before := len(m.calls())
			res, err = c.Call(as(t, tt.who), m.box, "read", nil)
			wantCode(t, res, err, made)
			var got []string
			for _, r := range m.calls()[before:] {
				got = append(got, r.header.Get("Authorization"))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s: sent %q, want %q", tt.name, got, tt.want)
			}
		})
	}
}

// A handle polls the work of its own call, with the credential of that call, whatever calls
// were made in between.
func TestTwoHandles(t *testing.T) {
	bubble(t, func(t *testing.T) {
		looks := map[string]int{}
		s := newShop(t, document(`, "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}`,
			operation("post", "/api/jobs", "begin", jsonBody+`, "security": [{"key": []}]`)), func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			who := strings.TrimPrefix(r.Header.Get("X-Key"), "s3cret-of-")
			if r.Method == http.MethodPost {
				w.Header().Set("Location", "/api/jobs/"+who)
				w.WriteHeader(http.StatusAccepted)
				return
			}
			if looks[r.URL.Path]++; r.URL.Path != "/api/jobs/"+who {
				t.Errorf("%s looks at %s", who, r.URL.Path)
			}
			_, _ = fmt.Fprintf(w, `{"status":"done","for":%q}`, who)
		})
		c := s.caller(&call.Options{Principal: principal, Confirm: (&yes{verdict: call.AllowOnce}).confirm, Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			return call.Key("s3cret-of-"+q.Principal, call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
		}})
		handles := map[string]*call.Handle{}
		for _, who := range []string{"alice", "bob"} {
			res, err := c.Call(as(t, who), s.box, "begin", []byte(`{"reason":"x"}`))
			wantCode(t, res, err, made)
			handles[who] = res.Program.Handle
		}
		for _, who := range []string{"alice", "bob", "alice"} {
			res, err := c.Wait(as(t, "carol"), handles[who])
			wantCode(t, res, err, made)
			if got := string(res.Program.Body); got != fmt.Sprintf(`{"status":"done","for":%q}`, who) {
				t.Errorf("%s: %s", who, got)
			}
		}
		if looks["/api/jobs/alice"] != 2 || looks["/api/jobs/bob"] != 1 {
			t.Errorf("%v", looks)
		}
	})
}
