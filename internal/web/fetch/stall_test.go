package fetch

import (
	"crypto/tls"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
)

// TestEachStageHasItsTimeLimit: each stage has its limit, however slowly bytes arrive.
func TestEachStageHasItsTimeLimit(t *testing.T) {
	trickle := func(c *tls.Conn) {
		for {
			if _, err := io.WriteString(c, "x"); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	}
	tests := []struct {
		name  string
		setup func(*world)
		want  answer
		limit time.Duration
	}{
		{"accept", func(w *world) { w.name("shop.example.com", ip1); w.listen(ip1) },
			failed("tls", wayfind.CodeTimeout), handshakeTimeout},
		{"request", func(w *world) { w.wire("http/1.1", stall) },
			failed("headers", wayfind.CodeTimeout), headerTimeout},
		{"slow header", func(w *world) { w.wire("http/1.1", trickle) },
			failed("headers", wayfind.CodeTimeout), headerTimeout},
		{"body", func(w *world) {
			w.wire("http/1.1", func(c *tls.Conn) {
				says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")(c)
				stall(c)
			})
		}, answer{Status: 200, Op: "body", Code: wayfind.CodeTimeout, Kind: wayfind.ErrUnreachable}, requestTimeout},
		{"slow body", func(w *world) {
			w.wire("http/1.1", func(c *tls.Conn) {
				says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")(c)
				trickle(c)
			})
		}, answer{Status: 200, Op: "body", Code: wayfind.CodeTimeout, Kind: wayfind.ErrUnreachable}, requestTimeout},
		{"h2 request", func(w *world) {
			w.site("shop.example.com", ip1, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "h2")
		}, failed("headers", wayfind.CodeTimeout), headerTimeout},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			tt.setup(w)
			start := time.Now()
			got := get(t, t.Context(), w.stack(nil), site)
			sameAnswer(t, tt.want, got)
			if d := time.Since(start); d != tt.limit {
				t.Errorf("%s: took %v, want %v", tt.name, d, tt.limit)
			}
			time.Sleep(2 * time.Second) // until the server has noticed
		})
	}
}

// TestSilentConnectionIsLeft: with HTTP/2, requests after a time-out do not
// follow the first into the hole.
func TestSilentConnectionIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var n atomic.Int32
		w.site("shop.example.com", ip1, func(rw http.ResponseWriter, r *http.Request) {
			if n.Add(1) == 1 {
				<-r.Context().Done()
			}
			hello(rw, r)
		}, "h2")
		c := w.stack(nil)
		sameAnswer(t, failed("headers", wayfind.CodeTimeout), get(t, t.Context(), c, site))
		sameAnswer(t, answer{Status: 200, Body: "hello"}, get(t, t.Context(), c, site))
		if w.dialCount() != 2 {
			t.Errorf("%d dials", w.dialCount())
		}
	})
}
