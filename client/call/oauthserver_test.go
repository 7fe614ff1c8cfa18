package call_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// The metadata of a resource and of an issuer with a path are read from the places that their
// standards define, in order. The token is for the endpoint with its path.
func TestPlacesOfMetadata(t *testing.T) {
	const tenant = "https://login.shop.example/tenant"
	resources := []string{"/.well-known/oauth-protected-resource/api/rpc", "/.well-known/oauth-protected-resource"}
	servers := []string{"/.well-known/oauth-authorization-server/tenant", "/.well-known/openid-configuration/tenant", "/tenant/.well-known/openid-configuration"}
	for i, resource := range resources {
		for j, server := range servers {
			bubble(t, func(t *testing.T) {
				var asked, targets []string
				card := strings.Replace(modernCard, `"version": "1"`, `"version": "1", "tools": [{"name": "book", "inputSchema": {"type": "object"}}]`, 1)
				var x *world
				x = newWorld(t, clienttest.Pages{"/.well-known/mcp/server-card.json": card, resource: `{"resource": "https://shop.example/api/rpc", "authorization_servers": ["` + tenant + `"]}`}, func(w http.ResponseWriter, m rpc) {
					if x.heads[len(x.heads)-1].Get("Authorization") != "Bearer s3cret-token" {
						w.Header().Set("WWW-Authenticate", "Bearer")
						w.WriteHeader(http.StatusUnauthorized)
						return
					}
					_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"booked"}]}}`, m.ID)
				})
				x.net.Host("login.shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					asked = append(asked, r.URL.Path)
					switch r.URL.Path {
					case server:
						_, _ = io.WriteString(w, `{"issuer": "`+tenant+`", "token_endpoint": "`+tenant+`/token", "device_authorization_endpoint": "`+tenant+`/device"}`)
					case "/tenant/device":
						_, _ = io.WriteString(w, `{"device_code": "d", "user_code": "ABCD", "verification_uri": "`+tenant+`/activate", "expires_in": 600, "interval": 1}`)
					case "/tenant/token":
						_ = r.ParseForm()
						targets = append(targets, r.PostForm.Get("resource"))
						_, _ = io.WriteString(w, `{"access_token": "s3cret-token", "token_type": "Bearer"}`)
					default:
						w.WriteHeader(http.StatusNotFound)
					}
				}))
				c, _ := x.caller(t, func(o *call.Options) {
					o.Approve = approving(new([]string))
					o.Credentials = func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
						cfg := &call.OAuthConfig{Grant: call.DeviceCode, ClientID: "app", Device: func(context.Context, string, string) error { return nil }}
						return call.OAuth(cfg, call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
					}
				})
				res, err := c.Call(t.Context(), x.box, "book", nil)
				wantCode(t, res, err, made)
				if want := append(slices.Clone(servers[:j+1]), "/tenant/device", "/tenant/token"); !slices.Equal(asked, want) || !slices.Equal(targets, []string{"https://shop.example/api/rpc"}) {
					t.Errorf("%d, %d: asked %q for %q, want %q", i, j, asked, targets, want)
				}
			})
		}
	}
}

// A server that only the document of the site names gives tokens to clients without a secret,
// by the flow of its grant.
func TestServersOfTheDocument(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newRealm(t)
		m.api.Handle(resourceMeta, http.NotFoundHandler())
		box := edited(t, m.box, `"grant":"client_credentials",`, `"grant":"authorization_code","authorizationUrl":"`+issuer+`/authorize",`)
		var page *url.URL
		cfg := &call.OAuthConfig{Grant: call.AuthorizationCode, ClientID: "app", Open: func(_ context.Context, at string) (err error) {
			if page, err = url.Parse(at); err == nil {
				err = errors.New("closed")
			}
			return err
		}}
		res, err := m.caller(cfg).Call(t.Context(), box, "read", nil)
		wantReason(t, "the page", res, err, call.CredentialMissing, "closed")
		if page == nil || page.Host != "login.example.com" || page.Path != "/authorize" || page.Query().Get("code_challenge_method") != "S256" || page.Query().Get("scope") != "read" {
			t.Errorf("%v", page)
		}
		if len(m.login.Requests()) != 0 {
			t.Errorf("asked %+v", m.login.Paths())
		}
	})
}

// broken is a store that fails.
type broken struct{ load, save error }

func (b broken) Update(_ context.Context, _ call.TokenKey, change func([]byte) ([]byte, error)) error {
	if b.load != nil {
		return b.load
	}
	if next, err := change(nil); err != nil || next == nil {
		return err
	}
	return b.save
}

func (b broken) Forget(string) error { return b.save }

// If a hook of the caller fails, the call ends before anything is sent, with the error of the
// hook.
func TestHooksThatFail(t *testing.T) {
	bubble(t, func(t *testing.T) {
		no := errors.New("the disk is full")
		device := &call.OAuthConfig{Grant: call.DeviceCode, ClientID: "app", Device: func(context.Context, string, string) error { return nil }}
		keeping := func(kept call.TokenStore) func(o *call.Options) {
			return func(o *call.Options) { o.Tokens = kept }
		}
		for name, tt := range map[string]struct {
			cfg    *call.OAuthConfig
			change func(o *call.Options)
			want   call.Code
			words  string
		}{
			"a store that cannot read": {device, keeping(broken{load: no}), call.CredentialMissing, "the store of tokens: the disk is full"},
			"no credentials": {machine(), func(o *call.Options) {
				o.Credentials = func(context.Context, *call.CredentialRequest) (*call.Grant, error) { return nil, no }
			}, call.CredentialMissing, "the disk is full"},
			"nobody to ask": {machine(), func(o *call.Options) {
				o.Confirm = func(context.Context, *call.Question) (call.Answer, error) {
					return call.Answer{Verdict: call.AllowOnce}, no
				}
			}, call.ConfirmationRequired, "no person could be asked: the disk is full"},
			"a yes that cannot be marked": {machine(), func(o *call.Options) {
				o.Spend = func(context.Context, string, time.Time) error { return no }
			}, call.Denied, "the ticket was used: the disk is full"},
		} {
			m := newRealm(t)
			m.issue = func(url.Values, int) (int, map[string]any) {
				return 200, map[string]any{"access_token": "s3cret-token", "token_type": "Bearer", "refresh_token": "s3cret-refresh"}
			}
			res, err := m.caller(tt.cfg, tt.change).Call(t.Context(), m.box, "write", []byte(`{"reason":"x"}`))
			wantReason(t, name, res, err, tt.want, tt.words)
			if len(m.calls()) != 0 {
				t.Errorf("%s: sent %+v", name, m.calls())
			}
			leaks(t, name, fmt.Sprintf("%+v %v", res, err))
		}
	})
}
