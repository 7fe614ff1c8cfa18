package schema

import (
	"slices"

	"github.com/wayfindhq/wayfind/internal/fuel"
)

// circles finds schemas that lead back to themselves on two ways at once: two schemas that
// look at one value give one of its members, or one of its items, to schemas that lead back.
// A validator without a memory takes at least twice as long for each level of such a value.
type circles struct {
	count *fuel.Counter
	first int    // the number of the first node
	marks []mark // by number from there
	stack []*node
	last  int // the order of the last node
}

// mark is the place of a node in the search for circles, which is that of Tarjan (1972).
type mark struct {
	order, low int // from 1
	open       bool
	circle     int // the same for all nodes of one; zero for a node in none
}

// unknown is the circle of nodes whose search ended early.
const unknown = -1

// circlesOf is for n nodes, whose numbers follow each other. Their references lead to nodes
// among them, or to nodes that lead to none of them.
func circlesOf(first, n int, count *fuel.Counter) *circles {
	return &circles{count: count, first: first, marks: make([]mark, n)}
}

// find finds the circles that the nodes are in.
func (c *circles) find(nodes []*node) {
	defer c.leave()
	for _, n := range nodes {
		if c.of(n).order == 0 {
			c.enter(n, 0)
		}
	}
}

// leave forgets the nodes of a search that ended early.
func (c *circles) leave() {
	for _, n := range c.stack {
		m := c.of(n)
		m.open, m.circle = false, unknown
	}
	c.stack = c.stack[:0]
}

func (c *circles) enter(n *node, depth int) *mark {
	if depth > MaxSubschemas {
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

// close takes the nodes of a circle, or a node in none, from the stack.
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

// of is the mark of a node; nil for one that is not among them.
func (c *circles) of(n *node) *mark {
	if i := n.number - c.first; i >= 0 && i < len(c.marks) {
		return &c.marks[i]
	}
	return nil
}

// doubled reports whether one of the nodes leads back to itself on two ways at once.
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

// ways are the schemas to which those that look at one value give its members and items.
type ways struct {
	*circles
	circle int
	leads  map[*node]bool // whether a schema that looks at the value leads on
	known  map[string]bool
	single [2]*node // what gives a property, and what gives an item of its own place
	rest   [2]*node // what gives any member, and what gives any item
	twice  bool
}

// The values of ways.single and ways.rest that stand for no schema, or for several.
var several, overlapping node

const (
	members = iota
	items
)

// visit looks at a schema of the value, and reports whether it leads on.
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

// one notes a property or an item of its own place that leads on.
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

// any notes that any member, or any item, leads on.
func (w *ways) any(kind int, by, c *node) bool {
	if !w.within(c) {
		return false
	}
	w.twice = w.twice || w.rest[kind] != nil
	w.rest[kind] = by
	return true
}

// within reports whether a schema leads back to the value that is looked at.
func (w *ways) within(n *node) bool {
	if n == nil {
		return false
	}
	m := w.of(n)
	return m != nil && m.circle == w.circle
}
