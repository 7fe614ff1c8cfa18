package openapi

import (
	"strings"

	"github.com/wayfindhq/wayfind/internal/contract"
	"github.com/wayfindhq/wayfind/internal/reftoken"
	"github.com/wayfindhq/wayfind/parse"
)

const schemaSection = "Schema Object"

// way is the direction that a schema is for: a read-only property is not required in a
// request, and a write-only property not in a response.
type way string

const (
	inRequest  way = "readOnly"
	inResponse way = "writeOnly"
	elsewhere  way = "" // the schema is in another place
)

// writer writes schemas of the document as self-contained JSON Schema 2020-12.
type writer struct {
	*reader
	*parse.SchemaWriter
	way way
	// request has the definitions, and number is the number of the schema; request is nil if the
	// definitions are in the schema.
	request *contract.Request
	number  int
}

func (r *reader) writer(towards way, budget *parse.SchemaBudget) *writer {
	w := &writer{reader: r, way: towards}
	w.SchemaWriter = parse.NewSchemaWriter(&r.Refs, budget, w)
	return w
}

// Reference writes a schema that is a reference.
func (w *writer) Reference(n parse.Node) parse.Raw {
	before := w.Outside
	written, ok := w.Ref(n)
	if w.Outside != before {
		w.Cut() // other operations that share it have to report it too
	}
	switch {
	case !ok && w.by2020():
		return parse.Obj(w.Keywords(n, 1)...)
	case !ok:
		return parse.AnySchema()
	}
	if w.by2020() {
		return parse.ExtendSchema(written, w.Keywords(n, 0)...)
	}
	for member, value := range n.Members() {
		if member != "$ref" && member != "description" {
			w.Report(ruleRefSiblings.At(schemaSection).AsInfo(), value, "%q stands beside $ref; it is ignored", member)
		}
	}
	// Older versions ignore members next to a reference; a text does no harm.
	if text, ok := n.Get("description").Str(); ok {
		return parse.ExtendSchema(written, parse.Member{Name: "description", Value: w.Copied(n.Get("description"), parse.Quote(text))})
	}
	return written
}

// Body writes a schema without regard to references.
func (w *writer) Body(n parse.Node) parse.Raw {
	switch kind := n.Kind(); {
	case kind == parse.Object && isNullable(n) && !w.by2020():
		return nullable(w.Keywords(n, 3)) // in an anyOf
	case kind == parse.Object:
		return parse.Obj(w.Keywords(n, 1)...)
	case kind == parse.Bool && w.by2020():
		return n.Copy()
	case kind == parse.Null:
		return parse.AnySchema()
	}
	return w.NoSchema(n)
}

// Keyword writes one keyword.
func (w *writer) Keyword(list []parse.Member, n parse.Node, keyword string, value parse.Node) []parse.Member {
	m := parse.Member{Name: keyword}
	switch keyword {
	case "nullable", "x-nullable": // rewritten
	case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema", "additionalItems":
		m.Value = w.nested(value)
	case "required":
		m.Value = w.required(n, value)
	case "discriminator":
		m.Value = w.discriminator(value)
	case "type":
		m.Value = w.kind(value)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		m = w.bound(n, keyword, value)
	default:
		return w.SchemaWriter.Keyword(list, n, keyword, value)
	}
	if m.Value == nil {
		return list
	}
	return append(list, m)
}

// discriminator writes the property whose values distinguish alternatives, with the name of
// the definition that each value means.
func (w *writer) discriminator(n parse.Node) parse.Raw {
	property := n.Get("propertyName")
	if property.Kind() != parse.String {
		return nil
	}
	var mapping []parse.Member
	for value, target := range w.Nested(n.Get("mapping")) {
		ref, ok := target.Str()
		if !strings.ContainsAny(ref, "#/") {
			ref = "#/components/schemas/" + reftoken.Escape(ref)
		}
		if !ok {
			w.NoSchema(target)
		} else if name, ok := w.Named(target, ref); ok {
			mapping = append(mapping, parse.Member{Name: value, Value: w.Copied(target, parse.Quote(name))})
		}
	}
	members := []parse.Member{{Name: "propertyName", Value: w.Copied(property, property.Copy())}}
	if mapping != nil {
		members = append(members, parse.Member{Name: "mapping", Value: parse.Obj(mapping...)})
	}
	return parse.Obj(append(members, w.rest(n, "propertyName", "mapping")...)...)
}

// nested writes a keyword that contains a schema, a list of them (items before 2020-12), or
// true and false.
func (w *writer) nested(n parse.Node) parse.Raw {
	switch n.Kind() {
	case parse.Bool:
		return n.Copy()
	case parse.Array:
		return w.List(n)
	}
	return w.Schema(n)
}

// required leaves out members that are not for this direction (Schema Object: readOnly).
func (w *writer) required(n, value parse.Node) parse.Raw {
	if value.Kind() != parse.Array {
		return nil // drafts before 4 have a boolean
	}
	var names []string
	properties := n.Get("properties")
	for _, item := range value.Items() {
		if name, ok := item.Str(); ok {
			if skip, _ := w.Get(properties, name).Get(string(w.way)).Bool(); !skip {
				names = append(names, name)
			}
		}
	}
	if names == nil {
		return nil
	}
	return w.Copied(value, parse.Quotes(names))
}
