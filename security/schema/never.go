package schema

import (
	"slices"

	"github.com/wayfindhq/wayfind/internal/jsonscan"
)

// judge marks a schema that takes no value, as far as the lists of values, the types, the
// combinations and the required properties show: an enum without values, a constant that
// is not in the enum beside it, a required property that is false. A circle of required
// properties counts as one that takes a value.
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

// valueless reports a list of values or a constant that leaves no value.
func (n *node) valueless() bool {
	if n.same != "" {
		_, listed := n.set[n.same]
		return n.types&kindOf(n.konst) == 0 || n.hasSet && !listed
	}
	return n.hasSet && (!n.nullToo || n.types&kindNull == 0) && !slices.ContainsFunc(n.enum, func(v jsonscan.Node) bool { return n.types&kindOf(v) != 0 })
}

// contradicts reports combined schemas that leave no value.
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

// needs reports an object that requires a property without a value.
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

// Never reports whether no value is valid, as far as the lists of values, the types, the
// combinations and the required properties show.
func (s *Schema) Never() bool {
	if s.object != nil {
		return s.object.never
	}
	return s.root.never
}
