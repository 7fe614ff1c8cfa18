package openrpc

import (
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// keyword writes one keyword of draft-07 as 2020-12 has it. No members leave it
// out.
func (w *writer) keyword(n parse.Node, keyword string, value parse.Node) []parse.Member {
	m := parse.Member{Name: keyword}
	switch keyword {
	case "$ref", "$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef", "$vocabulary", "$defs", "definitions", "xml", "externalDocs":
		return nil // places and references of the document's own
	case "properties", "patternProperties", "dependentSchemas":
		m.Value = w.schemas(value)
	case "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema":
		m.Value = w.schema(value)
	case "items", "additionalItems":
		return w.items(n, keyword, value)
	case "allOf", "anyOf", "oneOf", "prefixItems":
		m.Value = w.list(value)
	case "dependencies":
		return w.dependencies(value)
	case "required":
		if value.Kind() == parse.Array { // a boolean was that of drafts before 4
			m.Value = w.copied(value, value.Copy())
		}
	case "example":
		if m.Name = "examples"; !n.Get("examples").Exists() {
			m.Value = w.copied(value, parse.Arr(value.Copy()))
		}
	case "type":
		m.Value = w.typed(keyword, value, parse.String, parse.Array)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		m.Value = w.typed(keyword, value, parse.Number)
	default:
		if !strings.HasPrefix(keyword, "x-") {
			m.Value = w.copied(value, value.Copy())
		}
	}
	if m.Value == nil {
		return nil
	}
	return []parse.Member{m}
}

// typed copies a keyword whose values are of some kinds.
func (w *writer) typed(keyword string, value parse.Node, kinds ...parse.Kind) parse.Raw {
	for _, kind := range kinds {
		if value.Kind() == kind {
			return w.copied(value, value.Copy())
		}
	}
	w.Doubt("wrong_type", value, schemaSection, "%s is %v where %v belongs; it is ignored", keyword, value.Kind(), kinds[0])
	return nil
}

// items writes what elements are. A list of schemas was the items of draft-07,
// and additionalItems what follows it (2020-12 §10.3.1).
func (w *writer) items(n parse.Node, keyword string, value parse.Node) []parse.Member {
	tuple := n.Get("items").Kind() == parse.Array
	switch {
	case keyword == "items" && tuple:
		if list := w.list(value); list != nil {
			return []parse.Member{{Name: "prefixItems", Value: list}}
		}
		return nil
	case keyword == "additionalItems" && !tuple:
		return nil
	}
	return []parse.Member{{Name: "items", Value: w.schema(value)}}
}

// dependencies writes the keyword that became two (2020-12 §8.2.3.2).
func (w *writer) dependencies(n parse.Node) []parse.Member {
	if n.Kind() != parse.Object {
		return nil
	}
	w.level++
	defer func() { w.level-- }()
	var required, schemas []parse.Member
	for name, value := range n.Members() {
		if w.count(len(name)); w.over(value) {
			break
		}
		if value.Kind() == parse.Array {
			required = append(required, parse.Member{Name: name, Value: w.copied(value, value.Copy())})
		} else {
			schemas = append(schemas, parse.Member{Name: name, Value: w.schema(value)})
		}
	}
	var list []parse.Member
	if required != nil {
		list = append(list, parse.Member{Name: "dependentRequired", Value: parse.Obj(required...)})
	}
	if schemas != nil {
		list = append(list, parse.Member{Name: "dependentSchemas", Value: parse.Obj(schemas...)})
	}
	return list
}

// copied counts what is copied as it is. What is too much, too deep to be read
// again, or could be taken for a reference is left out.
func (w *writer) copied(n parse.Node, raw parse.Raw) parse.Raw {
	if w.count(len(raw)); w.over(n) || !isData(n, maxCopied) {
		return nil
	}
	return raw
}

// isData reports a value with at most some levels, and no member "$ref": readers
// that look for references everywhere find only ours.
func isData(n parse.Node, levels int) bool {
	if n.Len() > 0 && levels == 0 {
		return false
	}
	for _, item := range n.Items() {
		if !isData(item, levels-1) {
			return false
		}
	}
	for name, value := range n.Members() {
		if name == "$ref" || !isData(value, levels-1) {
			return false
		}
	}
	return true
}

// schemas writes a keyword that holds schemas by name.
func (w *writer) schemas(n parse.Node) parse.Raw {
	if n.Kind() != parse.Object {
		return nil
	}
	w.level++
	defer func() { w.level-- }()
	var list []parse.Member
	for name, schema := range n.Members() {
		if w.count(len(name)); w.over(schema) {
			break
		}
		list = append(list, parse.Member{Name: name, Value: w.schema(schema)})
	}
	return parse.Obj(list...)
}

// list writes a keyword that holds a list of schemas.
func (w *writer) list(n parse.Node) parse.Raw {
	if n.Len() == 0 || n.Kind() != parse.Array {
		return nil
	}
	w.level++
	defer func() { w.level-- }()
	var list []parse.Raw
	for _, schema := range n.Items() {
		if w.over(schema) {
			list = append(list, anything()) // for all that follow
			break
		}
		list = append(list, w.schema(schema))
	}
	return parse.Arr(list...)
}
