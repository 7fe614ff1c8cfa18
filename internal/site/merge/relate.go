package merge

import (
	"slices"

	"github.com/wayfindhq/wayfind"
)

// relate marks capabilities that may be the same, without proof: a summary whose contract is
// elsewhere, and another capability of the origin with the same ID. Each of the two demands the
// stricter authentication.
func (m *merger) relate(sources []source) {
	byID := func(_ *wayfind.Service, c *wayfind.Capability) string { return c.ID }
	for _, group := range m.groups(sources, byID) {
		m.work.Add(len(group) * len(group)) // at most one of each source
		said := make([]*wayfind.Auth, len(group))
		for i, e := range group { // before an entry takes over the demands of another
			said[i] = authOf(e.capability.Auth, e.service)
		}
		for _, a := range group {
			for i, b := range group {
				if a.source != b.source && (a.capability.Lazy || b.capability.Lazy) && near(a.capability) && near(b.capability) {
					a.capability.Related = append(a.capability.Related, b.capability.Key)
					m.tighten(a, b, said[i])
				}
			}
			slices.Sort(a.capability.Related)
		}
	}
}

// tighten gives a the authentication of its relative b if that is stricter. Two different ways to
// authenticate are not compared, because the two may be different calls after all.
func (m *merger) tighten(a, b entry, auth *wayfind.Auth) {
	c := a.capability
	own := authOf(c.Auth, a.service)
	stricter, conflict := m.auths.merge(own, auth, false)
	if stricter == own {
		return
	}
	if conflict != "" {
		m.conflict(c.Key, "auth", conflict, c.Sources, b.capability.Sources)
	}
	m.give(&c.Auth, stricter)
	c.Sources = joinRefs(m.work, c.Sources, joinRefs(m.work, b.capability.Sources, governors(b.capability.Auth, b.service)))
}

// near reports whether a capability belongs to the site, as far as is known.
func near(c *wayfind.Capability) bool {
	return c.Trust != wayfind.TrustCrossSite && c.Trust != wayfind.TrustNeedsApproval
}
