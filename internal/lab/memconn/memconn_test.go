package memconn_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/internal/lab/memconn"
)

var (
	alice = &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1}
	bob   = &net.TCPAddr{IP: net.IPv4(192, 0, 2, 2), Port: 2}
)

func pipe(t *testing.T) (a, b *memconn.Conn) {
	t.Helper()
	x, y := memconn.Pipe(alice, bob)
	t.Cleanup(func() { _ = x.Close(); _ = y.Close() })
	return x.(*memconn.Conn), y.(*memconn.Conn)
}

func send(t *testing.T, c net.Conn, s string) {
	t.Helper()
	if n, err := io.WriteString(c, s); n != len(s) || err != nil {
		t.Fatalf("Write(%q) = %d, %v", s, n, err)
	}
}

// rest reads to the end, and returns the content and the error.
func rest(c net.Conn) (string, error) {
	var b bytes.Buffer
	_, err := b.ReadFrom(c)
	return b.String(), err
}

func TestAddresses(t *testing.T) {
	a, b := pipe(t)
	if a.LocalAddr() != alice || a.RemoteAddr() != bob || b.LocalAddr() != bob || b.RemoteAddr() != alice {
		t.Errorf("addresses: %v %v %v %v", a.LocalAddr(), a.RemoteAddr(), b.LocalAddr(), b.RemoteAddr())
	}
}

func TestWritesAreBufferedAndOrdered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pipe(t)
		send(t, a, "one ")
		send(t, a, "two ")
		send(t, b, "back")
		send(t, a, "three")
		if err := a.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if got, err := rest(b); got != "one two three" || err != nil {
			t.Errorf("b read %q, %v", got, err)
		}
		if a.Sent() != 13 || b.Received() != 13 || b.Sent() != 4 || a.Received() != 0 {
			t.Errorf("counts: %d %d %d %d", a.Sent(), b.Received(), b.Sent(), a.Received())
		}
		if _, err := a.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
			t.Errorf("write after CloseWrite: %v", err)
		}
		send(t, b, "!") // the other direction still works
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if got, err := rest(a); got != "back!" || err != nil {
			t.Errorf("a read %q, %v", got, err)
		}
	})
}

func TestEndings(t *testing.T) {
	for _, tt := range []struct {
		name     string
		end      func(*memconn.Conn) error
		readErr  error // the result of bytes.Buffer.ReadFrom: io.EOF is nil
		firstErr error
		writeErr error
	}{
		{"close", (*memconn.Conn).Close, nil, nil, syscall.EPIPE},
		{"reset", (*memconn.Conn).Reset, syscall.ECONNRESET, syscall.ECONNRESET, syscall.ECONNRESET},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := pipe(t)
				send(t, a, "last words")
				if err := tt.end(a); err != nil {
					t.Fatal(err)
				}
				if _, err := b.Write([]byte("x")); !errors.Is(err, tt.firstErr) {
					t.Errorf("first write to a closed peer: %v", err)
				}
				if _, err := b.Write([]byte("x")); !errors.Is(err, tt.writeErr) {
					t.Errorf("second write to a closed peer: %v", err)
				}
				if got, err := rest(b); got != "last words" || !errors.Is(err, tt.readErr) {
					t.Errorf("read %q, %v", got, err)
				}
				if _, err := a.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
					t.Errorf("read after close: %v", err)
				}
				if err := a.Close(); !errors.Is(err, net.ErrClosed) {
					t.Errorf("second close: %v", err)
				}
				if err := a.SetDeadline(time.Now()); !errors.Is(err, net.ErrClosed) {
					t.Errorf("deadline after close: %v", err)
				}
				if err := a.CloseWrite(); !errors.Is(err, net.ErrClosed) {
					t.Errorf("CloseWrite after close: %v", err)
				}
			})
		})
	}
}

func TestResetAfterCloseWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pipe(t)
		_ = a.CloseWrite()
		_ = a.Reset()
		if _, err := rest(b); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("read: %v", err)
		}
	})
}

func TestCloseWakesThoseWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pipe(t)
		var readErr, writeErr, secondErr error
		var wg sync.WaitGroup
		wg.Go(func() { _, readErr = a.Read(make([]byte, 1)) })
		wg.Go(func() { _, writeErr = a.Write(make([]byte, 2*memconn.Window)) })
		synctest.Wait()
		wg.Go(func() { _, secondErr = a.Write([]byte("queued behind the first")) })
		synctest.Wait()
		_ = a.Close()
		wg.Wait()
		for _, err := range []error{readErr, writeErr, secondErr} {
			if !errors.Is(err, net.ErrClosed) {
				t.Errorf("got %v", err)
			}
		}
		if got, err := rest(b); len(got) != memconn.Window || err != nil {
			t.Errorf("the other end read %d bytes, %v", len(got), err)
		}
	})
}

func TestPeerGoneWakesAWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pipe(t)
		var err error
		var n int
		var wg sync.WaitGroup
		wg.Go(func() { n, err = a.Write(make([]byte, memconn.Window+1)) })
		synctest.Wait()
		_ = b.Close()
		wg.Wait()
		if n != memconn.Window || !errors.Is(err, syscall.EPIPE) {
			t.Errorf("Write = %d, %v", n, err)
		}
	})
}

func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pipe(t)
		want := strings.Repeat("0123456789abcdef", 3*memconn.Window/16)
		go func() {
			_, _ = io.WriteString(a, want)
			_ = a.Close()
		}()
		synctest.Wait()
		if a.Sent() != memconn.Window {
			t.Errorf("%d bytes under way, want %d", a.Sent(), memconn.Window)
		}
		if got, err := rest(b); got != want || err != nil {
			t.Errorf("read %d bytes, %v", len(got), err)
		}
	})
}

func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pipe(t)
		start := time.Now()
		_ = a.SetReadDeadline(start.Add(time.Second))
		_, err := a.Read(make([]byte, 1))
		if !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("read: %v after %v", err, time.Since(start))
		}
		var netErr net.Error
		if !errors.As(err, &netErr) || !netErr.Timeout() {
			t.Errorf("not a time-out: %v", err)
		}
		send(t, b, "x")
		if _, err := a.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a passed deadline stays passed: %v", err)
		}
		_ = a.SetReadDeadline(time.Time{})
		if n, err := a.Read(make([]byte, 1)); n != 1 || err != nil {
			t.Errorf("after clearing it: %d, %v", n, err)
		}
		_ = a.SetDeadline(time.Now().Add(time.Minute))
		n, err := a.Write(make([]byte, memconn.Window+1))
		if n != memconn.Window || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("write: %d, %v", n, err)
		}
	})
}

// A server interrupts a blocked read with a deadline in the past, and then continues to read.
func TestDeadlineInterruptsABlockedRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pipe(t)
		var err error
		var wg sync.WaitGroup
		wg.Go(func() { _, err = a.Read(make([]byte, 1)) })
		synctest.Wait()
		_ = a.SetReadDeadline(time.Unix(1, 0))
		wg.Wait()
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("read: %v", err)
		}
		_ = a.SetWriteDeadline(time.Unix(1, 0))
		if _, err := a.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("write: %v", err)
		}
		_ = a.SetDeadline(time.Now().Add(time.Hour))
		send(t, b, "x")
		if n, err := a.Read(make([]byte, 9)); n != 1 || err != nil {
			t.Errorf("Read = %d, %v", n, err)
		}
	})
}

func TestWriteDeadlineWhileAnotherWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := pipe(t)
		var wg sync.WaitGroup
		errs := make([]error, 2)
		for i := range errs {
			wg.Go(func() { _, errs[i] = a.Write(make([]byte, memconn.Window+1)) })
		}
		synctest.Wait()
		_ = a.SetWriteDeadline(time.Unix(1, 0))
		wg.Wait()
		for _, err := range errs {
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("got %v", err)
			}
		}
	})
}

func TestLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const oneWay = 30 * time.Millisecond
		a, b := pipe(t)
		a.SetLatency(oneWay)
		b.SetLatency(oneWay)
		start := time.Now()
		at := func() time.Duration { return time.Since(start) }
		send(t, a, "x")
		if _, err := b.Read(make([]byte, 1)); err != nil || at() != oneWay {
			t.Fatalf("there: %v at %v", err, at())
		}
		send(t, b, "y")
		a.SetLatency(0)
		if _, err := a.Read(make([]byte, 1)); err != nil || at() != 2*oneWay {
			t.Fatalf("back: %v at %v", err, at())
		}
		a.SetLatency(oneWay)
		send(t, a, "slow")
		a.SetLatency(0)
		_ = a.Close() // the end must not overtake the sent bytes
		send(t, b, "lost")
		if got, err := rest(b); got != "slow" || err != nil || at() != 3*oneWay {
			t.Errorf("end: %q, %v at %v", got, err, at())
		}
		send(t, b, "lost as well: the reset is under way")
		time.Sleep(oneWay) // one round trip after the first loss
		if _, err := b.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
			t.Errorf("write: %v", err)
		}
	})
}

func TestConcurrentWritesDoNotInterleave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pipe(t)
		const size = memconn.Window / 3
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() { _, _ = a.Write(bytes.Repeat([]byte{byte('a' + i)}, size)) })
		}
		go func() { wg.Wait(); _ = a.Close() }()
		got, err := rest(b)
		if len(got) != 8*size || err != nil {
			t.Fatalf("read %d bytes, %v", len(got), err)
		}
		for i := range 8 {
			if part := got[i*size : (i+1)*size]; strings.Count(part, part[:1]) != size {
				t.Errorf("write %d is mixed with another", i)
			}
		}
	})
}
