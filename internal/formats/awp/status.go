package awp

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// maxDegraded is the maximum number of degraded actions in an answer of a status endpoint.
const maxDegraded = 1000

// StatusOf reads the answer of a status endpoint (§13) about a service. The text gives it no form, so
// the members are those of agent_status, alone or within agent_status. A member that is absent keeps
// the value of the document, and a list of actions that is not known in full is added to the document's.
// It returns nil if the answer has none of them.
func StatusOf(root parse.Node, service *wayfind.Service) *wayfind.Status {
	if inner := root.Get("agent_status"); inner.Kind() == parse.Object {
		root = inner
	}
	s, said := *service.Status, false
	if works, ok := root.Get("operational").Bool(); ok {
		s.Operational, said = &works, true
	}
	if list := root.Get("degraded_actions"); list.Kind() == parse.Array && list.Len() <= maxDegraded {
		keys, all := []string{}, true
		for _, item := range list.Items() {
			id, _ := item.Str()
			i := slices.IndexFunc(service.Capabilities, func(c wayfind.Capability) bool { return c.ID == id })
			if i < 0 || id == "" {
				all = false
				continue
			}
			keys = append(keys, service.Capabilities[i].Key)
		}
		if !all { // the others may be those that the document states
			keys = append(keys, s.Degraded...)
		}
		slices.Sort(keys)
		s.Degraded, said = slices.Compact(keys), true
	}
	if !said {
		return nil
	}
	return &s
}
