package parse

import (
	"fmt"
	"slices"
	"sync"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// schemaWordSection is the section that lists the types (JSON Schema 2020-12).
const schemaWordSection = "JSON Schema Validation 2020-12 §6.1.1"

// CheckSchema reports the faults of a JSON Schema of the document at every depth: types that
// JSON Schema does not have are reported as "schema_word".
func (r *Reader) CheckSchema(n Node) {
	left := jsonschema.MaxSubschemas
	r.checkSchema(n, jsonschema.MaxNesting, &left)
}

func (r *Reader) checkSchema(n Node, depth int, left *int) {
	if *left--; n.Kind() != Object || depth == 0 || *left < 0 {
		return
	}
	r.CheckKeywords(n)
	for keyword, value := range n.members() {
		switch keyword {
		case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions":
			for _, schema := range value.members() {
				r.checkSchema(schema, depth-1, left)
			}
		case "allOf", "anyOf", "oneOf", "prefixItems", "items":
			for _, schema := range value.Items() {
				r.checkSchema(schema, depth-1, left)
			}
			r.checkSchema(value, depth-1, left)
		case "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties":
			r.checkSchema(value, depth-1, left)
		}
	}
}

// CheckKeywords checks the keywords of one schema.
func (r *Reader) CheckKeywords(n Node) {
	r.isSchema(n)
	value := n.Get("type")
	r.checkType(value)
	for _, item := range value.Items() {
		r.checkType(item)
	}
}

// checkType reports a word that is not a type.
func (r *Reader) checkType(n Node) {
	word, ok := n.Str()
	if !ok || jsonschema.IsType(word) || word == "file" && r.name == "openapi" { // OpenAPI 2.0
		return
	}
	said := fmt.Sprintf("the type %q is none of JSON Schema", word)
	if near := text.Nearest(word, jsonschema.Types()); near != "" {
		said += fmt.Sprintf("; is %q meant?", near)
	}
	r.Report(ruleSchemaWord, n, "%s", said)
}

// isSchema notes the keywords of JSON Schema, of the drafts in use and of OpenAPI, for callers
// that compare names. It notes them once for an object.
func (r *Reader) isSchema(n Node) {
	t := n.trace()
	if t == nil || n.Kind() != Object {
		return
	}
	a := t.of(n)
	if a.Schema {
		return
	}
	a.Schema = true
	r.addKeywords(a)
}

func (r *Reader) addKeywords(a *Asked) {
	spec := *r.ref(schemaWordSection)
	for name, kinds := range keywordKinds() {
		a.add(Wish{Name: name, Known: true, Format: r.name, Spec: spec, Kinds: slices.Clone(kinds)})
	}
}

// keywordKinds returns the kinds of the values of the keywords by their names.
var keywordKinds = sync.OnceValue(func() map[string][]Kind {
	kinds := make(map[string][]Kind)
	for kind, names := range schemaKeywords() {
		for _, name := range names {
			kinds[name] = kindsOfKeyword(kind)
		}
	}
	return kinds
})

// schemaKeywords returns the keywords, grouped by the kind of their values.
func schemaKeywords() map[string][]string {
	return map[string][]string{
		"text": {"$schema", "$id", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "$comment", "id", "title", "description", "format", "pattern",
			"contentEncoding", "contentMediaType"},
		"number":  {"minimum", "maximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"},
		"limit":   {"exclusiveMinimum", "exclusiveMaximum"},
		"flag":    {"uniqueItems", "deprecated", "readOnly", "writeOnly", "nullable"},
		"list":    {"enum", "required", "allOf", "anyOf", "oneOf", "prefixItems", "examples"},
		"table":   {"properties", "patternProperties", "dependentSchemas", "dependentRequired", "dependencies", "$defs", "definitions", "$vocabulary", "discriminator", "externalDocs", "xml"},
		"schema":  {"items", "additionalItems", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema"},
		"strings": {"type"},
		"any":     {"const", "default", "example"},
	}
}

func kindsOfKeyword(what string) []Kind {
	return map[string][]Kind{
		"text": {String}, "number": {Number}, "limit": {Number, Bool}, "flag": {Bool}, "list": {Array}, "table": {Object},
		"schema": {Object, Bool, Array}, "strings": {String, Array},
	}[what]
}
