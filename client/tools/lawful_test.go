package tools_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// vendorLaw has the rules by which a vendor refuses a request, written a second time. docs/SCHEMAS.md
// has their sources.
type vendorLaw struct {
	tools, text     int            // most tools of a request, most bytes of a description
	keys            *regexp.Regexp // of properties
	keywords        []string       // nil: any
	root            []string       // keywords of the root; nil: any
	items, filled   bool           // arrays have items, objects have properties
	upper, closed   bool
	all             bool // each property is required
	depth, property int  // most levels and properties
}

var (
	anthropicKeys = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
	geminiKeys    = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`)
	toolName      = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)
	foreign       = regexp.MustCompile(`\\[pPc]|\(\?<|\[\^?\]|\{,\d*\}`) // what Python does not compile, or reads in another way
)

// lawOf returns the rules for a definition, which may be strict.
func lawOf(v tools.Vendor, strict bool) vendorLaw {
	words := strings.Fields
	switch {
	case strict && strings.HasPrefix(v.String(), "openai"):
		return vendorLaw{tools: 128, text: 1024, items: true, closed: true, all: true, depth: 10, property: 5000,
			keywords: words("type properties required additionalProperties items anyOf enum description minimum maximum exclusiveMinimum exclusiveMaximum multipleOf pattern format minItems maxItems")}
	case strict && v == tools.AnthropicMessages:
		return vendorLaw{keys: anthropicKeys, items: true, closed: true,
			keywords: words("type properties required additionalProperties items anyOf enum description title pattern format minItems")}
	case v == tools.AnthropicMessages:
		return vendorLaw{keys: anthropicKeys}
	case v == tools.Bedrock:
		return vendorLaw{keys: anthropicKeys, items: true, root: words("type properties required title description")}
	case v == tools.Gemini:
		return vendorLaw{keys: geminiKeys, items: true, filled: true, upper: true,
			keywords: words("type properties required items anyOf enum description title nullable pattern format minLength maxLength minimum maximum minItems maxItems minProperties maxProperties")}
	case v == tools.GeminiJSON:
		return vendorLaw{keys: geminiKeys,
			keywords: words("$defs $ref type format title description enum items prefixItems minItems maxItems minimum maximum anyOf properties additionalProperties required")}
	case v == tools.MCP:
		return vendorLaw{keys: geminiKeys, text: 1024, items: true}
	case v == tools.Mistral:
		return vendorLaw{items: true}
	}
	return vendorLaw{tools: 128, text: 1024, items: true}
}

// lawful is a definition as its vendor reads it.
type lawful struct {
	Name, Description    string
	Strict               bool
	Parameters           map[string]any
	ParametersJSONSchema map[string]any `json:"parametersJsonSchema"`
	InputSchema          json.RawMessage
	AnthropicSchema      map[string]any `json:"input_schema"`
	Function, ToolSpec   *lawful
}

// schema returns the schema of the arguments, which is nil if there is none.
func (d *lawful) schema(t *testing.T) map[string]any {
	for _, s := range []map[string]any{d.Parameters, d.ParametersJSONSchema, d.AnthropicSchema} {
		if s != nil {
			return s
		}
	}
	if d.InputSchema == nil {
		return nil
	}
	var s map[string]any
	if err := json.Unmarshal(d.InputSchema, &s); err != nil {
		t.Fatal(err)
	}
	if inner, ok := s["json"].(map[string]any); ok {
		return inner
	}
	return s
}

// judge returns the rules that a definition breaks.
func (l *vendorLaw) judge(t *testing.T, v tools.Vendor, raw json.RawMessage) (broken []string) {
	var d lawful
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	for _, inner := range []*lawful{d.Function, d.ToolSpec} {
		if inner != nil {
			d = *inner
		}
	}
	*l = lawOf(v, d.Strict)
	if !toolName.MatchString(d.Name) {
		broken = append(broken, "name "+d.Name)
	}
	if d.Description == "" || l.text > 0 && len(d.Description) > l.text {
		broken = append(broken, fmt.Sprintf("a description of %d bytes", len(d.Description)))
	}
	if len(raw) > 1<<20 {
		broken = append(broken, fmt.Sprintf("%d bytes", len(raw)))
	}
	s := d.schema(t)
	if s == nil {
		if v != tools.Gemini {
			broken = append(broken, "no schema")
		}
		return broken
	}
	for _, word := range []string{"anyOf", "oneOf", "allOf", "enum", "not"} {
		if s[word] != nil {
			broken = append(broken, word+" at the root")
		}
	}
	for word := range s {
		if l.root != nil && !slices.Contains(l.root, word) {
			broken = append(broken, word+" at the root")
		}
	}
	if kind, _ := s["type"].(string); !strings.EqualFold(kind, "object") {
		broken = append(broken, fmt.Sprintf("the root is %v", s["type"]))
	}
	properties := 0
	broken = append(broken, l.schema(s, 0, &properties)...)
	if l.property > 0 && properties > l.property {
		broken = append(broken, fmt.Sprintf("%d properties", properties))
	}
	return broken
}

// schema returns the rules that a schema, or one below it, breaks.
func (l *vendorLaw) schema(s map[string]any, depth int, count *int) (broken []string) {
	kinds, several := s["type"].([]any)
	if !several {
		kinds = []any{s["type"]}
	}
	is := func(kind string) bool {
		return slices.ContainsFunc(kinds, func(k any) bool { word, _ := k.(string); return strings.EqualFold(word, kind) })
	}
	properties, described := s["properties"].(map[string]any)
	*count += len(properties)
	has := func(word string, when bool) {
		if when {
			broken = append(broken, word)
		}
	}
	has("an object without properties", is("object") && !described)
	has("an empty object", l.filled && is("object") && len(properties) == 0)
	has("an array without items", l.items && is("array") && s["items"] == nil)
	has("an open object", l.closed && is("object") && s["additionalProperties"] != false)
	has("a type in lower case", l.upper && s["type"] != nil && (several || s["type"] != strings.ToUpper(fmt.Sprint(s["type"]))))
	has(fmt.Sprintf("%d levels", depth), l.depth > 0 && depth > l.depth || depth > 64)
	required, _ := s["required"].([]any)
	has("an optional property", l.all && len(required) != len(properties))
	for _, name := range required {
		has(fmt.Sprintf("%v is not described", name), l.keywords != nil && properties[fmt.Sprint(name)] == nil)
	}
	for word := range s {
		has("keyword "+word, l.keywords != nil && !slices.Contains(l.keywords, word))
	}
	values, listed := s["enum"].([]any)
	has("an empty enum", listed && len(values) == 0)
	for _, v := range values {
		text, isText := v.(string)
		has(fmt.Sprintf("enum of %v", v), l.upper && (!isText || text == ""))
		if l.keywords != nil {
			_, object := v.(map[string]any)
			_, array := v.([]any)
			has("enum of an object or array", object || array)
		}
	}
	if pattern, ok := s["pattern"].(string); ok {
		has("pattern "+pattern, foreign.MatchString(pattern))
	}
	for name := range properties {
		has("property "+name, l.keys != nil && !l.keys.MatchString(name) || name == "__proto__")
	}
	return append(broken, l.below(s, depth, count)...)
}

// below judges the schemas in a schema.
func (l *vendorLaw) below(s map[string]any, depth int, count *int) (broken []string) {
	each := func(v any, deeper int) {
		if inner, ok := v.(map[string]any); ok {
			broken = append(broken, l.schema(inner, depth+deeper, count)...)
		}
	}
	for _, word := range []string{"properties", "$defs", "patternProperties", "dependentSchemas"} {
		named, _ := s[word].(map[string]any)
		for _, inner := range named {
			each(inner, 1)
		}
	}
	for _, word := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		list, _ := s[word].([]any)
		for _, inner := range list {
			each(inner, 0)
		}
	}
	for _, word := range []string{"items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else", "unevaluatedItems", "unevaluatedProperties"} {
		each(s[word], 1)
	}
	return broken
}

// The judge finds what a vendor refuses.
func TestTheJudgeOfDefinitionsFindsWhatVendorsRefuse(t *testing.T) {
	const mcp = `{"name":"a","description":"A.","inputSchema":`
	for _, test := range []struct {
		vendor    tools.Vendor
		raw, want string
	}{
		{tools.OpenAIResponses, `{"name":"a","description":"A.","parameters":{"type":"object","additionalProperties":false}}`, "an object without properties"},
		{tools.OpenAIResponses, `{"name":"a","description":"` + strings.Repeat("a", 1025) + `","parameters":{"type":"object","properties":{}}}`, "a description of 1025 bytes"},
		{tools.OpenAIChat, `{"function":{"name":"1a","description":"A.","parameters":{"type":"object","properties":{}}}}`, "name 1a"},
		{tools.OpenAIChat, `{"function":{"name":"a","description":"A.","strict":true,"parameters":{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}}}`, "an optional property"},
		{tools.AnthropicMessages, `{"name":"a","description":"A.","input_schema":{"type":"object","properties":{"$top":{}}}}`, "property $top"},
		{tools.Bedrock, `{"toolSpec":{"name":"a","description":"A.","inputSchema":{"json":{"type":"object","properties":{},"$defs":{}}}}}`, "$defs at the root"},
		{tools.Gemini, `{"name":"a","description":"A.","parameters":{"type":"OBJECT","properties":{"o":{"type":"OBJECT","properties":{}}}}}`, "an empty object"},
		{tools.MCP, mcp + `{"type":"object","properties":{"a":{"type":["array","null"]}}}}`, "an array without items"},
		{tools.MCP, mcp + `{"type":"object","properties":{"a":{"anyOf":[{"properties":{"ids[]":{}}}]}}}}`, "property ids[]"},
		{tools.MCP, mcp + `{"type":"object","properties":{"a":{"pattern":"^\\p{L}"}}}}`, "pattern ^\\p{L}"},
		{tools.MCP, mcp + `{"type":"object","properties":{},"oneOf":[]}}`, "oneOf at the root"},
	} {
		law := &vendorLaw{}
		if broken := law.judge(t, test.vendor, json.RawMessage(test.raw)); !slices.Equal(broken, []string{test.want}) {
			t.Errorf("%s: %q, want %q", test.raw, broken, test.want)
		}
	}
}

// lawfulSites returns Clients of sites with published documents, by the name of the document.
func lawfulSites(t *testing.T) map[string]*client.Client {
	sites := make(map[string]*client.Client)
	for file := range published(t) {
		sites[file], _ = serving(t, file)
	}
	files := golden.Files(t, golden.Corpus(t, "openapi"), "*.json")
	for i := 0; i < len(files); i += testkit.Sizes(10, 3, 1) {
		n := clienttest.New(t)
		n.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": string(golden.Read(t, files[i]))})
		sites[filepath.Base(files[i])] = n.Client()
	}
	return sites
}

// No definition of a published document breaks a rule by which its vendor refuses a request, in any
// form.
func TestNoDefinitionBreaksARuleOfItsVendor(t *testing.T) {
	testkit.Large(t)
	total := 0
	for file, c := range lawfulSites(t) {
		box := load(t, c, []string{"shop.example"}, nil)
		for _, v := range tools.Vendors() {
			for _, strict := range []bool{false, true} {
				for i, tool := range box.Tools() {
					if i%testkit.Sizes(50, 25, 5) != 0 {
						continue
					}
					raw, _, err := box.Define(v, tool.Name, strict)
					if err != nil {
						t.Errorf("%s: %s of %s: %v", file, v, tool.Name, err)
						continue
					}
					total++
					law := &vendorLaw{}
					for _, broken := range law.judge(t, v, raw) {
						t.Errorf("%s: %s (strict %v) of %s: %s: %.300s", file, v, strict, tool.Name, broken, raw)
					}
				}
				if d := box.Render(v, &tools.RenderOptions{Strict: strict}); lawOf(v, strict).tools > 0 && len(d.List) > lawOf(v, strict).tools {
					t.Errorf("%s: %d tools for %s", file, len(d.List), v)
				}
			}
		}
	}
	t.Logf("%d definitions", total)
	if total < 100 {
		t.Errorf("only %d definitions", total)
	}
}
