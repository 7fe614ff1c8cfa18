package schema

import (
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"slices"
)

// maxProduct is the maximum number of combinations of alternatives that are written if several
// lists of them apply together, and maxLeaves the maximum number at the root.
const (
	maxProduct = 16
	maxLeaves  = 64
)

// union writes a place with alternatives. The other rules of the place are repeated in each
// alternative.
func (w *projector) union(f *flat, c *facts) *shape {
	main, others := f.unions[0], f.unions[1:]
	product := len(main.list)
	for i, u := range others {
		if product *= len(u.list); product > maxProduct {
			for _, lost := range others[i:] {
				w.lose(lost.at, lost.keyword, Wider, "branch_merge")
			}
			others = others[:i]
			break
		}
	}
	w.exclusiveLoss(main)
	var list []*shape
	null := false
	for i, b := range main.list {
		at := under(main.at, main.keyword, index(i))
		next := w.branch(f, c.parts, part{schema: b, at: at, branch: true}, others)
		if b := w.combine(next, at); b != nil && len(next.unions) == 0 && b.kindsOf() == kindNull {
			null = true
			continue
		}
		if s := w.flatPlace(next, at); s != nil {
			list = append(list, s)
		}
	}
	if len(list) == 0 && !null {
		return nil
	}
	return w.finish(w.unite(list, null, c.at), c)
}

// branch returns one alternative together with the other rules of the place.
func (w *projector) branch(f *flat, base []part, b part, others []union) *flat {
	parts := slices.Clone(base)
	for i := range parts {
		parts[i].alone, parts[i].mute = true, true
	}
	next := w.flatten(append(parts, b))
	next.unions = append(next.unions, others...)
	next.entered = append(next.entered, f.entered...)
	return next
}

// exclusiveLoss reports the loss of oneOf: anyOf accepts the same values if no two alternatives
// accept the same value.
func (w *projector) exclusiveLoss(u union) {
	if u.keyword != "oneOf" {
		return
	}
	effect := Wider
	if w.disjoint(u) {
		effect = None
	}
	w.lose(under(u.at, "oneOf", ""), "oneOf", effect, "oneOf_to_anyOf")
}

// disjoint reports whether it can be proved that alternatives exclude each other: by their
// types, by the values that they list, or by a property that all of them require and list.
func (w *projector) disjoint(u union) bool {
	var list []*facts
	for i, b := range u.list {
		at := under(u.at, u.keyword, index(i))
		c := w.combine(w.flatten([]part{{schema: b, at: at, branch: true}}), at)
		if c != nil {
			list = append(list, c)
		}
	}
	if len(list) < 2 {
		return true
	}
	var all kinds
	byType, byValue := true, true
	for _, c := range list {
		k := c.kindsOf()
		byType = byType && all&k == 0
		byValue = byValue && c.listed
		all |= k
	}
	if byType || byValue && w.apart(list) {
		return true
	}
	if all != kindObject {
		return false
	}
	for _, p := range list[0].parts {
		for _, name := range p.schema.required {
			if w.tagged(list, name) {
				return true
			}
		}
	}
	return false
}

// apart reports whether lists of values have no common value.
func (w *projector) apart(list []*facts) bool {
	seen := make(map[string]bool)
	for _, c := range list {
		own := make(map[string]bool, len(c.values))
		if c.null {
			own["n"] = true
		}
		for _, v := range c.values {
			own[w.keys.of(w.count, v)] = true
		}
		for key := range own {
			if seen[key] {
				return false
			}
			seen[key] = true
		}
	}
	return true
}

// tagged reports whether all require a property, and no value of it is in two of them.
func (w *projector) tagged(list []*facts, name string) bool {
	var tags []*facts
	for _, c := range list {
		required := slices.ContainsFunc(c.parts, func(p part) bool { return slices.Contains(p.schema.required, name) })
		w.count.Add(len(c.parts))
		if !required {
			return false
		}
		tag := &facts{types: kindAny}
		for _, p := range c.parts {
			if d := p.schema.property(name); d != nil && !w.apply(tag, d) {
				return false
			}
		}
		if !tag.listed {
			return false
		}
		tags = append(tags, tag)
	}
	return w.apart(tags)
}

// takesNull reports whether all parts of a place accept null.
func (w *projector) takesNull(parts []part) bool {
	if slices.ContainsFunc(parts, func(p part) bool { return p.schema.types&kindNull == 0 }) {
		return false
	}
	if w.null == nil {
		w.null = scan([]byte("null"), jsonschema.MaxValue)
	}
	r := &run{count: w.count}
	return !slices.ContainsFunc(parts, func(p part) bool {
		f, _ := r.eval(p.schema, w.null.Root())
		return f != nil
	})
}

// leaf is one form of the arguments.
type leaf struct {
	flat  *flat
	facts *facts
}

// leaves lists the alternatives of the root.
func (w *projector) leaves(f *flat, list []leaf) []leaf {
	if len(f.unions) == 0 {
		c := w.combine(f, "")
		if c == nil || c.kindsOf()&kindObject == 0 {
			return list
		}
		return append(list, leaf{f, c})
	}
	u := f.unions[0]
	for i, b := range u.list {
		if len(list) >= maxLeaves {
			w.lose(u.at, u.keyword, Narrower, "root_union")
			break
		}
		next := w.branch(f, f.parts, part{schema: b, at: under(u.at, u.keyword, index(i)), branch: true}, f.unions[1:])
		list = w.leaves(next, list)
	}
	return list
}

// root writes the schema of the arguments, which is one object.
func (w *projector) root() *shape {
	all := w.flatten([]part{{schema: w.top}})
	list := w.leaves(all, nil)
	if len(list) == 0 {
		refuse(codeRoot, "", "no object can be an argument")
	}
	f, c := list[0].flat, list[0].facts
	if len(list) > 1 {
		w.lose("", all.unions[0].keyword, Wider, "root_union")
		f, c = w.merged(list)
	}
	whole := w.combine(&flat{parts: all.parts}, "")
	if whole == nil || whole.types != kindObject {
		w.lose("", "type", Narrower, "root_object")
	}
	if c.listed {
		w.lose("", "enum", Wider, "enum_not_primitive")
		c.listed, c.values = false, nil
	}
	if whole != nil {
		c.title, c.describe = whole.title, whole.describe
	}
	c.types = kindObject
	w.dropped(c)
	s := w.newShape()
	s.kind = kindObject
	if !w.object(s, f, c, true) {
		refuse(CodeNever, "", "a required property cannot have a value")
	}
	w.empty = len(s.props) == 0
	return w.finish(s, c)
}

// merged makes one object from several. It has all their properties, and requires the
// properties that all of them require.
func (w *projector) merged(list []leaf) (*flat, *facts) {
	m := &node{types: kindObject, typed: true, keyword: "root"}
	f := &flat{}
	given := make(map[string][]*node)
	times := make(map[string]int)
	closed := true
	for _, l := range list {
		names, required := declared(l.facts)
		for _, name := range names {
			if !l.facts.describes(name) {
				w.asked(l.facts)
			}
			if _, known := given[name]; !known {
				m.properties = append(m.properties, property{name: name})
			}
			given[name] = append(given[name], w.together(l.facts, name))
		}
		for name := range required {
			times[name]++
		}
		closed = closed && slices.ContainsFunc(l.facts.parts, func(p part) bool { return p.schema.additional != nil && p.schema.additional.never })
		f.entered = append(f.entered, l.flat.entered...)
		f.parts = append(f.parts, l.facts.parts...)
	}
	for i := range m.properties {
		p := &m.properties[i]
		if len(given[p.name]) < len(list) && !closed {
			w.lose(under("", "properties", p.name), "anyOf", Narrower, "root_union")
		}
		p.schema = alternatives(given[p.name])
		if times[p.name] == len(list) {
			m.required = append(m.required, p.name)
		}
	}
	if closed {
		m.additional = &node{never: true}
	}
	w.rootLosses(list)
	return f, &facts{types: kindObject, parts: []part{{schema: m, alone: true}}}
}

// rootLosses reports the keywords of the alternatives other than properties.
func (w *projector) rootLosses(list []leaf) {
	for _, l := range list {
		w.dropped(&facts{parts: l.facts.parts})
		if l.facts.listed {
			w.lose("", "enum", Wider, "enum_not_primitive")
		}
		for _, p := range l.facts.parts {
			if n := p.schema; n.additional != nil && !n.additional.never && !n.additional.trivial() {
				w.lose(p.at, "additionalProperties", Wider, "additionalProperties")
				w.notStrict("open_object")
			}
			if p.schema.minProps != nil || p.schema.maxProps != nil {
				w.lose(p.at, "minProperties", Wider, "minProperties")
			}
		}
	}
}

// together returns one schema for all declarations of a property.
func (w *projector) together(c *facts, name string) *node {
	parts := w.declarations(c, name)
	if len(parts) == 1 {
		return parts[0].schema
	}
	n := &node{types: kindAny}
	for _, p := range parts {
		n.allOf = append(n.allOf, p.schema)
	}
	return n
}

// alternatives returns one schema for several, some of which may be the same.
func alternatives(list []*node) *node {
	var different []*node
	for _, n := range list {
		if !slices.Contains(different, n) {
			different = append(different, n)
		}
	}
	if len(different) == 1 {
		return different[0]
	}
	return &node{types: kindAny, anyOf: different}
}

// alternatives returns one shape for several. Equal shapes are written once.
func (w *projector) alternatives(list []*shape, at string) *shape {
	var different []*shape
	seen := make(map[string]bool)
	for _, s := range list {
		if text := string(w.render(s)); !seen[text] {
			seen[text] = true
			different = append(different, s)
		}
	}
	return w.unite(different, false, at)
}
