package tools_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// empties are objects without properties, at each place where a schema can be.
const empties = `"opts":{"type":"object"},"map":{"type":"object","additionalProperties":{"type":"object"}},"null":{"type":["object","null"]},` +
	`"list":{"type":"array","items":{"type":"object"}},"one":{"oneOf":[{"type":"object"},{"type":"string"}]},"closed":{"type":"object","additionalProperties":false},` +
	`"all":{"allOf":[{"type":"object"},{"description":"Anything."}]},"type":{"type":"object"},"properties":{"type":"object"}`

// emptyAPI has operations without arguments, and with objects without properties.
const emptyAPI = `{"openapi":"3.1.0","info":{"title":"Shop","version":"1"},"servers":[{"url":"https://shop.example"}],"paths":{
	"/none":{"get":{"operationId":"none","responses":{}}},
	"/body":{"post":{"operationId":"body","requestBody":{"content":{"application/json":{"schema":{"type":"object"}}}},"responses":{}}},
	"/named":{"post":{"operationId":"named","requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Tree"}}}},"responses":{}}},
	"/nested":{"post":{"operationId":"nested","requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{` + empties + `}}}}},"responses":{}}}},
	"components":{"schemas":{"Tree":{"type":"object","properties":{"leaf":{"$ref":"#/components/schemas/Leaf"},"tree":{"$ref":"#/components/schemas/Tree"}}},"Leaf":{"type":"object"}}}}`

// Each object in a definition has properties, for each vendor and in each form. OpenAI and the
// servers that speak its protocol refuse a whole request for a single object without them.
func TestEachObjectOfADefinitionHasProperties(t *testing.T) {
	internet := clienttest.New(t)
	internet.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": emptyAPI,
		"/.well-known/mcp/server-card.json": emptyCard})
	box := load(t, internet.Client(), []string{"shop.example"}, nil)
	if box.Len() != 7 {
		t.Fatalf("%d tools, skipped %v", box.Len(), box.Skipped())
	}
	allHaveProperties(t, box)
	for _, v := range tools.Vendors() {
		own, err := box.MetaTools(v)
		if err != nil {
			t.Fatal(err)
		}
		haveProperties(t, v, own)
	}
}

// The same holds for the descriptions that others publish.
func TestEachObjectOfAPublishedDefinitionHasProperties(t *testing.T) {
	testkit.Large(t)
	tried := 0
	for file, operations := range published(t) {
		if operations > 200 {
			continue // every form of every tool is written
		}
		tried++
		t.Run(file, func(t *testing.T) {
			c, _ := serving(t, file)
			allHaveProperties(t, load(t, c, []string{"shop.example"}, nil))
		})
	}
	if tried == 0 {
		t.Error("no description was tried")
	}
}

// emptyCard is a card with tools whose input has no properties.
const emptyCard = `{"name":"example.shop/shop","version":"1.0.0","description":"Shop","remotes":[{"type":"streamable-http","url":"https://shop.example/mcp"}],"tools":[
	{"name":"bare","description":"Does it.","inputSchema":{"type":"object"}},
	{"name":"dated","description":"Does it.","inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}},
	{"name":"drafted","description":"Does it.","inputSchema":{"type":"object","properties":{` + empties + `},"$defs":{"unused":{"type":"object"}}}}]}`

// allHaveProperties checks every form of every tool.
func allHaveProperties(t *testing.T, box *tools.Box) {
	t.Helper()
	for _, v := range tools.Vendors() {
		for _, opts := range []tools.RenderOptions{{Bytes: 1 << 30}, {Strict: true, Bytes: 1 << 30}, {Bytes: 1 << 30, Tokens: 40 * box.Len()}} {
			for _, definition := range box.Render(v, &opts).List {
				haveProperties(t, v, definition)
			}
		}
	}
}

func haveProperties(t *testing.T, v tools.Vendor, raw []byte) {
	t.Helper()
	var definition any
	if err := json.Unmarshal(raw, &definition); err != nil {
		t.Fatal(err)
	}
	if bare := bareObjects(definition, ""); bare != nil {
		t.Errorf("%s: no properties at %s in %s", v, bare, raw)
	}
}

// bareObjects returns the places of all schemas with the type object and without properties.
func bareObjects(v any, at string) (list []string) {
	if items, ok := v.([]any); ok {
		for i, item := range items {
			list = append(list, bareObjects(item, fmt.Sprint(at, "/", i))...)
		}
	}
	n, _ := v.(map[string]any)
	words, ok := n["type"].([]any)
	if !ok {
		words = []any{n["type"]}
	}
	if _, has := n["properties"].(map[string]any); !has && slices.ContainsFunc(words, func(w any) bool { return w == "object" || w == "OBJECT" }) {
		list = append(list, at)
	}
	for keyword, below := range n {
		switch keyword {
		case "enum", "const", "default", "examples", "required":
		case "properties", "$defs", "patternProperties", "dependentSchemas":
			named, _ := below.(map[string]any)
			for name, schema := range named {
				list = append(list, bareObjects(schema, at+"/"+keyword+"/"+name)...)
			}
		default:
			list = append(list, bareObjects(below, at+"/"+keyword)...)
		}
	}
	return list
}
