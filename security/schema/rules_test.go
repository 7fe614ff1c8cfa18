package schema_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/security/schema"
)

// vendorRules contains the rules of a target, written a second time.
type vendorRules struct {
	keywords  []string // nil: any
	rootOnly  []string // nil: any
	forbidden []string // at the root
	names     *regexp.Regexp
	enums     string // types of values: s n b o
	closed    bool
	required  bool
	typed     bool
	upper     bool
	bare      bool // an object may be without properties
	filled    bool // an object has a property
	items     bool // an array has items
}

func rulesOf(p *schema.Projection) vendorRules {
	anthropic := regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
	gemini := regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`)
	union := []string{"anyOf", "oneOf", "allOf", "enum", "not"}
	words := func(s string) []string { return strings.Fields(s) }
	switch {
	case p.Target == schema.OpenAIStrict && p.Strict:
		return vendorRules{keywords: words("type properties required additionalProperties items anyOf enum description minimum maximum exclusiveMinimum exclusiveMaximum multipleOf pattern format minItems maxItems"),
			forbidden: union, enums: "snb", closed: true, required: true, typed: true}
	case p.Target == schema.AnthropicStrict && p.Strict:
		return vendorRules{keywords: words("type properties required additionalProperties items anyOf enum description title pattern format minItems"),
			forbidden: union, enums: "snb", closed: true, typed: true, names: anthropic}
	case p.Target == schema.Gemini:
		return vendorRules{keywords: words("type properties required items anyOf enum description title nullable pattern format minLength maxLength minimum maximum minItems maxItems minProperties maxProperties"),
			forbidden: union, enums: "s", typed: true, upper: true, names: gemini, filled: true, items: true}
	case p.Target == schema.GeminiJSON:
		return vendorRules{keywords: words("$defs $ref type format title description enum items prefixItems minItems maxItems minimum maximum anyOf properties additionalProperties required"),
			forbidden: union, enums: "sn", typed: true, names: gemini}
	case p.Target == schema.Bedrock:
		return vendorRules{forbidden: union, rootOnly: words("type properties required title description"), enums: "snbo", names: anthropic, items: true}
	case p.Target == schema.Anthropic || p.Target == schema.AnthropicStrict:
		return vendorRules{forbidden: union, enums: "snbo", names: anthropic}
	case p.Target == schema.Plain:
		return vendorRules{enums: "snbo", bare: true}
	}
	rules := vendorRules{forbidden: union, enums: "snbo", items: true}
	if p.Target == schema.MCP {
		rules.names = gemini
	}
	return rules
}

// breaks returns the rules of its target that a projection breaks.
func breaks(t *testing.T, p *schema.Projection) (list []string) {
	t.Helper()
	if p.JSON == nil {
		if p.Target != schema.Gemini {
			return []string{"nothing is written"}
		}
		return nil
	}
	var root map[string]any
	if err := json.Unmarshal(p.JSON, &root); err != nil {
		return []string{err.Error()}
	}
	r := rulesOf(p)
	if word, _ := root["type"].(string); !strings.EqualFold(word, "object") && p.Target != schema.Plain {
		list = append(list, fmt.Sprintf("the root is %v", root["type"]))
	}
	for _, keyword := range r.forbidden {
		if root[keyword] != nil {
			list = append(list, keyword+" at the root")
		}
	}
	for keyword := range root {
		if r.rootOnly != nil && !slices.Contains(r.rootOnly, keyword) {
			list = append(list, keyword+" at the root")
		}
	}
	return append(list, r.schema(root)...)
}

func (r *vendorRules) schema(n map[string]any) (list []string) {
	for keyword := range n {
		if r.keywords != nil && !slices.Contains(r.keywords, keyword) {
			list = append(list, "keyword "+keyword)
		}
	}
	kind, _ := n["type"].(string)
	switch {
	case n["anyOf"] != nil && r.typed && n["type"] != nil:
		list = append(list, "anyOf and type")
	case n["anyOf"] == nil && r.typed && n["type"] == nil:
		list = append(list, "no type")
	case r.upper && n["type"] != nil && kind != strings.ToUpper(kind):
		list = append(list, "type "+kind)
	}
	properties, _ := n["properties"].(map[string]any)
	required, _ := n["required"].([]any)
	if strings.EqualFold(kind, "object") && r.closed && n["additionalProperties"] != false {
		list = append(list, "open object")
	}
	if !r.bare && properties == nil && slices.ContainsFunc(typesOf(n), func(word any) bool { return word == "object" || word == "OBJECT" }) {
		list = append(list, "object without properties")
	}
	if r.filled && kind == "OBJECT" && len(properties) == 0 {
		list = append(list, "empty object")
	}
	if r.items && n["items"] == nil && slices.Contains(typesOf(n), any("array")) {
		list = append(list, "array without items")
	}
	if r.required && len(required) != len(properties) {
		list = append(list, "optional property")
	}
	for _, name := range required {
		if r.typed && properties[name.(string)] == nil {
			list = append(list, "required and undeclared")
		}
	}
	if strings.EqualFold(kind, "array") && r.typed && n["items"] == nil && n["prefixItems"] == nil && r.keywords != nil && !slices.Contains(r.keywords, "prefixItems") {
		list = append(list, "no items")
	}
	enum, _ := n["enum"].([]any)
	for _, v := range enum {
		if word := kindWord(v); !strings.Contains(r.enums, word) || v == "" && r.enums == "s" {
			list = append(list, "enum of "+word)
		}
	}
	for name, c := range properties {
		if r.names != nil && !r.names.MatchString(name) {
			list = append(list, "property name "+name)
		}
		list = append(list, r.below(c)...)
	}
	for _, keyword := range []string{"$defs", "patternProperties", "dependentSchemas"} {
		named, _ := n[keyword].(map[string]any)
		for _, c := range named {
			list = append(list, r.below(c)...)
		}
	}
	for _, keyword := range []string{"items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else", "unevaluatedItems", "unevaluatedProperties"} {
		if n[keyword] != nil && n[keyword] != false && n[keyword] != true {
			list = append(list, r.below(n[keyword])...)
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		branches, _ := n[keyword].([]any)
		for _, b := range branches {
			list = append(list, r.below(b)...)
		}
	}
	return list
}

// typesOf returns the words of a type.
func typesOf(n map[string]any) []any {
	if list, ok := n["type"].([]any); ok {
		return list
	}
	return []any{n["type"]}
}

func (r *vendorRules) below(v any) []string {
	m, ok := v.(map[string]any)
	if !ok {
		return []string{fmt.Sprintf("schema %v", v)}
	}
	return r.schema(m)
}

func kindWord(v any) string {
	switch v.(type) {
	case string:
		return "s"
	case float64:
		return "n"
	case bool, nil:
		return "b"
	}
	return "o"
}
