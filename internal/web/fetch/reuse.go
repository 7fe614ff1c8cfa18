package fetch

import (
	"slices"
	"time"
)

// wrote records that the request on an HTTP/2 connection was written, so that the next may be
// written. Requests leave in the order in which they came.
func (c *Conns) wrote(k *conn) {
	c.mu.Lock()
	defer c.unlock()
	c.nextWrite(k)
}

func (c *Conns) nextWrite(k *conn) {
	k.writing = false
	if p := c.pools[k.origin]; p != nil {
		c.pump(p)
	}
}

// release ends a request's use of its connection. keep is false if the connection must not be used
// again. hasTurn is true if its request has not been written.
func (c *Conns) release(k *conn, keep, hasTurn bool) {
	c.mu.Lock()
	defer c.unlock()
	if hasTurn {
		k.writing = false
	}
	c.free(k, keep)
}

// free is release with mu held.
func (c *Conns) free(k *conn, keep bool) {
	k.inflight--
	p := c.pools[k.origin]
	if p == nil || !slices.Contains(p.conns, k) {
		c.trash = append(c.trash, k.cc)
		return
	}
	if !keep || k.retired || !k.usable() {
		c.retire(p, k)
	} else if k.inflight == 0 && len(p.waiters) == 0 {
		c.rest(p, k)
	}
	c.pump(p)
}

// retire takes a connection out of use. It is closed when its last request has ended, so that a
// GOAWAY does not cut off the requests in flight (RFC 9113 §6.8).
func (c *Conns) retire(p *pool, k *conn) {
	k.retired = true
	if k.inflight > 0 {
		return
	}
	c.discard(p, k)
}

func (c *Conns) discard(p *pool, k *conn) {
	if k.idle != nil {
		k.idle.Stop()
	}
	p.conns = slices.DeleteFunc(p.conns, func(other *conn) bool { return other == k })
	c.trash = append(c.trash, k.cc)
}

// rest keeps an unused connection until the keep-alive time is over.
func (c *Conns) rest(p *pool, k *conn) {
	d := c.options.keepAlive()
	if d < 0 {
		c.discard(p, k)
		return
	}
	if k.idle == nil {
		k.idle = time.AfterFunc(d, func() { c.expire(p, k) })
		return
	}
	k.idle.Reset(d)
}

func (c *Conns) expire(p *pool, k *conn) {
	c.mu.Lock()
	defer c.unlock()
	if k.inflight == 0 && slices.Contains(p.conns, k) {
		c.discard(p, k)
		c.pump(p)
	}
}

// CloseIdle closes the unused connections to port 443 of a canonical host.
func (c *Conns) CloseIdle(host string) {
	c.mu.Lock()
	defer c.unlock()
	if p := c.pools[origin{host: host, port: 443}]; p != nil {
		c.dropIdle(p)
		c.pump(p)
	}
}

// dropIdle discards the unused connections, because one of them has turned out to be dead and the
// others are as old.
func (c *Conns) dropIdle(p *pool) {
	for _, k := range slices.Clone(p.conns) {
		if k.inflight == 0 {
			c.discard(p, k)
		}
	}
}

// shut ends a pool.
func (c *Conns) shut(p *pool) {
	p.cancelDials()
	p.fail(closedError(opDial))
	for _, k := range slices.Clone(p.conns) {
		c.discard(p, k)
	}
}
