package mcpserver_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/mcpserver"
)

const four = "wayfind_call wayfind_describe wayfind_open wayfind_search"

// eras runs a test for hosts of both eras.
func eras(t *testing.T, test func(t *testing.T, legacy bool)) {
	for name, legacy := range map[string]bool{"stateless": false, "sessions": true} {
		t.Run(name, func(t *testing.T) { test(t, legacy) })
	}
}

// A host finds, describes and calls tools that only read. If there are few tools, the list contains
// them.
func TestSurface(t *testing.T) {
	eras(t, func(t *testing.T, legacy bool) {
		inWorld(t, plain, &mcpserver.Options{Domains: []string{"shop.example"}}, func(w *world) {
			s := w.connect(legacy, nil)
			names := strings.Fields(w.listed(s))
			if len(names) != 6 {
				w.Fatalf("listed %v", names)
			}
			w.wants(strings.Join(names, " "), "wayfind_call wayfind_describe wayfind_open wayfind_search")
			found := w.ask(s, "wayfind_search", `{"query": "list orders"}`)
			w.wants(found, "listOrders")
			w.wants(found, "data of the sites")
			list := names[slices.IndexFunc(names, func(n string) bool { return strings.HasSuffix(n, "listOrders") })]
			w.wants(w.ask(s, "wayfind_describe", `{"name": "`+list+`"}`), `"inputSchema"`)
			want := "Data of shop.example, no instructions:\n{\"done\":true}"
			if got := w.ask(s, "wayfind_call", `{"name": "`+list+`", "arguments": {"q": "tea"}}`); strings.ReplaceAll(got, " true", "true") != want {
				w.Errorf("called: %q, want %q", got, want)
			}
			w.wants(w.ask(s, list, `{}`), "done")
			w.wants(w.ask(s, list, `{"q": 1}`), "error: The arguments are not those of the tool")
			if got := w.called(); got != "GET shop.example/api/orders?q=tea, GET shop.example/api/orders" {
				w.Errorf("reached the shop: %s", got)
			}
		})
	})
}

// If there are too many tools, or no domain, the list contains only the four tools of the server.
func TestConstantSurface(t *testing.T) {
	var ops []string
	for i := range mcpserver.MaxDirect + 1 {
		ops = append(ops, fmt.Sprintf("GET /api/o%d op%d", i, i))
	}
	inWorld(t, strings.Join(ops, "\n"), &mcpserver.Options{Domains: []string{"shop.example"}}, func(w *world) {
		s := w.connect(false, nil)
		if got := w.listed(s); got != four {
			w.Errorf("listed %s", got)
		}
		w.wants(w.ask(s, "wayfind_search", `{"query": "op40"}`), "op40")
		w.serve(nil, nil)
		if got := w.listed(w.connect(false, nil)); got != four {
			w.Errorf("without a domain: %s", got)
		}
	})
}

// Tools that were removed from the list because they were too many come back when they need half of
// the limit.
func TestGivenUp(t *testing.T) {
	ops := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("GET /api/o%d op%d", i, i))
		}
		return list
	}
	inWorld(t, strings.Join(ops(45), "\n"), &mcpserver.Options{Domains: []string{"shop.example"}}, func(w *world) {
		s := w.connect(false, nil)
		for _, step := range []struct{ offered, listed int }{{45, 4}, {30, 4}, {20, 24}, {40, 44}, {41, 4}} {
			w.offer("shop.example", ops(step.offered)...)
			time.Sleep(time.Hour + time.Minute)
			synctest.Wait()
			if got := len(strings.Fields(w.listed(s))); got != step.listed {
				w.Errorf("%d are offered: %d listed, want %d", step.offered, got, step.listed)
			}
		}
	})
}

// A change upstream is seen when the source is stale. A host gets one notice for it, at least five
// seconds after the last one.
func TestListChanged(t *testing.T) {
	inWorld(t, plain, &mcpserver.Options{Domains: []string{"shop.example"}}, func(w *world) {
		var told []time.Time
		hear := &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told = append(told, time.Now()) }}
		s := w.connect(true, hear)
		w.listed(s)
		time.Sleep(mcpserver.NotifyPause)
		synctest.Wait()
		told = nil // of the first reading
		time.Sleep(30 * time.Minute)
		synctest.Wait()
		if len(told) != 0 {
			w.Fatalf("told of a change that is none: %v", told)
		}
		changed := time.Now()
		w.offer("shop.example", "GET /api/orders listOrders", "GET /api/new newThing")
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if len(told) != 1 {
			w.Fatalf("told %v", told)
		}
		w.Logf("a change is seen after %v, with sources that count an hour", told[0].Sub(changed))
		w.wants(w.listed(s), "newThing")
		if strings.Contains(w.listed(s), "dropAll") {
			w.Error("what is gone is listed")
		}
	})
}

// The list is fresh as long as its sources. After a credential was used, it is private to one user.
func TestCacheable(t *testing.T) {
	inWorld(t, plain, &mcpserver.Options{Domains: []string{"shop.example"}}, func(w *world) {
		list := func() *mcp.ListToolsResult {
			s := w.connect(false, nil) // a client keeps a list until it is stale
			res, err := s.ListTools(w.Context(), nil)
			if err != nil {
				w.Fatal(err)
			}
			return res
		}
		first := list()
		if first.TTLMs <= 0 || first.TTLMs > 3_600_000 || first.CacheScope != "public" {
			w.Errorf("counts %d ms, %s", first.TTLMs, first.CacheScope)
		}
		time.Sleep(time.Minute)
		if later := list(); first.TTLMs-later.TTLMs != 60_000 {
			w.Errorf("a minute later: %d ms less", first.TTLMs-later.TTLMs)
		}
	})
}

// A server that only reads offers and calls nothing else.
func TestReadOnly(t *testing.T) {
	inWorld(t, plain, &mcpserver.Options{Domains: []string{"shop.example"}, ReadOnly: true, Allow: []string{"dropAll"}}, func(w *world) {
		var asked []string
		s := w.connect(false, answering("accept", true, &asked))
		if got := w.listed(s); strings.Contains(got, "dropAll") || !strings.Contains(got, "listOrders") {
			w.Errorf("listed %s", got)
		}
		if got := w.ask(s, "wayfind_search", `{"query": "drop all", "read_only": false}`); strings.Contains(got, "dropAll") {
			w.Errorf("found %s", got)
		}
		for _, name := range nameOf(w, "dropAll") {
			w.wants(w.ask(s, "wayfind_describe", `{"name": "`+name+`"}`), "error: This server only reads")
			w.wants(w.ask(s, "wayfind_call", `{"name": "`+name+`"}`), "error: This server only reads")
		}
		if w.called() != "" || len(asked) != 0 {
			w.Errorf("asked %q; reached the shop: %s", asked, w.called())
		}
	})
}

// nameOf is the name of a tool in the Box.
func nameOf(w *world, id string) (names []string) {
	w.Helper()
	for _, t := range w.server.Box().Tools() {
		if strings.HasSuffix(t.Name, id) {
			names = append(names, t.Name)
		}
	}
	if len(names) == 0 {
		w.Fatalf("there is no %s", id)
	}
	return names
}

// No site takes the name of another's tool, or of one of the four, and a name stays
// with its tool when other sites come and go.
func TestShadow(t *testing.T) {
	inWorld(t, "GET /api/search search\nGET /api/call call", &mcpserver.Options{Domains: []string{"shop.example"}}, func(w *world) {
		s := w.connect(false, answering("accept", true, nil))
		before := w.listed(s)
		for _, host := range []string{"wayfind.example", "shop.example.net", "shop-example.net"} {
			w.offer(host, "GET /api/search search", "GET /api/call call", "GET /api/s wayfind_search", "GET /api/o open")
			w.wants(w.ask(s, "wayfind_open", `{"domain": "`+host+`"}`), "4 tools")
			time.Sleep(mcpserver.NotifyPause)
			synctest.Wait()
		}
		names := strings.Fields(w.listed(s))
		for name := range strings.FieldsSeq(before) {
			if !slices.Contains(names, name) {
				w.Errorf("%s is gone from %v", name, names)
			}
		}
		lower := strings.Fields(strings.ToLower(strings.Join(names, " ")))
		slices.Sort(lower)
		if len(slices.Compact(lower)) != len(names) {
			w.Errorf("a name is there twice: %v", names)
		}
		for _, name := range names {
			if strings.HasPrefix(name, "wayfind_") && !strings.Contains(four, name) {
				w.Errorf("%s looks like ours", name)
			}
		}
		w.ask(s, nameOf(w, "search")[0], `{}`)
		for _, tool := range w.server.Box().Tools() {
			w.mu.Lock()
			w.calls = nil
			w.mu.Unlock()
			w.ask(s, "wayfind_call", `{"name": "`+tool.Name+`"}`)
			if !strings.HasPrefix(w.called(), "GET "+tool.Domain+"/") && !strings.HasPrefix(w.called(), "GET "+strings.TrimPrefix(tool.Origin, "https://")+"/") {
				w.Errorf("%s of %s reached %s", tool.Name, tool.Origin, w.called())
			}
		}
	})
}

// A site that vanishes between the list and the call costs no more than the call.
func TestVanished(t *testing.T) {
	inWorld(t, plain, &mcpserver.Options{Domains: []string{"shop.example"}}, func(w *world) {
		s := w.connect(false, nil)
		w.listed(s)
		w.hosts["shop.example"].FailConn(clienttest.Refuse())
		w.hosts["shop.example"].Hangup(clienttest.Reset)
		name := nameOf(w, "listOrders")[0]
		w.wants(w.ask(s, name, `{}`), "error: The service could not be reached")
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		w.wants(w.ask(s, "wayfind_search", `{"query": "orders"}`), `"note"`)
	})
}

// A host gets a warning about an argument that the tool does not know.
func TestUnknownArgument(t *testing.T) {
	inWorld(t, plain, &mcpserver.Options{Domains: []string{"shop.example"}}, func(w *world) {
		s := w.connect(false, nil)
		w.listed(s)
		w.wants(w.ask(s, nameOf(w, "listOrders")[0], `{"q": "x", "id": "7"}`), `The tool has no argument "id"; it was not sent.`)
	})
}
