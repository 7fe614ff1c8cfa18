package call_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// A session belongs to the definition of its tools: what a site logs in to at its server is not open to the
// tools that another site describes there.
func TestASessionBelongsToADefinition(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newCounter(t)
		s.net.Host("evil.example", clienttest.Pages{"/.well-known/mcp/server-card.json": strings.Replace(
			strings.Replace(serverCard, `"version": "1"`, `"version": "1", "tools": [{"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}]`, 1),
			`"streamable-http", `, `"streamable-http", `+counterTools, 1)})
		c, _ := s.caller(t, func(o *call.Options) { o.Approve = approving(new([]string)) })
		s.wants(t, t.Context(), c, "s1 1")
		own := s.box
		box, err := tools.Load(t.Context(), s.client, []string{"evil.example"}, nil)
		if err != nil || box.Len() != 1 {
			t.Fatal(err, box.Skipped())
		}
		s.box = box
		s.wants(t, t.Context(), c, "s2 1")
		s.box = own
		s.wants(t, t.Context(), c, "s1 2")
	})
}

// A session belongs to a login: it goes on while the token is refreshed, and another login, which may be of
// another account, has its own.
func TestASessionBelongsToALogin(t *testing.T) {
	for refresh, want := range map[string]string{`, "refresh_token": "again"`: "s1 2", "": "s2 1"} {
		bubble(t, func(t *testing.T) {
			s := newCounter(t)
			s.net.Host("login.shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				const at = "https://login.shop.example"
				w.Header().Set("Content-Type", "application/json")
				switch r.URL.Path {
				case "/.well-known/oauth-authorization-server":
					_, _ = io.WriteString(w, `{"issuer": "`+at+`", "token_endpoint": "`+at+`/token", "device_authorization_endpoint": "`+at+`/device"}`)
				case "/device":
					_, _ = io.WriteString(w, `{"device_code": "d", "user_code": "ABCD", "verification_uri": "`+at+`/activate", "expires_in": 600, "interval": 1}`)
				case "/token":
					_, _ = fmt.Fprintf(w, `{"access_token": "s3cret-%d", "token_type": "Bearer", "expires_in": 60%s}`, time.Now().Unix(), refresh)
				default:
					w.WriteHeader(http.StatusNotFound)
				}
			}))
			logins := 0
			c, _ := s.caller(t, func(o *call.Options) {
				o.Approve = approving(new([]string))
				o.Credentials = func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
					cfg := &call.OAuthConfig{Grant: call.DeviceCode, ClientID: "app", Issuer: "https://login.shop.example", Device: func(context.Context, string, string) error { logins++; return nil }}
					return call.OAuth(cfg, call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
				}
			})
			s.guarded = true
			s.wants(t, t.Context(), c, "s1 1")
			time.Sleep(2 * time.Minute)
			s.wants(t, t.Context(), c, want)
			if err := c.Forget(""); err != nil {
				t.Fatal(err)
			}
			before := logins
			if s.wants(t, t.Context(), c, fmt.Sprintf("s%d 1", s.began+1)); logins != before+1 {
				t.Errorf("%d logins", logins-before)
			}
		})
	}
}

// A session with a long ID serves one call, which is told so.
func TestALongSessionIDIsNotKept(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newCounter(t)
		long := strings.Repeat("x", 1025)
		s.work = func(w http.ResponseWriter, m rpc, _ http.Header) bool {
			if m.Method == "initialize" {
				w.Header().Set("Mcp-Session-Id", long)
				_, _ = fmt.Fprintf(w, olderHello, m.ID)
			}
			return m.Method == "initialize"
		}
		c, _ := s.caller(t)
		if res := s.wants(t, t.Context(), c, long+" 1"); !strings.Contains(res.Model.Note, "too long") {
			t.Errorf("%q", res.Model.Note)
		}
		if _ = c.Close(); len(s.ended) != 1 {
			t.Errorf("ended %d", len(s.ended))
		}
	})
}

// An observer that panics in a call leaves no conversation behind that other calls wait for.
func TestAPanicEndsItsConversation(t *testing.T) {
	for _, method := range []string{"initialize", "notifications/initialized", "tools/call"} {
		bubble(t, func(t *testing.T) {
			s := newCounter(t)
			var armed atomic.Bool
			s.client = s.net.Client(func(o *client.Options) {
				o.Observe = func(ctx context.Context, e client.Event) (context.Context, func(client.Event)) {
					return ctx, func(client.Event) {
						if methods := s.methods(0); armed.Load() && len(methods) > 0 && methods[len(methods)-1] == method {
							armed.Store(false)
							panic("a bug")
						}
					}
				}
			})
			s.load(t)
			c, _ := s.caller(t)
			armed.Store(true)
			func() {
				defer func() {
					if recover() == nil {
						t.Error("the observer has not panicked")
					}
				}()
				_, _ = c.Call(t.Context(), s.box, "look", nil)
			}()
			s.wants(t, t.Context(), c, "s2 1")
			if _ = c.Close(); method == "tools/call" && len(s.ended) != 2 {
				t.Errorf("ended %v", s.ended)
			}
		})
	}
}
