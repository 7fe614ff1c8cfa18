package diff

import "github.com/wayfindhq/wayfind"

// offer is a capability with the service that has it.
type offer struct {
	service    *wayfind.Service
	capability *wayfind.Capability
}

// pairing is an offer of either Site that is the same thing.
type pairing struct {
	old, now offer
	// part: one of them has a partner already; the two are parts of a thing
	// that was one before, or has become one.
	part bool
}

// matcher pairs the offers of two Sites.
type matcher struct {
	old, now []offer
	from, to []bool // those that are paired
	pairs    []pairing
}

// match finds the capabilities that are the same: by key and document, by
// document and ID (a suffix like "~2" comes and goes with its neighbours),
// by key, and at last by alias, where one may stand for several that were
// merged. The rest is alone.
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

// document is the main source of an offer.
func (o offer) document() string { return sourcesOf(o.capability, o)[0].Source }

// by pairs offers of the same name, one to one; "" is no name.
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

// byAlias pairs the remaining ones with those that have one of their keys.
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

// byKey finds offers by all their keys; the first one with a key has it.
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
