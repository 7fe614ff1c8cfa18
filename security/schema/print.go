package schema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// prints reports whether the target gets the schema as it was lifted, because it supports all
// keywords below the root. Properties are not omitted by depth then, because a definition that is
// used in several places has no single depth, and no schema that leads back is cut.
func (w *projector) prints() bool {
	n := w.top
	plain := n.ref == nil && n.allOf == nil && n.anyOf == nil && n.oneOf == nil && n.not == nil && !n.hasSet && n.same == "" && !n.never
	return w.profile.whole && w.wording.Brevity.deepest() == 0 && (w.profile.anyRoot || plain && !w.schema.doubles)
}

// printedRoot writes the schema as it was lifted.
func (w *projector) printedRoot() *shape {
	n := w.top
	switch {
	case w.profile.anyRoot:
	case n.types&kindObject == 0:
		refuse(codeRoot, "", "no object can be an argument")
	case n.types != kindObject:
		w.lose("", "type", Narrower, "root_object")
	}
	w.defNames, w.taken = make(map[*node]string), make(map[string]int)
	if w.wording.Brevity >= noDeepTexts {
		w.deep = w.depths()
	}
	s := w.newShape()
	out := w.print(nil, n, !w.profile.anyRoot)
	var defs writer
	for i := 0; i < len(w.defs); i++ {
		defs.name(w.defNames[w.defs[i]])
		defs.out = w.print(defs.out, w.defs[i], false)
	}
	if defs.comma {
		end := &writer{out: out[:len(out)-1], comma: len(out) > 2}
		end.member("$defs", "{"+string(defs.out)+"}")
		out = append(end.out, '}')
	}
	s.verbatim = out
	return s
}

// define returns the name of the target of a reference.
func (w *projector) define(n *node) string {
	if name, ok := w.defNames[n]; ok {
		return name
	}
	base := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, cut(n.key, 40))
	if base == "" {
		base = "schema"
	}
	name := base
	for w.taken[name] > 0 {
		w.taken[base]++ // the last number that was tried
		name = base + "_" + strconv.Itoa(w.taken[base])
	}
	w.taken[name] = 1
	w.defNames[n] = name
	w.defs = append(w.defs, n)
	return name
}

// print writes a node as it was lifted.
func (w *projector) print(dst []byte, n *node, object bool) []byte {
	if w.count.Add(1); !w.profile.anyRoot {
		w.newShape()
	}
	for _, l := range n.losses {
		w.lose(n.pointer(), l.Keyword, l.Effect, l.Code)
	}
	o := &writer{out: append(dst, '{')}
	if n.never {
		o.member("not", "{}")
		return append(o.out, '}')
	}
	before := len(o.out)
	types := n.types
	if object {
		types = kindObject
	}
	if list := types.list(); types != kindAny && len(list) == 1 {
		o.member("type", quote(list[0]))
	} else if types != kindAny {
		o.member("type", quoted(list))
	}
	w.annotations(o, n)
	w.assertions(o, n)
	w.combiners(o, n)
	w.printArray(o, n)
	w.printObject(o, n, types != kindAny && types&kindObject != 0)
	w.spend(len(o.out) - before)
	return append(o.out, '}')
}

func (w *projector) annotations(o *writer, n *node) {
	at, depth := spot{node: n}, w.deep[n]
	note := ""
	if n.pattern != nil && !w.profile.anyRoot && (n.pattern.re == nil || !portable(n.pattern.text)) {
		note = remark(w.noted(at, []string{"pattern " + n.pattern.text}))
	}
	description := w.worded(at, "description", n.description, depth, len(note))
	o.describe(w.worded(at, "title", n.title, depth, 0), strings.TrimSpace(description+" "+note))
	for _, m := range n.notes {
		switch {
		case m.keyword == "examples" && w.wording.Brevity >= noExamples:
			w.lose("", m.keyword, None, lossShortened)
		case w.shows(at, m.keyword, m.value):
			o.member(m.keyword, m.value.Text())
		}
	}
}

// assertions writes the keywords that need no other schema.
func (w *projector) assertions(o *writer, n *node) {
	if n.hasSet {
		values := w.shownValues(n.enum, n.pointer())
		if n.nullToo {
			values = append(values, "null")
		}
		o.member("enum", "["+strings.Join(values, ",")+"]")
	}
	if n.same != "" {
		o.member("const", w.shownValues([]jsonscan.Node{n.konst}, n.pointer())[0])
	}
	for _, keyword := range [...]string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"} {
		if v := *n.counter(keyword); v != nil {
			o.member(keyword, strconv.FormatInt(*v, 10))
		}
	}
	b := bounds{n.minimum, n.maximum, n.above, n.below}
	if b.minimum != nil {
		o.member("minimum", decimalOf(*b.minimum).text())
	}
	if b.above != nil {
		o.member("exclusiveMinimum", decimalOf(*b.above).text())
	}
	if b.maximum != nil {
		o.member("maximum", decimalOf(*b.maximum).text())
	}
	if b.below != nil {
		o.member("exclusiveMaximum", decimalOf(*b.below).text())
	}
	if n.multiple != nil {
		o.member("multipleOf", decimalOf(*n.multiple).text())
	}
	switch {
	case n.pattern == nil || n.pattern.re == nil:
	case w.takesPattern(n.pattern.text):
		o.member("pattern", quote(n.pattern.text))
	default:
		w.lose(n.pointer(), "pattern", Wider, "pattern")
	}
	if n.format != "" {
		o.member("format", quote(n.format))
	}
	if n.unique {
		o.member("uniqueItems", "true")
	}
}

// shownValues returns values as the model is shown them. For Plain they are the publisher's
// values.
func (w *projector) shownValues(list []jsonscan.Node, at string) []string {
	texts, changed := shownTexts(list, w.profile.anyRoot)
	if changed {
		w.lose(at, "enum", None, lossBlanks)
	}
	return texts
}

// schemaMember writes a keyword with one schema.
func (w *projector) schemaMember(o *writer, keyword string, n *node) {
	if n != nil {
		o.name(keyword)
		o.out = w.print(o.out, n, false)
	}
}

// listMember writes a keyword with a list of schemas.
func (w *projector) listMember(o *writer, keyword string, list []*node) {
	if list == nil {
		return
	}
	o.name(keyword)
	o.out = append(o.out, '[')
	for i, n := range list {
		if i > 0 {
			o.out = append(o.out, ',')
		}
		o.out = w.print(o.out, n, false)
	}
	o.out = append(o.out, ']')
}

// namedMember writes a keyword with schemas by name.
func (w *projector) namedMember(o *writer, keyword string, list []property, rename func(string) string) {
	if list == nil {
		return
	}
	o.name(keyword)
	inner := &writer{out: append(o.out, '{')}
	for _, p := range list {
		inner.name(rename(p.name))
		inner.out = w.print(inner.out, p.schema, false)
	}
	o.out = append(inner.out, '}')
}

// combiners writes the in-place keywords.
func (w *projector) combiners(o *writer, n *node) {
	if n.ref != nil {
		o.member("$ref", quote("#/$defs/"+w.define(n.ref)))
	}
	w.listMember(o, "allOf", n.allOf)
	w.listMember(o, "anyOf", n.anyOf)
	w.listMember(o, "oneOf", n.oneOf)
	w.schemaMember(o, "not", n.not)
	w.schemaMember(o, "if", n.condition)
	w.schemaMember(o, "then", n.consequence)
	w.schemaMember(o, "else", n.otherwise)
	w.namedMember(o, "dependentSchemas", n.dependentSchemas, w.name)
}

func (w *projector) printArray(o *writer, n *node) {
	w.listMember(o, "prefixItems", n.prefix)
	switch {
	case n.items != nil:
		w.schemaMember(o, "items", n.items)
	case w.profile.itemsNeeded && n.typed && n.types&kindArray != 0:
		w.neededItems(o, n)
	}
	w.schemaMember(o, "contains", n.contains)
	for _, keyword := range [...]string{"minContains", "maxContains"} {
		if v := *n.counter(keyword); v != nil {
			o.member(keyword, strconv.FormatInt(*v, 10))
		}
	}
	w.schemaMember(o, "unevaluatedItems", n.unevaluatedItems)
}

// neededItems writes the items of an array that a vendor requires. They evaluate every item, so
// an unevaluatedItems, of the same schema or of an enclosing one, has no effect. If nothing
// else evaluates an item, items is equivalent to it. Otherwise it is lost.
func (w *projector) neededItems(o *writer, n *node) {
	combined := n.contains != nil
	n.inPlace(func(*node) { combined = true })
	if n.unevaluatedItems != nil && !combined {
		w.schemaMember(o, "items", n.unevaluatedItems)
	} else {
		o.member("items", "{}")
	}
	if n.unevaluatedItems != nil && combined || w.unevaluatedAround(n) {
		w.lose(n.pointer(), "unevaluatedItems", Wider, "items_needed")
	}
}

// unevaluatedAround reports whether an unevaluatedItems may depend on the items that a schema
// evaluates: in a schema that it is combined with or, for a definition, in any schema.
func (w *projector) unevaluatedAround(n *node) bool {
	for ; n.parent != nil; n = n.parent {
		switch n.keyword {
		case "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas":
			if n.parent.unevaluatedItems != nil {
				return true
			}
		case "$defs":
			return w.schema.tracks
		default:
			return false
		}
	}
	return false
}

// printObject writes the keywords for objects. object is true if the type is written and contains
// objects.
func (w *projector) printObject(o *writer, n *node, object bool) {
	renamed := false
	for _, p := range n.properties {
		if w.name(p.name) != p.name {
			renamed = true
			w.lose(p.schema.pointer(), "properties", None, "renamed")
		}
	}
	list := w.offered(n)
	if object && list == nil && !w.profile.anyRoot {
		list = []property{} // vendors refuse a whole request for one object without them
	}
	w.namedMember(o, "properties", list, w.name)
	if n.required != nil {
		o.member("required", quoted(w.namesOf(n.required)))
	}
	for i, d := range n.dependentRequired {
		if i == 0 {
			o.name("dependentRequired")
			o.out = append(o.out, '{')
		} else {
			o.out = append(o.out, ',')
		}
		o.out = append(o.out, quote(w.name(d.name))+":"+quoted(w.namesOf(d.needs))...)
		if i == len(n.dependentRequired)-1 {
			o.out = append(o.out, '}')
		}
	}
	// Keywords about names apply to the publisher's names.
	unportable := slices.ContainsFunc(n.patterns, func(p patterned) bool { return p.pattern.re != nil && !w.takesPattern(p.text) })
	if unportable || renamed && (n.patterns != nil || n.names != nil) {
		w.lose(n.pointer(), "patternProperties", Wider, "patternProperties")
		return
	}
	w.additionalMember(o, n)
	w.schemaMember(o, "propertyNames", n.names)
	w.schemaMember(o, "unevaluatedProperties", n.unevaluated)
}

// offered returns the properties that a model is shown. A property without a valid value is not
// shown, unless it restricts an object that is described elsewhere. A required property without
// a description is shown too.
func (w *projector) offered(n *node) []property {
	missing := n.undescribed()
	never := slices.ContainsFunc(n.properties, func(p property) bool { return p.schema.never })
	if w.profile.anyRoot || !never && missing == nil || !n.describes() {
		return n.properties
	}
	effect := Wider
	if n.additional != nil && n.additional.never {
		effect = None
	}
	list := slices.DeleteFunc(slices.Clone(n.properties), func(p property) bool {
		if p.schema.never {
			w.lose(p.schema.pointer(), "not", effect, "never")
		}
		return p.schema.never
	})
	for _, name := range missing {
		w.lose(n.pointer(), "required", None, "required_undeclared")
		list = append(list, property{name, cmp.Or(n.additional, &node{types: kindAny})})
	}
	return list
}

// undescribed returns the properties that an object requires and that neither its own keywords
// nor schemas for the same place can describe. The root of a definition is always an object.
func (n *node) undescribed() (names []string) {
	if n.types != kindObject && n.parent != nil || n.patterns != nil || n.unevaluated != nil {
		return nil
	}
	combined := false
	n.inPlace(func(*node) { combined = true })
	for _, name := range n.required {
		if !combined && n.property(name) == nil {
			names = append(names, name)
		}
	}
	return names
}

// describes reports whether a schema describes the arguments, or a property or an item of them,
// and is not part of a combination.
func (n *node) describes() bool {
	for ; n.parent != nil; n = n.parent {
		switch n.keyword {
		case "properties", "items", "prefixItems", "additionalProperties":
		default:
			return false
		}
	}
	return true
}

func (w *projector) additionalMember(o *writer, n *node) {
	var patterns []property
	for _, p := range n.patterns {
		if p.pattern.re != nil {
			patterns = append(patterns, property{p.text, p.schema})
		}
	}
	w.namedMember(o, "patternProperties", patterns, func(s string) string { return s })
	switch {
	case n.additional == nil || n.patternLost:
	case n.additional.never:
		o.member("additionalProperties", "false")
	case n.additional.trivial():
		o.member("additionalProperties", "true")
	default:
		w.schemaMember(o, "additionalProperties", n.additional)
	}
}
