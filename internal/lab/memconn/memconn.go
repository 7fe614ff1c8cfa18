// Package memconn is TCP without a network: connections and listeners in memory.
//
// Start with [Pipe] for two ends of one connection, or [Listen] and [Listener.Dial] for a
// server.
//
// In contrast to net.Pipe it has the properties of TCP that code relies on: writes are buffered
// (TLS over net.Pipe deadlocks), a reader gets all bytes that were sent before the end of the
// connection, half-close and reset differ from close, and errors are the errors of package net.
// All waits are on channels and timers of the constructors, so connections inside a
// testing/synctest bubble block durably and their delays pass in virtual time.
//
// It differs from TCP in one respect: after a Close with unread data the other end reads to the
// end of the stream, but a kernel may send a reset, depending on timing.
package memconn

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// Window is the maximum number of bytes in one direction that are written and not yet read. A
// Write that exceeds it blocks.
const Window = 1 << 20

// Conn is one end of a connection in memory.
type Conn struct {
	local, remote net.Addr
	in, out       *stream
	reads, writes deadline
	writing       chan struct{} // contains one token, so that writes do not interleave
	done          chan struct{}
	closing       sync.Once
}

// Pipe returns the two ends of a connection. The first has the local address a, the second b.
// Both are of type *[Conn].
func Pipe(a, b net.Addr) (net.Conn, net.Conn) {
	return pipe(a, b, 0)
}

func pipe(a, b net.Addr, delay time.Duration) (*Conn, *Conn) {
	there, back := &stream{delay: delay}, &stream{delay: delay}
	return newConn(a, b, back, there), newConn(b, a, there, back)
}

func newConn(local, remote net.Addr, in, out *stream) *Conn {
	return &Conn{
		local: local, remote: remote, in: in, out: out,
		reads: newDeadline(), writes: newDeadline(),
		writing: make(chan struct{}, 1),
		done:    make(chan struct{}),
	}
}

// Read reads the bytes that have arrived, at least one. After the last byte it returns io.EOF
// if the other end was closed, or ECONNRESET if it was reset.
func (c *Conn) Read(p []byte) (int, error) {
	for {
		if err := c.usable(&c.reads); err != nil {
			return 0, c.opError("read", err)
		}
		n, wait, wake, err := c.in.take(p)
		if n > 0 || err != nil || len(p) == 0 {
			return n, c.opError("read", err)
		}
		c.pause(&c.reads, wait, wake)
	}
}

// Write sends p. It blocks while more than [Window] bytes are unread. It fails with EPIPE or
// ECONNRESET after it is known that the other end is closed.
func (c *Conn) Write(p []byte) (int, error) {
	select {
	case c.writing <- struct{}{}:
		defer func() { <-c.writing }()
	case <-c.done:
		return 0, c.opError("write", net.ErrClosed)
	case <-c.writes.passed():
		return 0, c.opError("write", os.ErrDeadlineExceeded)
	}
	sent := 0
	for {
		if err := c.usable(&c.writes); err != nil {
			return sent, c.opError("write", err)
		}
		n, wait, wake, err := c.out.put(p[sent:])
		sent += n
		if err != nil || sent == len(p) {
			return sent, c.opError("write", err)
		}
		c.pause(&c.writes, wait, wake)
	}
}

// usable returns an error if an operation must not continue: the connection is closed, or the
// deadline has passed.
func (c *Conn) usable(d *deadline) error {
	select {
	case <-c.done:
		return net.ErrClosed
	default:
	}
	select {
	case <-d.passed():
		return os.ErrDeadlineExceeded
	default:
		return nil
	}
}

// pause waits for a change of the stream, for the duration wait unless it is negative, for the
// deadline or for Close.
func (c *Conn) pause(d *deadline, wait time.Duration, wake <-chan struct{}) {
	var due <-chan time.Time
	if wait >= 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-wake:
	case <-due:
	case <-d.passed():
	case <-c.done:
	}
}

// Close closes both directions. The other end reads the bytes that were sent before, then
// io.EOF. Its first write after that is lost without an error, unless data was unread here.
// Further writes fail with EPIPE.
func (c *Conn) Close() error {
	return c.end(io.EOF, os.NewSyscallError("write", syscall.EPIPE), false)
}

// Reset closes the connection like TCP with a linger time of zero: the other end reads the
// bytes that were sent before, then ECONNRESET.
func (c *Conn) Reset() error {
	return c.end(
		os.NewSyscallError("read", syscall.ECONNRESET),
		os.NewSyscallError("write", syscall.ECONNRESET),
		true,
	)
}

func (c *Conn) end(reads, writes error, reset bool) error {
	err := net.ErrClosed
	c.closing.Do(func() {
		err = nil
		close(c.done)
		c.out.finish(reads)
		c.in.abandon(writes, reset)
		c.reads.stop()
		c.writes.stop()
	})
	return c.opError("close", err)
}

// CloseWrite sends the end of the stream. Reading is still possible.
func (c *Conn) CloseWrite() error {
	select {
	case <-c.done:
		return c.opError("close", net.ErrClosed)
	default:
	}
	c.out.finish(io.EOF)
	return nil
}

// LocalAddr returns the address of this end.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr returns the address of the other end.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline sets both deadlines.
func (c *Conn) SetDeadline(t time.Time) error {
	return c.setDeadline(t, &c.reads, &c.writes)
}

// SetReadDeadline sets the time at which reads fail with os.ErrDeadlineExceeded.
func (c *Conn) SetReadDeadline(t time.Time) error {
	return c.setDeadline(t, &c.reads)
}

// SetWriteDeadline sets the time at which writes fail with os.ErrDeadlineExceeded.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	return c.setDeadline(t, &c.writes)
}

func (c *Conn) setDeadline(t time.Time, ds ...*deadline) error {
	select {
	case <-c.done:
		return c.opError("set", net.ErrClosed)
	default:
	}
	for _, d := range ds {
		d.set(t)
	}
	return nil
}

// SetLatency sets the delay of bytes that this end sends from now on. Later bytes never arrive
// before earlier ones.
func (c *Conn) SetLatency(oneWay time.Duration) { c.out.setDelay(oneWay) }

// Sent returns the number of bytes that Write accepted.
func (c *Conn) Sent() int64 { sent, _ := c.out.counts(); return sent }

// Received returns the number of bytes that Read returned.
func (c *Conn) Received() int64 { _, received := c.in.counts(); return received }

func (c *Conn) opError(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	network := "mem"
	if c.local != nil {
		network = c.local.Network()
	}
	return &net.OpError{Op: op, Net: network, Source: c.local, Addr: c.remote, Err: err}
}
