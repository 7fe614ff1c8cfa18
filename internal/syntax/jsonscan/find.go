package jsonscan

import (
	"slices"
	"strings"
)

// indexed is the number of members from which an object has an index.
const indexed = 16

// Find is Get for objects that are searched often. The first call sorts the members of a large
// object by their names. The Doc keeps the order, so all later calls take logarithmic time.
func (n Node) Find(name string) Node {
	if n.Kind() != Object || n.Len() < indexed {
		return n.Get(name)
	}
	ids := n.doc.sorted(n)
	i, found := slices.BinarySearchFunc(ids, name, func(id uint32, name string) int {
		return strings.Compare(n.doc.name(&n.doc.nodes[id]), name)
	})
	if !found {
		return Node{}
	}
	return Node{doc: n.doc, id: ids[i]}
}

// sorted returns the ids of an object's members, sorted by name.
func (d *Doc) sorted(object Node) []uint32 {
	if known, ok := d.indexes.Load(object.id); ok {
		return known.([]uint32)
	}
	type member struct {
		name string
		id   uint32
	}
	members := make([]member, object.Len()) // a name with escapes is decoded once
	for i := range members {
		c := object.Child(i)
		members[i] = member{c.Name(), c.id}
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	ids := make([]uint32, len(members))
	for i, m := range members {
		ids[i] = m.id
	}
	d.indexes.Store(object.id, ids)
	return ids
}
