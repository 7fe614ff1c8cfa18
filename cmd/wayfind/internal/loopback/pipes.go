package loopback

import (
	"context"
	"net"
	"net/netip"
	"sync"
)

// pipes is a listener without a port. With connect, only this process can read files that are not
// published; with put, it passes on the connections of another listener.
type pipes struct {
	offered chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

// NewPipes returns a listener without a port.
func NewPipes() *pipes { return &pipes{offered: make(chan net.Conn), closed: make(chan struct{})} }

// Connect opens a connection to the listener.
func (p *pipes) Connect(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.offered <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// put passes a connection to the listener. It closes the connection if the listener is closed.
func (p *pipes) put(conn net.Conn) {
	select {
	case p.offered <- conn:
	case <-p.closed:
		_ = conn.Close() // no client wants it any more
	}
}

// Accept returns the next connection.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.offered:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close makes Accept return net.ErrClosed.
func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// Addr returns an address of this machine. No server listens at it.
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1).To4(), Port: 443} }
