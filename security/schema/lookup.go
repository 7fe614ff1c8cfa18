package schema

import (
	"maps"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// lookup finds members of large objects without examining all members each time. The zero value
// is empty.
type lookup map[jsonscan.Node]map[string]jsonscan.Node

// few is the maximum number of members that are searched one after another.
const few = 16

func (l *lookup) get(v jsonscan.Node, name string) jsonscan.Node {
	if v.Len() <= few {
		return v.Get(name)
	}
	members, ok := (*l)[v]
	if !ok {
		members = maps.Collect(v.Members())
		if *l == nil {
			*l = make(lookup)
		}
		(*l)[v] = members
	}
	return members[name]
}
