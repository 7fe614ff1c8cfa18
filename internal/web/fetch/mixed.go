package fetch

import "sync"

// maxMixed bounds the hosts in mixedHosts. A full table forgets some of them, so that names from
// sites do not fill the memory.
const maxMixed = 4096

// mixedHosts contains the hosts whose last look-up returned both allowed addresses and addresses
// that the policy refuses (Policy.AllowMixedDNS). Answers are remembered longer than the look-up
// that led to them, so a connection cannot store this.
type mixedHosts struct {
	mu    sync.Mutex
	hosts map[string]bool
}

// note records the result of the last look-up of a host.
func (m *mixedHosts) note(host string, mixed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !mixed {
		delete(m.hosts, host)
		return
	}
	if m.hosts == nil {
		m.hosts = map[string]bool{}
	}
	for other := range m.hosts {
		if len(m.hosts) < maxMixed {
			break
		}
		delete(m.hosts, other)
	}
	m.hosts[host] = true
}

func (m *mixedHosts) has(host string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.hosts[host]
}

// Mixed reports whether the last look-up of a canonical host returned addresses that the policy
// refuses together with the used ones.
func (c *Conns) Mixed(host string) bool { return c.dialer.mixed.has(host) }
