package schema

import "github.com/wayfindhq/wayfind/internal/syntax/jsonscan"

// seen contains the parts of a value that keywords have evaluated (2020-12 core §11).
type seen struct {
	all   bool
	names map[string]bool // of an object
	upto  int             // of an array: the number of leading items
	items map[int]bool    // and other items
}

// newSeen returns nil if no keyword needs it.
func (r *run) newSeen(v jsonscan.Node) *seen {
	if !r.tracks || v.Kind() != jsonscan.Object && v.Kind() != jsonscan.Array {
		return nil
	}
	return &seen{}
}

// join adds the parts that another schema has evaluated in the same value.
func (r *run) join(e, other *seen) {
	if e == nil || other == nil {
		return
	}
	r.count.Add(1 + len(other.names) + len(other.items))
	e.all = e.all || other.all
	e.upto = max(e.upto, other.upto)
	for name := range other.names {
		e.name(name)
	}
	for i := range other.items {
		e.item(i)
	}
}

func (e *seen) name(name string) {
	if e == nil {
		return
	}
	if e.names == nil {
		e.names = make(map[string]bool)
	}
	e.names[name] = true
}

func (e *seen) item(i int) {
	if e == nil {
		return
	}
	if e.items == nil {
		e.items = make(map[int]bool)
	}
	e.items[i] = true
}

// object applies the keywords for objects (2020-12 core §10.3.2, validation §6.5).
func (r *run) object(n *node, v jsonscan.Node, e *seen) *failure {
	size := int64(v.Len())
	switch {
	case n.minProps != nil && size < *n.minProps:
		return n.fails(v, "minProperties")
	case n.maxProps != nil && size > *n.maxProps:
		return n.fails(v, "maxProperties")
	}
	r.count.Add(len(n.required) + len(n.dependentRequired))
	for _, name := range n.required {
		if r.members.get(v, name).Kind() == jsonscan.Missing {
			return &failure{v, n, "required", name}
		}
	}
	if f := r.dependent(n, v, e); f != nil {
		return f
	}
	if n.properties != nil || n.patterns != nil || n.additional != nil || n.names != nil {
		for i := range v.Len() {
			if f := r.member(n, v.Child(i), e); f != nil {
				return f
			}
		}
	}
	if n.unevaluated == nil {
		return nil
	}
	for i := range v.Len() {
		c := v.Child(i)
		r.count.Add(1)
		if e.all || e.names[c.Name()] {
			continue
		}
		if f, _ := r.eval(n.unevaluated, c); f != nil {
			return f.under(n, "unevaluatedProperties")
		}
	}
	e.all = true
	return nil
}

// under replaces the failure of a false schema with a failure of the keyword that contains it.
func (f *failure) under(n *node, keyword string) *failure {
	if f.rule == "false" {
		return &failure{f.value, n, keyword, f.value.Name()}
	}
	return f
}

func (r *run) dependent(n *node, v jsonscan.Node, e *seen) *failure {
	for _, d := range n.dependentRequired {
		if r.members.get(v, d.name).Kind() == jsonscan.Missing {
			continue
		}
		r.count.Add(len(d.needs))
		for _, name := range d.needs {
			if r.members.get(v, name).Kind() == jsonscan.Missing {
				return &failure{v, n, "dependentRequired", name}
			}
		}
	}
	for _, d := range n.dependentSchemas {
		r.count.Add(1)
		if r.members.get(v, d.name).Kind() == jsonscan.Missing {
			continue
		}
		f, s := r.eval(d.schema, v)
		if f != nil {
			return f
		}
		r.join(e, s)
	}
	return nil
}

// member applies the keywords of a schema to one property.
func (r *run) member(n *node, c jsonscan.Node, e *seen) *failure {
	name := c.Name()
	r.count.Add(1)
	if n.names != nil {
		if f := r.propertyName(n, c, name); f != nil {
			return f
		}
	}
	known := false
	if p := n.property(name); p != nil {
		known = true
		if f, _ := r.eval(p, c); f != nil {
			return f.under(n, "properties")
		}
	}
	for _, p := range n.patterns {
		if p.pattern.re == nil || !p.pattern.matches(r.count, name) {
			continue
		}
		known = true
		if f, _ := r.eval(p.schema, c); f != nil {
			return f.under(n, "patternProperties")
		}
	}
	if !known && n.additional != nil && !n.patternLost {
		known = true
		if f, _ := r.eval(n.additional, c); f != nil {
			return f.under(n, "additionalProperties")
		}
	}
	if known {
		e.name(name)
	}
	return nil
}

// propertyName validates a name as a string.
func (r *run) propertyName(n *node, c jsonscan.Node, name string) *failure {
	r.count.Text(len(name))
	doc, err := jsonscan.Scan(jsonscan.AppendQuote(nil, name))
	if err != nil {
		return &failure{c, n, "propertyNames", name}
	}
	if f, _ := r.eval(n.names, doc.Root()); f != nil {
		return &failure{c, n, "propertyNames", name}
	}
	return nil
}

// array applies the keywords for arrays (2020-12 core §10.3.1, validation §6.4).
func (r *run) array(n *node, v jsonscan.Node, e *seen) *failure {
	size := int64(v.Len())
	switch {
	case n.minItems != nil && size < *n.minItems:
		return n.fails(v, "minItems")
	case n.maxItems != nil && size > *n.maxItems:
		return n.fails(v, "maxItems")
	case n.unique && !r.unique(v):
		return n.fails(v, "uniqueItems")
	}
	first := min(len(n.prefix), v.Len())
	for i := range first {
		if f, _ := r.eval(n.prefix[i], v.Child(i)); f != nil {
			return f.under(n, "prefixItems")
		}
	}
	if e != nil {
		e.upto = max(e.upto, first)
	}
	if n.items != nil {
		for i := first; i < v.Len(); i++ {
			if f, _ := r.eval(n.items, v.Child(i)); f != nil {
				return f.under(n, "items")
			}
		}
		if e != nil {
			e.all = true
		}
	}
	if n.contains != nil {
		if f := r.contains(n, v, e); f != nil {
			return f
		}
	}
	if n.unevaluatedItems == nil {
		return nil
	}
	for i := range v.Len() {
		r.count.Add(1)
		if e.all || i < e.upto || e.items[i] {
			continue
		}
		if f, _ := r.eval(n.unevaluatedItems, v.Child(i)); f != nil {
			return f.under(n, "unevaluatedItems")
		}
	}
	e.all = true
	return nil
}

// unique compares keys, so it takes no longer than reading the value.
func (r *run) unique(v jsonscan.Node) bool {
	if v.Len() < 2 {
		return true
	}
	had := make(map[string]bool, v.Len())
	for i := range v.Len() {
		key := r.keys.of(r.count, v.Child(i))
		if had[key] {
			return false
		}
		had[key] = true
	}
	return true
}

func (r *run) contains(n *node, v jsonscan.Node, e *seen) *failure {
	var found int64
	for i := range v.Len() {
		if f, _ := r.eval(n.contains, v.Child(i)); f == nil {
			found++
			if n.source.Kind() == jsonscan.Object && n.place.dialect.rank() >= 2020 {
				e.item(i)
			}
		}
	}
	least := int64(1)
	if n.minContains != nil {
		least = *n.minContains
	}
	if found < least || n.maxContains != nil && found > *n.maxContains {
		return n.fails(v, "contains")
	}
	return nil
}
