package schema

import "slices"

// array writes the keywords for arrays. It returns false if no value is left.
func (w *projector) array(s *shape, f *flat, c *facts) bool {
	defer w.enter(f)()
	var least, most *int64
	positions := 0
	for _, p := range c.parts {
		least = larger(least, p.schema.minItems)
		most = smaller(most, p.schema.maxItems)
		positions = max(positions, len(p.schema.prefix))
		if p.schema.unique && w.profile.has("uniqueItems") {
			w.add(s, "uniqueItems", "true")
		}
	}
	var tuple []*shape
	for i := range positions {
		item := w.place(w.items(c, i), under(c.at, "prefixItems", index(i)))
		if item == nil {
			// Nothing is allowed at this position, so the array ends before it.
			n := int64(i)
			most = smaller(most, &n)
			break
		}
		tuple = append(tuple, item)
	}
	rest := w.items(c, positions)
	var others *shape
	if len(rest) > 0 {
		if others = w.place(rest, under(c.at, "items", "")); others == nil {
			n := int64(len(tuple))
			most = smaller(most, &n)
		}
	}
	w.elements(s, c, tuple, others, len(rest) > 0)
	if w.profile.oneItem && least != nil && *least > 1 {
		w.lose(c.at, "minItems", Wider, "minItems")
		one := int64(1)
		least = &one
	}
	w.counted(s, c, "minItems", "min items", positiveCount(least))
	w.counted(s, c, "maxItems", "max items", most)
	return true
}

// items returns the schemas of one position, or of all positions after the tuples.
func (w *projector) items(c *facts, i int) (list []part) {
	for _, p := range c.parts {
		w.count.Add(1)
		switch n := p.schema; {
		case i < len(n.prefix):
			list = append(list, part{schema: n.prefix[i], at: under(p.at, "prefixItems", index(i))})
		case n.items != nil:
			list = append(list, part{schema: n.items, at: under(p.at, "items", "")})
		}
	}
	return list
}

// elements writes the schema for the items of an array.
func (w *projector) elements(s *shape, c *facts, tuple []*shape, others *shape, said bool) {
	switch {
	case len(tuple) > 0 && w.profile.has("prefixItems"):
		if s.prefix, s.items = tuple, others; others == nil && w.profile.itemsNeeded {
			s.items = w.newShape()
		}
		return
	case len(tuple) > 0:
		w.lose(c.at, "prefixItems", Wider, "tuple")
		if others != nil {
			tuple = append(tuple, others)
		} else if !said {
			w.lose(c.at, "items", Narrower, "tuple_rest")
		}
		s.items = w.alternatives(tuple, c.at)
		return
	case others != nil:
		s.items = others
		return
	case said:
		w.lose(c.at, "items", None, "never")
	case !w.profile.itemsNeeded:
		return
	}
	if w.profile.anyType {
		s.items = w.newShape()
		return
	}
	if said {
		s.items = w.newShape()
		s.items.kind = kindString
		return
	}
	w.lose(under(c.at, "items", ""), "type", Narrower, "any_value")
	s.items = w.anyScalar(under(c.at, "items", ""))
}

// anyScalar returns a schema for any value if a type is required.
func (w *projector) anyScalar(at string) *shape {
	var list []*shape
	for _, k := range [...]kinds{kindString, kindNumber, kindBool} {
		s := w.newShape()
		s.kind = k
		list = append(list, s)
	}
	return w.unite(list, true, at)
}

// object writes the keywords for objects. It returns false if no value is left.
func (w *projector) object(s *shape, f *flat, c *facts, root bool) bool {
	defer w.enter(f)()
	names, required := declared(c)
	w.count.Add(len(names) + len(required))
	w.depth++
	defer func() { w.depth-- }()
	shortened := false
	for _, name := range names {
		if most := w.wording.Brevity.deepest(); most > 0 && w.depth > most && !required[name] {
			shortened = true
			continue
		}
		if name == prototype {
			w.notStrict("property_name")
		}
		at := under(c.at, "properties", name)
		if !c.describes(name) {
			w.asked(c)
		}
		parts := w.declarations(c, name)
		p := w.place(parts, at)
		switch {
		case p == nil && required[name]:
			return false
		case p == nil:
			w.lose(at, "not", w.neverEffect(), "never")
			if w.profile.closed || w.profile.anyType {
				continue
			}
			p = w.unite(nil, true, at)
		}
		if w.profile.allRequired && !required[name] {
			w.optional(p, parts, at)
		}
		if w.name(name) != name {
			w.lose(at, "properties", None, "renamed")
		}
		s.props = append(s.props, shapeProperty{w.name(name), p})
		if required[name] || w.profile.allRequired {
			s.required = append(s.required, w.name(name))
		}
	}
	w.openness(s, c, root, shortened)
	if w.profile.filled && len(s.props) == 0 && !root {
		w.text(s, c)
		return true
	}
	w.sizes(s, c)
	return true
}

// objectText is the loss of an object without properties, which Gemini refuses in some of its
// versions: the model writes it as a text.
const objectText = "object_as_text"

// objectPattern is the pattern of such a text. It accepts more than objects.
const objectPattern = `^\s*\{`

// text makes a text of an object without properties. [Projection.Decode] makes an object of it
// again.
func (w *projector) text(s *shape, c *facts) {
	s.kind, s.object = kindString, true
	s.notes = append(s.notes, "a JSON object, as text")
	w.add(s, "pattern", quote(objectPattern))
	w.lose(c.at, "type", Wider, objectText)
	for _, p := range c.parts {
		if p.schema.minProps != nil || p.schema.maxProps != nil {
			w.lose(p.at, "minProperties", Wider, "minProperties")
		}
	}
}

// asked reports that a model is asked for a required property that no schema describes by its
// name.
func (w *projector) asked(c *facts) {
	w.notStrict("required_undeclared")
	w.lose(c.at, "required", None, "required_undeclared")
}

// describes reports whether a part describes a property by its name.
func (c *facts) describes(name string) bool {
	return slices.ContainsFunc(c.parts, func(p part) bool { return p.schema.property(name) != nil })
}

// neverEffect returns the effect of omitting a property without a valid value: a closed object
// cannot contain it, but an open one accepts it.
func (w *projector) neverEffect() Effect {
	if w.profile.closed {
		return None
	}
	return Wider
}

// declared returns the names of properties in the order of the parts, and the names that are
// required. A required property need not be described; it can then have any value.
func declared(c *facts) (names []string, required map[string]bool) {
	seen := make(map[string]bool)
	required = make(map[string]bool)
	for _, p := range c.parts {
		for _, d := range p.schema.properties {
			if !seen[d.name] {
				seen[d.name] = true
				names = append(names, d.name)
			}
		}
	}
	for _, p := range c.parts {
		for _, name := range p.schema.required {
			required[name] = true
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names, required
}

// declarations returns all schemas of a property in the parts.
func (w *projector) declarations(c *facts, name string) (list []part) {
	for _, p := range c.parts {
		n := p.schema
		w.count.Add(1 + len(n.patterns))
		d := n.property(name)
		known := d != nil
		if known {
			list = append(list, part{schema: d, at: under(p.at, "properties", name)})
		}
		for _, r := range n.patterns {
			if r.pattern.re != nil && r.pattern.re.MatchString(name) {
				known = true
				list = append(list, part{schema: r.schema, at: under(p.at, "patternProperties", r.text)})
			}
		}
		if !known && n.additional != nil && !n.patternLost {
			list = append(list, part{schema: n.additional, at: under(p.at, "additionalProperties", "")})
		}
	}
	return list
}

// absentNull is the loss of a null that an optional property accepts.
const absentNull = "absent_becomes_null"

// optional lets null represent an absent property.
func (w *projector) optional(p *shape, parts []part, at string) {
	if w.takesNull(parts) {
		w.lose(at, "required", Narrower, absentNull)
	}
	if p.kind != kindNull {
		p.null = true
	}
}

// openness writes whether there may be other properties. If shortened is true, properties of
// the object have been omitted.
func (w *projector) openness(s *shape, c *facts, root, shortened bool) {
	closed, mapped, patterned := false, false, false
	var rest []part
	for _, p := range c.parts {
		if n := p.schema; n.additional != nil {
			closed = closed || n.additional.never
			mapped = mapped || !n.additional.never && !n.additional.trivial()
			rest = append(rest, part{schema: n.additional, at: under(p.at, "additionalProperties", "")})
		}
		patterned = patterned || p.schema.patterns != nil
	}
	at := c.at
	switch {
	case shortened && w.profile.closed:
		w.lose(at, "properties", Narrower, lossShortened)
		s.closed = true
	case shortened:
		w.lose(at, "properties", Wider, lossShortened)
	case w.profile.closed:
		if mapped || patterned && len(s.props) == 0 || len(s.props) == 0 && !closed && !root {
			w.notStrict("open_object")
		}
		if !closed || patterned {
			w.lose(at, "additionalProperties", Narrower, "closed")
		}
		s.closed = true
	case w.profile.openMaps && closed && !patterned:
		s.closed = true
	case w.profile.openMaps && mapped && !closed && !patterned && !(root && w.profile.bareRoot):
		if s.additional = w.place(rest, under(at, "additionalProperties", "")); s.additional == nil {
			s.closed = true
		}
	case closed || mapped:
		w.lose(at, "additionalProperties", Wider, "additionalProperties")
	case rest != nil:
		w.lose(at, "additionalProperties", None, "additionalProperties")
	}
	if root && w.profile.bareRoot && s.closed {
		s.closed = false
		w.lose(at, "additionalProperties", Wider, "additionalProperties")
	}
}

// trivial reports whether a schema has no rule.
func (n *node) trivial() bool {
	return !n.never && n.types == kindAny && !n.hasSet && n.same == "" && (n.source.Kind() == 0 || n.source.Len() == 0)
}

// sizes writes the bounds on the number of properties.
func (w *projector) sizes(s *shape, c *facts) {
	var least, most *int64
	for _, p := range c.parts {
		least = larger(least, p.schema.minProps)
		most = smaller(most, p.schema.maxProps)
	}
	w.counted(s, c, "minProperties", "min properties", positiveCount(least))
	w.counted(s, c, "maxProperties", "max properties", most)
}
