package inspect

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

const shopPlugin = `{"schema_version": "v1", "name_for_human": "Shop", "name_for_model": "shop", "description_for_human": "A shop.",
	"description_for_model": "Use it.", "auth": {"type": "none"}, "api": {"type": "openapi", "url": "https://shop.example/openapi.json"},
	"logo_url": "https://shop.example/logo.png", "contact_email": "a@shop.example", "legal_info_url": "https://shop.example/legal"}`

const shopAPI = `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, "servers": [{"url": "https://shop.example"}],
	"components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}, "schemas": {"Loop": {"allOf": [{"$ref": "#/components/schemas/Loop"}]}}},
	"paths": {
	"/api/orders": {
		"get": {"operationId": "listOrders", "summary": "List orders", "description": "All orders of a customer.", "responses": {"200": {"description": "ok"}},
			"parameters": [{"name": "customer id", "in": "query", "required": true, "schema": {"type": "string"}}, {"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 50}}]},
		"post": {"operationId": "newOrder", "description": "Orders something.", "responses": {"200": {"description": "ok"}},
			"requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"what": {"type": "string"}, "note": {"type": "string"}}, "required": ["what"]}}}}}},
	"/api/key": {"get": {"operationId": "secured", "description": "Needs a key.", "security": [{"key": []}], "responses": {"200": {"description": "ok"}}}},
	"/api/far": {"get": {"operationId": "far", "description": "Is elsewhere.", "servers": [{"url": "https://elsewhere.example"}], "responses": {"200": {"description": "ok"}}}},
	"/api/loop": {"get": {"operationId": "loop", "responses": {"200": {"description": "ok"}},
		"parameters": [{"name": "a", "in": "query", "schema": {"$ref": "#/components/schemas/Loop"}}]}}}}`

// shopPages are the documents of a shop.
func shopPages() clienttest.Pages {
	return clienttest.Pages{"/.well-known/ai-plugin.json": shopPlugin, "/openapi.json": shopAPI}
}

// inspected is an Inspector of a shop that has answered. api answers below /api/.
func inspected(t *testing.T, api http.HandlerFunc, change ...func(*call.Options)) *Inspector {
	t.Helper()
	n := clienttest.New(t)
	pages := shopPages()
	n.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if api != nil && strings.HasPrefix(r.URL.Path, "/api/") {
			api(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	}))
	n.OnlyDiscovery(false)
	watch, documents := NewWatch(), new(Documents)
	c := n.Client(func(o *client.Options) { o.Observe, o.Lab.Record = watch.Observe, documents.Add })
	opts := &call.Options{}
	for _, f := range change {
		f(opts)
	}
	i, err := New(Options{Target: "shop.example", Client: c, Watch: watch, Documents: documents, Caller: opts})
	if err != nil {
		t.Fatal(err)
	}
	i.Ask(t.Context(), false)
	if state, _ := i.State(); state.Error != "" || state.Answer != 1 {
		t.Fatalf("%+v", state)
	}
	return i
}

// load loads the tools.
func load(t *testing.T, i *Inspector) *Tools {
	t.Helper()
	list, err := i.LoadTools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestToolsAreLoadedOnceForAnAnswer(t *testing.T) {
	i := inspected(t, nil)
	if _, err := i.Vendors(false); err != errNotLoaded {
		t.Errorf("before: %v", err)
	}
	first := load(t, i)
	box := i.tools.box
	if load(t, i); i.tools.box != box {
		t.Error("the tools of one answer were loaded twice")
	}
	i.Ask(t.Context(), true)
	if second := load(t, i); i.tools.box == box || second.Answer != first.Answer+1 {
		t.Error("a new answer has the tools of an old one")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	i.Ask(t.Context(), true)
	if _, err := i.LoadTools(ended); err == nil {
		t.Error("a load that was left gave tools")
	}
	if again := load(t, i); len(again.Tools) != len(first.Tools) {
		t.Errorf("after a load that was left: %d tools, want %d", len(again.Tools), len(first.Tools))
	}
}

// Each capability of a Site is a tool, or the list of missing ones has the reason.
func TestEachCapabilityIsAToolOrMissing(t *testing.T) {
	i := inspected(t, nil)
	list := load(t, i)
	site, err := i.Site()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range site.Capabilities() {
		is := slices.ContainsFunc(list.Tools, func(r ToolRow) bool { return r.Key == c.Key })
		at := slices.IndexFunc(list.Missing, func(m Missing) bool { return m.Key == c.Key })
		if is == (at >= 0) || at >= 0 && (list.Missing[at].Reason == "" || list.Missing[at].Code == "") {
			t.Errorf("%s: a tool is %v, missing at %d", c.Key, is, at)
		}
	}
	at := slices.IndexFunc(list.Missing, func(m Missing) bool { return m.Key == "openapi:openapi/loop" })
	if at < 0 || list.Missing[at].Code != "ref_cycle" {
		t.Errorf("%+v", list.Missing)
	}
}

// The numbers of a vendor are equal to the library's, in total and for each tool.
func TestVendorNumbers(t *testing.T) {
	i := inspected(t, nil)
	load(t, i)
	for _, strict := range []bool{false, true} {
		sums, err := i.Vendors(strict)
		if err != nil || len(sums) != len(tools.Vendors()) {
			t.Fatalf("%v, %+v", err, sums)
		}
		for _, sum := range sums {
			want := i.tools.box.Render(sum.Vendor, &tools.RenderOptions{Strict: strict})
			view, err := i.Vendor(sum.Vendor, strict)
			if err != nil {
				t.Fatal(err)
			}
			total := 0
			for n, row := range view.Tools {
				total += row.Tokens
				one, err := i.Tool(sum.Vendor, strict, row.Name)
				if err != nil || row.Name != want.Names[n] || one.Tokens != row.Tokens || len(one.Losses) != len(want.Losses[row.Name]) || !json.Valid([]byte(one.JSON)) || !strings.Contains(one.JSON, row.Name) {
					t.Errorf("%s %s: %+v, %v", sum.Vendor, row.Name, one, err)
				}
				if (want.NotStrict[row.Name] != "") != (row.WhyNot != "") || row.WhyNot != one.WhyNot {
					t.Errorf("%s %s: not strict %q, %q, want %q", sum.Vendor, row.Name, row.WhyNot, one.WhyNot, want.NotStrict[row.Name])
				}
			}
			whole, err := i.VendorJSON(sum.Vendor, strict)
			if total != want.Tokens || sum.Tokens != want.Tokens || view.Tokens != want.Tokens || err != nil || whole.Bytes != len(want.Tools) {
				t.Errorf("%s: %d, %d and %d tokens, want %d; %v", sum.Vendor, total, sum.Tokens, view.Tokens, want.Tokens, err)
			}
		}
	}
}

// The view lists the names that are restored in arguments, and the rules behind a name.
func TestToolView(t *testing.T) {
	i := inspected(t, nil)
	load(t, i)
	view, err := i.Tool(tools.AnthropicMessages, false, "listOrders")
	if err != nil || view.From != "listOrders" || len(view.Rules) != 0 || len(view.Sources) == 0 {
		t.Fatalf("%+v, %v", view, err)
	}
	if len(view.Undone) != 1 || view.Undone[0].Own != "customer id" {
		t.Errorf("undone %+v", view.Undone)
	}
	strict, err := i.Tool(tools.OpenAIResponses, true, "newOrder")
	if err != nil || !strict.Strict && strict.WhyNot == "" {
		t.Errorf("%+v, %v", strict, err)
	}
	if _, err := i.Tool(tools.MCP, false, "listOrder"); err == nil || !strings.Contains(err.Error(), "listOrders") {
		t.Errorf("a name that no tool has: %v", err)
	}
}

// A choice keeps the tools that Render keeps, and shows the remaining tokens.
func TestChoice(t *testing.T) {
	i := inspected(t, nil)
	load(t, i)
	for _, most := range []int{0, 100, 250, 400, 10_000} {
		got, err := i.Choose(tools.AnthropicMessages, "order something", most)
		if err != nil {
			t.Fatal(err)
		}
		want := i.tools.box.Render(tools.AnthropicMessages, &tools.RenderOptions{Query: "order something", Tokens: most})
		var kept []string
		for _, row := range got.Rows {
			if row.Kept {
				kept = append(kept, row.Name)
			}
			if most > 0 && row.Kept != (row.Tokens <= row.Room) {
				t.Errorf("%d: %+v", most, row)
			}
		}
		slices.Sort(kept)
		names := slices.Sorted(slices.Values(want.Names))
		if !slices.Equal(kept, names) || got.Tokens != want.Tokens || len(got.Rows) != i.tools.box.Len() {
			t.Errorf("%d: kept %q, want %q; %d tokens, want %d", most, kept, names, got.Tokens, want.Tokens)
		}
		fit := i.tools.box.Fit("order something", max(most, 1), nil)
		if most > 0 && (got.Selection.Tokens != fit.Tokens || got.Selection.Full != len(fit.Full) || got.Selection.Brief != len(fit.Brief)) {
			t.Errorf("%d: %+v, want %+v", most, got.Selection, fit)
		}
	}
	exact, err := i.Choose(tools.MCP, "newOrder", 0)
	if err != nil || !exact.Rows[0].Exact || exact.Rows[0].Name != "newOrder" {
		t.Errorf("%+v, %v", exact, err)
	}
	if _, err := json.Marshal(exact); err != nil {
		t.Error(err)
	}
}
