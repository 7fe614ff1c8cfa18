package schema

// inPlaceCost refuses in-place keywords that run in a circle, lead on in too
// many ways, or form too long a chain. A circle consumes nothing of the value.
// Unused definitions count as well.
func (r *reader) inPlaceCost() {
	w := walker{r: r, state: make([]visit, len(r.s.nodes))}
	for _, n := range r.s.nodes {
		w.visit(n)
	}
}

// visit is the state of a node.
type visit struct {
	open, done   bool
	paths, chain int
}

type walker struct {
	r     *reader
	state []visit
}

// visit goes in depth, at most as deep as there are nodes.
func (w *walker) visit(n *node) *visit {
	v := &w.state[n.number]
	if v.done {
		return v
	}
	if v.open {
		refuse(CodeCycle, n.source.Pointer(), "references run in a circle and consume nothing of the value")
	}
	v.open, v.paths = true, 1
	n.inPlace(func(c *node) {
		w.r.count.Add(1)
		next := w.visit(c)
		v.paths = min(v.paths+next.paths, MaxPaths+1)
		v.chain = max(v.chain, next.chain+1)
	})
	if v.paths > MaxPaths {
		refuse(CodeCost, n.source.Pointer(), "keywords lead to one value in too many ways")
	}
	if v.chain > MaxChain {
		refuse(CodeDepth, n.source.Pointer(), "too many references or combinations follow each other")
	}
	v.open, v.done = false, true
	return v
}
