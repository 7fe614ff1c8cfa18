package schema

import (
	"slices"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// part is one of the schemas that together apply to a place.
type part struct {
	schema *node
	at     string // its pointer, as if references were replaced
	alone  bool   // only its own keywords: the schemas that it combines are already included
	branch bool   // it is from an alternative
	mute   bool   // its texts are written outside the alternatives
}

// union is a list of alternatives.
type union struct {
	list    []*node
	keyword string
	at      string
}

// flat is a place with its references resolved and allOf split into parts.
type flat struct {
	parts   []part
	unions  []union
	entered []*node // targets of references
	seen    map[*node]bool
}

// flatten collects all schemas that apply to a place.
func (w *projector) flatten(parts []part) *flat {
	f := &flat{parts: make([]part, 0, len(parts))}
	for _, p := range parts {
		w.gather(f, p)
	}
	return f
}

// first reports whether a schema is new at the place. Most places have only few.
func (f *flat) first(n *node) bool {
	if f.seen == nil && len(f.parts) < few {
		return !slices.ContainsFunc(f.parts, func(p part) bool { return p.schema == n })
	}
	if f.seen == nil {
		f.seen = make(map[*node]bool)
		for _, p := range f.parts {
			f.seen[p.schema] = true
		}
	}
	known := f.seen[n]
	f.seen[n] = true
	return !known
}

func (w *projector) gather(f *flat, p part) {
	if !f.first(p.schema) {
		return
	}
	w.count.Add(1)
	n := p.schema
	f.parts = append(f.parts, part{n, p.at, true, p.branch, p.mute})
	if p.alone {
		return
	}
	for _, l := range n.losses {
		w.lose(p.at, l.Keyword, l.Effect, l.Code)
	}
	if n.ref != nil {
		if w.active[n.ref] > 0 {
			w.lose(p.at, "$ref", Wider, "recursion_cut")
			w.notStrict("recursion")
			types := w.possible(n.ref, p.at)
			f.parts = append(f.parts, part{&node{types: types, typed: types != kindAny, description: n.ref.description}, p.at, true, p.branch, p.mute})
		} else {
			f.entered = append(f.entered, n.ref)
			w.gather(f, part{schema: n.ref, at: p.at, branch: p.branch})
		}
	}
	for i, c := range n.allOf {
		w.gather(f, part{schema: c, at: under(p.at, "allOf", index(i)), branch: p.branch})
	}
	if n.anyOf != nil {
		f.unions = append(f.unions, union{n.anyOf, "anyOf", p.at})
	}
	if n.oneOf != nil {
		f.unions = append(f.unions, union{n.oneOf, "oneOf", p.at})
	}
}

// enter marks the references around the next place that is written. The returned function
// removes the marks.
func (w *projector) enter(f *flat) func() {
	for _, n := range f.entered {
		w.active[n]++
	}
	return func() {
		for _, n := range f.entered {
			w.active[n]--
		}
	}
}

// facts contains the combined statements of the parts of a place.
type facts struct {
	at       string
	parts    []part // those that are used
	types    kinds
	values   []jsonscan.Node // of enum and const
	listed   bool
	null     bool // null is one of the values
	notes    []string
	title    string
	describe string
}

// combine joins the parts. It returns nil if no value satisfies them. A part of an allOf that
// contradicts the others is omitted.
func (w *projector) combine(f *flat, at string) *facts {
	c := &facts{at: at, types: kindAny}
	for _, p := range f.parts {
		if p.schema.never {
			return nil
		}
		next := *c
		if !w.apply(&next, p.schema) {
			if p.branch || len(c.parts) == 0 {
				return nil
			}
			w.lose(p.at, "allOf", Wider, "allOf")
			continue
		}
		next.parts = append(c.parts, p)
		if next.title == "" && !p.mute {
			next.title = p.schema.title
		}
		if next.describe == "" && !p.mute {
			next.describe = p.schema.description
		}
		*c = next
	}
	return c
}

// apply adds a part. It returns false if no value is left.
func (w *projector) apply(c *facts, n *node) bool {
	c.types &= n.types
	if n.hasSet {
		w.restrict(c, n.enum, n.set, n.nullToo)
	}
	if n.same != "" {
		w.restrict(c, []jsonscan.Node{n.konst}, map[string]struct{}{n.same: {}}, false)
	}
	if c.types == 0 {
		return false
	}
	if !c.listed {
		return true
	}
	c.values = slices.DeleteFunc(slices.Clone(c.values), func(v jsonscan.Node) bool {
		w.count.Add(1)
		return kindOf(v)&c.types == 0
	})
	c.null = c.null && c.types&kindNull != 0
	return len(c.values) > 0 || c.null
}

// restrict keeps the values that are also in a list.
func (w *projector) restrict(c *facts, list []jsonscan.Node, set map[string]struct{}, nullToo bool) {
	if !c.listed {
		c.listed, c.values, c.null = true, list, nullToo
		return
	}
	_, hasNull := set["n"]
	c.null = c.null && hasNull
	c.values = slices.DeleteFunc(slices.Clone(c.values), func(v jsonscan.Node) bool {
		_, in := set[w.keys.of(w.count, v)]
		return !in
	})
}

// kindsOf returns the types that values of the place may have.
func (c *facts) kindsOf() kinds {
	if !c.listed {
		return c.types
	}
	var k kinds
	if c.null {
		k = kindNull
	}
	for _, v := range c.values {
		k |= kindOf(v)
	}
	return k
}

// infer returns the types that the keywords of the parts apply to, or 0 if there are none.
func (c *facts) infer() (k kinds) {
	for _, p := range c.parts {
		n := p.schema
		if n.properties != nil || n.required != nil || n.additional != nil || n.patterns != nil || n.names != nil || n.minProps != nil ||
			n.maxProps != nil || n.dependentRequired != nil || n.dependentSchemas != nil || n.unevaluated != nil {
			k |= kindObject
		}
		if n.items != nil || n.prefix != nil || n.contains != nil || n.minItems != nil || n.maxItems != nil || n.unique || n.unevaluatedItems != nil {
			k |= kindArray
		}
		if n.minLength != nil || n.maxLength != nil || n.pattern != nil || n.format != "" {
			k |= kindString
		}
		if n.minimum != nil || n.maximum != nil || n.above != nil || n.below != nil || n.multiple != nil {
			k |= kindNumber
		}
	}
	return k
}
