package openrpc

import (
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// Keyword writes one keyword of draft-07 in the form of 2020-12.
func (w *writer) Keyword(list []rawjson.Member, n parse.Node, keyword string, value parse.Node) []rawjson.Member {
	m := rawjson.Member{Name: keyword}
	switch keyword {
	case "id", "$recursiveAnchor", "$recursiveRef": // places and references of the document itself
	case "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema":
		m.Value = w.Schema(value)
	case "items", "additionalItems":
		m = w.items(n, keyword, value)
	case "dependencies":
		return append(list, w.dependencies(value)...)
	case "required":
		if value.Kind() == parse.Array { // drafts before 4 have a boolean
			m.Value = w.Copied(value, value.Copy())
		}
	case "type":
		m.Value = w.typed(keyword, value, parse.String, parse.Array)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		m.Value = w.typed(keyword, value, parse.Number)
	default:
		return w.Writer.Keyword(list, n, keyword, value)
	}
	if m.Value == nil {
		return list
	}
	return append(list, m)
}

// typed copies a keyword whose values must be of one of the kinds.
func (w *writer) typed(keyword string, value parse.Node, kinds ...parse.Kind) parse.Raw {
	for _, kind := range kinds {
		if value.Kind() == kind {
			return w.Copied(value, value.Copy())
		}
	}
	w.Report(ruleWrongType.At(schemaSection).AsWarning(), value, "%s is %v where %v belongs; it is ignored", keyword, value.Kind(), kinds[0])
	return nil
}

// items writes the schemas of elements. In draft-07 items was a list of schemas,
// and additionalItems the schema of the elements after it (2020-12 §10.3.1).
func (w *writer) items(n parse.Node, keyword string, value parse.Node) rawjson.Member {
	tuple := n.Get("items").Kind() == parse.Array
	switch {
	case keyword == "items" && tuple:
		return rawjson.Member{Name: "prefixItems", Value: w.List(value)}
	case keyword == "additionalItems" && !tuple:
		return rawjson.Member{}
	}
	return rawjson.Member{Name: "items", Value: w.Schema(value)}
}

// dependencies writes a keyword that was split into two (2020-12 §8.2.3.2).
func (w *writer) dependencies(n parse.Node) []rawjson.Member {
	if n.Kind() != parse.Object {
		return nil
	}
	var required, schemas []rawjson.Member
	for name, value := range w.Nested(n) {
		if value.Kind() == parse.Array {
			required = append(required, rawjson.Member{Name: name, Value: w.Copied(value, value.Copy())})
		} else {
			schemas = append(schemas, rawjson.Member{Name: name, Value: w.Schema(value)})
		}
	}
	var list []rawjson.Member
	if required != nil {
		list = append(list, rawjson.Member{Name: "dependentRequired", Value: rawjson.Obj(required...)})
	}
	if schemas != nil {
		list = append(list, rawjson.Member{Name: "dependentSchemas", Value: rawjson.Obj(schemas...)})
	}
	return list
}
