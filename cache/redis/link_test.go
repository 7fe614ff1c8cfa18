package redis

import (
	"bytes"
	"context"
	"net"
	"testing"
	"time"
)

// A call whose caller has left keeps its place until the reply: the library's ring has room
// for all that have one, and what does not fit would wait without end.
func TestAnAbandonedCallKeepsItsPlace(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	replies := make(chan struct{})
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		b := make([]byte, 1<<10)
		_, _ = conn.Read(b)
		_, _ = conn.Write([]byte("%1\r\n+proto\r\n:3\r\n"))
		_, err = conn.Read(b)
		leave() // the call is under way
		<-replies
		_, _ = conn.Write([]byte("$0\r\n\r\n*2\r\n_\r\n_\r\n_\r\n"))
		for err == nil {
			_, err = conn.Read(b)
		}
	}()
	s, err := Open("redis://"+l.Addr().String(), &Options{Key: bytes.Repeat([]byte{1}, MinKey)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.link.connected(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(ctx, "k"); err == nil {
		t.Fatal("nobody has answered")
	}
	if n := s.link.calls.Taken(); n != 1 {
		t.Errorf("%d calls have a place, want 1", n)
	}
	close(replies)
	for range 100 {
		if s.link.calls.Taken() == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("after the reply %d calls have a place", s.link.calls.Taken())
}
