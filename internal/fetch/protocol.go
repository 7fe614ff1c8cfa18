package fetch

// maxPlain bounds the origins that are remembered to speak HTTP/1.1.
const maxPlain = 1024

// plainOrigins are origins that spoke HTTP/1.1 the last time. Their next
// requests need not wait for one handshake to say so before the other
// connections are begun: that saves two round trips.
type plainOrigins map[origin]struct{}

func (s plainOrigins) has(o origin) bool {
	_, ok := s[o]
	return ok
}

// add remembers an origin; where there are too many, any other is forgotten.
func (s plainOrigins) add(o origin) {
	if len(s) >= maxPlain && !s.has(o) {
		for other := range s {
			delete(s, other)
			break
		}
	}
	s[o] = struct{}{}
}

// learn takes note of the protocol of a new connection. One with HTTP/2 is
// enough: other dials, begun because of the origin's last protocol, end. c.mu
// is held.
func (c *Conns) learn(p *pool, h2 bool) {
	p.h1 = !h2
	if p.h1 {
		c.plain.add(p.origin)
		return
	}
	delete(c.plain, p.origin)
	p.cancelDials()
}
