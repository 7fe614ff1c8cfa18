package schema

import (
	"slices"

	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// judge marks a schema that no value satisfies, as far as this follows from the lists of
// values, the types, the bounds, the combinations and the required properties: an enum without values, a
// constant that is not in the enum of the same schema, a minimum above the maximum, a required property that
// is false. A cycle of required properties is treated as satisfiable.
func (w *walker) judge(n *node) bool {
	v := &w.state[n.number]
	if v.judged {
		return n.never
	}
	v.judged, v.left = true, n.types
	w.count.Add(1 + len(n.enum))
	n.never = n.never || n.valueless(w.count) || w.contradicts(n) || w.needs(n)
	if !n.never {
		v.left = w.kindsLeft(n)
		n.never = v.left == 0
	}
	return n.never
}

// kindsLeft returns the types of which a value may satisfy a schema, after its parts.
func (w *walker) kindsLeft(n *node) kinds {
	if n.items != nil {
		w.judge(n.items)
	}
	left := n.types &^ n.outOfBounds()
	if n.ref != nil {
		left &= w.kindsOf(n.ref)
	}
	for _, list := range [...][]*node{n.anyOf, n.oneOf} {
		var either kinds
		for _, c := range list {
			either |= w.kindsOf(c)
		}
		if list != nil {
			left &= either
		}
	}
	return left
}

// kindsOf returns the types of which a value may satisfy a part of a schema.
func (w *walker) kindsOf(n *node) kinds {
	if w.judge(n) {
		return 0
	}
	return w.state[n.number].left
}

// outOfBounds returns the types whose bounds leave no value.
func (n *node) outOfBounds() (none kinds) {
	if isAbove(n.minimum, n.maximum, false) || isAbove(n.minimum, n.below, true) || isAbove(n.above, n.maximum, true) || isAbove(n.above, n.below, true) {
		none |= kindNumber
	}
	for _, b := range [...]struct {
		least, most *int64
		kind        kinds
	}{{n.minLength, n.maxLength, kindString}, {n.minItems, n.maxItems, kindArray}, {n.minProps, n.maxProps, kindObject}} {
		if b.least != nil && b.most != nil && *b.least > *b.most {
			none |= b.kind
		}
	}
	if n.items != nil && n.items.never && n.minItems != nil && *n.minItems > int64(len(n.prefix)) {
		none |= kindArray
	}
	return none
}

// isAbove reports whether a lower bound is above an upper one, or equal if that leaves no value either.
func isAbove(low, high *jsonscan.Node, equal bool) bool {
	if low == nil || high == nil || tooLarge(*low) || tooLarge(*high) {
		return false
	}
	c := decimalOf(*low).compare(decimalOf(*high))
	return c > 0 || equal && c == 0
}

// valueless reports whether the list of values or the constant leaves no value.
func (n *node) valueless(count *fuel.Counter) bool {
	if n.same != "" {
		_, listed := n.set[n.same]
		return !n.holds(count, n.konst) || n.hasSet && !listed
	}
	return n.hasSet && (!n.nullToo || n.types&kindNull == 0) && !slices.ContainsFunc(n.enum, func(v jsonscan.Node) bool { return n.holds(count, v) })
}

// holds reports whether a value has one of the types and is within the bounds.
func (n *node) holds(count *fuel.Counter, v jsonscan.Node) bool {
	switch count.Text(len(v.Text())); v.Kind() {
	case jsonscan.Number:
		if isAbove(n.minimum, &v, false) || isAbove(&v, n.maximum, false) || isAbove(n.above, &v, true) || isAbove(&v, n.below, true) {
			return false
		}
	case jsonscan.String:
		if n.minLength == nil && n.maxLength == nil {
			break
		}
		text, _ := v.Str()
		if size := length(text); n.minLength != nil && size < *n.minLength || n.maxLength != nil && size > *n.maxLength {
			return false
		}
	}
	return n.types&kindOf(v) != 0
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
// types, the bounds, the combinations and the required properties.
func (s *Schema) Never() bool {
	if s.object != nil {
		return s.object.never
	}
	return s.root.never
}
