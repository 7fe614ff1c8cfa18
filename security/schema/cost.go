package schema

import (
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
)

// inPlaceCost refuses in-place keywords that form a cycle, lead to other schemas in too many
// ways, or form too long a chain. A cycle consumes nothing of the value. Unused definitions are
// included. inPlaceCost also marks the schemas that no value satisfies.
func (r *reader) inPlaceCost() {
	w := walker{count: r.count, state: make([]visit, len(r.s.nodes)), most: jsonschema.MaxSubschemas}
	for _, n := range r.s.nodes {
		w.visit(n)
	}
	w.judge(r.s.nodes)
}

// visit is the state of a node.
type visit struct {
	open, done   bool
	paths, chain int

	// See judge.
	judged     bool  // it has begun
	settled    bool  // its types do not change any more
	waits      bool  // its types depend on some that may change
	queued     bool  // it is in walker.again
	most, left kinds // its types without its parts, and as they are by now
}

type walker struct {
	count *fuel.Counter
	state []visit
	path  []*visit // the open nodes
	most  int      // the maximum number of open nodes

	// See judge.
	judged  []*node           // those whose answer is not final
	again   []*node           // those to be judged (again)
	waiting map[*node][]*node // those that depend on the types of one
	inside  int               // the number of nodes that are judged inside each other
}

// leave removes a path that was refused, because its nodes may be part of other paths.
func (w *walker) leave() {
	for _, v := range w.path {
		v.open = false
	}
}

// visit visits nodes depth-first. The depth is at most the number of nodes.
func (w *walker) visit(n *node) *visit {
	v := &w.state[n.number]
	if v.done {
		return v
	}
	if v.open {
		refuse(codeCycle, n.source.Pointer(), "references run in a circle and consume nothing of the value")
	}
	if len(w.path) > w.most {
		refuse(CodeDepth, n.source.Pointer(), "too many references or combinations follow each other")
	}
	v.open, v.paths, v.chain = true, 1, 0
	w.path = append(w.path, v)
	n.inPlace(func(c *node) {
		w.count.Add(1)
		next := w.visit(c)
		v.paths = min(v.paths+next.paths, maxPaths+1)
		v.chain = max(v.chain, next.chain+1)
	})
	if v.paths > maxPaths {
		refuse(CodeCost, n.source.Pointer(), "keywords lead to one value in too many ways")
	}
	if v.chain > maxChain {
		refuse(CodeDepth, n.source.Pointer(), "too many references or combinations follow each other")
	}
	v.open, v.done = false, true
	w.path = w.path[:len(w.path)-1]
	return v
}
