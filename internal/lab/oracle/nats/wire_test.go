package nats

import (
	"errors"
	"net"
	"sync"
	"syscall"
	"testing"
)

// wire is a connection to a server that can be cut. As in a network that loses packets, neither
// end notices the cut: bytes that were sent during the cut arrive late, when the wire is
// restored.
type wire struct {
	net.Listener
	to string

	mu       sync.Mutex
	whole    *sync.Cond
	up, down bool // the cut directions: to the server, and back
}

func newWire(t testing.TB, to string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Listener: l, to: to}
	w.whole = sync.NewCond(&w.mu)
	t.Cleanup(func() {
		_ = l.Close()
		w.cut(false, false)
	})
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go w.join(conn)
		}
	}()
	return w
}

// url returns the address of a NATS server at the other end of the wire.
func (w *wire) url() string { return "nats://" + w.Addr().String() }

// cut cuts directions or restores them.
func (w *wire) cut(up, down bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.up, w.down = up, down
	w.whole.Broadcast()
}

// pass waits until a direction is open.
func (w *wire) pass(cut *bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for *cut {
		w.whole.Wait()
	}
}

func (w *wire) join(conn net.Conn) {
	defer conn.Close()
	w.pass(&w.up)
	server, err := net.Dial("tcp", w.to)
	if err != nil {
		return
	}
	defer server.Close()
	var both sync.WaitGroup
	both.Go(func() { w.copy(server, conn, &w.up) })
	both.Go(func() { w.copy(conn, server, &w.down) })
	both.Wait()
}

// copy copies bytes. The bytes of a connection that was reset are lost, because that end does
// not send them again.
func (w *wire) copy(to, from net.Conn, cut *bool) {
	defer to.Close()
	bytes, reset := make(chan []byte, 1<<16), make(chan struct{})
	go func() {
		defer close(bytes)
		for {
			buf := make([]byte, 32<<10)
			n, err := from.Read(buf)
			if n > 0 {
				bytes <- buf[:n]
			}
			if errors.Is(err, syscall.ECONNRESET) {
				close(reset)
			}
			if err != nil {
				return
			}
		}
	}()
	for b := range bytes {
		w.pass(cut)
		select {
		case <-reset:
			return
		default:
		}
		if _, err := to.Write(b); err != nil {
			return
		}
	}
}
