package schema

import (
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// Decode converts a model's arguments for the projection into arguments for the publisher's
// schema. Properties get their original names, at every depth. An original name is accepted too,
// unless it is the new name of another property. For Gemini, a text becomes an object where the
// publisher has an object without properties. Null is removed if it represents an absent property:
// in a strict definition, which has every property, the null of each property that the publisher
// does not require. An empty text means no arguments. Other errors are reported by Validate.
//
// The error is an *Error: the arguments are not JSON, too large or too deep.
func (p *Projection) Decode(args []byte) ([]byte, error) {
	if len(args) == 0 {
		return []byte("{}"), nil
	}
	kept, more, err := p.decode(args, false)
	if err != nil || !more || p.schema.admits(kept) {
		return kept, err
	}
	if taken, _, err := p.decode(args, true); err == nil && p.schema.admits(taken) {
		return taken, nil
	}
	return kept, nil
}

// decode removes the nulls of properties that may be absent and, if all is true, also the nulls
// of other properties. It reports whether there are others: a property may be required by one
// alternative and not by the one that is meant.
func (p *Projection) decode(args []byte, all bool) (out []byte, more bool, err error) {
	d := &decoder{projection: p, count: fuel.Within(jsonschema.MaxSteps), all: all}
	err = guarded(d.count, func() {
		doc := scan(args, jsonschema.MaxValue)
		d.count.Text(len(args))
		d.nulls = &run{count: d.count}
		d.around = make(map[*node][]*node)
		d.value(doc.Root(), []*node{p.schema.top()})
	})
	if err != nil {
		return nil, false, err
	}
	return d.out, d.more, nil
}

// decoder rewrites arguments.
type decoder struct {
	projection *Projection
	count      *fuel.Counter
	nulls      *run
	around     map[*node][]*node
	mentioned  map[*node]map[string]bool // the names that a schema mentions
	all, more  bool
	out        []byte
}

// together returns the schemas of a list and all others that apply to the same value.
func (d *decoder) together(list []*node) (all []*node) {
	seen := make(map[*node]bool)
	for _, n := range list {
		for _, c := range d.closure(n) {
			if d.count.Add(1); !seen[c] {
				seen[c] = true
				all = append(all, c)
			}
		}
	}
	return all
}

// closure returns a schema together with all schemas that it leads to in place. Schemas that
// only exclude a value make no statement about its properties.
func (d *decoder) closure(n *node) []*node {
	if list, ok := d.around[n]; ok {
		return list
	}
	seen := make(map[*node]bool)
	var list []*node
	var visit func(*node)
	visit = func(n *node) {
		if d.count.Add(1); seen[n] {
			return
		}
		seen[n] = true
		list = append(list, n)
		n.inPlace(func(c *node) {
			if c != n.not {
				visit(c)
			}
		})
	}
	visit(n)
	d.around[n] = list
	return list
}

func (d *decoder) value(v jsonscan.Node, schemas []*node) {
	switch v.Kind() {
	case jsonscan.Object:
		d.object(v, d.together(schemas))
	case jsonscan.Array:
		all := d.together(schemas)
		d.out = append(d.out, '[')
		for i := range v.Len() {
			if i > 0 {
				d.out = append(d.out, ',')
			}
			d.value(v.Child(i), d.item(all, i))
		}
		d.out = append(d.out, ']')
	case jsonscan.String:
		if object, ok := d.written(v, schemas); ok {
			d.value(object, schemas)
			return
		}
		d.out = append(d.out, d.text(v, schemas)...)
	default:
		d.out = append(d.out, v.Text()...)
	}
}

// written returns the object that a model wrote as a text, because its definition has one there:
// see projector.text. ok is false if the text is meant, as it is where no schema describes the value.
func (d *decoder) written(v jsonscan.Node, schemas []*node) (object jsonscan.Node, ok bool) {
	text, _ := v.Str()
	if !d.projection.texts || len(schemas) == 0 || !strings.HasPrefix(strings.TrimSpace(text), "{") || slices.ContainsFunc(schemas, func(n *node) bool { return d.accepts(n, v) }) {
		return v, false
	}
	d.count.Text(len(text))
	doc, err := jsonscan.Scan([]byte(text))
	if err != nil || doc.Root().Kind() != jsonscan.Object {
		return v, false
	}
	return doc.Root(), true
}

// accepts reports whether a schema accepts a value.
func (d *decoder) accepts(n *node, v jsonscan.Node) bool {
	f, _ := d.nulls.eval(n, v)
	return f == nil
}

// text returns a string with the blanks of the publisher's value.
func (d *decoder) text(v jsonscan.Node, schemas []*node) string {
	shown, _ := v.Str()
	if strings.IndexByte(shown, ' ') < 0 {
		return v.Text()
	}
	for _, n := range d.together(schemas) {
		d.count.Add(1 + len(n.enum))
		if raw, ok := n.meant(shown); ok {
			return raw
		}
	}
	return v.Text()
}

// item returns the schemas for a position.
func (d *decoder) item(schemas []*node, i int) (list []*node) {
	for _, n := range schemas {
		d.count.Add(1)
		switch {
		case i < len(n.prefix):
			list = append(list, n.prefix[i])
		case n.items != nil:
			list = append(list, n.items)
		}
	}
	return list
}

func (d *decoder) object(v jsonscan.Node, schemas []*node) {
	d.out = append(d.out, '{')
	first := true
	for i := range v.Len() {
		c := v.Child(i)
		name, children := d.declared(schemas, c.Name())
		if d.projection.nulls && c.Kind() == jsonscan.Null && d.absent(schemas, name, c, children) {
			continue
		}
		if !first {
			d.out = append(d.out, ',')
		}
		first = false
		d.out = append(append(d.out, quote(name)...), ':')
		d.value(c, children)
	}
	d.out = append(d.out, '}')
}

// declared returns the publisher's name of a property, and its schemas.
func (d *decoder) declared(schemas []*node, name string) (string, []*node) {
	original, renamed := d.projection.Names[name]
	if renamed && slices.ContainsFunc(schemas, func(n *node) bool { return d.mentions(n, original) }) {
		return original, d.schemas(schemas, original, true)
	}
	return name, d.schemas(schemas, name, true)
}

// mentions reports whether a schema describes or requires a property.
func (d *decoder) mentions(n *node, name string) bool {
	d.count.Add(1)
	names, known := d.mentioned[n]
	if !known {
		names = make(map[string]bool)
		n.mention(func(name string) {
			d.count.Add(1)
			names[name] = true
		})
		if d.mentioned == nil {
			d.mentioned = make(map[*node]map[string]bool)
		}
		d.mentioned[n] = names
	}
	return names[name]
}

// schemas returns the schemas of a property: those that declare it and, if others is true,
// those for all other properties.
func (d *decoder) schemas(schemas []*node, name string, others bool) (list []*node) {
	for _, n := range schemas {
		d.count.Add(1)
		if p := n.property(name); p != nil {
			list = append(list, p)
			continue
		}
		if others && n.additional != nil {
			list = append(list, n.additional)
		}
	}
	return list
}

// absent reports whether a null represents an absent property: a property whose schemas do not
// accept null, or an optional property.
func (d *decoder) absent(schemas []*node, name string, c jsonscan.Node, children []*node) bool {
	if !slices.ContainsFunc(children, func(n *node) bool { return d.accepts(n, c) }) {
		return len(children) > 0
	}
	if !slices.ContainsFunc(schemas, func(n *node) bool { return n.property(name) != nil }) {
		return false // the member of a map
	}
	if !slices.ContainsFunc(schemas, func(n *node) bool { return slices.Contains(n.required, name) }) {
		return true
	}
	d.more = true
	return d.all
}
