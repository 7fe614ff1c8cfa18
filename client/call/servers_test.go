package call_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/security"
)

// A call goes where package tools says that it can be made: to the first server that the policy
// allows, and for a method with servers of its own to one of them. A server at another origin is
// called with approval only.
func TestAMethodIsCalledAtItsServer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n := clienttest.New(t)
		var asked []string
		rpc := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.Host)
			var m struct{ ID json.RawMessage }
			_ = json.NewDecoder(r.Body).Decode(&m)
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":"done"}`, m.ID)
		})
		method := func(name, more string) string {
			return fmt.Sprintf(`{"name": %q, "params": [], "result": {"name": "x", "schema": {}}%s}`, name, more)
		}
		n.Host("shop.example", clienttest.Pages{"/llms.txt": "# Shop\n\n## API\n\n- [Methods](https://shop.example/openrpc.json)\n",
			"/openrpc.json": `{"openrpc": "1.3.2", "info": {"title": "Shop", "version": "1"}, "servers": [{"url": "http://rpc.shop.example/"}, {"url": "https://shop.example/rpc"}],
				"methods": [` + method("common", "") + `,` + method("own", `, "servers": [{"url": "http://localhost:3000"}, {"url": "https://own.shop.example/rpc"}]`) + `,` +
				method("vendor", `, "servers": [{"url": "https://vendor.net/rpc"}]`) + `]}`}).Handle("/rpc", rpc)
		n.Host("own.shop.example", nil).Handle("/rpc", rpc)
		n.Host("vendor.net", nil).Handle("/rpc", rpc)
		c := n.Client()
		var approved []string
		caller, err := call.New(c, &call.Options{Principal: principal, Confirm: (&yes{verdict: call.AllowOnce}).confirm, Approve: func(_ context.Context, r security.ApprovalRequest) error {
			approved = append(approved, r.Endpoint)
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		box, err := tools.Load(t.Context(), c, []string{"shop.example"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"common", "own", "vendor"} {
			res, err := caller.Call(as(t, "alice"), box, name, nil)
			wantCode(t, res, err, made)
		}
		if got := fmt.Sprint(asked); got != "[shop.example own.shop.example vendor.net]" {
			t.Errorf("asked %s; skipped %+v", got, box.Skipped())
		}
		if fmt.Sprint(approved) != "[https://own.shop.example/rpc https://vendor.net/rpc]" {
			t.Errorf("approved %v, want those at other origins", approved)
		}
	})
}
