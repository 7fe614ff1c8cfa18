package openapi

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/contract"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/reftoken"
	"github.com/wayfindhq/wayfind/internal/syntax/schemawriter"
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
	*schemawriter.Writer
	way way
	// request has the definitions, and number is the number of the schema; request is nil if the
	// definitions are in the schema.
	request *contract.Request
	number  int
	// extending is set while the schemas that a definition extends (allOf) are written.
	extending bool
	// inferring is set if the next reference has the name that XML infers from it, and inferAll if
	// those inside the schema have: see inferName.
	inferring, inferAll bool
}

// maxAlternatives is the number of alternatives in the mapping of a discriminator that become
// alternatives of a schema.
const maxAlternatives = 32

func (r *reader) writer(towards way, budget *schemawriter.Budget) *writer {
	w := &writer{reader: r, way: towards}
	w.Writer = schemawriter.New(&r.Refs, budget, w)
	return w
}

// Reference writes a schema that is a reference.
func (w *writer) Reference(n parse.Node) parse.Raw {
	before, at := w.Outside, n.Get("$ref")
	ref, _ := at.Str()
	written, ok := w.Ref(at, ref)
	if w.Outside != before {
		w.Cut() // other operations that share it have to report it too
	}
	switch {
	case !ok && w.by2020():
		return rawjson.Obj(w.Keywords(n, 1)...)
	case !ok:
		return schemawriter.Any()
	}
	if !w.extending && !n.Get("anyOf").Exists() && !n.Get("discriminator").Exists() {
		written = w.alternatives(w.Target(n, schemaSection), written)
	}
	written = w.inferName(n, ref, written)
	if w.by2020() {
		return schemawriter.Extend(written, w.Keywords(n, 0)...)
	}
	for member, value := range n.Members() {
		if member != "$ref" && member != "description" {
			w.Report(ruleRefSiblings.At(schemaSection).AsInfo(), value, "%q stands beside $ref; it is ignored", member)
		}
	}
	// Older versions ignore members next to a reference; a text does no harm.
	if text, ok := n.Get("description").Str(); ok {
		return schemawriter.Extend(written, rawjson.Member{Name: "description", Value: w.Copied(n.Get("description"), rawjson.Quote(text))})
	}
	return written
}

// alternatives adds the schemas to which only the mapping of a discriminator leads: those that
// extend the schema base. A definition that extends it refers to base alone, which would
// otherwise lead back to the definition.
func (w *writer) alternatives(n parse.Node, base parse.Raw) parse.Raw {
	from := n.Get("discriminator")
	mapping := from.Get("mapping")
	if mapping.Len() == 0 || n.Get("oneOf").Exists() || n.Get("anyOf").Exists() {
		return base
	}
	if total := mapping.Len(); total > maxAlternatives {
		w.Report(ruleTruncated.At(schemaSection).Beyond("alternatives", total, maxAlternatives), mapping, "the discriminator leads to %d schemas; the definition has their common members only", total)
		return base
	}
	before := w.Outside
	defer func() { w.Outside = before }()
	var list []parse.Raw
	for _, target := range w.Nested(mapping) {
		ref, ok := mapped(target)
		if !ok {
			continue
		}
		if written, ok := w.Ref(target, ref); ok && !bytes.Equal(written, base) && !slices.ContainsFunc(list, func(r parse.Raw) bool { return bytes.Equal(r, written) }) {
			list = append(list, written)
		}
	}
	if list == nil {
		return base
	}
	return rawjson.Obj(rawjson.Member{Name: "anyOf", Value: rawjson.Arr(append(list, base)...)}, rawjson.Member{Name: "discriminator", Value: w.discriminator(from)})
}

// mapped returns the reference of an entry of a mapping, which may be the name of a schema.
func mapped(target parse.Node) (ref string, ok bool) {
	ref, ok = target.Str()
	if ok && !strings.ContainsAny(ref, "#/") {
		ref = "#/components/schemas/" + reftoken.Escape(ref)
	}
	return ref, ok
}

// extended writes the schemas that a schema extends.
func (w *writer) extended(n, list parse.Node) parse.Raw {
	defer func(extending, inferring bool) { w.extending, w.inferring = extending, inferring }(w.extending, w.inferring)
	w.inferring = false
	w.extending = w.extending || path.Dir(n.Pointer()) == "/components/schemas" || path.Dir(n.Pointer()) == "/definitions"
	return w.List(list)
}

// Body writes a schema without regard to references.
func (w *writer) Body(n parse.Node) parse.Raw {
	switch kind := n.Kind(); {
	case kind == parse.Object && isNullable(n) && !w.by2020():
		return nullable(w.Keywords(n, 3)) // in an anyOf
	case kind == parse.Object:
		return rawjson.Obj(w.Keywords(n, 1)...)
	case kind == parse.Bool && w.by2020():
		return n.Copy()
	case kind == parse.Null:
		return schemawriter.Any()
	}
	return w.NoSchema(n)
}

// Keyword writes one keyword.
func (w *writer) Keyword(list []rawjson.Member, n parse.Node, keyword string, value parse.Node) []rawjson.Member {
	m := rawjson.Member{Name: keyword}
	if keyword != "allOf" {
		defer func(extending, inferring bool) { w.extending, w.inferring = extending, inferring }(w.extending, w.inferring)
		w.extending, w.inferring = false, w.inferAll
	}
	switch keyword {
	case "nullable", "x-nullable": // rewritten
	case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema", "additionalItems":
		m.Value = w.nested(value)
	case "required":
		m.Value = w.required(n, value)
	case "discriminator":
		m.Value = w.discriminator(value)
	case "allOf":
		m.Value = w.extended(n, value)
	case "$dynamicRef":
		if w.by2020() {
			m = w.dynamic(n, value)
		}
	case "type":
		m.Value = w.kind(value)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		m = w.bound(n, keyword, value)
	default:
		return w.Writer.Keyword(list, n, keyword, value)
	}
	if m.Value == nil {
		return list
	}
	return append(list, m)
}

// dynamic writes a $dynamicRef as a reference to its anchor in the document. A list of one schema has
// the same meaning in three keywords: the schema may have the others.
func (w *writer) dynamic(n, at parse.Node) (m rawjson.Member) {
	ref, _ := at.Str()
	written, ok := w.Ref(at, ref)
	if !ok {
		return m
	}
	for _, keyword := range [...]string{"allOf", "anyOf", "oneOf"} {
		if !n.Get(keyword).Exists() {
			return rawjson.Member{Name: keyword, Value: rawjson.Arr(written)}
		}
	}
	w.Report(ruleRefSiblings.At(schemaSection), at, "allOf, anyOf and oneOf stand beside $dynamicRef; it is ignored")
	return m
}

// discriminator writes the property whose values distinguish alternatives, with the name of
// the definition that each value means.
func (w *writer) discriminator(n parse.Node) parse.Raw {
	property := n.Get("propertyName")
	if property.Kind() != parse.String {
		return nil
	}
	var mapping []rawjson.Member
	for value, target := range w.Nested(n.Get("mapping")) {
		if ref, ok := mapped(target); !ok {
			w.NoSchema(target)
		} else if name, ok := w.Named(target, ref); ok {
			mapping = append(mapping, rawjson.Member{Name: value, Value: w.Copied(target, rawjson.Quote(name))})
		}
	}
	members := []rawjson.Member{{Name: "propertyName", Value: w.Copied(property, property.Copy())}}
	if mapping != nil {
		members = append(members, rawjson.Member{Name: "mapping", Value: rawjson.Obj(mapping...)})
	}
	return rawjson.Obj(append(members, w.rest(n, "propertyName", "mapping")...)...)
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

// required leaves out members that are not for this direction (Schema Object: readOnly), and a name
// that the same schema forbids if it has a property whose name differs in case only: generators write
// the name of a field there.
func (w *writer) required(n, value parse.Node) parse.Raw {
	if value.Kind() != parse.Array {
		return nil // drafts before 4 have a boolean
	}
	var names []string
	properties := n.Get("properties")
	for _, item := range value.Items() {
		if name, ok := item.Str(); ok {
			if meant := otherCase(n, name); meant != "" {
				w.Report(ruleRequiredCase, item, "the schema requires %q and allows %q only; %[1]q is not required", name, meant)
				continue
			}
			if skip, _ := w.Get(properties, name).Get(string(w.way)).Bool(); !skip {
				names = append(names, name)
			}
		}
	}
	if names == nil {
		return nil
	}
	return w.Copied(value, rawjson.Quotes(names))
}

// otherCase returns the property of a schema whose name differs from a required name in case only, if
// the schema allows no members but its properties and has none of the required name.
func otherCase(schema parse.Node, name string) (meant string) {
	properties := schema.Get("properties")
	if open, isBool := schema.Get("additionalProperties").Bool(); !isBool || open || schema.Get("patternProperties").Exists() || properties.Get(name).Exists() {
		return ""
	}
	for property := range properties.Members() {
		if strings.EqualFold(property, name) {
			return property
		}
	}
	return ""
}
