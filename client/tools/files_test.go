package tools_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// divided is a description in several documents: a path, a parameter and a body are in
// others, which lead to each other and back.
func divided() clienttest.Pages {
	return clienttest.Pages{
		"/.well-known/ai-plugin.json": plugin,
		"/openapi.json": `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "servers": [{"url": "https://shop.example/v2"}], "paths": {
			"/orders": {"$ref": "./paths/orders.yaml"},
			"/books/{id}": {"get": {"operationId": "book", "parameters": [{"$ref": "https://shop.example/parts/params.json#/id"}], "responses": {"200": {"description": "ok"}}}}
		}, "components": {"schemas": {"Note": {"type": "string", "maxLength": 80}}}}`,
		"/paths/orders.yaml": "post:\n  operationId: order\n  requestBody:\n    required: true\n    content:\n      application/json:\n        schema: {$ref: '../parts/order.yaml'}\n  responses:\n    '200': {description: ok}\n",
		"/parts/order.yaml":  "type: object\nrequired: [size]\nproperties:\n  size: {$ref: 'size.json'}\n  part: {$ref: '#'}\n  gift: {$ref: './order.yaml#/properties/size'}\n  note: {$ref: ../openapi.json#/components/schemas/Note}\n",
		"/parts/size.json":   `{"type": "string", "enum": ["s", "m"], "default": {"$ref": "no.json"}}`,
		"/parts/params.json": `{"id": {"name": "id", "in": "path", "required": true, "schema": {"$ref": "#/types/isbn"}}, "types": {"isbn": {"type": "string", "pattern": "^97"}}}`,
	}
}

// A description in several documents of a site has the tools of one.
func TestADescriptionOfSeveralDocumentsIsOne(t *testing.T) {
	internet := clienttest.New(t)
	internet.Host("shop.example", divided())
	c := internet.Client()
	box := load(t, c, []string{"shop.example"}, nil)
	for name, want := range map[string][]string{"book": {`"^97"`}, "order": {`"size":{"$ref":"#/$defs/size"}`, `"enum":["s", "m"]`, `"maxLength":80`, `"required":["size"]`}} {
		tool, err := box.Tool(name)
		if err != nil {
			t.Fatalf("%s: %v; skipped: %v", name, err, box.Skipped())
		}
		for _, part := range want {
			if !strings.Contains(string(tool.Capability.Input), part) {
				t.Errorf("%s: %s is not in %s", name, part, tool.Capability.Input)
			}
		}
	}
	if list := slices.DeleteFunc(box.Skipped(), func(s tools.Skipped) bool { return s.Code != tools.CodeContract && s.Code != tools.CodeIncomplete }); len(list) > 0 {
		t.Errorf("skipped: %v", list)
	}
	for _, r := range internet.Requests() {
		if r.Path == "/parts/no.json" {
			t.Error("a reference in data is followed")
		}
	}
}

// The same holds for methods of OpenRPC.
func TestMethodsOfSeveralDocumentsAreOne(t *testing.T) {
	internet := clienttest.New(t)
	internet.Host("shop.example", clienttest.Pages{
		"/.well-known/ai-plugin.json": strings.ReplaceAll(plugin, "/openapi.json", "/rpc/openrpc.json"),
		"/rpc/openrpc.json": `{"openrpc": "1.3.2", "info": {"title": "Shop", "version": "1"}, "servers": [{"name": "main", "url": "https://shop.example/rpc"}],
			"methods": [{"name": "order", "params": [{"name": "size", "required": true, "schema": {"$ref": "../size.json"}}], "result": {"name": "r", "schema": true}}]}`,
		"/size.json": `{"type": "string", "enum": ["s", "m"]}`,
	})
	tool, err := load(t, internet.Client(), []string{"shop.example"}, nil).Tool("order")
	if err != nil || !strings.Contains(string(tool.Capability.Input), `"enum":["s", "m"]`) {
		t.Errorf("%v: %+v", err, tool)
	}
}

// elsewhere are references that lead to nothing that can be read, with the reasons.
func elsewhere() map[string][2]string {
	return map[string][2]string{
		"elsewhere":  {"https://other.example/x.json", "it is on another site"},
		"plain":      {"http://shop.example/x.json", "its URL is refused"},
		"private":    {"https://10.0.0.1/x.json", "its URL is refused"},
		"file":       {"file:///etc/passwd", "its URL is refused"},
		"absent":     {"./absent.json", "absent"},
		"cut":        {"./cut.json", "truncated"},
		"broken":     {"./broken.json", "malformed json_syntax"},
		"page":       {"./page.html", "soft_404"},
		"list":       {"./list.json", "it is no object"},
		"moved":      {"./moved.json", "refused"},
		"large":      {"./large.json", "it is too large"},
		"forbidden":  {"./private/x.json", "skipped robots"},
		"protected":  {"./protected.json", "protected"},
		"transitive": {"./leads.json#/a", "it is on another site"},
	}
}

// leadingElsewhere is a site whose description has an operation for each reference and each
// part of a request, two for a body that is shared, and one more.
func leadingElsewhere(internet *clienttest.Internet) {
	const parameter, body = `"parameters": [{"name": "q", "in": "query", "schema": {"$ref": %q}}]`,
		`"requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/%s"}}}}}}`
	var operations, schemas []string
	operation := func(id, input string) {
		operations = append(operations, fmt.Sprintf(`"/%s": {"post": {"operationId": %q, "responses": {"200": {"description": "ok"}}, %s}}`, id, id, input))
	}
	for name, ref := range elsewhere() {
		schemas = append(schemas, fmt.Sprintf(`%q: {"type": "object", "properties": {"b": {"$ref": %q}}}`, name, ref[0]))
		operation(name+"1", fmt.Sprintf(parameter, ref[0]))
		operation(name+"2", fmt.Sprintf(body, name))
		operation(name+"3", fmt.Sprintf(body, name))
	}
	operation("good", fmt.Sprintf(parameter, "./good.json"))
	internet.Host("other.example", clienttest.Pages{"/x.json": `{}`})
	internet.Host("shop.example", clienttest.Pages{
		"/.well-known/ai-plugin.json": plugin, "/robots.txt": "User-agent: *\nDisallow: /private/\n",
		"/openapi.json": fmt.Sprintf(`{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "servers": [{"url": "https://shop.example"}], "paths": {%s}, "components": {"schemas": {%s}}}`,
			strings.Join(operations, ","), strings.Join(schemas, ",")),
		"/broken.json": `{"a": `, "/page.html": `<!doctype html><html><body>Not here</body></html>`, "/list.json": `[]`, "/leads.json": `{"a": {"$ref": "//other.example/x.json"}}`,
		"/large.json": `{"a": "` + strings.Repeat("x", 17<<20) + `"}`, "/good.json": `{"type": "integer"}`, "/private/x.json": `{"type": "integer"}`,
	}).
		Handle("/moved.json", http.RedirectHandler("https://other.example/x.json", http.StatusFound)).
		Handle("/protected.json", clienttest.Page{Status: http.StatusUnauthorized}).
		Handle("/cut.json", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"type": "integer"}`)
		}))
}

// An operation whose arguments are in a document that is not read is no tool: Skipped names
// it, with the reason. The other operations of the description are tools.
func TestAnOperationWhoseArgumentsAreElsewhereIsSkipped(t *testing.T) {
	internet := clienttest.New(t)
	leadingElsewhere(internet)
	c := internet.Client(func(o *client.Options) { o.Robots.Mode = client.RobotsEnforce })
	box := load(t, c, []string{"shop.example"}, nil)
	if list := box.Tools(); len(list) != 1 || list[0].Capability.ID != "good" {
		t.Errorf("%d tools", len(list))
	}
	for name, ref := range elsewhere() {
		for _, part := range []string{"1", "2", "3"} {
			i := slices.IndexFunc(box.Skipped(), func(s tools.Skipped) bool { return s.Key == "openapi:openapi/"+name+part })
			if i < 0 {
				t.Errorf("%s%s is not named", name, part)
				continue
			}
			if s := box.Skipped()[i]; s.Code != tools.CodeContract || !strings.Contains(s.Reason, ref[1]) {
				t.Errorf("%s%s: %s %s", name, part, s.Code, s.Reason)
			}
		}
	}
	if !slices.ContainsFunc(box.Skipped(), func(s tools.Skipped) bool {
		return s.Code == string(wayfind.CodeTooLarge) && s.URL == "https://shop.example/large.json" && s.Limit > 0
	}) {
		t.Errorf("no entry for the document that is too large: %v", box.Skipped())
	}
	for _, r := range internet.Requests() {
		if r.Host == "other.example" || r.Path == "/private/x.json" {
			t.Errorf("a request to %s%s", r.Host, r.Path)
		}
	}
}

// A description whose references lead to many documents leads to as many requests as one
// call may make for them, and names the rest.
func TestADescriptionWithTenThousandReferencesEnds(t *testing.T) {
	testkit.Large(t)
	internet := clienttest.New(t)
	var paths, others []string
	for i := range 10_000 {
		operation := fmt.Sprintf(`{"get": {"operationId": "o%d", "parameters": [{"name": "q", "in": "query", "schema": {"$ref": "./%d.json"}}], "responses": {"200": {"description": "ok"}}}}`, i, i)
		if i < 400 {
			paths = append(paths, fmt.Sprintf(`"/o%d": %s`, i, operation))
		} else {
			others = append(others, fmt.Sprintf(`"p%d": %s`, i, operation))
		}
	}
	internet.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": fmt.Sprintf(
		`{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "paths": {%s}, "components": {"pathItems": {%s}}}`, strings.Join(paths, ","), strings.Join(others, ","))})
	box := load(t, internet.Client(), []string{"shop.example"}, nil)
	asked := 0
	for _, r := range internet.Requests() {
		if strings.HasSuffix(r.Path, ".json") && r.Path[1] >= '0' && r.Path[1] <= '9' {
			asked++
		}
	}
	if asked == 0 || asked > 100 {
		t.Errorf("%d requests for documents that references lead to", asked)
	}
	named := 0
	for _, s := range box.Skipped() {
		if strings.HasPrefix(s.Key, "openapi:openapi/o") && strings.Contains(s.Reason, ".json") {
			named++
		}
	}
	if named != 400 {
		t.Errorf("%d of 400 operations are named", named)
	}
}
