package merge

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/fuel"
)

// Calls finds the capabilities of a Site by the calls that they make. The
// variables of a query tell no two calls apart. Claims of another site are left
// out: they count for nothing, as in Merge.
type Calls map[string][]entry

// CallsOf makes the Calls of a Site. Names of calls are expensive, so that those
// who describe many capabilities make them once.
func CallsOf(w *fuel.Counter, site *wayfind.Site) Calls {
	calls, found := newCaller(w), make(Calls)
	for i := range site.Services {
		s := &site.Services[i]
		for j := range s.Capabilities {
			c := &s.Capabilities[j]
			w.Add(1)
			if ofAnotherSite(site, c.Sources) {
				continue
			}
			if call := baseOf(calls.callOf(s, c)); call != "" {
				found[call] = append(found[call], entry{service: s, capability: c})
			}
		}
	}
	return found
}

// Tighten applies to capabilities of a service the demands of the rest of the
// Site on the same calls. Merge joins readings of one call, and only a detail
// document may name the call of a capability.
func (s Calls) Tighten(w *fuel.Counter, service *wayfind.Service, capabilities ...*wayfind.Capability) {
	m := newCompleter(w)
	for _, c := range capabilities {
		same := s[baseOf(m.calls.callOf(service, c))]
		w.Add(1 + len(same))
		for _, other := range same {
			if c.Key != other.capability.Key {
				m.joinCaution(c, service, other.capability, other.service, false)
			}
		}
	}
}

// ofAnotherSite reports whether a reading is a claim of another site.
func ofAnotherSite(site *wayfind.Site, sources []wayfind.Ref) bool {
	if len(sources) == 0 {
		return true
	}
	source := site.Source(sources[0].Source)
	return source == nil || source.Trust == wayfind.TrustCrossSite
}
