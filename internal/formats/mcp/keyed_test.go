package mcp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
)

// TestObjectsKeyedByNameAreReadAsLists checks that tools, resources and prompts in an object,
// each under its name, are read like a list. The general abilities of a server are not a list.
func TestObjectsKeyedByNameAreReadAsLists(t *testing.T) {
	const tools = `"tools": {"search": {"description": "Searches.", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}, "readOnlyHint": true},
		"_meta": {"by": "x"}, "buy": {"name": "buy_it", "description": "Buys.", "inputSchema": {"type": "object"}}}`
	for name, c := range map[string]struct{ body, want string }{
		"beside an endpoint": {`{"name": "shop", "version": "1", "transport": {"type": "streamable-http", "url": "https://shop.example/mcp"}, ` + tools + `}`, "search buy_it"},
		"under capabilities": {`{"name": "shop", "url": "https://shop.example/mcp", "transport": "sse", "capabilities": {` + tools + `, "prompts": {"listChanged": true}}}`, "search buy_it"},
		"alone":              {`{` + tools + `}`, "search buy_it"},
		"resources":          {`{"name": "shop", "url": "https://shop.example/mcp", "transport": "sse", "resources": {"file:///a": {"name": "A"}, "b": {"uri": "file:///b", "name": "B"}}, "prompts": {"hello": {"description": "Greets."}}}`, "file:///a file:///b hello"},
		"no entries":         {`{"name": "shop", "url": "https://shop.example/mcp", "transport": "sse", "capabilities": {"tools": {"listChanged": true}, "resources": {"subscribe": {}}}}`, ""},
	} {
		r, err := client.Parse(t.Context(), []byte(c.body), &client.ParseOptions{URL: "https://shop.example/.well-known/mcp.json"})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, found := range r.Site.Capabilities() {
			got = append(got, found.ID)
			if found.ID == "search" && (found.Input == nil || found.Effects == nil || found.Effects.ReadOnly == nil || !*found.Effects.ReadOnly) {
				t.Errorf("%s: %+v", name, found)
			}
		}
		if text := strings.Join(got, " "); text != c.want || r.Format != "mcp" {
			t.Errorf("%s: %q %s, capabilities %q, want %q", name, r.Format, r.Verdict, text, c.want)
		}
		told := slices.ContainsFunc(r.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "mcp.keyed" })
		if wrong := slices.ContainsFunc(r.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "mcp.wrong_type" }); wrong || told != (c.want != "") {
			t.Errorf("%s: %+v", name, r.Diagnostics)
		}
	}
}
