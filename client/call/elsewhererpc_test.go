package call_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/liverpc"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/security"
)

// A JSON-RPC server that lists its methods by rpc.discover and demands a token for that is
// treated like an MCP server, both on another site and by its URL.
func TestARPCServerThatWantsATokenListsItsMethodsToEachUserAlone(t *testing.T) {
	for _, domain := range []string{"shop.example", "https://vendor.net/rpc"} {
		bubble(t, func(t *testing.T) {
			n := clienttest.New(t)
			n.Host("shop.example", clienttest.Pages{"/llms.txt": "# Shop\n\n## API\n\n- [Methods](https://shop.example/openrpc.json)\n",
				"/openrpc.json": `{"openrpc": "1.3.2", "info": {"title": "Shop", "version": "1"}, "servers": [{"url": "https://vendor.net/rpc"}], "methods": []}`})
			oauth := &clienttest.OAuth{Issuer: "https://login.vendor.net"}
			users := make(map[string]string)
			oauth.Edit = func(r *http.Request, status int, answer map[string]any) int {
				if token, ok := answer["access_token"].(string); ok {
					users[token], _, _ = r.BasicAuth()
				}
				return status
			}
			n.Host("login.vendor.net", oauth)
			site := oauth.Protect("https://vendor.net/rpc", func(*http.Request) []string { return []string{"list"} }, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				user := users[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
				var m struct {
					ID     json.RawMessage
					Method string
				}
				_ = json.NewDecoder(r.Body).Decode(&m)
				w.Header().Set("Content-Type", "application/json")
				result := `"for ` + user + `"`
				if m.Method == "rpc.discover" {
					result = `{"openrpc": "1.3.2", "info": {"title": "Vendor", "version": "1"}, "methods": [{"name": "` + user + `_only", "params": [], "result": {"name": "x", "schema": {}}}]}`
				}
				_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
			}))
			n.Host("vendor.net", nil).Handle("/rpc", site).Handle("/.well-known/oauth-protected-resource", site)
			agreed := func(context.Context, security.ApprovalRequest) error { return nil }
			c := n.Client(func(o *client.Options) { o.Live, o.Approve = []client.LiveProber{liverpc.New()}, agreed })
			caller, err := call.New(c, &call.Options{
				Principal: principal, Approve: agreed, Confirm: (&yes{verdict: call.AllowOnce}).confirm,
				Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
					return call.OAuth(&call.OAuthConfig{Grant: call.ClientCredentials, Issuer: oauth.Issuer, ClientID: q.Principal, ClientSecret: "s3cret"}, call.Binding{Origin: q.Origin, Proof: call.ProofPerson}), nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, user := range []string{"alice", "bob"} {
				box, err := tools.Load(caller.WithCredentials(as(t, user)), c, []string{domain}, nil)
				if err != nil || box.Len() != 1 || box.Tools()[0].Name != user+"_only" || !box.Private() {
					t.Fatalf("%s: %s: %v, %+v, %+v", domain, user, err, box.Tools(), box.Skipped())
				}
				res, err := caller.Call(as(t, user), box, user+"_only", nil)
				wantCode(t, res, err, made)
				if !strings.Contains(res.Model.Text+string(res.Model.JSON), "for "+user) {
					t.Errorf("%s: %+v", user, res.Model)
				}
			}
		})
	}
}
