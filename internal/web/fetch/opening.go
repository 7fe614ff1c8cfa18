package fetch

import (
	"net/url"
	"slices"
	"time"
)

// Opening lets one of several requests make the first connection to their origin. The others begin
// when it is there, so that thirty requests do not wait for it with a goroutine each. If the first
// request ends without a connection, the others fail with its error and make none. A nil Opening
// has no effect.
type Opening struct {
	conns  *Conns
	origin origin
	began  time.Time
	made   chan struct{} // closed when there is a connection

	// Guarded by Conns.mu.
	over bool
	err  error // of the last dial that failed
}

// Opening returns the Opening of an origin. It is nil if requests need not wait, because there is a
// connection, or because the origin uses HTTP/1.1 and the requests make several at once.
func (c *Conns) Opening(u *url.URL) *Opening {
	at, err := originOf(u, c.options.policy())
	if err != nil {
		return nil
	}
	c.mu.Lock()
	defer c.unlock()
	if p := c.pools[at]; c.closed || c.plain.has(at) || p != nil && p.live() > 0 {
		return nil
	}
	o := &Opening{conns: c, origin: at, began: time.Now(), made: make(chan struct{})}
	c.openings[at] = append(c.openings[at], o)
	return o
}

// Wait returns when there is a connection or first is closed, which means that the first request
// has ended.
func (o *Opening) Wait(first <-chan struct{}) {
	if o == nil {
		return
	}
	select {
	case <-o.made:
	case <-first:
	}
	o.conns.mu.Lock()
	defer o.conns.unlock()
	o.over = true
	all := slices.DeleteFunc(o.conns.openings[o.origin], func(other *Opening) bool { return other == o })
	if o.conns.openings[o.origin] = all; len(all) == 0 {
		delete(o.conns.openings, o.origin)
	}
}

// Of reports whether the Opening is that of a URL's origin.
func (o *Opening) Of(u *url.URL) bool {
	if o == nil {
		return false
	}
	at, err := originOf(u, o.conns.options.policy())
	return err == nil && at == o.origin
}

// Err returns the error of a request that waited, if no connection could be made.
func (o *Opening) Err(u *url.URL) error {
	if o == nil {
		return nil
	}
	o.conns.mu.Lock()
	defer o.conns.unlock()
	if !o.over || o.err == nil {
		return nil
	}
	return withURL(o.err, u)
}

// opened tells the Openings of an origin the result of a dial. c.mu is held.
func (c *Conns) opened(at origin, err error) {
	for _, o := range c.openings[at] {
		if o.err = err; err == nil {
			close(o.made)
		}
	}
	if err == nil {
		delete(c.openings, at)
	}
}
