package openapi

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// The bounds of one schema that is written: subschemas, and bytes. Beyond them
// a subschema is any value. A tool with a hundredth of this is already more than
// a model reads.
const (
	maxSubschemas = 1000
	maxSchema     = 512 << 10
)

// maxNesting is how deep a schema is written, in levels of JSON, and maxCopied
// how deep a value in it may be that is copied: together with what stands around
// them they stay below the 64 levels that JSON is read with.
const (
	maxNesting = 48
	maxCopied  = 8
)

const schemaSection = "Schema Object"

// way is the direction that a schema is for: what is read-only is not required
// of a request, what is write-only not of a response.
type way string

const (
	inRequest  way = "readOnly"
	inResponse way = "writeOnly"
)

// writer writes schemas of the document as JSON Schema 2020-12 that stands
// alone: what it refers to becomes a definition, once.
type writer struct {
	*reader
	*budget
	way way
	// level is how deep the JSON is that is being written.
	level int
	// names of definitions by the place of what they are, and the places in
	// the order in which they were met.
	names map[parse.Node]string
	used  map[string]int
	queue []parse.Node
}

// budget is what may still be written, of one schema or of several together.
type budget struct {
	subschemas, bytes int
	told              bool
}

func (r *reader) writer(w way, b *budget) *writer {
	return &writer{reader: r, budget: b, way: w, names: make(map[parse.Node]string), used: make(map[string]int)}
}

// alone writes one schema with its definitions, nil when there is none.
func (w *writer) alone(n parse.Node) parse.Raw {
	if !n.Exists() {
		return nil
	}
	return w.close(w.schema(n))
}

// close adds the definitions that were met to a schema. Writing them meets
// more.
func (w *writer) close(schema parse.Raw) parse.Raw {
	var defs []parse.Member
	for i := 0; i < len(w.queue); i++ {
		n := w.queue[i]
		defs = append(defs, parse.Member{Name: w.names[n], Value: w.body(n)})
	}
	if defs == nil {
		return schema
	}
	return extend(schema, parse.Member{Name: "$defs", Value: parse.Obj(defs...)})
}

// extend adds members to an object. A schema that is true becomes one.
func extend(schema parse.Raw, members ...parse.Member) parse.Raw {
	added := parse.Obj(members...)
	if len(schema) <= 2 || schema[0] != '{' {
		return added
	}
	if len(added) <= 2 {
		return schema
	}
	joined := append(bytes.Clone(schema[:len(schema)-1]), ',')
	return append(joined, added[1:]...)
}

// anything is the schema of what is not known.
func anything() parse.Raw { return parse.Raw("{}") }

// schema writes a schema, which may be a reference.
func (w *writer) schema(n parse.Node) parse.Raw {
	ref, ok := n.Get("$ref").Str()
	if !ok || n.Kind() != parse.Object {
		return w.body(n)
	}
	if w.over(n) {
		return anything()
	}
	w.subschemas++
	target, ok := w.target(n, ref)
	if !ok {
		return anything()
	}
	written := parse.Obj(parse.Member{Name: "$ref", Value: parse.Quote("#/$defs/" + w.define(target, ref))})
	if w.by2020() {
		return extend(written, w.members(n)...)
	}
	// Older versions ignore what stands beside a reference; a text does no harm.
	if text, ok := n.Get("description").Str(); ok {
		return extend(written, parse.Member{Name: "description", Value: w.copied(n.Get("description"), parse.Quote(text))})
	}
	return written
}

// target follows a reference to the schema it means, through those that are
// nothing but references themselves.
func (w *writer) target(n parse.Node, ref string) (parse.Node, bool) {
	target, ok := w.resolve(n.Get("$ref"), ref, schemaSection)
	if ok && target.Kind() == parse.Object && target.Len() == 1 && target.Get("$ref").Exists() {
		target = w.deref(target, schemaSection)
		ok = target.Exists()
	}
	if kind := target.Kind(); ok && kind != parse.Object && kind != parse.Bool {
		w.Fault("ref_kind", n.Get("$ref"), schemaSection, "the reference %q leads to %v where a schema belongs", ref, kind)
		return parse.Node{}, false
	}
	return target, ok
}

// define names the definition of a schema.
func (w *writer) define(n parse.Node, ref string) string {
	if name, ok := w.names[n]; ok {
		return name
	}
	base := plainName(ref[strings.LastIndexByte(ref, '/')+1:])
	name := base
	for w.used[name] > 0 {
		w.used[base]++ // the number that was tried last
		name = base + "_" + strconv.Itoa(w.used[base])
	}
	w.names[n], w.used[name] = name, 1
	w.queue = append(w.queue, n)
	return name
}

// plainName makes a name that needs no escape in a pointer or a URL.
func plainName(text string) string {
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

// over reports, once, that there is more than may be written.
func (w *writer) over(n parse.Node) bool {
	if w.subschemas < maxSubschemas && w.bytes <= maxSchema && w.level <= maxNesting {
		return false
	}
	if !w.told {
		w.told = true
		w.Doubt("schema_limit", n, schemaSection, "the schema has more than %d subschemas, %d bytes or %d levels; the others are any value", maxSubschemas, maxSchema, maxNesting)
	}
	return true
}

// body writes a schema that is not looked at as a reference.
func (w *writer) body(n parse.Node) parse.Raw {
	switch {
	case w.over(n):
		return anything()
	case n.Kind() == parse.Bool && w.by2020():
		return n.Copy()
	case n.Kind() != parse.Object:
		if n.Kind() != parse.Null {
			w.Doubt("wrong_type", n, schemaSection, "the schema is %v where object belongs; it is any value", n.Kind())
		}
		return anything()
	}
	null := isNullable(n) && !w.by2020()
	levels := 1
	if null {
		levels = 3 // in an anyOf
	}
	w.subschemas++
	w.level += levels
	members := w.members(n)
	w.level -= levels
	if null {
		return nullable(members)
	}
	return parse.Obj(members...)
}

// members writes the keywords of a schema but for $ref.
func (w *writer) members(n parse.Node) []parse.Member {
	var list []parse.Member
	for keyword, value := range n.Members() {
		w.bytes += len(keyword)
		if m := w.keyword(n, keyword, value); m.Value != nil {
			list = append(list, m)
		}
	}
	return list
}

// keyword writes one keyword. A nil value leaves it out.
func (w *writer) keyword(n parse.Node, keyword string, value parse.Node) parse.Member {
	m := parse.Member{Name: keyword}
	switch keyword {
	case "$ref", "$schema", "$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$vocabulary", "$defs", "definitions", "xml", "externalDocs", "nullable":
		// Places and references of the document's own, and what is rewritten.
	case "properties", "patternProperties", "dependentSchemas":
		m.Value = w.schemas(value)
	case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema", "additionalItems":
		m.Value = w.nested(value)
	case "allOf", "anyOf", "oneOf", "prefixItems":
		m.Value = w.list(value)
	case "required":
		m.Value = w.required(n, value)
	case "example":
		if m.Name = "examples"; !n.Get("examples").Exists() {
			m.Value = w.copied(value, parse.Arr(value.Copy()))
		}
	case "discriminator":
		if name := value.Get("propertyName"); name.Kind() == parse.String {
			m.Value = parse.Obj(parse.Member{Name: "propertyName", Value: w.copied(name, name.Copy())})
		}
	case "type":
		m.Value = w.kind(n, value)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return w.bound(n, keyword, value)
	default:
		if !strings.HasPrefix(keyword, "x-") {
			m.Value = w.copied(value, value.Copy())
		}
	}
	return m
}

// copied counts what is copied as it is. What is too much, too deep to be read
// again, or could be taken for a reference is left out.
func (w *writer) copied(n parse.Node, raw parse.Raw) parse.Raw {
	if w.bytes += len(raw); w.over(n) || !isData(n, maxCopied) {
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

// nested writes a keyword that holds a schema, or a list of them (items before
// 2020-12), or true and false.
func (w *writer) nested(n parse.Node) parse.Raw {
	switch n.Kind() {
	case parse.Bool:
		return n.Copy()
	case parse.Array:
		return w.list(n)
	}
	return w.schema(n)
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
		if w.bytes += len(name); w.over(schema) {
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

// required leaves out what does not go this way (Schema Object: readOnly).
func (w *writer) required(n, value parse.Node) parse.Raw {
	if value.Kind() != parse.Array {
		return nil // a boolean was that of drafts before 4
	}
	var names []string
	properties := n.Get("properties")
	for _, item := range value.Items() {
		if name, ok := item.Str(); ok {
			if skip, _ := w.get(properties, name).Get(string(w.way)).Bool(); !skip {
				names = append(names, name)
			}
		}
	}
	if names == nil {
		return nil
	}
	return w.copied(value, parse.Quotes(names))
}
