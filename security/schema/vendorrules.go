package schema

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// vendorRule is a rule by which vendors judge the schema of a definition. A vendor that finds one
// definition against a rule refuses the whole request, so no definition leaves against one.
type vendorRule struct {
	name string
	// source is where a vendor states the rule, or a public report of its error.
	source string
	// broken reports whether a subschema is against the rule of a target.
	broken func(p *profile, n *subschema) bool
}

// vendorRules is the table of rules. A profile says which of them its target has; docs/SCHEMAS.md
// contains the table.
var vendorRules = [...]vendorRule{
	{"root_type", `400 "schema should be of type OBJECT" (OmniRoute#3357); MCP, server/tools`,
		func(_ *profile, n *subschema) bool { return n.root && !n.object() }},
	{"root_combination", `400 "does not support oneOf, allOf, or anyOf at the top level"; OpenAI, "Supported schemas"`,
		func(_ *profile, n *subschema) bool { return n.root && n.combined }},
	{"root_keyword", `400 "extraneous key [definitions] is not permitted" of Amazon Nova (zed#28521)`,
		func(p *profile, n *subschema) bool { return n.root && p.bareRoot && n.other(bareRoot()) }},
	{"properties", `400 "object schema missing properties" (spring-ai#4776, karakeep#1696)`,
		func(_ *profile, n *subschema) bool { return n.is("object") && n.properties.Kind() != jsonscan.Object }},
	{"empty_object", `400 "properties: should be non-empty for OBJECT type" (browser-use#3786, pipecat-flows#110)`,
		func(p *profile, n *subschema) bool { return p.filled && n.is("object") && n.properties.Len() == 0 }},
	{"items", `400 "items: missing field" (cline#7339), "array schema missing items"`,
		func(p *profile, n *subschema) bool {
			return p.itemsNeeded && n.is("array") && n.items.Kind() == jsonscan.Missing
		}},
	{"property_name", `400 "Property keys should match pattern" (freee-mcp#15, composio#3500); js-genai, FunctionDeclaration`,
		func(p *profile, n *subschema) bool { return !all(n.properties, p.names.takes) }},
	{"type", `js-genai, Schema and processJsonSchema; OpenAI and Anthropic, structured outputs`,
		func(p *profile, n *subschema) bool { return !p.anyType && !n.typed(p.upper) }},
	{"keyword", `400 "Unknown name propertyNames" (code_puppy#923); OpenAI and Anthropic, structured outputs`,
		func(p *profile, n *subschema) bool { return !p.anyType && n.other(p.supported()) }},
	{"enum", `400 "only allowed for STRING type", "cannot be empty"; OpenAI and Anthropic, structured outputs`,
		func(p *profile, n *subschema) bool { return !p.lists(n.enum) }},
	{"pattern", `400 "is not a 'regex'" (litellm#40485); Vertex (langfuse#14770)`,
		func(_ *profile, n *subschema) bool { return !portable(n.pattern) || !all(n.patterns, portable) }},
	{"required", `400 "property is not defined" (kilocode#11955); OpenAI, structured outputs`,
		func(p *profile, n *subschema) bool {
			return !p.anyType && !n.declares() || p.allRequired && n.required.Len() < n.properties.Len()
		}},
	{"closed", `OpenAI and Anthropic, structured outputs`,
		func(p *profile, n *subschema) bool {
			return p.closed && n.is("object") && n.additional.Text() != "false"
		}},
}

// subschema is a place of a schema as it is written, with the keywords that rules are about.
type subschema struct {
	root, combined                                                       bool
	keywords                                                             []string
	kind, properties, required, items, enum, anyOf, patterns, additional jsonscan.Node
	pattern                                                              string
	below                                                                []jsonscan.Node
}

// broken returns the rule of a target that a schema is against, or "".
func (p *profile) broken(root jsonscan.Node) string { return p.judge(vendorRules[:], root, true) }

// judge returns the rule that a schema, or a schema below it, is against, or "".
func (p *profile) judge(rules []vendorRule, v jsonscan.Node, root bool) string {
	if v.Kind() != jsonscan.Object {
		return "" // true or false
	}
	n := subschema{root: root}
	for keyword, value := range v.Members() {
		n.keyword(keyword, value)
	}
	for _, r := range rules {
		if r.broken(p, &n) {
			return r.name
		}
	}
	for _, c := range n.below {
		if rule := p.judge(rules, c, false); rule != "" {
			return rule
		}
	}
	return ""
}

// keyword notes a keyword, and the schemas below it.
func (n *subschema) keyword(word string, v jsonscan.Node) {
	n.keywords = append(n.keywords, word)
	switch word {
	case "type":
		n.kind = v
	case "properties":
		n.properties = v
	case "required":
		n.required = v
	case "items":
		n.items = v
	case "patternProperties":
		n.patterns = v
	case "additionalProperties":
		n.additional = v
	case "pattern":
		n.pattern, _ = v.Str()
	case "enum":
		n.enum, n.combined = v, true
	case "anyOf":
		n.anyOf, n.combined = v, true
	case "oneOf", "allOf", "not":
		n.combined = true
	}
	switch word {
	case "properties", "$defs", "patternProperties", "dependentSchemas", "anyOf", "oneOf", "allOf", "prefixItems":
		for i := range v.Len() {
			n.below = append(n.below, v.Child(i))
		}
	case "items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else", "unevaluatedItems", "unevaluatedProperties":
		n.below = append(n.below, v)
	}
}

// object reports whether objects are the only values that the schema names.
func (n *subschema) object() bool {
	word, _ := n.kind.Str()
	return strings.EqualFold(word, "object")
}

// is reports whether the schema names a type.
func (n *subschema) is(word string) bool {
	for i := range n.kind.Len() {
		if one, _ := n.kind.Child(i).Str(); one == word {
			return true
		}
	}
	one, _ := n.kind.Str()
	return strings.EqualFold(one, word)
}

// other reports whether the schema has a keyword that is not in a list.
func (n *subschema) other(list []string) bool {
	return slices.ContainsFunc(n.keywords, func(word string) bool { return !slices.Contains(list, word) })
}

// typed reports whether the schema has either a type or alternatives. In upper case, a type is a
// single one.
func (n *subschema) typed(upper bool) bool {
	word, single := n.kind.Str()
	hasType := n.kind.Kind() != jsonscan.Missing
	return hasType != (n.anyOf.Len() > 0) && (!upper || !hasType || single && word == strings.ToUpper(word))
}

// declares reports whether the schema has each property that it requires.
func (n *subschema) declares() bool {
	names := make(map[string]bool, n.properties.Len())
	for name := range n.properties.Members() {
		names[name] = true
	}
	for i := range n.required.Len() {
		if name, _ := n.required.Child(i).Str(); !names[name] {
			return false
		}
	}
	return true
}

// all reports whether a rule holds for the names of all members.
func all(v jsonscan.Node, holds func(string) bool) bool {
	for name := range v.Members() {
		if !holds(name) {
			return false
		}
	}
	return true
}

// bareRoot returns the keywords that a target with a bare root has there.
func bareRoot() []string { return []string{"type", "properties", "required", "title", "description"} }

// supported returns the keywords of a target that does not support all of them.
func (p *profile) supported() []string {
	list := append([]string{"type", "description", "enum", "anyOf", "properties", "required", "items"}, p.keywords...)
	if p.upper {
		return append(list, "nullable")
	}
	return append(list, "additionalProperties")
}

// lists reports whether an enum has only values that the target accepts.
func (p *profile) lists(enum jsonscan.Node) bool {
	for i := range enum.Len() {
		v := enum.Child(i)
		text, isText := v.Str()
		if kindOf(v)&p.enums == 0 || isText && text == "" && !p.emptyOK {
			return false
		}
	}
	return enum.Len() > 0 || enum.Kind() == jsonscan.Missing
}
