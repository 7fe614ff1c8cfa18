package parse

import (
	"bytes"
	"iter"
	"strconv"
	"strings"
)

const schemaSection = "Schema Object"

// SchemaDialect handles the peculiarities of one specification's schemas. Its
// methods write JSON Schema 2020-12, with the help of the [SchemaWriter] that
// calls them.
type SchemaDialect interface {
	// Reference writes a schema whose "$ref" is a string: [SchemaWriter.Ref], and the keywords
	// next to it that apply.
	Reference(n Node) Raw
	// Body writes a schema without regard to references: an object by [SchemaWriter.Keywords], or
	// another value that may be a schema.
	Body(n Node) Raw
	// Keyword adds to list the translation of a keyword of schema n, which may be empty.
	// [SchemaWriter.Keyword] handles the keywords that are the same in all dialects.
	Keyword(list []Member, n Node, keyword string, value Node) []Member
}

// SchemaWriter writes schemas of a document as self-contained JSON Schema 2020-12: each schema
// that it refers to becomes a definition in "$defs", once. It writes one schema, or the parts
// of one schema to which Close adds the definitions.
//
// Its reports have the codes of [Refs], "<format>.ref_kind" for a reference to a value that is
// not a schema, "<format>.wrong_type", and "<format>.schema_limit", once, for a schema that
// goes beyond its budget or 48 levels of JSON. The part beyond becomes any value with
// [CutMark], and keywords that would then refuse more, such as oneOf, are left out.
type SchemaWriter struct {
	refs    *Refs
	budget  *SchemaBudget
	dialect SchemaDialect
	// level is the current depth of the written JSON.
	level int
	// cut is set if a part was left out, and lost if a part of the current schema was.
	cut, lost bool
	// names are the names of definitions by their places; queue is the list of the places in the
	// order in which they were found.
	names map[Node]string
	used  map[string]int
	queue []Node
}

// definer is a [SchemaDialect] that may write definitions itself, for several schemas
// together. Define returns the name of a definition, given its name in the document; ok is
// false if the SchemaWriter writes it. Cut notes that a part is left out, because the budget
// is spent.
type definer interface {
	Define(n Node, own string) (name string, ok bool)
	Cut()
}

// NewSchemaWriter returns a writer of one schema. Several writers may share a budget.
func NewSchemaWriter(refs *Refs, budget *SchemaBudget, dialect SchemaDialect) *SchemaWriter {
	return &SchemaWriter{refs: refs, budget: budget, dialect: dialect, names: make(map[Node]string), used: make(map[string]int)}
}

// AnySchema is the schema of an unknown value.
func AnySchema() Raw { return Raw("{}") }

// ExtendSchema adds members to a schema. A schema that is true becomes an object.
func ExtendSchema(schema Raw, members ...Member) Raw {
	added := Obj(members...)
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
func (w *SchemaWriter) Alone(n Node) Raw {
	if !n.Exists() {
		return nil
	}
	return w.Close(w.Schema(n))
}

// Close adds the definitions that were found to a schema. Writing them finds more.
func (w *SchemaWriter) Close(schema Raw) Raw {
	var defs []Member
	for i := 0; i < len(w.queue); i++ {
		n := w.queue[i]
		defs = append(defs, Member{w.names[n], w.body(n)})
	}
	if defs != nil {
		schema = ExtendSchema(schema, Member{"$defs", Obj(defs...)})
	}
	if w.cut {
		return withoutChoices(schema)
	}
	return schema
}

// Schema writes a schema, which may be a reference.
func (w *SchemaWriter) Schema(n Node) Raw {
	if n.Kind() != Object || n.Get("$ref").Kind() != String {
		return w.body(n)
	}
	if w.over(n) {
		return cutSchema()
	}
	w.count()
	return w.dialect.Reference(n)
}

// body writes a schema without regard to references.
func (w *SchemaWriter) body(n Node) Raw {
	if w.over(n) {
		return cutSchema()
	}
	if n.Kind() == Object {
		w.count()
	}
	return w.dialect.Body(n)
}

// count spends a subschema.
func (w *SchemaWriter) count() {
	w.budget.subschemas++
	w.budget.count(w.budget.Overhead)
}

// over reports, once, that a schema exceeds its budget.
func (w *SchemaWriter) over(n Node) bool {
	b := w.budget
	if b.subschemas < maxSubschemas && w.level <= maxNesting && !b.spent() {
		return false
	}
	w.cut = true
	if d, is := w.dialect.(definer); is {
		d.Cut()
	}
	if !b.told {
		b.told = true
		w.refs.Report(ruleSchemaLimit.At(schemaSection).Beyond("subschemas", 0, maxSubschemas), n, "the schema has more than %d subschemas, %d bytes or %d levels; the others are any value", maxSubschemas, MaxSchema, maxNesting)
	}
	return true
}

// NoSchema reports a value that should be a schema, and returns a schema for any value.
func (w *SchemaWriter) NoSchema(n Node) Raw {
	w.refs.Report(ruleWrongType.At(schemaSection).AsWarning(), n, "the schema is %v where object belongs; it is any value", n.Kind())
	return AnySchema()
}

// Ref writes a reference to a definition, for the text at a node, such as "$ref". ok is false if
// the text does not lead to a schema, which is reported.
func (w *SchemaWriter) Ref(at Node, ref string) (written Raw, ok bool) {
	target, ok := w.refs.resolve(at, ref, schemaSection)
	if ok && target.Kind() == Object && target.Len() == 1 && target.Get("$ref").Exists() {
		// The target is only a reference itself. Use the name of the final schema, whichever of
		// its references comes first.
		target = w.refs.Target(target, schemaSection)
		ok, ref = target.Exists(), target.Pointer()
	}
	if !ok {
		return nil, false
	}
	if kind := target.Kind(); kind != Object && kind != Bool {
		w.refs.Report(ruleRefKind.At(schemaSection), at, "the reference %q leads to %v where a schema belongs", ref, kind)
		return nil, false
	}
	return Obj(Member{"$ref", Quote("#/$defs/" + w.define(target, ref))}), true
}

// Named returns the name of the definition of a schema, for a text that refers to it but needs
// no definition, such as the mapping of a discriminator. ok is false if the text leads
// nowhere, which is reported.
func (w *SchemaWriter) Named(at Node, ref string) (name string, ok bool) {
	before := w.refs.Outside
	_, ok = w.refs.resolve(at, ref, schemaSection)
	w.refs.Outside = before
	return definitionName(lastOf(ref)), ok
}

// define returns the name of the definition of a schema.
func (w *SchemaWriter) define(n Node, ref string) string {
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
	if before := strings.TrimSuffix(ref, last); strings.TrimPrefix(before, "#") != "/"+FilesMember+"/" {
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
func (w *SchemaWriter) Keywords(n Node, levels int) []Member {
	w.level += levels
	around := w.lost
	defer func() { w.level, w.lost = w.level-levels, around }()
	w.lost = false
	w.refs.checkKeywords(n)
	var list []Member
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
func (w *SchemaWriter) Keyword(list []Member, n Node, keyword string, value Node) []Member {
	m := Member{Name: keyword}
	switch keyword {
	case "$ref", "$schema", "$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$vocabulary", "$defs", "definitions":
	case "properties", "patternProperties", "dependentSchemas":
		m.Value = w.schemas(value)
	case "allOf", "prefixItems":
		m.Value = w.List(value)
	case "anyOf", "oneOf":
		if m.Value = w.List(value); value.Kind() == Array && value.Len() == 0 {
			m.Value = Arr() // in an empty enum no value fits
		}
	case "example":
		if m.Name = "examples"; !n.Get("examples").Exists() {
			m.Value = w.Copied(value, Arr(value.Copy()))
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
func (w *SchemaWriter) Copied(n Node, text Raw) Raw {
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
func (w *SchemaWriter) Nested(n Node) iter.Seq2[string, Node] {
	return func(yield func(string, Node) bool) {
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
func (w *SchemaWriter) schemas(n Node) Raw {
	if n.Kind() != Object {
		return nil
	}
	var list []Member
	for name, schema := range w.Nested(n) {
		list = append(list, Member{name, w.Schema(schema)})
	}
	return Obj(list...)
}

// List writes a keyword that contains a list of schemas. It returns nil if the value is empty
// or not a list.
func (w *SchemaWriter) List(n Node) Raw {
	if n.Len() == 0 || n.Kind() != Array {
		return nil
	}
	w.level++
	defer func() { w.level-- }()
	var list []Raw
	for _, schema := range n.Items() {
		if w.over(schema) {
			list, w.lost = append(list, cutSchema()), true // for all the following ones
			break
		}
		list = append(list, w.Schema(schema))
	}
	return Arr(list...)
}
