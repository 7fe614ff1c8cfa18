package openrpc

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// The bounds of the schemas of one method: subschemas, and bytes. Beyond them a
// subschema is any value.
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

// perSubschema is what one costs beside its keywords: braces, a reference.
const perSubschema = 16

const schemaSection = "Schema Object"

// writer writes schemas of the document as JSON Schema 2020-12 that stands
// alone: what it refers to becomes a definition, once.
type writer struct {
	*reader
	*budget
	// level is how deep the JSON is that is being written.
	level int
	// names of definitions by the place of what they are, and the places in
	// the order in which they were met.
	names map[parse.Node]string
	used  map[string]int
	queue []parse.Node
}

// budget is what has been written, of one schema or of several together.
type budget struct {
	subschemas, bytes int
	told              bool
}

func (r *reader) writer(b *budget) *writer {
	return &writer{reader: r, budget: b, names: make(map[parse.Node]string), used: make(map[string]int)}
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
	switch {
	case len(added) <= 2:
		return schema
	case len(schema) <= 2 || schema[0] != '{':
		return added
	}
	joined := append(bytes.Clone(schema[:len(schema)-1]), ',')
	return append(joined, added[1:]...)
}

// anything is the schema of what is not known.
func anything() parse.Raw { return parse.Raw("{}") }

// schema writes a schema, which may be a reference. Draft-07 ignores what stands
// beside one (§8.3); a text does no harm.
func (w *writer) schema(n parse.Node) parse.Raw {
	ref, ok := n.Get("$ref").Str()
	if !ok || n.Kind() != parse.Object {
		return w.body(n)
	}
	if w.over(n) {
		return anything()
	}
	w.subschemas++
	w.count(perSubschema)
	var beside []parse.Member
	for member, value := range n.Members() {
		switch member {
		case "$ref":
		case "title", "description":
			if value.Kind() == parse.String {
				beside = append(beside, parse.Member{Name: member, Value: w.copied(value, value.Copy())})
			}
		case "summary", "examples", "$comment":
		default:
			if !strings.HasPrefix(member, "x-") {
				w.Doubt("ref_siblings", value, schemaSection, "%q stands beside $ref; it is ignored", member)
			}
		}
	}
	target, ok := w.target(n, ref)
	if !ok {
		return parse.Obj(beside...)
	}
	return extend(parse.Obj(parse.Member{Name: "$ref", Value: parse.Quote("#/$defs/" + w.define(target, ref))}), beside...)
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

// count takes bytes off what may be written.
func (w *writer) count(bytes int) {
	w.bytes += bytes
	w.spend(bytes)
}

// over reports, once, that there is more than may be written.
func (w *writer) over(n parse.Node) bool {
	if w.subschemas < maxSubschemas && w.bytes <= maxSchema && w.level <= maxNesting && !w.full() {
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
	case n.Kind() == parse.Bool:
		return n.Copy()
	case n.Kind() != parse.Object:
		w.Doubt("wrong_type", n, schemaSection, "the schema is %v where object belongs; it is any value", n.Kind())
		return anything()
	}
	w.subschemas++
	w.count(perSubschema)
	w.level++
	defer func() { w.level-- }()
	var list []parse.Member
	for keyword, value := range n.Members() {
		w.count(len(keyword))
		list = append(list, w.keyword(n, keyword, value)...)
	}
	return parse.Obj(list...)
}
