package schema

import (
	"math"

	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// judge marks the schemas that no value satisfies, as far as this follows from the lists of
// values, the types, the bounds, the combinations, and the members and items that an object or an array must
// have. A value is finite: a schema that always requires a further value of itself has none.
//
// The types of which a schema has a value are the least solution: each schema starts without a
// type, and gets types as the schemas that it depends on get theirs.
func (w *walker) judge(nodes []*node) {
	defer w.release()
	for _, n := range nodes {
		w.begin(n)
		w.rest()
	}
	for _, n := range w.judged {
		w.state[n.number].settled = true
		n.never = w.state[n.number].left == 0
	}
	w.judged = w.judged[:0]
}

// release forgets the unfinished judgements, because other work may make them.
func (w *walker) release() {
	for _, n := range w.judged {
		v := &w.state[n.number]
		*v = visit{done: v.done, paths: v.paths, chain: v.chain}
	}
	w.judged, w.again, w.waiting, w.inside = w.judged[:0], w.again[:0], nil, 0
}

// maxInside is the maximum number of schemas that are judged inside each other. Those below come
// later.
const maxInside = 1000

// begin judges a schema for the first time.
func (w *walker) begin(n *node) {
	v := &w.state[n.number]
	if v.judged {
		return
	}
	w.judged = append(w.judged, n)
	v.judged, v.most = true, n.alone(w.count)
	w.inside++
	w.evaluate(n)
	w.inside--
}

// rest judges the schemas again that depend on types which came later.
func (w *walker) rest() {
	for len(w.again) > 0 {
		n := w.again[len(w.again)-1]
		w.again = w.again[:len(w.again)-1]
		w.state[n.number].queued = false
		if w.state[n.number].judged {
			w.evaluate(n)
		} else {
			w.begin(n)
		}
	}
}

// evaluate finds the types of a schema, as they are by now.
func (w *walker) evaluate(n *node) {
	v := &w.state[n.number]
	v.waits = false
	left := v.most
	if left != 0 {
		left = (&prospect{n, w.count, w}).kinds(left)
	}
	grown := left != v.left
	v.left, v.settled = left, !v.waits || left == v.most
	if !grown {
		return
	}
	list := w.waiting[n]
	delete(w.waiting, n)
	for _, other := range list {
		w.later(other)
	}
}

// later queues a schema once.
func (w *walker) later(n *node) {
	w.count.Add(1)
	if v := &w.state[n.number]; !v.queued {
		v.queued = true
		w.again = append(w.again, n)
	}
}

// kindsOf returns the types of a schema for one that depends on it.
func (w *walker) kindsOf(n, of *node) kinds {
	w.count.Add(1)
	v := &w.state[of.number]
	if !v.judged {
		if w.inside < maxInside {
			w.begin(of)
		} else {
			w.later(of)
		}
	}
	if !v.settled {
		if w.waiting == nil {
			w.waiting = make(map[*node][]*node)
		}
		w.waiting[of] = append(w.waiting[of], n)
		w.state[n.number].waits = true
	}
	return v.left
}

// prospect is the question which values a schema has.
type prospect struct {
	schema *node
	count  *fuel.Counter
	w      *walker // nil: all are judged
}

// of returns the types of a schema that the answer depends on.
func (p *prospect) of(n *node) kinds {
	if p.w != nil {
		return p.w.kindsOf(p.schema, n)
	}
	if n.never {
		return 0
	}
	return kindAny
}

// kinds returns those types of which a value may satisfy the schema, after its parts.
func (p *prospect) kinds(left kinds) kinds {
	n := p.schema
	if n.ref != nil {
		left &= p.of(n.ref)
	}
	if len(n.allOf) > 0 {
		left = p.all(n.allOf, left)
	}
	for _, list := range [...][]*node{n.anyOf, n.oneOf} {
		var either kinds
		for _, c := range list {
			either |= p.of(c)
		}
		if list != nil {
			left &= either
		}
	}
	if n.condition != nil && n.otherwise != nil {
		yes := p.of(n.condition)
		if n.consequence != nil {
			yes &= p.of(n.consequence)
		}
		left &= yes | p.of(n.otherwise)
	}
	if left&kindArray != 0 && !p.array() {
		left &^= kindArray
	}
	if left&kindObject != 0 && !p.object() {
		left &^= kindObject
	}
	return left
}

// all returns those types of which a value may satisfy all of a list. Types that contradict each other
// as they are written are left for the service to refuse.
func (p *prospect) all(list []*node, left kinds) kinds {
	written, each := left, left
	for _, c := range list {
		k := p.of(c)
		if k == 0 {
			return 0
		}
		each &= k
		if p.w != nil && p.w.state[c.number].judged {
			written &= p.w.state[c.number].most
		} else {
			written &= c.alone(p.count)
		}
	}
	if written == 0 {
		return left
	}
	return each
}

// parts calls f for the schema and for all that every value of it must satisfy, until it returns false.
func (p *prospect) parts(n *node, f func(*node) bool) bool {
	p.count.Add(1)
	if !f(n) || n.ref != nil && !p.parts(n.ref, f) {
		return false
	}
	for _, c := range n.allOf {
		if !p.parts(c, f) {
			return false
		}
	}
	return true
}

// passes reports whether a schema says nothing itself, so that its only part has the answer.
func (n *node) passes(silent bool) bool {
	return silent && (n.ref == nil) != (len(n.allOf) == 0) && len(n.allOf) < 2
}

// array reports whether an array may satisfy the schema.
func (p *prospect) array() bool {
	n := p.schema
	if n.passes(n.minItems == nil && n.maxItems == nil && n.items == nil && n.prefix == nil && n.contains == nil) {
		return true
	}
	least, most := int64(0), int64(math.MaxInt64)
	if !p.parts(n, func(part *node) bool {
		if part.minItems != nil {
			least = max(least, *part.minItems)
		}
		if part.maxItems != nil {
			most = min(most, *part.maxItems)
		}
		if part.contains == nil || part.minContains != nil && *part.minContains < 1 {
			return true
		}
		least = max(least, 1)
		return p.of(part.contains) != 0
	}) {
		return false
	}
	return least == 0 || least <= most && p.parts(n, func(part *node) bool {
		for i, c := range part.prefix {
			if int64(i) < least && p.of(c) == 0 {
				return false
			}
		}
		return part.items == nil || least <= int64(len(part.prefix)) || p.of(part.items) != 0
	})
}

// object reports whether an object may satisfy the schema.
func (p *prospect) object() bool {
	n := p.schema
	if n.passes(n.minProps == nil && n.maxProps == nil && n.required == nil && n.properties == nil && n.patterns == nil && n.additional == nil && n.names == nil) {
		return true
	}
	least, most := int64(0), int64(math.MaxInt64)
	if !p.parts(n, func(part *node) bool {
		if part.minProps != nil {
			least = max(least, *part.minProps)
		}
		if part.maxProps != nil {
			most = min(most, *part.maxProps)
		}
		for _, name := range part.required {
			if least = max(least, 1); !p.member(name) {
				return false
			}
		}
		return true
	}) {
		return false
	}
	return least == 0 || least <= most && p.parts(n, func(part *node) bool {
		return p.holds(part, least) && (part.names == nil || p.of(part.names)&kindString != 0)
	})
}

// member reports whether the schema allows a value for a member.
func (p *prospect) member(name string) bool {
	left := kinds(kindAny)
	return p.parts(p.schema, func(part *node) bool {
		c := part.property(name)
		known := c != nil
		if known {
			left &= p.of(c)
		}
		for _, o := range part.patterns {
			if o.pattern.re != nil && o.pattern.matches(p.count, name) {
				known = true
				left &= p.of(o.schema)
			}
		}
		if !known && part.additional != nil && !part.patternLost {
			left &= p.of(part.additional)
		}
		return left != 0
	})
}

// holds reports whether the schema allows a number of members.
func (p *prospect) holds(n *node, least int64) bool {
	if n.additional == nil || n.patternLost || p.of(n.additional) != 0 {
		return true
	}
	for _, o := range n.patterns {
		if p.of(o.schema) != 0 {
			return true
		}
	}
	for _, c := range n.properties {
		if p.of(c.schema) != 0 {
			least--
		}
		if least <= 0 {
			return true
		}
	}
	return false
}

// alone returns the types of which a value may satisfy the keywords that need no other schema.
func (n *node) alone(count *fuel.Counter) kinds {
	count.Add(1 + len(n.enum))
	if n.never || n.not != nil && n.not.trivial() {
		return 0
	}
	left := n.types &^ n.outOfBounds()
	if n.same != "" {
		if _, listed := n.set[n.same]; n.hasSet && !listed || !n.within(count, n.konst) {
			return 0
		}
		return left & kindOf(n.konst)
	}
	if !n.hasSet {
		return left
	}
	var listed kinds
	if n.nullToo {
		listed = kindNull
	}
	for _, v := range n.enum {
		if n.within(count, v) {
			listed |= kindOf(v)
		}
	}
	return left & listed
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

// within reports whether a value is within the bounds.
func (n *node) within(count *fuel.Counter, v jsonscan.Node) bool {
	switch count.Text(len(v.Text())); v.Kind() {
	case jsonscan.Number:
		return !isAbove(n.minimum, &v, false) && !isAbove(&v, n.maximum, false) && !isAbove(n.above, &v, true) && !isAbove(&v, n.below, true)
	case jsonscan.String:
		if n.minLength == nil && n.maxLength == nil {
			break
		}
		text, _ := v.Str()
		size := length(text)
		return (n.minLength == nil || size >= *n.minLength) && (n.maxLength == nil || size <= *n.maxLength)
	}
	return true
}

// Never reports whether no value is valid, as far as this follows from the lists of values, the
// types, the bounds, the combinations, and the members and items that must be there. A schema that
// always requires a further value of itself has no value, because values are finite.
func (s *Schema) Never() bool {
	if s.object != nil {
		return s.object.never
	}
	return s.root.never
}
