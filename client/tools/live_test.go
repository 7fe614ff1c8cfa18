package tools_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/livemcp"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/security"
)

// rpcServer is an MCP server that lists a tool of the user whose token it gets, and
// refuses all others.
func rpcServer(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	user, known := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !known {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "private")
	result := `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":1000,"cacheScope":"private"}`
	if m.Method == "tools/list" {
		result = `{"resultType":"complete","ttlMs":1000,"cacheScope":"private","tools":[{"name":"` + user + `_only","inputSchema":{"type":"object"}}]}`
	}
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, cmp.Or(string(m.ID), "null"), result)
}

// A server whose tools no document lists is asked with the approvals and the credential
// of the caller, whose tools no other caller gets.
func TestAServerIsAskedForItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		n.Host("shop.example", clienttest.Pages{cardPlace: mcpCard("vendor.net", "")})
		n.Host("vendor.net", nil).Handle("/mcp", http.HandlerFunc(rpcServer))
		approvals := 0
		c := n.Client(func(o *client.Options) {
			o.Live = []client.LiveProber{livemcp.New(nil)}
			o.Approve = func(context.Context, security.ApprovalRequest) error { approvals++; return nil }
		})
		for _, user := range []string{"", "alice", "bob", "alice", ""} {
			ctx := t.Context()
			if user != "" {
				ctx = client.WithCredential(ctx, security.Bearer("https://vendor.net", user))
			}
			box, err := tools.Load(ctx, c, []string{"shop.example"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			names, skipped := namesOf(box), box.Skipped()
			switch {
			case user != "" && (len(names) != 1 || names[0] != user+"_only" || len(skipped) != 0):
				t.Errorf("%s: %q, %+v", user, names, skipped)
			case user == "" && (len(names) != 0 || len(skipped) != 1 || skipped[0].Key == "" || skipped[0].Asked || skipped[0].Err == nil || !strings.Contains(box.Note(), "shop.example")):
				t.Errorf("no user: %q, %+v, %q", names, skipped, box.Note())
			}
		}
		if approvals == 0 {
			t.Error("nobody was asked")
		}
	})
}

// The commonest layout: a site names its server on another host of the same site. It is named where it
// is not approved. ApproveSameSite approves it, but no server elsewhere, and no credential of the site
// goes there.
func TestAServerOfTheSameSiteIsApproved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		n.Host("example.com", clienttest.Pages{cardPlace: mcpCard("mcp.example.com", "")})
		n.Host("example.org", clienttest.Pages{cardPlace: mcpCard("mcp.example.com", "")})
		n.Host("mcp.example.com", nil).Handle("/mcp", http.HandlerFunc(rpcServer))
		for _, row := range []struct {
			domain, credential string // the origin of the credential
			approve            func(context.Context, security.ApprovalRequest) error
			tools              int
		}{
			{"example.com", "https://mcp.example.com", nil, 0},
			{"example.com", "https://mcp.example.com", security.ApproveSameSite, 1},
			{"example.com", "https://example.com", security.ApproveSameSite, 0},
			{"example.org", "https://mcp.example.com", security.ApproveSameSite, 0},
		} {
			c := n.Client(func(o *client.Options) {
				o.Live, o.Approve = []client.LiveProber{livemcp.New(nil)}, row.approve
			})
			box, err := tools.Load(client.WithCredential(t.Context(), security.Bearer(row.credential, "alice")), c, []string{row.domain}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if box.Len() != row.tools || row.tools == 0 && (len(box.Skipped()) != 1 || !strings.Contains(box.Skipped()[0].Err.Error(), "mcp.example.com")) {
				t.Errorf("%s with a credential for %s: %d tools, %+v", row.domain, row.credential, box.Len(), box.Skipped())
			}
		}
	})
}

// A site with many servers that never answer holds up its own tools for a bounded time,
// and all of them are named.
func TestServersThatHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		var servers []string
		for i := range 40 {
			servers = append(servers, fmt.Sprintf(`{"@type": "x", "identifier": "urn:air:shop.example:s%[1]d", "displayName": "S%[1]d", "type": "application/mcp-server-card+json", "data": %[2]s}`, i, mcpCard(fmt.Sprintf("h%d.vendor.net", i), "")))
			n.Host(fmt.Sprintf("h%d.vendor.net", i), nil).FailConn(clienttest.AtAccept(clienttest.Stall))
		}
		n.Host("shop.example", clienttest.Pages{"/.well-known/ai-catalog.json": `{"specVersion": "1.0", "host": {"displayName": "Shop"}, "entries": [` + strings.Join(servers, ",") + `]}`})
		c := n.Client(func(o *client.Options) {
			o.Live = []client.LiveProber{livemcp.New(nil)}
			o.Approve = func(context.Context, security.ApprovalRequest) error { return nil }
		})
		begin := time.Now()
		box := load(t, c, []string{"shop.example"}, nil)
		if took := time.Since(begin); took > 15*time.Second {
			t.Errorf("%v", took)
		}
		codes := make(map[string]int)
		for _, s := range box.Skipped() {
			codes[s.Code]++
		}
		if codes[tools.CodeDescribe] != 16 || codes[tools.CodeLimit] != 24 || box.Len() != 0 {
			t.Errorf("%v, %+v", codes, box.Skipped())
		}
	})
}

// An answer to a request with a credential is for this caller: with the scope "private",
// without a scope, and with "public" too, since a server that refuses strangers has none
// for them. Callers share the answers to requests without a credential, which all servers
// get that ask for none, for as long as the server says.
func TestALiveAnswerIsKeptWithinItsAuthorizationContext(t *testing.T) {
	for _, scope := range []string{`,"cacheScope":"private"`, ``, `,"cacheScope":"public"`} {
		for _, refuses := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) { keepsApart(t, scope, refuses) })
		}
	}
}

// keepsApart loads the tools of a server for several callers. It refuses requests without
// a token, or has a list for all.
func keepsApart(t *testing.T, scope string, refuses bool) {
	lists := make(map[string]int)
	n := clienttest.New(t)
	n.Host("shop.example", clienttest.Pages{cardPlace: mcpCard("shop.example", "")}).Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		user := cmp.Or(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), "all")
		switch {
		case refuses && user == "all":
			w.WriteHeader(http.StatusUnauthorized)
			return
		case r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil:
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		result := `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":60000` + scope + `}`
		if m.Method == "tools/list" {
			lists[user]++
			result = `{"resultType":"complete","ttlMs":60000` + scope + `,"tools":[{"name":"` + user + `_only","inputSchema":{"type":"object"}}]}`
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, cmp.Or(string(m.ID), "null"), result)
	}))
	c := n.Client(func(o *client.Options) { o.Live = []client.LiveProber{livemcp.New(nil)} })
	load := func(user string) []string {
		ctx := t.Context()
		if user != "" {
			ctx = client.WithCredential(ctx, security.Bearer("https://shop.example", user))
		}
		box, err := tools.Load(ctx, c, []string{"shop.example"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return namesOf(box)
	}
	for _, user := range []string{"alice", "", "bob", "", "alice"} {
		want := []string{"all_only"}
		if refuses {
			want = []string{user + "_only"}
		}
		if refuses && user == "" {
			want = nil
		}
		if names := load(user); !slices.Equal(names, want) {
			t.Errorf("%q, refuses %t: %q is listed %q", scope, refuses, user, names)
		}
	}
	if refuses && (lists["bob"] != 1 || lists["alice"] != 2) || !refuses && lists["all"] != 1 {
		t.Errorf("%q, refuses %t: lists were asked for %v", scope, refuses, lists)
	}
	time.Sleep(2 * time.Minute)
	if load(""); !refuses && lists["all"] != 2 {
		t.Errorf("%q: after its lifetime: %v", scope, lists)
	}
}
