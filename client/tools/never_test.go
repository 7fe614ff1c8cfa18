package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/security/schema"
)

// neverSchemas are schemas that take no value.
func neverSchemas() map[string]string {
	return map[string]string{
		"enum":       `{"type": "string", "enum": []}`,
		"other_enum": `{"type": "string", "enum": [1, 2]}`,
		"const":      `{"const": "a", "enum": ["b"]}`,
		"const_type": `{"const": 1, "type": "string"}`,
		"any":        `{"anyOf": []}`,
		"one":        `{"oneOf": []}`,
		"one_none":   `{"oneOf": [{"enum": []}, {"not": {}}]}`,
		"all":        `{"allOf": [{"type": "string"}, {"enum": []}]}`,
		"not":        `{"not": {}}`,
		"not_true":   `{"not": true}`,
		"false":      `false`,
		"inner":      `{"type": "object", "properties": {"a": {"enum": []}}, "required": ["a"]}`,
		"closed":     `{"type": "object", "properties": {}, "required": ["a"], "additionalProperties": false}`,
	}
}

// Of an argument that takes no value, a model is not asked: an optional one leaves the
// definition, and one that is required makes the tool an entry of Skipped.
func TestAnArgumentThatTakesNoValueIsNeverAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		var operations, list, methods []string
		for name, s := range neverSchemas() {
			for kind, required := range map[string]bool{"needed": true, "left": false} {
				id := name + "_" + kind
				operations = append(operations,
					fmt.Sprintf(`"/q/%s": {"get": {"operationId": "q_%[1]s", "responses": {}, "parameters": [{"name": "never", "in": "query", "required": %t, "schema": %s}, {"name": "b", "in": "query", "schema": {"type": "string"}}]}}`, id, required, s),
					fmt.Sprintf(`"/b/%s": {"post": {"operationId": "b_%[1]s", "responses": {}, "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "required": [%s], "properties": {"never": %s, "b": {"type": "string"}}}}}}}}`, id, map[bool]string{true: `"never"`}[required], s))
				list = append(list, fmt.Sprintf(`{"name": "m_%s", "inputSchema": {"type": "object", "required": [%s], "properties": {"never": %s, "b": {"type": "string"}}}}`, id, map[bool]string{true: `"never"`}[required], s))
				methods = append(methods, fmt.Sprintf(`{"name": "r_%s", "params": [{"name": "never", "required": %t, "schema": %s}, {"name": "b", "schema": {"type": "string"}}], "result": {"name": "x", "schema": {}}}`, id, required, s))
			}
		}
		n.Host("shop.example", clienttest.Pages{
			"/.well-known/ai-plugin.json": plugin, cardPlace: mcpCard("shop.example", `, "tools": [`+strings.Join(list, ",")+`]`),
			"/openapi.json": `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "paths": {` + strings.Join(operations, ",") + `}}`,
			"/llms.txt":     "# Shop\n\n## API\n\n- [Methods](https://shop.example/openrpc.json)\n",
			"/openrpc.json": `{"openrpc": "1.3.2", "info": {"title": "Shop", "version": "1"}, "servers": [{"url": "https://shop.example/rpc"}], "methods": [` + strings.Join(methods, ",") + `]}`,
		})
		box := load(t, n.Client(), []string{"shop.example"}, nil)
		needed := 0
		for _, s := range box.Skipped() {
			if !strings.Contains(s.Key, "_needed") || s.Code != "never" || s.Err == nil || !strings.Contains(s.Reason, "required") {
				t.Errorf("skipped %s: %s: %s", s.Key, s.Code, s.Reason)
			}
			needed++
		}
		if want := 4 * len(neverSchemas()); needed != want || box.Len() != want {
			t.Errorf("%d skipped and %d tools, want %d of each", needed, box.Len(), want)
		}
		for _, tool := range box.Tools() {
			if !strings.HasSuffix(tool.Name, "_left") {
				t.Errorf("a tool without arguments that are valid: %s", tool.Name)
			}
			for _, v := range tools.Vendors() {
				for _, strict := range []bool{false, true} {
					raw, p, err := box.Define(v, tool.Name, strict)
					if err != nil {
						t.Errorf("%s: %v", tool.Name, err)
						continue
					}
					// In Gemini's schemas, only null can express that a property takes no value.
					if strings.Contains(string(raw), `"never"`) && v != tools.Gemini && v != tools.GeminiJSON {
						t.Errorf("%s for %v: %s", tool.Name, v, raw)
					}
					if !lost(p, "never") {
						t.Errorf("%s for %v: nothing is lost: %+v", tool.Name, v, p.Loss)
					}
				}
			}
		}
	})
}

func lost(p *schema.Projection, code string) bool {
	return slices.ContainsFunc(p.Loss, func(l schema.Loss) bool { return l.Code == code })
}
