package tools_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// card of an MCP server, with lists as they are given.
func mcpCard(host, lists string) string {
	return fmt.Sprintf(`{"name": "example.%[1]s/all", "version": "1.0.0", "description": "All of it.", "remotes": [{"type": "streamable-http", "url": "https://%[1]s/mcp"}]%[2]s}`, host, lists)
}

const cardPlace = "/.well-known/mcp/server-card.json"

// hosts is an Internet of MCP servers, by host.
func hosts(t *testing.T, lists map[string]string) *clienttest.Internet {
	t.Helper()
	n := clienttest.New(t)
	for host, list := range lists {
		n.Host(host, clienttest.Pages{cardPlace: mcpCard(host, list)})
	}
	return n
}

func load(t testing.TB, c *client.Client, domains []string, opts *tools.Options) *tools.Box {
	t.Helper()
	box, err := tools.Load(t.Context(), c, domains, opts)
	if err != nil {
		t.Fatal(err)
	}
	return box
}

func namesOf(box *tools.Box) (names []string) {
	for _, tool := range box.Tools() {
		names = append(names, tool.Name)
	}
	return names
}

// skippedOf returns domain, key and code of the skipped entries.
func skippedOf(box *tools.Box) (list []string) {
	for _, s := range box.Skipped() {
		list = append(list, strings.TrimSpace(s.Domain+" "+s.Key)+" "+s.Code)
	}
	return list
}

// TestEqualNames: two sites with one label and the same tools keep apart, and their
// order does not matter.
func TestEqualNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := `, "tools": [{"name": "search", "description": "Searches.", "inputSchema": {"type": "object"}}]`
		n := hosts(t, map[string]string{"shop.example": list, "shop.net": list, "www.fly.example": list})
		domains := []string{"shop.example", "shop.net", "www.fly.example"}
		box := load(t, n.Client(), domains, nil)
		want := []string{"shop_example__search", "shop_net__search", "fly__search"}
		if got := namesOf(box); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		slices.Reverse(domains)
		again := load(t, n.Client(), domains, nil)
		for _, v := range tools.Vendors() {
			if a, b := box.Render(v, nil), again.Render(v, nil); string(a.Tools) != string(b.Tools) {
				t.Errorf("%s: the order of the domains changes what is rendered", v)
			}
		}
	})
}

// TestRefusedBesideGood: a schema that could harm validators removes its own tool, and no other
// one.
func TestRefusedBesideGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := hosts(t, map[string]string{"shop.example": `, "tools": [
			{"name": "loop", "inputSchema": {"$ref": "#"}},
			{"name": "remote", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "https://evil.example/a"}}}},
			{"name": "good", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}}},
			{"name": "list", "inputSchema": {"type": "array", "items": {"type": "string"}}},
			{"name": "number", "inputSchema": 7},
			{"name": "bare"}]`})
		box := load(t, n.Client(), []string{"shop.example"}, nil)
		if got, want := namesOf(box), []string{"bare", "good", "list", "number"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		want := []string{"shop.example mcp:mcp-server-card/loop ref_cycle", "shop.example mcp:mcp-server-card/remote ref_remote"}
		if got := skippedOf(box); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		for _, v := range tools.Vendors() {
			d := box.Render(v, nil)
			if len(d.Skipped) != 1 || d.Skipped[0].Code != "root_type" || len(d.Names) != 3 {
				t.Errorf("%s: %+v, %q", v, d.Skipped, d.Names)
			}
		}
	})
}

// TestPromptsAndResources are named by their names, and a template's variables are
// arguments.
func TestPromptsAndResources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := hosts(t, map[string]string{"shop.example": `, "tools": [],
			"prompts": [{"name": "greet", "description": "Greets.", "arguments": [{"name": "who", "required": true}]}],
			"resources": [{"uri": "file:///a.txt", "name": "price list", "description": "Prices."}],
			"resourceTemplates": [{"uriTemplate": "file:///{year}/{month}.txt", "name": "report", "description": "A report."}]`})
		box := load(t, n.Client(), []string{"shop.example"}, nil)
		if got, want := namesOf(box), []string{"greet", "price_list", "report"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		report, err := box.Tool("report")
		if err != nil || report.Schema.Validate([]byte(`{"year":"2026","month":"11"}`), 0) != nil {
			t.Errorf("%+v, %v", report, err)
		}
		if raw, _, err := box.Define(tools.MCP, "report", false); err != nil || !strings.Contains(string(raw), `"year"`) {
			t.Errorf("%s, %v", raw, err)
		}
	})
}

// TestNotListed: a server whose documents list nothing, and a site that was cut short, are
// reported, to the model too.
func TestNotListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := hosts(t, map[string]string{"shop.example": ""})
		n.Host("slow.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case cardPlace:
				fmt.Fprint(w, mcpCard("slow.example", `, "tools": [{"name": "find", "inputSchema": {"type": "object"}}]`))
			case "/.well-known/agent-card.json", "/openapi.json":
				w.WriteHeader(http.StatusServiceUnavailable)
			default:
				w.WriteHeader(http.StatusNotFound)
			}
		}))
		box := load(t, n.Client(), []string{"shop.example", "slow.example"}, nil)
		if got, want := namesOf(box), []string{"find"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		skipped := box.Skipped()
		if len(skipped) != 2 || skipped[0].Code != tools.CodeUnlisted || skipped[0].Asked || skipped[1].Code != tools.CodeIncomplete || skipped[1].Asked || !strings.Contains(skipped[1].Reason, "unreachable") {
			t.Errorf("%+v", skipped)
		}
		want := "Could be asked only in part: slow.example. Could be read only in part: shop.example. They may offer more than is listed."
		if got := box.Note(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if d := box.Render(tools.MCP, nil); d.Note != want {
			t.Errorf("%q, want %q", d.Note, want)
		}
		if d := box.Deferred(tools.Bedrock, false); !strings.Contains(string(d.Tools), want) {
			t.Errorf("%s", d.Tools)
		}
	})
}

// TestWarm: a Box from a Client that has asked before takes no request.
func TestWarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		n.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": api})
		n.Host("fly.example", clienttest.Pages{"/.well-known/agent-card.json": card})
		c := n.Client()
		domains := []string{"shop.example", "fly.example"}
		cold := load(t, c, domains, nil)
		asked := len(n.Requests())
		warm := load(t, c, domains, nil)
		if more := len(n.Requests()) - asked; more != 0 {
			t.Errorf("%d requests", more)
		}
		if a, b := cold.Render(tools.MCP, nil), warm.Render(tools.MCP, nil); string(a.Tools) != string(b.Tools) || cold.Len() != 3 {
			t.Errorf("%s, then %s", a.Tools, b.Tools)
		}
	})
}

// TestCutShort: if the time expires in the middle, the tools that were read are returned.
func TestCutShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := `, "tools": [{"name": "find", "inputSchema": {"type": "object"}}]`
		n := hosts(t, map[string]string{"shop.example": list})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n.Host("late.example", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(time.Second); cancel() }))
		box, err := tools.Load(ctx, n.Client(), []string{"shop.example", "late.example", "never.example"}, nil)
		if err == nil || box.Len() != 1 {
			t.Fatalf("%v, %q, %v", box.Skipped(), namesOf(box), err)
		}
		if hits := box.Search("find", 1); len(hits) != 1 || !strings.Contains(box.Note(), "late.example") {
			t.Errorf("%+v, %q", hits, box.Note())
		}
	})
}

// scripts are names in twelve scripts.
func scripts() []string {
	return []string{"find orders", "найти заказы", "βρες παραγγελίες", "ابحث عن الطلبات", "חפש הזמנות", "आदेश खोजें", "ค้นหาคำสั่งซื้อ", "查找订单", "주문 찾기", "注文をさがす", "գտնել պատվերներ", "შეკვეთების პოვნა"}
}

// TestScripts: names in twelve scripts become names that vendors take, each another
// one, and are found by their own words.
func TestScripts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var list []string
		for _, name := range scripts() {
			list = append(list, fmt.Sprintf(`{"name": %q, "description": %q, "inputSchema": {"type": "object", "properties": {%q: {"type": "string"}}}}`, name, name+".", name))
		}
		n := hosts(t, map[string]string{"shop.example": `, "tools": [` + strings.Join(list, ",") + `]`})
		box := load(t, n.Client(), []string{"shop.example"}, nil)
		valid := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)
		seen := make(map[string]bool)
		for _, tool := range box.Tools() {
			if !valid.MatchString(tool.Name) || seen[strings.ToLower(tool.Name)] {
				t.Errorf("%q", tool.Name)
			}
			seen[strings.ToLower(tool.Name)] = true
		}
		if len(seen) != 12 {
			t.Fatalf("%d tools, skipped %+v", len(seen), box.Skipped())
		}
		for _, name := range scripts() {
			hits := box.Search(name, 3)
			if len(hits) == 0 || hits[0].Tool.Capability.ID != name {
				t.Errorf("%s: %+v", name, hits)
			}
		}
		for _, v := range tools.Vendors() {
			d := box.Render(v, nil)
			if len(d.Names) != 12 {
				t.Errorf("%s: %q, skipped %+v", v, d.Names, d.Skipped)
			}
		}
	})
}
