package schema

import "iter"

// maxTextDepth is the number of properties to which [Schema.Texts] descends.
const maxTextDepth = 6

// Texts yields the texts that describe a schema: the names of properties, their titles and
// descriptions, and the strings of enums, six properties deep. Each subschema is visited once.
// The texts of outer properties are first.
func (s *Schema) Texts() iter.Seq[string] {
	return func(yield func(string) bool) {
		t := texts{yield: yield, seen: make(map[*node]bool), going: true}
		t.below = []*node{s.top()}
		for ; t.going && t.depth <= maxTextDepth && len(t.below) > 0; t.depth++ {
			level := t.below
			t.below = nil
			for _, n := range level {
				t.schema(n)
			}
		}
	}
}

type texts struct {
	yield func(string) bool
	seen  map[*node]bool
	going bool
	depth int     // in properties
	below []*node // one property deeper
}

func (t *texts) say(text string) {
	if t.going && text != "" {
		t.going = t.yield(text)
	}
}

func (t *texts) schema(n *node) {
	if n == nil || t.seen[n] || !t.going {
		return
	}
	t.seen[n] = true
	if t.depth > 0 {
		t.say(n.title)
		t.say(n.description)
	}
	for _, v := range n.enum {
		if text, ok := v.Str(); ok {
			t.say(text)
		}
	}
	n.inPlace(t.schema)
	for _, p := range n.properties {
		t.say(p.name)
		t.below = append(t.below, p.schema)
	}
	t.below = append(t.below, n.prefix...)
	t.below = append(t.below, n.items, n.additional)
}
