package schema

import "iter"

// maxTextDepth is the number of properties that [Schema.Texts] descends.
const maxTextDepth = 6

// Texts yields the texts that describe a schema: the names of properties, their
// titles and descriptions, and the strings of enums, six properties deep, each
// subschema once.
func (s *Schema) Texts() iter.Seq[string] {
	return func(yield func(string) bool) {
		t := texts{yield: yield, seen: make(map[*node]bool), going: true}
		t.schema(s.root, 0)
	}
}

type texts struct {
	yield func(string) bool
	seen  map[*node]bool
	going bool
}

func (t *texts) say(text string) {
	if t.going && text != "" {
		t.going = t.yield(text)
	}
}

func (t *texts) schema(n *node, depth int) {
	if n == nil || t.seen[n] || !t.going || depth > maxTextDepth {
		return
	}
	t.seen[n] = true
	if depth > 0 {
		t.say(n.title)
		t.say(n.description)
	}
	for _, v := range n.enum {
		if text, ok := v.Str(); ok {
			t.say(text)
		}
	}
	n.inPlace(func(c *node) { t.schema(c, depth) })
	for _, p := range n.properties {
		t.say(p.name)
		t.schema(p.schema, depth+1)
	}
	for _, c := range n.prefix {
		t.schema(c, depth+1)
	}
	t.schema(n.items, depth+1)
	t.schema(n.additional, depth+1)
}
