package schema

import "cmp"

// possible returns the types that a schema allows, according to its own keywords and the
// schemas that it combines. If none of them specifies a type, they are the types that its
// keywords apply to, as everywhere: see facts.infer.
func (w *projector) possible(n *node, at string) kinds {
	said, about := w.typesOf(n)
	if said != kindAny || about == 0 {
		return said
	}
	w.lose(at, "type", Narrower, "type_inferred")
	return about
}

// typesOf returns the types that a schema specifies, and the types that its keywords apply to.
func (w *projector) typesOf(n *node) (said, about kinds) {
	w.count.Add(1)
	own := &facts{types: kindAny, parts: []part{{schema: n}}}
	said, about = n.types, own.infer()
	if (n.hasSet || n.same != "") && w.apply(own, n) {
		said &= own.kindsOf()
	}
	for _, c := range n.allOf {
		k, of := w.typesOf(c)
		said, about = said&k, about|of
	}
	if n.ref != nil {
		k, of := w.typesOf(n.ref)
		said, about = said&k, about|of
	}
	for _, list := range [...][]*node{n.anyOf, n.oneOf} {
		var each, of kinds
		for _, c := range list {
			k, inferred := w.typesOf(c)
			each, of = each|k, of|inferred
			if k != kindAny {
				of |= k
			}
		}
		said, about = said&cmp.Or(each, kindAny), about|of
	}
	return said, about
}
