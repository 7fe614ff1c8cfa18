package call_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/livemcp"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/security"
)

// elsewhere is an MCP server that lists one tool for each user, on a host of its own, with
// an authorization server.
type elsewhere struct {
	net   *clienttest.Internet
	oauth *clienttest.OAuth
	host  string

	// list answers a request for a list instead of the one tool; nil for the one tool.
	list func(w http.ResponseWriter, id, user, cursor string)

	mu     sync.Mutex
	users  map[string]string // by token
	called []string          // tools, with the user
}

// newElsewhere starts a server at a host that shop.example names. Users are identified by
// their tokens, such as "s3cret-alice", or by tokens of the authorization server.
func newElsewhere(t *testing.T, host string, oauth bool) *elsewhere {
	e := &elsewhere{net: clienttest.New(t), host: host, users: map[string]string{"s3cret-alice": "alice", "s3cret-bob": "bob"}}
	server := e.net.Host("shop.example", clienttest.Pages{"/.well-known/mcp/server-card.json": fmt.Sprintf(
		`{"name": "example.shop/all", "version": "1.0.0", "description": "All of it.", "remotes": [{"type": "streamable-http", "url": "https://%s/mcp"}]}`, host)})
	if host != "shop.example" {
		server = e.net.Host(host, nil)
	}
	e.oauth = &clienttest.OAuth{Issuer: "https://login." + host, Edit: func(r *http.Request, status int, answer map[string]any) int {
		if token, ok := answer["access_token"].(string); ok {
			e.mu.Lock()
			defer e.mu.Unlock()
			client, _, _ := r.BasicAuth()
			e.users[token] = client
		}
		return status
	}}
	e.net.Host("login."+host, e.oauth)
	site := http.Handler(http.HandlerFunc(e.serve))
	if oauth {
		site = e.oauth.Protect("https://"+host+"/mcp", func(r *http.Request) []string { return []string{"list"} }, site)
		server.Handle("/.well-known/oauth-protected-resource", site)
	}
	server.Handle("/mcp", site)
	return e
}

// serve answers a request of a user.
func (e *elsewhere) serve(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ Name, Cursor string }
	}
	e.mu.Lock()
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	user, known := e.users[token]
	e.mu.Unlock()
	switch {
	case !known:
		w.Header().Set("WWW-Authenticate", "Bearer")
		w.WriteHeader(http.StatusUnauthorized)
		return
	case r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	result := `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":3600000,"cacheScope":"public"}`
	switch m.Method {
	case "tools/list":
		if e.list != nil {
			e.list(w, string(m.ID), user, m.Params.Cursor)
			return
		}
		result = `{"resultType":"complete","ttlMs":3600000,"cacheScope":"public","tools":[{"name":"` + user + `_only","inputSchema":{"type":"object"},"annotations":{"destructiveHint":false}}]}`
	case "tools/call":
		e.mu.Lock()
		e.called = append(e.called, user+" "+m.Params.Name)
		e.mu.Unlock()
		result = `{"resultType":"complete","content":[{"type":"text","text":"for ` + user + `"}]}`
	}
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, cmp.Or(string(m.ID), "null"), result)
}

// loaded returns the tools that Load under a context finds at a domain.
func (e *elsewhere) loaded(ctx context.Context, t *testing.T, c *client.Client, domain string) *tools.Box {
	t.Helper()
	box, err := tools.Load(ctx, c, []string{domain}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return box
}

// ways are the ways to give the credential of a user to a server.
var ways = []string{"WithCredential", "Options.Credentials", "WithCredentials", "WithCredentials with OAuth"}

// callers returns a Client and a Caller that get the credentials of their users in one way.
func (e *elsewhere) callers(t *testing.T, way string) (*client.Client, *call.Caller) {
	t.Helper()
	agreed := func(context.Context, security.ApprovalRequest) error { return nil }
	c := e.net.Client(func(o *client.Options) {
		o.Live = []client.LiveProber{livemcp.New(nil)}
		o.Approve = agreed
		if way == "Options.Credentials" {
			o.Credentials = func(ctx context.Context, q security.CredentialRequest) (security.Credential, error) {
				if q.URL != "https://"+e.host+"/mcp" || principal(ctx) == "" {
					return security.Credential{}, nil
				}
				return security.Bearer(q.Origin, "s3cret-"+principal(ctx)), nil
			}
		}
	})
	caller, err := call.New(c, &call.Options{
		Principal: principal, Approve: agreed,
		Confirm: func(context.Context, *call.Question) (call.Answer, error) {
			return call.Answer{Verdict: call.AllowOnce}, nil
		},
		Credentials: func(ctx context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			to := call.Binding{Origin: q.Origin, Proof: call.ProofPerson}
			switch {
			case q.Principal == "" || q.Origin != "https://"+e.host:
				return nil, nil
			case way == "WithCredentials with OAuth":
				return call.OAuth(&call.OAuthConfig{Grant: call.ClientCredentials, Issuer: e.oauth.Issuer, ClientID: q.Principal, ClientSecret: "s3cret"}, to), nil
			}
			return call.Bearer("s3cret-"+q.Principal, to), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, caller
}

// as returns the context of a user.
func (e *elsewhere) as(t *testing.T, way, user string, caller *call.Caller) context.Context {
	ctx := as(t, user)
	switch {
	case way == "WithCredential" && user != "":
		return client.WithCredential(ctx, security.Bearer("https://"+e.host, "s3cret-"+user))
	case strings.HasPrefix(way, "WithCredentials"):
		return caller.WithCredentials(ctx)
	}
	return ctx
}

// A server on the host that names it, on a sibling or on another site lists its tools to each
// user separately, and they are called with the same credential. No other user gets them,
// whatever the server states about caching.
func TestAServerThatWantsATokenListsItsToolsToEachUserAlone(t *testing.T) {
	for _, host := range []string{"shop.example", "mcp.shop.example", "vendor.net"} {
		for _, way := range ways {
			for _, typed := range []bool{false, true} {
				t.Run(fmt.Sprint(host, " ", way, " ", typed), func(t *testing.T) {
					bubble(t, func(t *testing.T) {
						e := newElsewhere(t, host, way == "WithCredentials with OAuth")
						c, caller := e.callers(t, way)
						domain := "shop.example"
						if typed {
							domain = "mcp+https://" + host + "/mcp"
						}
						for _, user := range []string{"", "alice", "bob", "alice", ""} {
							ctx := e.as(t, way, user, caller)
							e.shows(t, e.loaded(ctx, t, c, domain), user)
							if user == "" {
								continue
							}
							box := e.loaded(ctx, t, c, domain)
							res, err := caller.Call(as(t, user), box, user+"_only", nil)
							if err != nil || res.Model.Text != "for "+user {
								t.Errorf("%s: %v, %q", user, err, res.Model.Text)
							}
						}
						if want := []string{"alice alice_only", "bob bob_only", "alice alice_only"}; !slices.Equal(e.called, want) {
							t.Errorf("called %q, want %q", e.called, want)
						}
					})
				})
			}
		}
	}
}

// shows checks that a Box contains the tool of a user and no other.
func (e *elsewhere) shows(t *testing.T, box *tools.Box, user string) {
	t.Helper()
	var names []string
	for _, tool := range box.Tools() {
		names = append(names, tool.Name)
	}
	switch {
	case user == "" && (len(names) > 0 || box.Private() || !slices.ContainsFunc(box.Skipped(), func(s tools.Skipped) bool { return !s.Asked })):
		t.Errorf("no user: %q, %+v", names, box.Skipped())
	case user != "" && (len(names) != 1 || names[0] != user+"_only" || !box.Private() || len(box.Skipped()) > 0):
		t.Errorf("%s: %q, private: %v, %+v", user, names, box.Private(), box.Skipped())
	}
}
