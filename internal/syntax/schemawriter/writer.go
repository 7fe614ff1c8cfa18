// Package schemawriter writes the schemas of API descriptions as self-contained JSON Schema.
package schemawriter

import (
	"bytes"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"iter"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

const schemaSection = "Schema Object"

// The rules of every format that has schemas.
var (
	ruleLeftOut     = parse.ReaderRule("left_out")
	ruleRefKind     = parse.ReaderRule("ref_kind")
	ruleSchemaLimit = parse.ReaderRule("schema_limit")
	ruleWrongType   = parse.ReaderRule("wrong_type")
)

// Dialect handles the peculiarities of one specification's schemas. Its
// methods write JSON Schema 2020-12, with the help of the [Writer] that
// calls them.
type Dialect interface {
	// Reference writes a schema whose "$ref" is a string: [Writer.Ref], and the keywords
	// next to it that apply.
	Reference(n parse.Node) parse.Raw
	// Body writes a schema without regard to references: an object by [Writer.Keywords], or
	// another value that may be a schema.
	Body(n parse.Node) parse.Raw
	// Keyword adds to list the translation of a keyword of schema n, which may be empty.
	// [Writer.Keyword] handles the keywords that are the same in all dialects.
	Keyword(list []rawjson.Member, n parse.Node, keyword string, value parse.Node) []rawjson.Member
}

// Writer writes schemas of a document as self-contained JSON Schema 2020-12: each schema
// that it refers to becomes a definition in "$defs", once. It writes one schema, or the parts
// of one schema to which Close adds the definitions.
//
// Its reports have the codes of [parse.Refs], "<format>.ref_kind" for a reference to a value that is
// not a schema, "<format>.wrong_type", and "<format>.schema_limit", once, for a schema that
// goes beyond its budget or 48 levels of JSON. The part beyond becomes any value with
// [CutMark], and keywords that would then refuse more, such as oneOf, are left out.
type Writer struct {
	refs    *parse.Refs
	budget  *Budget
	dialect Dialect
	// level is the current depth of the written JSON.
	level int
	// cut is set if a part was left out, and lost if a part of the current schema was.
	cut, lost bool
	// names are the names of definitions by their places; queue is the list of the places in the
	// order in which they were found.
	names map[parse.Node]string
	used  map[string]int
	queue []parse.Node
}

// definer is a [Dialect] that may write definitions itself, for several schemas
// together. Define returns the name of a definition, given its name in the document; ok is
// false if the Writer writes it. Cut notes that a part is left out, because the budget
// is spent.
type definer interface {
	Define(n parse.Node, own string) (name string, ok bool)
	Cut()
}

// New returns a writer of one schema. Several writers may share a budget.
func New(refs *parse.Refs, budget *Budget, dialect Dialect) *Writer {
	return &Writer{refs: refs, budget: budget, dialect: dialect, names: make(map[parse.Node]string), used: make(map[string]int)}
}

// Any is the schema of an unknown value.
func Any() parse.Raw { return parse.Raw("{}") }

// Extend adds members to a schema. A schema that is true becomes an object.
func Extend(schema parse.Raw, members ...rawjson.Member) parse.Raw {
	added := rawjson.Obj(members...)
	switch {
	case len(added) <= 2:
		return schema
	case len(schema) <= 2 || schema[0] != '{':
		return added
	}
	joined := append(bytes.Clone(schema[:len(schema)-1]), ',')
	return append(joined, added[1:]...)
}

// Alone writes one schema with its definitions. It returns nil if there is no schema.
func (w *Writer) Alone(n parse.Node) parse.Raw {
	if !n.Exists() {
		return nil
	}
	return w.Close(w.Schema(n))
}

// Close adds the definitions that were found to a schema. Writing them finds more.
func (w *Writer) Close(schema parse.Raw) parse.Raw {
	var defs []rawjson.Member
	for i := 0; i < len(w.queue); i++ {
		n := w.queue[i]
		defs = append(defs, rawjson.Member{Name: w.names[n], Value: w.Schema(n)})
	}
	if defs != nil {
		schema = Extend(schema, rawjson.Member{Name: "$defs", Value: rawjson.Obj(defs...)})
	}
	if w.cut {
		return withoutChoices(schema)
	}
	return schema
}

// Schema writes a schema, which may be a reference.
func (w *Writer) Schema(n parse.Node) parse.Raw {
	if n.Kind() != parse.Object || n.Get("$ref").Kind() != parse.String {
		return w.body(n)
	}
	if w.over(n) {
		return cutSchema()
	}
	w.count()
	return w.dialect.Reference(n)
}

// body writes a schema without regard to references.
func (w *Writer) body(n parse.Node) parse.Raw {
	if w.over(n) {
		return cutSchema()
	}
	if n.Kind() == parse.Object {
		w.count()
	}
	return w.dialect.Body(n)
}

// count spends a subschema.
func (w *Writer) count() {
	w.budget.subschemas++
	w.budget.count(w.budget.Overhead)
}

// over reports, once, that a schema exceeds its budget.
func (w *Writer) over(n parse.Node) bool {
	b := w.budget
	if b.subschemas < jsonschema.MaxSubschemas && w.level <= jsonschema.MaxNesting && !b.spent() {
		return false
	}
	w.cut = true
	if d, is := w.dialect.(definer); is {
		d.Cut()
	}
	if !b.told {
		b.told = true
		w.refs.Report(ruleSchemaLimit.At(schemaSection).Beyond("subschemas", 0, jsonschema.MaxSubschemas), n, "the schema has more than %d subschemas, %d bytes or %d levels; the others are any value", jsonschema.MaxSubschemas, jsonschema.MaxBytes, jsonschema.MaxNesting)
	}
	return true
}

// NoSchema reports a value that should be a schema, and returns a schema for any value.
func (w *Writer) NoSchema(n parse.Node) parse.Raw {
	w.refs.Report(ruleWrongType.At(schemaSection).AsWarning(), n, "the schema is %v where object belongs; it is any value", n.Kind())
	return Any()
}

// Ref writes a reference to a definition, for the text at a node, such as "$ref". ok is false if
// the text does not lead to a schema, which is reported.
func (w *Writer) Ref(at parse.Node, ref string) (written parse.Raw, ok bool) {
	target, ok := w.refs.Resolve(at, ref, schemaSection)
	if ok && target.Kind() == parse.Object && target.Len() == 1 && target.Get("$ref").Exists() {
		// The target is only a reference itself. Use the name of the final schema, whichever of
		// its references comes first.
		target = w.refs.Target(target, schemaSection)
		ok, ref = target.Exists(), target.Pointer()
	}
	if !ok {
		return nil, false
	}
	if !strings.Contains(ref, "#/") {
		ref = target.Pointer() // an anchor
	}
	if kind := target.Kind(); kind != parse.Object && kind != parse.Bool {
		w.refs.Report(ruleRefKind.At(schemaSection), at, "the reference %q leads to %v where a schema belongs", ref, kind)
		return nil, false
	}
	return rawjson.Obj(rawjson.Member{Name: "$ref", Value: rawjson.Quote("#/$defs/" + w.define(target, ref))}), true
}

// Named returns the name of the definition of a schema, for a text that refers to it but needs
// no definition, such as the mapping of a discriminator. ok is false if the text leads
// nowhere, which is reported.
func (w *Writer) Named(at parse.Node, ref string) (name string, ok bool) {
	before := w.refs.Outside
	_, ok = w.refs.Resolve(at, ref, schemaSection)
	w.refs.Outside = before
	return definitionName(lastOf(ref)), ok
}

// define returns the name of the definition of a schema.
func (w *Writer) define(n parse.Node, ref string) string {
	if name, ok := w.names[n]; ok {
		return name
	}
	base := definitionName(lastOf(ref))
	if d, is := w.dialect.(definer); is {
		if name, ok := d.Define(n, base); ok {
			return name
		}
	}
	name := base
	for w.used[name] > 0 {
		w.used[base]++ // the number that was tried last
		name = base + "_" + strconv.Itoa(w.used[base])
	}
	w.names[n], w.used[name] = name, 1
	w.queue = append(w.queue, n)
	return name
}

// lastOf returns the last word of a reference, or the word of the file if the reference leads
// to a whole document.
func lastOf(ref string) string {
	last := ref[strings.LastIndexByte(ref, '/')+1:]
	if before := strings.TrimSuffix(ref, last); strings.TrimPrefix(before, "#") != "/"+parse.FilesMember+"/" {
		return last
	}
	parts := strings.Split(last, "~1")
	word, _, _ := strings.Cut(parts[len(parts)-1], ".")
	return word
}

// definitionName makes a name that needs no escapes in a pointer or a URL.
func definitionName(text string) string {
	if len(text) > 64 {
		text = text[:64]
	}
	text = strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return '_'
	}, text)
	if text == "" {
		return "schema"
	}
	return text
}

// Keywords writes the keywords of a schema by its dialect. levels is the number of JSON levels
// that they are deeper than their surroundings: 1 if they become the members of an object.
func (w *Writer) Keywords(n parse.Node, levels int) []rawjson.Member {
	w.level += levels
	around := w.lost
	defer func() { w.level, w.lost = w.level-levels, around }()
	w.lost = false
	w.refs.CheckKeywords(n)
	var list []rawjson.Member
	for keyword, value := range n.Members() {
		w.budget.count(len(keyword))
		list = w.dialect.Keyword(list, n, keyword, value)
	}
	if w.lost {
		list = append(list, cutMark())
	}
	return list
}

// Keyword adds a keyword of schema n that is the same in all dialects: one that contains
// schemas by name or a list of them, an example, or a copied keyword, including extensions
// ("x-"). It leaves out places and references of the document itself.
func (w *Writer) Keyword(list []rawjson.Member, n parse.Node, keyword string, value parse.Node) []rawjson.Member {
	m := rawjson.Member{Name: keyword}
	switch keyword {
	case "$ref", "$schema", "$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$vocabulary", "$defs", "definitions":
	case "properties", "patternProperties", "dependentSchemas":
		m.Value = w.schemas(value)
	case "allOf", "prefixItems":
		m.Value = w.List(value)
	case "anyOf", "oneOf":
		if m.Value = w.List(value); value.Kind() == parse.Array && value.Len() == 0 {
			m.Value = rawjson.Arr() // in an empty enum no value fits
		}
	case "example":
		if m.Name = "examples"; !n.Get("examples").Exists() {
			m.Value = w.Copied(value, rawjson.Arr(value.Copy()))
		}
	default:
		m.Value = w.Copied(value, value.Copy())
	}
	if m.Value == nil {
		return list
	}
	return append(list, m)
}

// Copied counts text that is written for value n, such as a copy of it. It returns nil for a
// text that is too long or not [IsData]. The latter is reported, as "<format>.left_out".
func (w *Writer) Copied(n parse.Node, text parse.Raw) parse.Raw {
	if w.budget.count(len(text)); w.over(n) {
		w.lost = true
		return nil
	}
	if !IsData(n) {
		w.refs.Report(ruleLeftOut.At(schemaSection), n, "the value is too deep or has a reference where none is followed; it is left out")
		return nil
	}
	return text
}

// Nested yields the members of an object, one level of JSON deeper, as long as the bounds
// allow more.
func (w *Writer) Nested(n parse.Node) iter.Seq2[string, parse.Node] {
	return func(yield func(string, parse.Node) bool) {
		w.level++
		defer func() { w.level-- }()
		for name, value := range n.Members() {
			if w.budget.count(len(name)); w.over(value) {
				w.lost = true
				return
			}
			if !yield(name, value) {
				return
			}
		}
	}
}

// schemas writes a keyword that contains schemas by name.
func (w *Writer) schemas(n parse.Node) parse.Raw {
	if n.Kind() != parse.Object {
		return nil
	}
	var list []rawjson.Member
	for name, schema := range w.Nested(n) {
		list = append(list, rawjson.Member{Name: name, Value: w.Schema(schema)})
	}
	return rawjson.Obj(list...)
}

// List writes a keyword that contains a list of schemas. It returns nil if the value is empty
// or not a list.
func (w *Writer) List(n parse.Node) parse.Raw {
	if n.Len() == 0 || n.Kind() != parse.Array {
		return nil
	}
	w.level++
	defer func() { w.level-- }()
	var list []parse.Raw
	for _, schema := range n.Items() {
		if w.over(schema) {
			list, w.lost = append(list, cutSchema()), true // for all the following ones
			break
		}
		list = append(list, w.Schema(schema))
	}
	return rawjson.Arr(list...)
}
