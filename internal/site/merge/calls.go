package merge

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
)

// Calls contains the capabilities of a Site by the calls that they make. Calls that differ only in
// the variables of a query are the same. Claims of another site are left out, as in Merge.
type Calls map[string]*caution

// caution contains the demands of all readings of one call together, so that a call which all
// operations of a site share takes no longer than any other.
type caution struct {
	all     wayfind.Capability
	keys    int
	lastKey string // the only key, if there is only one
	lost    bool   // the authentication is too long to be repeated
}

// maxEarlier bounds the earlier calls that a capability gets from other readings.
const maxEarlier = 100

// add merges the demands of one more reading.
func (d *caution) add(m *auths, e entry) {
	c := *e.capability
	c.DependsOn = c.DependsOn[:min(len(c.DependsOn), maxEarlier-len(d.all.DependsOn))]
	_, lost := m.joinCaution(&d.all, &wayfind.Service{}, &c, e.service, false)
	d.lost = d.lost || lost
	if d.keys == 0 || d.lastKey != c.Key {
		d.keys, d.lastKey = d.keys+1, c.Key
	}
}

// CallsOf makes the Calls of a Site. Names of calls are expensive, so a caller that describes many
// capabilities should make them once.
func CallsOf(w *fuel.Counter, site *wayfind.Site) Calls {
	calls, auths, found := newCaller(w), newAuths(w), make(Calls)
	for i := range site.Services {
		s := &site.Services[i]
		for j := range s.Capabilities {
			c := &s.Capabilities[j]
			w.Add(1)
			if ofAnotherSite(site, c.Sources) {
				continue
			}
			call := baseOf(calls.callOf(s, c))
			if call == "" {
				continue
			}
			if found[call] == nil {
				found[call] = &caution{}
			}
			found[call].add(auths, entry{service: s, capability: c})
		}
	}
	return found
}

// Tighten applies the demands of the rest of the Site on the same calls to capabilities of a
// service. Merge already joins readings of one call, but a capability may get its call only from a
// detail document. The reading that a capability was completed from is among the Calls, and adds
// nothing.
func (s Calls) Tighten(w *fuel.Counter, service *wayfind.Service, capabilities ...*wayfind.Capability) {
	m := newCompleter(w)
	for _, c := range capabilities {
		w.Add(1)
		same := s[baseOf(m.calls.callOf(service, c))]
		if same == nil || same.keys == 1 && same.lastKey == c.Key {
			continue
		}
		m.joinCaution(c, service, &same.all, &wayfind.Service{}, false)
		if same.lost {
			c.Auth = m.lost
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
