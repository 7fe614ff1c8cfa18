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
// the value of the document. It returns nil if the answer has none of them.
func StatusOf(root parse.Node, service *wayfind.Service) *wayfind.Status {
	if inner := root.Get("agent_status"); inner.Kind() == parse.Object {
		root = inner
	}
	s, said := *service.Status, false
	if works, ok := root.Get("operational").Bool(); ok {
		s.Operational, said = &works, true
	}
	if list := root.Get("degraded_actions"); list.Kind() == parse.Array && list.Len() <= maxDegraded {
		s.Degraded, said = nil, true
		for _, item := range list.Items() {
			id, _ := item.Str()
			if i := slices.IndexFunc(service.Capabilities, func(c wayfind.Capability) bool { return c.ID == id }); i >= 0 && id != "" {
				s.Degraded = append(s.Degraded, service.Capabilities[i].Key)
			}
		}
	}
	if !said {
		return nil
	}
	return &s
}
