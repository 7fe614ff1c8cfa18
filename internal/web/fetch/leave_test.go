package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
)

func TestLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, r := newWorld(t), &recorder{}
		w.site("shop.example.com", ip1, r.ServeHTTP, "http/1.1")
		c := w.conns(func(o *Options) { o.Concurrency = 1 })
		callers, leave := context.WithCancel(t.Context())
		like := Ask{Callers: NewCallers(callers)}
		var written, queued answer
		var queuedErr error
		var wg sync.WaitGroup
		wg.Go(func() { written = get(t, t.Context(), c, site+"/written", like) })
		synctest.Wait()
		wg.Go(func() { queued, queuedErr = getErr(t, t.Context(), c, site+"/queued", like) })
		synctest.Wait()
		leave()
		wg.Wait()
		sameAnswer(t, answer{Status: 200, Body: "ok"}, written)
		sameAnswer(t, answer{Op: "dial", Code: wayfind.CodeCanceled}, queued)
		if !errors.Is(queuedErr, context.Canceled) {
			t.Errorf("%v does not wrap context.Canceled", queuedErr)
		}
		if diff := cmp.Diff([]string{"/written"}, r.paths); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
	})
}

// TestLeaveEndsDial: a dial without waiting callers ends.
func TestLeaveEndsDial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.name("shop.example.com", ip1)
		w.blackhole(ip1)
		c := w.conns(nil)
		callers, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		start := time.Now()
		sameAnswer(t, answer{Op: "dial", Code: wayfind.CodeCanceled}, get(t, t.Context(), c, site, Ask{Callers: NewCallers(callers)}))
		if d := time.Since(start); d != time.Second {
			t.Errorf("took %v", d)
		}
		synctest.Wait()
		if c.mu.Lock(); len(c.pools) != 0 {
			t.Errorf("%d pools are left", len(c.pools))
		}
		c.mu.Unlock()
	})
}

func TestCallerLeavesAtEachStage(t *testing.T) {
	tests := []struct {
		name, op string
		status   int
		prepare  func(*world)
	}{
		{"dns", "dial", 0, func(w *world) {
			w.answer("shop.example.com", nil)
			w.dns["shop.example.com."] = w.never()
		}},
		{"dial", "dial", 0, func(w *world) { w.name("shop.example.com", ip1); w.blackhole(ip1) }},
		{"tls", "dial", 0, func(w *world) { w.name("shop.example.com", ip1); w.listen(ip1) }},
		{"headers", "headers", 0, func(w *world) { w.wire("http/1.1", stall) }},
		{"body", "body", 200, func(w *world) {
			w.wire("http/1.1", func(c *tls.Conn) {
				says("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nx")(c)
				stall(c)
			})
		}},
	}
	for _, tt := range tests {
		for _, deadline := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				tt.prepare(w)
				c := w.conns(nil)
				ctx, cancel := context.WithCancel(t.Context())
				want, cause := answer{Status: tt.status, Op: tt.op, Code: wayfind.CodeCanceled}, context.Canceled
				if deadline {
					ctx, cancel = context.WithTimeout(t.Context(), time.Second)
					want.Code, cause = wayfind.CodeTimeout, context.DeadlineExceeded
				}
				defer cancel()
				if !deadline {
					time.AfterFunc(time.Second, cancel)
				}
				start := time.Now()
				got, err := getErr(t, ctx, c, site)
				sameAnswer(t, want, got)
				if !errors.Is(err, cause) || time.Since(start) != time.Second {
					t.Errorf("%s: %v after %v", tt.name, err, time.Since(start))
				}
			})
		}
	}
}

// stall reads until the peer goes away.
func stall(c *tls.Conn) { _, _ = io.Copy(io.Discard, c) }

func TestCloseEndsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.wire("http/1.1", stall)
		c := w.conns(nil)
		var wg sync.WaitGroup
		wg.Go(func() {
			want := answer{Op: "headers", Code: wayfind.CodeCanceled, Kind: wayfind.ErrClosed}
			sameAnswer(t, want, get(t, t.Context(), c, site))
		})
		synctest.Wait()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		want := answer{Op: "dial", Code: wayfind.CodeCanceled, Kind: wayfind.ErrClosed}
		sameAnswer(t, want, get(t, t.Context(), c, site))
	})
}
