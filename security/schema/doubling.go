package schema

import (
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"slices"

	"github.com/wayfindhq/wayfind/internal/run/fuel"
)

// circles finds schemas that lead back to themselves in two ways at once: two schemas that
// apply to one value apply schemas that lead back to one of its members, or to one of its
// items. A validator that does not remember results needs at least twice the time for each
// additional level of such a value.
type circles struct {
	count *fuel.Counter
	first int    // the number of the first node
	marks []mark // by number, starting at first
	stack []*node
	last  int // the order of the last node
}

// mark is the state of a node in the search for circles, with the algorithm of Tarjan (1972).
type mark struct {
	order, low int // starting at 1
	open       bool
	circle     int // the same for all nodes of a circle; zero for a node in no circle
}

// unknown is the circle of nodes whose search ended early.
const unknown = -1

// circlesOf returns a search over n nodes with consecutive numbers. Their references must lead
// to nodes among them, or to nodes that lead to none of them.
func circlesOf(first, n int, count *fuel.Counter) *circles {
	return &circles{count: count, first: first, marks: make([]mark, n)}
}

// find finds the circles that contain the nodes.
func (c *circles) find(nodes []*node) {
	defer c.leave()
	for _, n := range nodes {
		if c.of(n).order == 0 {
			c.enter(n, 0)
		}
	}
}

// leave resets the nodes of a search that ended early.
func (c *circles) leave() {
	for _, n := range c.stack {
		m := c.of(n)
		m.open, m.circle = false, unknown
	}
	c.stack = c.stack[:0]
}

func (c *circles) enter(n *node, depth int) *mark {
	if depth > jsonschema.MaxSubschemas {
		refuse(CodeSize, "", "it has more subschemas than the limit")
	}
	c.count.Add(1)
	m := c.of(n)
	c.last++
	m.order, m.low, m.open = c.last, c.last, true
	c.stack = append(c.stack, n)
	n.children(func(child *node) {
		switch next := c.of(child); {
		case next == nil:
		case next.order == 0:
			m.low = min(m.low, c.enter(child, depth+1).low)
		case next.open:
			m.low = min(m.low, next.order)
		}
	})
	if m.low == m.order {
		c.close(n, m)
	}
	return m
}

// close removes the nodes of a circle, or a node in no circle, from the stack.
func (c *circles) close(n *node, m *mark) {
	alone := c.stack[len(c.stack)-1] == n
	for m.open {
		top := c.of(c.stack[len(c.stack)-1])
		c.stack = c.stack[:len(c.stack)-1]
		if top.open = false; !alone {
			top.circle = m.order
		}
	}
}

// of returns the mark of a node, or nil for a node that is not searched.
func (c *circles) of(n *node) *mark {
	if i := n.number - c.first; i >= 0 && i < len(c.marks) {
		return &c.marks[i]
	}
	return nil
}

// doubled reports whether one of the nodes leads back to itself in two ways at once.
func (c *circles) doubled(nodes []*node) bool {
	return slices.ContainsFunc(nodes, func(n *node) bool {
		m := c.of(n)
		if m.circle <= 0 {
			return m.circle == unknown
		}
		w := &ways{circles: c, circle: m.circle, leads: make(map[*node]bool), known: make(map[string]bool)}
		w.visit(n)
		return w.twice
	})
}

// ways are the schemas that the schemas for one value apply to its members and items.
type ways struct {
	*circles
	circle int
	leads  map[*node]bool // whether a schema that applies to the value leads on
	known  map[string]bool
	single [2]*node // the schema that applies to a named property, and the one that applies to an item at a fixed position
	rest   [2]*node // the schema that applies to any member, and the one that applies to any item
	twice  bool
}

// Values of ways.single and ways.rest that are not one schema: several schemas, or schemas that
// may apply to the same member or item as others (patterns and contains).
var several, overlapping node

const (
	members = iota
	items
)

// visit visits a schema of the value, and reports whether it leads on.
func (w *ways) visit(n *node) (on bool) {
	if on, known := w.leads[n]; known {
		w.twice = w.twice || on
		return on
	}
	w.count.Add(1)
	on = w.members(n) || on
	on = w.items(n) || on
	n.inPlace(func(c *node) {
		if w.within(c) {
			on = w.visit(c) || on
		}
	})
	for kind, by := range w.rest {
		w.twice = w.twice || by != nil && w.single[kind] != nil && by != w.single[kind]
	}
	w.leads[n] = on
	return on
}

func (w *ways) members(n *node) (on bool) {
	for _, p := range n.properties {
		on = w.one(members, "/"+p.name, n, p.schema) || on
	}
	for _, p := range n.patterns {
		on = w.any(members, &overlapping, p.schema) || on
	}
	on = w.any(members, n, n.additional) || on
	return w.any(members, n, n.unevaluated) || on
}

func (w *ways) items(n *node) (on bool) {
	for i, c := range n.prefix {
		on = w.one(items, index(i), n, c) || on
	}
	on = w.any(items, &overlapping, n.contains) || on
	on = w.any(items, n, n.items) || on
	return w.any(items, n, n.unevaluatedItems) || on
}

// one records that a named property, or an item at a fixed position, leads on.
func (w *ways) one(kind int, key string, by, c *node) bool {
	if !w.within(c) {
		return false
	}
	w.twice = w.twice || w.known[key]
	w.known[key] = true
	if had := w.single[kind]; had != nil && had != by {
		by = &several
	}
	w.single[kind] = by
	return true
}

// any records that any member, or any item, leads on.
func (w *ways) any(kind int, by, c *node) bool {
	if !w.within(c) {
		return false
	}
	w.twice = w.twice || w.rest[kind] != nil
	w.rest[kind] = by
	return true
}

// within reports whether a schema leads back to the present value.
func (w *ways) within(n *node) bool {
	if n == nil {
		return false
	}
	m := w.of(n)
	return m != nil && m.circle == w.circle
}
