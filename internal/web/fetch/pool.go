package fetch

import (
	"context"
	"crypto/tls"
	"net/http"
	"slices"
	"time"
)

// pool holds the connections to one origin and the callers waiting for one. It is guarded by
// Conns.mu. A pool without connections, dials and waiters is removed.
type pool struct {
	origin  origin
	conns   []*conn
	dials   []*dialing
	waiters []*waiter // first come, first served
	width   int       // HTTP/1.1 connections to open at most
	h1      bool      // seen HTTP/1.1, now or the last time
}

// conn is one connection. The fields below cc are guarded by Conns.mu.
type conn struct {
	origin  origin
	remote  *socket
	frames  *framed // nil with HTTP/1.1
	h2      bool
	started time.Time // of the dial
	dialled time.Time // TLS begins
	ready   time.Time
	cc      *http.ClientConn
	tls     *tls.ConnectionState // nil without TLS

	used     bool // has been given to a request
	inflight int
	writing  bool // HTTP/2: a request has not been written yet
	retired  bool // takes no further request
	idle     *time.Timer
}

// dialing is a dial under way. It is cancelled if no caller waits.
type dialing struct{ cancel context.CancelFunc }

// waiter is a request without a connection.
type waiter struct {
	entered time.Time
	spent   time.Duration // of the time limit, before it moved
	grant   grant         // valid when ready has an element
	ready   chan struct{} // has room for one
}

// grant is the result for a waiter.
type grant struct {
	conn   *conn
	reused bool
	budget time.Duration // for the whole exchange
	err    error
}

// serve ends the wait.
func (w *waiter) serve(g grant) {
	w.grant = g
	w.ready <- struct{}{}
}

// unlock releases mu and then closes discarded connections, because closing may wait for the peer
// and runs hooks of net/http.
func (c *Conns) unlock() {
	trash := c.trash
	c.trash = nil
	c.mu.Unlock()
	for _, cc := range trash {
		_ = cc.Close()
	}
}

// acquire waits for a connection. A request that moves waits at the front of the queue.
func (c *Conns) acquire(ctx context.Context, a *Ask, o origin, w *waiter, front bool) (grant, error) {
	if ctx.Err() != nil {
		return grant{}, callerError(ctx, opDial)
	}
	if a.hasLeft() {
		return grant{}, leftError(opDial)
	}
	if !c.enqueue(o, w, front) {
		return grant{}, closedError(opDial)
	}
	select {
	case <-w.ready:
		return w.grant, w.grant.err
	case <-ctx.Done():
		c.abandon(o, w)
		return grant{}, callerError(ctx, opDial)
	case <-a.left():
		c.abandon(o, w)
		return grant{}, leftError(opDial)
	}
}

func (c *Conns) enqueue(o origin, w *waiter, front bool) bool {
	c.mu.Lock()
	defer c.unlock()
	if c.closed {
		return false
	}
	p := c.pools[o]
	if p == nil {
		p = &pool{origin: o, width: c.options.width(), h1: c.plain.has(o)}
		c.pools[o] = p
	}
	if front {
		c.dropIdle(p)
		p.waiters = slices.Insert(p.waiters, 0, w)
	} else {
		p.waiters = append(p.waiters, w)
	}
	c.pump(p)
	return true
}

// abandon removes a waiter, or returns the connection that it got in the meantime. Dials without a
// waiter end.
func (c *Conns) abandon(o origin, w *waiter) {
	c.mu.Lock()
	defer c.unlock()
	select {
	case <-w.ready:
		if g := w.grant; g.conn != nil {
			g.conn.writing, g.conn.used = false, g.reused
			c.free(g.conn, true)
		}
		return
	default:
	}
	p := c.pools[o]
	if p == nil {
		return
	}
	p.waiters = slices.DeleteFunc(p.waiters, func(other *waiter) bool { return other == w })
	if len(p.waiters) == 0 {
		p.cancelDials()
	}
	c.pump(p)
}

func (p *pool) cancelDials() {
	for _, d := range p.dials {
		d.cancel()
	}
	p.dials = nil
}

// pump serves waiters in order, dials as needed, and removes an empty pool.
func (c *Conns) pump(p *pool) {
	for len(p.waiters) > 0 {
		k := c.pick(p)
		if k == nil {
			break
		}
		c.give(p, k)
	}
	for range p.wanted() {
		ctx, cancel := context.WithCancel(c.ctx)
		d := &dialing{cancel}
		p.dials = append(p.dials, d)
		c.work.Go(func() {
			defer cancel()
			k, err := c.connect(ctx, p.origin)
			c.dialled(p, d, k, err)
		})
	}
	if len(p.conns)+len(p.dials)+len(p.waiters) == 0 && c.pools[p.origin] == p {
		delete(c.pools, p.origin)
	}
}

// wanted returns the number of dials to begin: one until the protocol is known or with HTTP/2, and
// with HTTP/1.1 one for each waiter, up to the width.
func (p *pool) wanted() int {
	open := p.live() + len(p.dials)
	switch {
	case len(p.waiters) <= len(p.dials):
		return 0
	case open == 0:
		return 1
	case !p.h1:
		return 0
	}
	return max(0, min(len(p.waiters)-len(p.dials), p.width-open))
}

func (p *pool) live() int {
	n := 0
	for _, k := range p.conns {
		if !k.retired {
			n++
		}
	}
	return n
}

// pick returns a connection that takes a request now, or nil.
func (c *Conns) pick(p *pool) *conn {
	for i := 0; i < len(p.conns); i++ {
		k, open := p.conns[i], len(p.conns)
		switch {
		case k.retired:
		case !k.usable():
			c.retire(p, k)
			i -= open - len(p.conns) // k may be gone
		case !k.h2 && k.inflight == 0:
			return k
		case k.h2 && !k.writing && (c.options.Concurrency <= 0 || k.inflight < c.options.Concurrency):
			return k
		}
	}
	return nil
}

// usable asks net/http whether the connection takes requests. A full HTTP/2 connection has requests
// in flight and is usable. A connection that got a GOAWAY looks the same while its requests last:
// then a new request comes back unwritten, and moves.
func (k *conn) usable() bool {
	if k.cc.Err() != nil {
		return false
	}
	if k.inflight > 0 && !k.h2 {
		return true
	}
	return k.cc.Available() > 0 || k.cc.InFlight() > 0
}

// give assigns a connection to the first waiter.
func (c *Conns) give(p *pool, k *conn) {
	w := p.waiters[0]
	p.waiters = slices.Delete(p.waiters, 0, 1)         // keeps its memory for the next
	waited := k.ready.Sub(later(k.started, w.entered)) // for the dial
	w.serve(grant{conn: k, reused: k.used, budget: c.options.requestTimeout() - w.spent - max(0, waited)})
	k.used, k.writing = true, k.h2
	k.inflight++
	k.remote.allow(allowance)
	if k.frames != nil {
		k.frames.allow()
	}
	if k.idle != nil {
		k.idle.Stop()
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// dialled handles the result of a dial. A fresh connection goes to the first waiter even if it has
// ended already: the waiter gets the error, and there is no endless dialling.
func (c *Conns) dialled(p *pool, d *dialing, k *conn, err error) {
	c.mu.Lock()
	defer c.unlock()
	i := slices.Index(p.dials, d)
	if i < 0 { // cancelled, or closed
		if k != nil {
			c.trash = append(c.trash, k.cc)
		}
		return
	}
	p.dials = slices.Delete(p.dials, i, i+1)
	switch {
	case err == nil:
		p.conns = append(p.conns, k)
		c.learn(p, k.h2)
		if len(p.waiters) > 0 {
			c.give(p, k)
		} else {
			c.rest(p, k)
		}
		c.opened(p.origin, nil)
	case p.live()+len(p.dials) > 0: // continue with the others
		p.width = p.live() + len(p.dials)
	default:
		p.fail(err)
		c.opened(p.origin, err)
	}
	c.pump(p)
}

// fail returns the error to every waiter.
func (p *pool) fail(err error) {
	for _, w := range p.waiters {
		w.serve(grant{err: err})
	}
	p.waiters = nil
}
