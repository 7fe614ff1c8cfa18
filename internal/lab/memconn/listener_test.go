package memconn_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/internal/lab/memconn"
)

func listen(t *testing.T) *memconn.Listener {
	t.Helper()
	l := memconn.Listen(bob)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := listen(t)
		l.SetLatency(time.Second)
		start := time.Now()
		client, err := l.Dial(t.Context())
		if err != nil || time.Since(start) != 2*time.Second {
			t.Fatalf("Dial: %v after %v", err, time.Since(start))
		}
		defer client.Close()
		server, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if server.LocalAddr() != l.Addr() || server.RemoteAddr() != client.LocalAddr() {
			t.Errorf("addresses: %v %v", server.LocalAddr(), server.RemoteAddr())
		}
		second, err := l.Dial(t.Context())
		if err != nil || second.LocalAddr().String() == client.LocalAddr().String() {
			t.Errorf("two connections from %v, %v", client.LocalAddr(), err)
		}
		send(t, server, "hello")
		_ = server.Close()
		if got, err := rest(client); got != "hello" || err != nil {
			t.Errorf("read %q, %v", got, err)
		}
		_ = l.Close()
		if _, err := rest(second); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("a connection nobody accepted: %v", err)
		}
	})
}

func TestListenerClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := listen(t)
		l.SetLatency(time.Second)
		var accept, dial error
		var wg sync.WaitGroup
		wg.Go(func() { _, accept = l.Accept() })
		wg.Go(func() { _, dial = l.Dial(t.Context()) })
		synctest.Wait()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		if !errors.Is(accept, net.ErrClosed) || !errors.Is(dial, syscall.ECONNREFUSED) {
			t.Errorf("accept: %v, dial: %v", accept, dial)
		}
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("accept: %v", err)
		}
		if err := l.Close(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("second close: %v", err)
		}
	})
}

func TestDialBlocksOnAFullQueueUntilTheContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := listen(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		n := 0
		for {
			if _, err := l.Dial(ctx); err != nil {
				var netErr net.Error
				if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &netErr) || !netErr.Timeout() {
					t.Errorf("dial: %v", err)
				}
				break
			}
			n++
		}
		if n != 128 {
			t.Errorf("%d connections were queued", n)
		}
	})
}

func TestHTTPInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const oneWay = 10 * time.Millisecond
		l := listen(t)
		l.SetLatency(oneWay)
		srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(w, r.Body)
		})}
		go func() { _ = srv.Serve(l) }()
		defer srv.Close()
		tr := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return l.Dial(ctx)
		}}
		defer tr.CloseIdleConnections()
		start := time.Now()
		for want := 2; want <= 4; want++ { // a connection costs one round trip
			resp, err := (&http.Client{Transport: tr}).Get("http://bob.example/")
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			if got := time.Since(start); got != time.Duration(want)*2*oneWay {
				t.Errorf("%v, want %d round trips", got, want)
			}
		}
	})
}
