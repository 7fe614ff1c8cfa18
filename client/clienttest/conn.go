package clienttest

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/internal/lab/memconn"
)

// serverConn is the host's end of a connection. It cuts its output at the point of its fault.
type serverConn struct {
	*memconn.Conn
	net   *Internet
	host  *Host
	addr  netip.Addr
	id    int
	fault ConnFault

	mu      sync.Mutex
	left    int  // bytes until the fault connCut occurs
	stalled bool // the client must not notice anything from now on, not even Close
}

// Write sends p, or as much of it as the fault allows.
func (c *serverConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	stalled, cut := c.stalled, c.fault.kind == connCut && c.left < len(p)
	part := p
	if cut {
		part = p[:c.left]
	}
	c.left -= len(part)
	c.mu.Unlock()
	if stalled {
		return len(p), nil
	}
	n, err := c.Conn.Write(part)
	if err == nil && cut {
		c.finish(c.fault.ending)
		return len(p), nil
	}
	return n, err
}

// CloseWrite sends the end of the stream.
func (c *serverConn) CloseWrite() error {
	if c.isStalled() {
		return nil
	}
	return c.Conn.CloseWrite()
}

// Close closes the connection. If the connection is stalled, it stays open for the client and only
// reading ends.
func (c *serverConn) Close() error {
	if c.isStalled() {
		return c.SetReadDeadline(time.Unix(1, 0))
	}
	c.forget()
	return c.Conn.Close()
}

func (c *serverConn) isStalled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stalled
}

func (c *serverConn) forget() {
	c.net.mu.Lock()
	defer c.net.mu.Unlock()
	delete(c.net.conns, c)
}

// finish ends the connection below TLS, without an alert.
func (c *serverConn) finish(e Ending) {
	switch e {
	case Stall:
		c.mu.Lock()
		c.stalled = true
		c.mu.Unlock()
	case Reset:
		c.forget()
		_ = c.Conn.Reset() // the other side may have ended first
	default:
		c.forget()
		_ = c.Conn.Close() // as above
	}
}

// End ends a connection given to a raw handler, below TLS. Close sends no close_notify alert (RFC
// 8446 §6.1). After Stall, nothing that is written to the connection arrives, and the client does
// not see it closed.
func End(conn net.Conn, e Ending) {
	if c := lower(conn); c != nil {
		c.finish(e)
	}
}

// lower returns the connection below TLS, or nil if it is no connection of this package.
func lower(conn net.Conn) *serverConn {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	c, _ := conn.(*serverConn)
	return c
}

type connKey struct{}

// withConn puts the connection into the context of its requests.
func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, lower(conn))
}

// connOf returns the connection of a request, or nil if a server of another package serves it.
func connOf(ctx context.Context) *serverConn {
	c, _ := ctx.Value(connKey{}).(*serverConn)
	return c
}

// feed hands connections to an http.Server.
type feed struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newFeed() *feed {
	return &feed{conns: make(chan net.Conn), done: make(chan struct{})}
}

// put waits until the server accepts the connection.
func (f *feed) put(c net.Conn) {
	select {
	case f.conns <- c:
	case <-f.done:
		_ = c.Close() // no client wants it
	}
}

// Accept waits for the next connection.
func (f *feed) Accept() (net.Conn, error) {
	select {
	case c := <-f.conns:
		return c, nil
	case <-f.done:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (f *feed) Close() error {
	f.once.Do(func() { close(f.done) })
	return nil
}

// Addr returns a name for the server's log.
func (f *feed) Addr() net.Addr { return &net.TCPAddr{Port: httpsPort} }
