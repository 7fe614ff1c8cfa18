package diff

import "github.com/wayfindhq/wayfind"

// offer is a capability and the service that contains it.
type offer struct {
	service    *wayfind.Service
	capability *wayfind.Capability
}

// pairing consists of two offers, one from each Site, that are the same thing.
type pairing struct {
	old, now offer
	// part is true if one of them already has a partner: the two are parts of a thing that was
	// split, or that was merged from several.
	part bool
}

// matcher pairs the offers of two Sites.
type matcher struct {
	old, now []offer
	from, to []bool // which offers are paired
	pairs    []pairing
}

// match pairs the capabilities that are the same. It compares key and document first, then
// document and ID (a suffix like "~2" depends on the neighbours), then the key alone, and
// finally aliases, because one capability may be merged from several. The remaining offers are
// returned as removed and added.
func match(old, now []offer) (pairs []pairing, removed, added []offer) {
	m := &matcher{old: old, now: now, from: make([]bool, len(old)), to: make([]bool, len(now))}
	m.by(func(o offer) string { return o.capability.Key + "\n" + o.document() })
	m.by(func(o offer) string {
		if o.document() == "" || o.capability.ID == "" {
			return ""
		}
		return o.capability.ID + "\n" + o.document()
	})
	m.by(func(o offer) string { return o.capability.Key })
	m.byAlias()
	return m.pairs, rest(old, m.from), rest(now, m.to)
}

// document returns the URL of the main source of an offer.
func (o offer) document() string { return sourcesOf(o.capability, o)[0].Source }

// by pairs offers with the same name, one to one; "" is not a name.
func (m *matcher) by(name func(offer) string) {
	at := map[string]int{}
	for j, n := range m.now {
		if _, taken := at[name(n)]; !taken && !m.to[j] {
			at[name(n)] = j
		}
	}
	for i, o := range m.old {
		if j, found := at[name(o)]; found && name(o) != "" && !m.from[i] && !m.to[j] {
			m.pair(i, j)
		}
	}
}

// byAlias pairs each remaining offer with an offer that has one of its keys.
func (m *matcher) byAlias() {
	at := byKey(m.old)
	for j, n := range m.now {
		if i, found := firstOf(at, n); found && !m.to[j] {
			m.pair(i, j)
		}
	}
	at = byKey(m.now)
	for i, o := range m.old {
		if j, found := firstOf(at, o); found && !m.from[i] {
			m.pair(i, j)
		}
	}
}

func (m *matcher) pair(i, j int) {
	m.pairs = append(m.pairs, pairing{m.old[i], m.now[j], m.from[i] || m.to[j]})
	m.from[i], m.to[j] = true, true
}

// byKey maps offers by all their keys. If several have the same key, the first one is used.
func byKey(list []offer) map[string]int {
	at := map[string]int{}
	for i, o := range list {
		for _, k := range keysOf(o.capability) {
			if _, taken := at[k]; !taken {
				at[k] = i
			}
		}
	}
	return at
}

func firstOf(at map[string]int, o offer) (int, bool) {
	for _, k := range keysOf(o.capability) {
		if i, found := at[k]; found {
			return i, true
		}
	}
	return 0, false
}

func rest(list []offer, taken []bool) []offer {
	var left []offer
	for i, o := range list {
		if !taken[i] {
			left = append(left, o)
		}
	}
	return left
}
