package schema

import (
	"slices"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// judge marks a schema that no value satisfies, as far as this follows from the lists of
// values, the types, the combinations and the required properties: an enum without values, a
// constant that is not in the enum of the same schema, a required property that is false. A
// cycle of required properties is treated as satisfiable.
func (w *walker) judge(n *node) bool {
	v := &w.state[n.number]
	if v.judged {
		return n.never
	}
	v.judged = true
	w.count.Add(1 + len(n.enum))
	n.never = n.never || n.types == 0 || n.valueless() || w.contradicts(n) || w.needs(n)
	return n.never
}

// valueless reports whether the list of values or the constant leaves no value.
func (n *node) valueless() bool {
	if n.same != "" {
		_, listed := n.set[n.same]
		return n.types&kindOf(n.konst) == 0 || n.hasSet && !listed
	}
	return n.hasSet && (!n.nullToo || n.types&kindNull == 0) && !slices.ContainsFunc(n.enum, func(v jsonscan.Node) bool { return n.types&kindOf(v) != 0 })
}

// contradicts reports whether the combined schemas leave no value.
func (w *walker) contradicts(n *node) bool {
	if n.not != nil && !w.judge(n.not) && n.not.trivial() || n.ref != nil && w.judge(n.ref) || slices.ContainsFunc(n.allOf, w.judge) {
		return true
	}
	for _, list := range [...][]*node{n.anyOf, n.oneOf} {
		if list != nil && !slices.ContainsFunc(list, func(c *node) bool { return !w.judge(c) }) {
			return true
		}
	}
	return false
}

// needs reports whether an object requires a property without a value.
func (w *walker) needs(n *node) bool {
	if n.types != kindObject {
		return false
	}
	return slices.ContainsFunc(n.required, func(name string) bool {
		p := n.property(name)
		if p == nil && n.patterns == nil {
			p = n.additional
		}
		return p != nil && w.judge(p)
	})
}

// Never reports whether no value is valid, as far as this follows from the lists of values, the
// types, the combinations and the required properties.
func (s *Schema) Never() bool {
	if s.object != nil {
		return s.object.never
	}
	return s.root.never
}
