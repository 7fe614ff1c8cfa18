package vendors

import (
	"context"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/livemcp"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/security"
)

type userKey struct{}

func userOf(ctx context.Context) string {
	user, _ := ctx.Value(userKey{}).(string)
	return user
}

// guarded is a server with an authorization server, on a host that shop.example names.
type guarded struct {
	net   *clienttest.Internet
	oauth *clienttest.OAuth

	mu    sync.Mutex
	users map[string]string // by token
}

func newGuarded(t *testing.T, host string, server http.Handler) *guarded {
	g := &guarded{net: clienttest.New(t), users: make(map[string]string)}
	g.oauth = &clienttest.OAuth{Issuer: "https://login.vendor.net", Edit: func(r *http.Request, status int, answer map[string]any) int {
		if token, ok := answer["access_token"].(string); ok {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.users[token], _, _ = r.BasicAuth()
		}
		return status
	}}
	g.net.Host("login.vendor.net", g.oauth)
	g.net.Host("shop.example", clienttest.Pages{"/.well-known/mcp/server-card.json": `{"name": "example.shop/all", "version": "1.0.0", "description": "All of it.", "remotes": [{"type": "streamable-http", "url": "https://` + host + `/mcp"}]}`})
	site := g.oauth.Protect("https://"+host+"/mcp", func(*http.Request) []string { return []string{"tools"} }, server)
	g.net.Host(host, nil).Handle("/mcp", site).Handle("/.well-known/oauth-protected-resource", site)
	return g
}

// user returns the user of a request whose token was checked.
func (g *guarded) user(r *http.Request) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.users[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
}

// caller returns a Caller of a Client whose users log in.
func (g *guarded) caller(t *testing.T) (*client.Client, *call.Caller) {
	agreed := func(context.Context, security.ApprovalRequest) error { return nil }
	c := g.net.Client(func(o *client.Options) { o.Live, o.Approve = []client.LiveProber{livemcp.New(nil)}, agreed })
	caller, err := call.New(c, &call.Options{
		Principal: userOf, Approve: agreed,
		Confirm: func(context.Context, *call.Question) (call.Answer, error) {
			return call.Answer{Verdict: call.AllowOnce}, nil
		},
		Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			return call.OAuth(&call.OAuthConfig{Grant: call.ClientCredentials, Issuer: g.oauth.Issuer, ClientID: q.Principal, ClientSecret: "s3cret"}, call.Binding{Origin: q.Origin, Proof: call.ProofPerson}), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, caller
}

// load returns the tools of a user.
func (g *guarded) load(t *testing.T, c *client.Client, caller *call.Caller, user string) *tools.Box {
	t.Helper()
	box, err := tools.Load(caller.WithCredentials(context.WithValue(t.Context(), userKey{}, user)), c, []string{"shop.example"}, nil)
	if err != nil || !box.Private() {
		t.Fatalf("%s: %v, %+v", user, err, box.Skipped())
	}
	return box
}

// TestServersElsewhereOfTheSDK lists and calls the tools of the Go SDK's server for two users,
// on a sibling host and on another site, with a session and without.
func TestServersElsewhereOfTheSDK(t *testing.T) {
	for _, host := range []string{"mcp.shop.example", "vendor.net"} {
		for _, stateless := range []bool{false, true} {
			var g *guarded
			g = newGuarded(t, host, mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
				user := g.user(r)
				server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
				server.AddTool(&mcp.Tool{Name: user + "_only", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "for " + user}}}, nil
				})
				return server
			}, &mcp.StreamableHTTPOptions{DisableLocalhostProtection: true, Stateless: stateless}))
			c, caller := g.caller(t)
			for _, user := range []string{"alice", "bob", "alice"} {
				box := g.load(t, c, caller, user)
				if box.Len() != 1 || box.Tools()[0].Name != user+"_only" {
					t.Fatalf("%s, stateless %v: %s has %+v, %+v", host, stateless, user, box.Tools(), box.Skipped())
				}
				res, err := caller.Call(context.WithValue(t.Context(), userKey{}, user), box, user+"_only", nil)
				if err != nil || res.Model.Text != "for "+user {
					t.Errorf("%s, stateless %v: %v, %q", host, stateless, err, res.Model.Text)
				}
			}
			if n := g.oauth.Count("client_credentials"); n != 2 {
				t.Errorf("%d tokens for two users", n)
			}
		}
	}
}

// TestServerEverythingElsewhere does the same with the MCP project's test server.
func TestServerEverythingElsewhere(t *testing.T) {
	target := startEverything(t)
	for _, host := range []string{"mcp.shop.example", "vendor.net"} {
		g := newGuarded(t, host, &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Del("Authorization")
		}, FlushInterval: -1})
		c, caller := g.caller(t)
		for _, user := range []string{"alice", "bob"} {
			box := g.load(t, c, caller, user)
			var names []string
			for _, tool := range box.Tools() {
				names = append(names, tool.Name)
			}
			if !slices.Contains(names, "echo") || len(names) < 10 {
				t.Fatalf("%s: %q, %+v", host, names, box.Skipped())
			}
			res, err := caller.Call(context.WithValue(t.Context(), userKey{}, user), box, "echo", []byte(`{"message":"hello"}`))
			if err != nil || !strings.Contains(res.Model.Text, "Echo: hello") {
				t.Errorf("%s: %v, %q", host, err, res.Model.Text)
			}
		}
	}
}
