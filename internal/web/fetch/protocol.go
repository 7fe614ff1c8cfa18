package fetch

// maxPlain bounds the remembered origins that speak HTTP/1.1.
const maxPlain = 1024

// plainOrigins contains origins that spoke HTTP/1.1 the last time. Their next requests can begin
// all connections at once, without waiting for the protocol of a first handshake, which saves two
// round trips.
type plainOrigins map[origin]struct{}

func (s plainOrigins) has(o origin) bool {
	_, ok := s[o]
	return ok
}

// add remembers an origin. If there are too many, an arbitrary one is forgotten.
func (s plainOrigins) add(o origin) {
	if len(s) >= maxPlain && !s.has(o) {
		for other := range s {
			delete(s, other)
			break
		}
	}
	s[o] = struct{}{}
}

// learn records the protocol of a new connection. One connection with HTTP/2 is enough, so other
// dials, begun because of the origin's last protocol, end. c.mu is held.
func (c *Conns) learn(p *pool, h2 bool) {
	p.h1 = !h2
	if p.h1 {
		c.plain.add(p.origin)
		return
	}
	delete(c.plain, p.origin)
	p.cancelDials()
}
