package schema

import (
	"maps"

	"github.com/wayfindhq/wayfind/internal/jsonscan"
)

// lookup finds members of large objects without looking at all of them each time.
// The zero value knows none yet.
type lookup map[jsonscan.Node]map[string]jsonscan.Node

// few is the number of members up to which they are searched in turn.
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
