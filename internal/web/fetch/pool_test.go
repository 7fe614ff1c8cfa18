package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// TestAHerdMakesOneConnection: a thousand requests for a cold origin make one connection.
func TestAHerdMakesOneConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.site("shop.example.com", ip1, hello)
		c := w.conns(nil)
		var wg sync.WaitGroup
		for range testkit.Crowd(1000) {
			wg.Go(func() { sameAnswer(t, ok("hello"), get(t, t.Context(), c, site)) })
		}
		wg.Wait()
		if w.dialCount() != 1 || len(w.lookups) != 1 {
			t.Errorf("%d dials, %d look-ups", w.dialCount(), len(w.lookups))
		}
	})
}

// TestOneDialFailsAll: requests that wait for the same connection share its
// error, each with its own URL.
func TestOneDialFailsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.name("shop.example.com", ip1)
		w.blackhole(ip1)
		c := w.conns(nil)
		errs := make([]error, 3)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() { _, errs[i] = c.Do(t.Context(), asking(t, site+letter(i))) })
		}
		wg.Wait()
		for i, err := range errs {
			e, isOurs := errors.AsType[*wayfind.Error](err)
			if !isOurs || e.Code != wayfind.CodeTimeout || e.URL != site+letter(i) {
				t.Errorf("%v", err)
			}
		}
		if w.dialCount() != 1 {
			t.Errorf("%d dials", w.dialCount())
		}
	})
}

// TestServerWithOneConnection: when further connections fail, the queue goes
// on over the ones there are.
func TestServerWithOneConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, r := newWorld(t), &recorder{}
		w.site("shop.example.com", ip1, r.ServeHTTP, "http/1.1")
		var dials atomic.Int32
		c := w.conns(func(o *Options) {
			o.Dial = func(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
				if dials.Add(1) > 1 {
					return nil, errors.New("only one")
				}
				return w.dial(ctx, addr)
			}
		})
		for _, a := range together(t, c, 5, letter) {
			sameAnswer(t, ok("ok"), a)
		}
		if r.widest != 1 || dials.Load() > 5 {
			t.Errorf("%d at once, %d dials", r.widest, dials.Load())
		}
	})
}

// TestStreamLimitOfTheServer: one stream at a time is the server's right.
func TestStreamLimitOfTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, r := newWorld(t), &recorder{}
		w.name("shop.example.com", ip1)
		var p http.Protocols
		p.SetHTTP2(true)
		s := &http.Server{
			Handler: r, Protocols: &p, HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 1},
			TLSConfig: &tls.Config{Certificates: []tls.Certificate{w.ca.leaf(t, leaf("shop.example.com"))}, NextProtos: []string{"h2"}},
		}
		l := w.listen(ip1)
		go func() { _ = s.ServeTLS(l, "", "") }()
		defer s.Close()
		rt := NewRetry(w.conns(nil))
		get(t, t.Context(), rt, site+"/settings")
		for _, a := range together(t, rt, 4, letter) {
			sameAnswer(t, ok("ok"), a)
		}
		if r.widest != 1 || w.dialCount() != 1 {
			t.Errorf("%d at once, %d dials", r.widest, w.dialCount())
		}
	})
}

// TestGoAwayDrains: requests under way on a connection that takes no more are
// not cut off, and later ones find a new connection.
func TestGoAwayDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.site("shop.example.com", ip1, func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/a" {
				time.Sleep(5 * time.Second / 2)
			} else if r.URL.Path == "/b" {
				rw.Header().Set("Connection", "close")
			}
			hello(rw, r)
		}, "h2")
		rt := w.conns(nil)
		for _, a := range together(t, rt, 3, letter) {
			sameAnswer(t, ok("hello"), a)
		}
		sameAnswer(t, ok("hello"), get(t, t.Context(), rt, site))
		if w.dialCount() != 2 {
			t.Errorf("%d dials", w.dialCount())
		}
	})
}

// TestTraceNamesTheConnection: layers above learn the address from a trace.
func TestTraceNamesTheConnection(t *testing.T) {
	w := newWorld(t)
	w.site("shop.example.com", ip1, hello)
	c := w.conns(nil)
	var infos []httptrace.GotConnInfo
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) { infos = append(infos, info) },
	})
	get(t, ctx, c, site)
	get(t, ctx, c, site)
	if len(infos) != 2 || infos[0].Reused || !infos[1].Reused || infos[1].Conn.RemoteAddr().String() != ip1+":443" {
		t.Errorf("%+v", infos)
	}
}

// TestEarlyCloseOfBody: closing a body early releases its place for waiting requests.
func TestEarlyCloseOfBody(t *testing.T) {
	for _, proto := range []string{"h2", "http/1.1"} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.site("shop.example.com", ip1, func(rw http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(rw, "begin")
				rw.(http.Flusher).Flush()
				if r.URL.Path == "/endless" {
					<-r.Context().Done()
				}
			}, proto)
			c := w.conns(func(o *Options) { o.Concurrency = 1 })
			resp, err := c.Do(t.Context(), asking(t, site+"/endless"))
			if err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(time.Second, func() { _ = resp.Body.Close() })
			sameAnswer(t, ok("begin"), get(t, t.Context(), c, site))
			if want := map[string]int{"h2": 1, "http/1.1": 2}[proto]; w.dialCount() != want {
				t.Errorf("%s: %d dials, want %d", proto, w.dialCount(), want)
			}
		})
	}
}

// The HTTP version of an origin depends on its own connections: no answer of another site changes
// it, wherever it redirects.
func TestAnotherSiteDecidesNoHTTPVersion(t *testing.T) {
	for _, version := range []struct {
		own, others string
		plain       bool
	}{{"h2", "http/1.1", false}, {"http/1.1", "h2", true}} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.site("shop.example.com", ip1, hello, version.own)
			w.site("other.example.net", ip2, func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("Alt-Svc", version.others+`="shop.example.com:443"; ma=86400; persist=1`)
				http.Redirect(rw, new(http.Request), site, http.StatusMovedPermanently)
			}, version.others)
			c := w.conns(nil)
			speaks := func() bool {
				c.mu.Lock()
				defer c.mu.Unlock()
				return c.plain.has(origin{host: "shop.example.com", port: 443})
			}
			get(t, t.Context(), c, "https://other.example.net/")
			if speaks() {
				t.Error("another site has written what the origin speaks")
			}
			sameAnswer(t, ok("hello"), get(t, t.Context(), c, site))
			get(t, t.Context(), c, "https://other.example.net/")
			if speaks() != version.plain {
				t.Errorf("beside %s the origin counts as one of HTTP/1.1: %v", version.others, !version.plain)
			}
		})
	}
}
