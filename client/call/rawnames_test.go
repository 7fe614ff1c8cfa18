package call_test

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// rawNames are names that cleaning changes, and some that it leaves alone.
func rawNames() (changed, kept []string) {
	return []string{
			"a\u0000b", "a\u0007b", "a\tb\u0085c", "a\u200bb", "a\u202eb", "\u2066a\u2069", "\ufeffa", "a\u00a0b", "a\u00adb", "a\U000e0041b", "e\u0301t\u0301",
			"\u0645\u06cc\u200c\u062e\u0648", "\U0001f468\u200d\U0001f469", "a\ue000b", "a\ufffeb", "a" + strings.Repeat("\u0301", 12),
		}, []string{
			"a", "a b", "a.b", "a/b~c", "na\u00efve", "\u65e5\u672c", "\U0001f600", "$ref", "properties", "enum", "title",
		}
}

// sending are operations that send a name: the place, and what surrounds the name there.
func sending(t *testing.T, name string) (list map[string]string, value map[string]func(shown string) any) {
	t.Helper()
	quoted := mustJSON(t, name)
	body := func(schema string) string {
		return `, "requestBody": {"required": true, "content": {"application/json": {"schema": ` + strings.ReplaceAll(schema, "@", quoted) + `}}}`
	}
	list = map[string]string{
		"query":  fmt.Sprintf(`, "parameters": [{"name": %s, "in": "query", "schema": {"type": "string"}}]`, quoted),
		"object": fmt.Sprintf(`, "parameters": [{"name": "o", "in": "query", "style": "deepObject", "explode": true, "schema": {"type": "object", "properties": {%s: {"type": "string"}}}}]`, quoted),
		"member": body(`{"type": "object", "properties": {@: {"type": "string"}, "other": {"type": "string"}}}`),
		"whole":  body(`{"type": "object", "minProperties": 1, "properties": {@: {"type": "string"}}}`),
		"nested": body(`{"type": "object", "properties": {"in": {"type": "object", "properties": {"deep": {"type": "array", "items": {"type": "object", "required": [@], "properties": {@: {"type": "string"}}}}}}}}`),
		"union":  body(`{"type": "object", "properties": {"in": {"anyOf": [{"type": "integer"}, {"type": "object", "properties": {@: {"type": "string"}}}]}}}`),
		"shared": body(`{"type": "object", "properties": {"in": {"type": "array", "items": {"$ref": "#/components/schemas/Shared"}}}}`),
		"value":  body(`{"type": "object", "properties": {"in": {"enum": ["x", @]}}}`),
		"header": fmt.Sprintf(`, "parameters": [{"name": %s, "in": "header", "required": true, "schema": {"type": "string"}}]`, quoted),
		"cookie": fmt.Sprintf(`, "parameters": [{"name": %s, "in": "cookie", "required": true, "schema": {"type": "string"}}]`, quoted),
		"path":   fmt.Sprintf(`, "parameters": [{"name": %s, "in": "path", "required": true, "schema": {"type": "string"}}]`, quoted),
		"form": strings.Replace(body(`{"type": "object", "properties": {@: {"type": "string"}, "other": {"type": "string"}}}`),
			"application/json", "application/x-www-form-urlencoded", 1),
	}
	one := func(shown string) any { return map[string]any{shown: "x"} }
	value = map[string]func(string) any{
		"query": one, "member": one, "header": one, "cookie": one, "path": one, "form": one,
		"object": func(shown string) any { return map[string]any{"o": one(shown)} },
		"whole":  func(shown string) any { return map[string]any{"body": one(shown)} },
		"nested": func(shown string) any { return map[string]any{"in": map[string]any{"deep": []any{one(shown)}}} },
		"union":  func(shown string) any { return map[string]any{"in": one(shown)} },
		"shared": func(shown string) any { return map[string]any{"in": []any{one(shown)}} },
		"value":  func(string) any { return map[string]any{"in": strings.ReplaceAll(name, "\u00a0", " ")} },
	}
	return list, value
}

// A name, and a value of an enum, goes over the wire as the publisher declares it, in every
// place and at every depth, whatever definition the model was shown; where cleaning changes
// it, the operation is no tool and has a reason. A value whose blanks alone change is shown
// with plain ones.
func TestANameIsSentAsDeclaredOrTheOperationIsNoTool(t *testing.T) {
	testkit.Large(t)
	changed, kept := rawNames()
	for _, name := range append(slices.Clone(changed), kept...) {
		t.Run(fmt.Sprintf("%+q", name), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				list, values := sending(t, name)
				operations := []string{operation("get", "/api/none", "none", "")}
				for place, more := range list {
					path := "/api/" + place
					if place == "path" {
						path += "/{" + name + "}"
					}
					operations = append(operations, strings.Replace(operation("post", "@", place, more), `"@"`, mustJSON(t, path), 1))
				}
				shared := fmt.Sprintf(`, "components": {"schemas": {"Shared": {"type": "object", "properties": {%s: {"type": "string"}}}}}`, mustJSON(t, name))
				s := newShop(t, document(shared, operations...), nil)
				for place, value := range values {
					tool, err := s.box.Tool(place)
					impossible := !mayStand(name, place)
					if place == "value" && name == "a\u00a0b" { // shown with a plain blank
						arrives(t, s, place, name, value)
						continue
					}
					if !slices.Contains(changed, name) && (!impossible || err == nil) {
						arrives(t, s, place, name, value)
						continue
					}
					if err == nil {
						t.Errorf("%s: it is a tool: %s", place, tool.Capability.Input)
					}
					if !slices.ContainsFunc(s.box.Skipped(), func(one tools.Skipped) bool {
						return strings.HasSuffix(one.Key, "/"+place) && one.Code == tools.CodeContract && ((impossible || place == "path") && one.Reason != "" || strings.Contains(one.Reason, "invisible characters"))
					}) {
						t.Errorf("%s: no reason: %+v", place, s.box.Skipped())
					}
				}
			})
		})
	}
}

// token matches the names that a header field and a cookie can have (RFC 9110 §5.6.2).
var token = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// mayStand reports whether a request can have a name at a place, however the name is shown.
func mayStand(name, place string) bool {
	switch place {
	case "header", "cookie":
		return token.MatchString(name)
	case "path":
		return !strings.ContainsAny(name, "/{} ") // a template has no blank
	}
	return true
}

// arrives wants a name on the wire for every form.
func arrives(t *testing.T, s *shop, place, name string, value func(shown string) any) {
	t.Helper()
	for _, v := range tools.Vendors() {
		for _, strict := range []bool{false, true} {
			form := tools.Form{Vendor: v, Strict: strict}
			tool, err := s.box.Tool(place)
			if err != nil {
				t.Fatalf("%s: %v: %+v", place, err, s.box.Skipped())
			}
			p, err := tool.Projection(form)
			if err != nil {
				t.Fatal(err)
			}
			preview, err := s.caller(nil).With(form).DryRun(t.Context(), s.box, place, []byte(mustJSON(t, value(p.Shown(name)))))
			if err != nil {
				t.Errorf("%s, %v: %v", place, form, err)
				continue
			}
			u, err := url.Parse(preview.Request.URL)
			if err != nil {
				t.Fatal(err)
			}
			there, body, q := false, string(preview.Request.Body), u.Query()
			switch place {
			case "query":
				there = q.Get(name) == "x"
			case "object":
				there = q.Get("o["+name+"]") == "x"
			case "header":
				there = preview.Request.Header.Get(name) == "x"
			case "cookie":
				there = preview.Request.Header.Get("Cookie") == name+"=x"
			case "path":
				there = u.Path == "/api/path/x"
			case "form":
				sent, err := url.ParseQuery(body)
				there = err == nil && sent.Get(name) == "x"
			default:
				there = strings.Contains(body, mustJSON(t, name))
			}
			if !there {
				t.Errorf("%s, %v: %s %v %s", place, form, preview.Request.URL, preview.Request.Header, body)
			}
		}
	}
}

// A tool of an MCP server is called by the name that the server declares, or not at all.
func TestAToolWithAHiddenNameIsNoTool(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const tool = `{"name": "%s", "description": "It orders.", "inputSchema": {"type": "object", "properties": {"%s": {"type": "string"}}}}`
		card := fmt.Sprintf(`{"name": "shop.example/all", "version": "1.0.0", "description": "All.", "remotes": [{"type": "streamable-http", "supportedProtocolVersions": ["2026-07-28"], "url": "https://shop.example/api/rpc"}],
			"tools": [%s, %s, %s]}`, fmt.Sprintf(tool, "plain", "a"), fmt.Sprintf(tool, `or\u200bder`, "a"), fmt.Sprintf(tool, "asks", `a\u202e`))
		x := newWorld(t, clienttest.Pages{"/.well-known/mcp/server-card.json": card}, okayRPC)
		if x.box.Len() != 1 || len(x.box.Skipped()) != 2 {
			t.Errorf("%d tools, %+v", x.box.Len(), x.box.Skipped())
		}
	})
}
