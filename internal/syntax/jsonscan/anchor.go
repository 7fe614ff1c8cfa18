package jsonscan

import (
	"slices"
	"strings"
)

// anchors contains the anchors of the JSON Schemas in a document.
type anchors struct {
	at map[anchor]uint32 // the id of the schema, or ambiguous
	// edges are the offsets at which another schema resource begins or resumes, in order.
	edges []edge
}

// anchor is a name in a schema resource: names are unique in one only (JSON Schema 2020-12 §8.2.2).
type anchor struct {
	resource uint32
	name     string
}

type edge struct{ offset, resource uint32 }

// ambiguous is the value of an anchor that several schemas of a resource have. It means none of
// them.
const ambiguous = ^uint32(0)

// Anchor returns the JSON Schema that a reference to the fragment name means, which stands at n:
// the one with this $anchor, $dynamicAnchor or, as in draft-07, "$id": "#name", in the schema
// resource around n. A schema with another $id is a resource of its own, and so is each value in
// the top-level member apart. The first call reads the document once.
func (n Node) Anchor(name, apart string) Node {
	if n.doc == nil {
		return Node{}
	}
	const key = "anchors"
	known, ok := n.doc.indexes.Load(key)
	if !ok {
		a := &anchors{at: make(map[anchor]uint32)}
		for _, m := range n.doc.Root().Members() {
			a.member(m, 0, m.Name() == apart, false)
		}
		known = a
		n.doc.indexes.Store(key, known)
	}
	a := known.(*anchors)
	i, found := slices.BinarySearchFunc(a.edges, uint32(n.Offset()), func(e edge, offset uint32) int { return int(e.offset) - int(offset) })
	if !found {
		i--
	}
	var resource uint32
	if i >= 0 {
		resource = a.edges[i].resource
	}
	id, ok := a.at[anchor{resource, name}]
	if !ok || id == ambiguous {
		return Node{}
	}
	return Node{doc: n.doc, id: id}
}

// member reads the value of a member of an object, unless its name says that it is data and no
// schema. names is set if the name is a word of the author, such as that of a property.
func (a *anchors) member(n Node, resource uint32, apart, names bool) {
	name := n.Name()
	switch {
	case apart:
		for _, file := range n.Members() {
			a.within(file, resource, false)
		}
	case names:
		a.value(n, resource, false)
	case strings.HasPrefix(name, "x-"):
	default:
		switch name {
		case "example", "examples", "enum", "const", "default":
		case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions", "schemas", "responses", "parameters",
			"requestBodies", "headers", "paths", "pathItems", "content", "callbacks", "webhooks":
			a.value(n, resource, true)
		default:
			a.value(n, resource, false)
		}
	}
}

// within reads a value that is a resource of its own.
func (a *anchors) within(n Node, around uint32, names bool) {
	a.edges = append(a.edges, edge{uint32(n.Offset()), n.id + 1})
	a.members(n, n.id+1, names)
	a.edges = append(a.edges, edge{n.node().end, around})
}

// value reads a value.
func (a *anchors) value(n Node, resource uint32, names bool) {
	switch n.Kind() {
	case Array:
		for i := range n.Len() {
			a.value(n.Child(i), resource, false)
		}
	case Object:
		if id, ok := n.Get("$id").Str(); ok && !names && !strings.HasPrefix(id, "#") {
			a.within(n, resource, names)
			return
		}
		a.members(n, resource, names)
	}
}

func (a *anchors) members(n Node, resource uint32, names bool) {
	for _, m := range n.Members() {
		if text, ok := m.Str(); ok && !names {
			a.named(n, resource, m.Name(), text)
			continue
		}
		a.member(m, resource, false, names)
	}
}

// named notes the anchor of a schema.
func (a *anchors) named(n Node, resource uint32, keyword, text string) {
	switch keyword {
	case "$anchor", "$dynamicAnchor":
	case "$id":
		name, is := strings.CutPrefix(text, "#")
		if !is {
			return
		}
		text = name
	default:
		return
	}
	key := anchor{resource, text}
	if id, twice := a.at[key]; twice && id != n.id {
		a.at[key] = ambiguous
		return
	}
	a.at[key] = n.id
}
