package fetch

import (
	"crypto/tls"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
)

// TestConnectionClose: a peer that sends "close" gets no further request on that connection, so
// that none fails because it closes.
func TestConnectionClose(t *testing.T) {
	w := newWorld(t)
	w.site("shop.example.com", ip1, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Connection", "close")
		hello(rw, r)
	}, "http/1.1")
	c := w.conns(func(o *Options) { o.Concurrency = 1 })
	const callers, each = 8, 40
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range each {
				sameAnswer(t, ok("hello"), get(t, t.Context(), c, site, Ask{Once: true}))
			}
		})
	}
	wg.Wait()
	if w.dialCount() != callers*each {
		t.Errorf("%d dials for %d requests", w.dialCount(), callers*each)
	}
}

// fading answers the first request, and closes after wait under the second.
// Later connections are for then. It counts requests.
func fading(w *world, wait time.Duration, then func(*tls.Conn)) *atomic.Int32 {
	var requests atomic.Int32
	w.wire("http/1.1", func(c *tls.Conn) {
		if requests.Add(1) > 1 {
			then(c)
			return
		}
		says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")(c)
		if readHeader(c) == nil {
			requests.Add(1)
			time.Sleep(wait)
		}
	})
	return &requests
}

// TestARequestThatWasMovedIsNotRetriedAgain: a request that was written again because its
// connection had ended is not retried in addition.
func TestARequestThatWasMovedIsNotRetriedAgain(t *testing.T) {
	tests := []struct {
		name   string
		then   func(*tls.Conn)
		want   answer
		writes int // of the second request
	}{
		{"closed again", func(*tls.Conn) {}, failed("headers", wayfind.CodeTruncated), 1 + maxConnRetries},
		{"unavailable", says("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"), answer{Status: 503}, 1 + maxRetries},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			requests := fading(w, 0, tt.then)
			rt, budget := NewRetry(w.conns(nil)), NewBudget(10)
			like := Ask{Budget: budget}
			sameAnswer(t, ok("ok"), get(t, t.Context(), rt, site, like))
			sameAnswer(t, tt.want, get(t, t.Context(), rt, site, like))
			if n := int(requests.Load()) - 1; n != tt.writes || budget.Left() != 10-(tt.writes-1) {
				t.Errorf("%s: written %d times, want %d; %d retries left", tt.name, n, tt.writes, budget.Left())
			}
		})
	}
}

// TestMoveKeepsTheTimeLimit: a second connection is no reason for a second
// time limit.
func TestMoveKeepsTheTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		fading(w, 4*time.Second, func(c *tls.Conn) {
			says("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nok")(c)
			stall(c)
		})
		c := w.conns(nil)
		sameAnswer(t, ok("ok"), get(t, t.Context(), c, site))
		start := time.Now()
		want := failed("body", wayfind.CodeTimeout)
		want.Status = 200
		sameAnswer(t, want, get(t, t.Context(), c, site))
		if d := time.Since(start); d != requestTimeout {
			t.Errorf("took %v", d)
		}
	})
}
