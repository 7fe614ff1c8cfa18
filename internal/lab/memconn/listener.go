package memconn

import (
	"context"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// backlog is the number of connections that may wait for Accept before Dial blocks.
const backlog = 128

// firstPort is the local port of the first connection: the start of the ephemeral range of RFC
// 6335 §6.
const firstPort = 49152

// Listener accepts connections from its own Dial.
type Listener struct {
	addr    net.Addr
	queue   chan *Conn
	done    chan struct{}
	closing sync.Once

	mu    sync.Mutex
	delay time.Duration
	dials int
}

// Listen returns a listener whose address is addr.
func Listen(addr net.Addr) *Listener {
	return &Listener{
		addr:  addr,
		queue: make(chan *Conn, backlog),
		done:  make(chan struct{}),
	}
}

// SetLatency sets the one-way delay of connections that are dialled from now on. Dial takes
// twice as long, because a TCP handshake is a round trip.
func (l *Listener) SetLatency(oneWay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delay = oneWay
}

// Dial connects. As in TCP it returns when the connection is in the queue of the listener,
// before it is accepted. The error after Close is ECONNREFUSED. The local address is 192.0.2.1
// (RFC 5737) with a new port. The connection is a *[Conn].
func (l *Listener) Dial(ctx context.Context) (net.Conn, error) {
	local, delay := l.nextDial()
	if err := l.handshake(ctx, 2*delay); err != nil {
		return nil, l.dialError(local, err)
	}
	client, server := pipe(local, l.addr, delay)
	select {
	case <-l.done:
		return nil, l.dialError(local, refused())
	case <-ctx.Done():
		return nil, l.dialError(local, ctx.Err())
	case l.queue <- server:
	}
	select {
	case <-l.done: // closed while this call waited: the connection will not be accepted
		l.drain()
	default:
	}
	return client, nil
}

func (l *Listener) nextDial() (net.Addr, time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	port := firstPort + l.dials%(1<<16-firstPort)
	l.dials++
	return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: port}, l.delay
}

func (l *Listener) handshake(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
	}
	select {
	case <-l.done:
		return refused()
	default:
		return ctx.Err()
	}
}

// Accept waits for the next connection. The error after Close is
// net.ErrClosed.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case <-l.done:
		return nil, l.closedError("accept")
	default:
	}
	select {
	case c := <-l.queue:
		return c, nil
	case <-l.done:
		return nil, l.closedError("accept")
	}
}

// Close ends Accept and Dial, and resets the connections that were not
// accepted.
func (l *Listener) Close() error {
	err := l.closedError("close")
	l.closing.Do(func() {
		err = nil
		close(l.done)
		l.drain()
	})
	return err
}

func (l *Listener) drain() {
	for {
		select {
		case c := <-l.queue:
			_ = c.Reset() // it was never accepted
		default:
			return
		}
	}
}

// Addr returns the address that was passed to Listen.
func (l *Listener) Addr() net.Addr { return l.addr }

func (l *Listener) closedError(op string) error {
	return &net.OpError{Op: op, Net: l.network(), Addr: l.addr, Err: net.ErrClosed}
}

func (l *Listener) dialError(local net.Addr, err error) error {
	return &net.OpError{Op: "dial", Net: l.network(), Source: local, Addr: l.addr, Err: err}
}

func (l *Listener) network() string {
	if l.addr == nil {
		return "mem"
	}
	return l.addr.Network()
}

func refused() error { return os.NewSyscallError("connect", syscall.ECONNREFUSED) }
