package fetch

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/wayfindhq/wayfind"
)

const (
	site = "https://shop.example.com"
	ip1  = "93.184.216.34"
	ip2  = "93.184.216.35"
)

func sameAnswer(t testing.TB, want, got answer) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateErrors()); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

// together sends n requests at once, in order, and returns their answers.
func together(t *testing.T, rt Step, n int, path func(int) string) []answer {
	t.Helper()
	answers := make([]answer, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { answers[i] = get(t, t.Context(), rt, site+path(i)) })
		synctest.Wait() // each is in its queue before the next comes
	}
	wg.Wait()
	return answers
}

func letter(i int) string { return "/" + string(rune('a'+i)) }

// recorder is a handler that takes a second, records the order of requests and counts how many run
// at once.
type recorder struct {
	mu              sync.Mutex
	paths           []string
	running, widest int
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	r.paths = append(r.paths, req.URL.Path)
	r.running++
	r.widest = max(r.widest, r.running)
	r.mu.Unlock()
	time.Sleep(time.Second)
	r.mu.Lock()
	r.running--
	r.mu.Unlock()
	_, _ = io.WriteString(w, "ok")
}

func TestConnectionsOfOneOrigin(t *testing.T) {
	tests := []struct {
		name        string
		protos      []string
		concurrency int
		dials, most int
		elapsed     time.Duration
	}{
		{"h2 shares one", []string{"h2"}, 0, 1, 15, time.Second},
		{"h1 opens six", []string{"http/1.1"}, 0, 6, 6, 3 * time.Second},
		{"h2 narrowed", []string{"h2"}, 5, 1, 5, 3 * time.Second},
		{"h1 narrowed", []string{"http/1.1"}, 3, 3, 3, 5 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, r := newWorld(t), &recorder{}
				w.site("shop.example.com", ip1, r.ServeHTTP, tt.protos...)
				c := w.conns(func(o *Options) { o.Concurrency = tt.concurrency })
				start := time.Now()
				var want []string
				for i, a := range together(t, c, 15, letter) {
					sameAnswer(t, answer{Status: 200, Body: "ok"}, a)
					want = append(want, letter(i))
				}
				if d := time.Since(start); d != tt.elapsed {
					t.Errorf("took %v, want %v", d, tt.elapsed)
				}
				if w.dialCount() != tt.dials || r.widest != tt.most {
					t.Errorf("%d dials, %d at once; want %d, %d", w.dialCount(), r.widest, tt.dials, tt.most)
				}
				slices.Sort(r.paths[:min(6, len(r.paths))]) // on their own connections, any order
				if tt.protos[0] == "h2" || tt.most < 6 {
					slices.Sort(r.paths)
				}
				if diff := cmp.Diff(want[:6], r.paths[:6]); diff != "" {
					t.Errorf("first served (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestRequestsLeaveInOrder(t *testing.T) {
	for _, proto := range []string{"h2", "http/1.1"} {
		synctest.Test(t, func(t *testing.T) {
			w, r := newWorld(t), &recorder{}
			w.site("shop.example.com", ip1, r.ServeHTTP, proto)
			c := w.conns(func(o *Options) { o.Concurrency = 1 })
			together(t, c, 8, letter)
			want := []string{"/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h"}
			if diff := cmp.Diff(want, r.paths); diff != "" {
				t.Errorf("%s (-want +got):\n%s", proto, diff)
			}
		})
	}
}

func TestIdleConnectionEnds(t *testing.T) {
	for _, proto := range []string{"h2", "http/1.1"} {
		for _, tt := range []struct {
			keep, pause time.Duration
			dials       int
		}{
			{0, 29 * time.Second, 1},
			{0, 31 * time.Second, 2},
			{5 * time.Second, 4 * time.Second, 1},
			{5 * time.Second, 6 * time.Second, 2},
			{-1, time.Millisecond, 2},
		} {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.site("shop.example.com", ip1, hello, proto)
				c := w.conns(func(o *Options) { o.KeepAlive = tt.keep })
				get(t, t.Context(), c, site)
				time.Sleep(tt.pause)
				sameAnswer(t, answer{Status: 200, Body: "hello"}, get(t, t.Context(), c, site))
				if w.dialCount() != tt.dials {
					t.Errorf("%s, kept %v, pause %v: %d dials, want %d", proto, tt.keep, tt.pause, w.dialCount(), tt.dials)
				}
			})
		}
	}
}

// TestAnIdleConnectionClosedByItsPeerIsReplacedUnnoticed: the next call does not notice.
func TestAnIdleConnectionClosedByItsPeerIsReplacedUnnoticed(t *testing.T) {
	for _, proto := range []string{"h2", "http/1.1"} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.name("shop.example.com", ip1)
			l := &trackingListener{Listener: w.listen(ip1)}
			w.serve(l, "shop.example.com", hello, proto)
			c := w.conns(nil)
			get(t, t.Context(), c, site)
			l.closeAll()
			synctest.Wait()
			sameAnswer(t, answer{Status: 200, Body: "hello"}, get(t, t.Context(), c, site))
			if w.dialCount() != 2 {
				t.Errorf("%s: %d dials, want 2", proto, w.dialCount())
			}
		})
	}
}

// In whatever way an idle connection ended, the next call makes another one and is sent once, even
// if it must not be sent twice.
func TestHoweverAnIdleConnectionEndedTheNextCallIsSentOnce(t *testing.T) {
	for _, proto := range []string{"h2", "http/1.1"} {
		for _, e := range []ending{bye, fin, rst} {
			for _, once := range []bool{false, true} {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t)
					var s *wire
					s = w.wire(proto, func(c *tls.Conn) {
						if proto == "h2" {
							f := s.frames(c, true)
							f.hello(<-f.streams)
						} else {
							says(helloH1)(c)
						}
						time.Sleep(time.Second)
						e.apply(c)
					})
					like := Ask{Budget: NewBudget(5), Once: once}
					rt := w.stack(nil)
					for range 3 {
						sameAnswer(t, ok("hello"), get(t, t.Context(), rt, site, like))
						time.Sleep(2 * time.Second)
					}
					if s.requests.Load() != 3 || w.dialCount() != 3 || like.Budget.Left() != 5 {
						t.Errorf("%s, %s: %d requests, %d dials, %d retries left", proto, e, s.requests.Load(), w.dialCount(), like.Budget.Left())
					}
				})
			}
		}
	}
}

// TestAConnectionClosedUnderTheRequestIsReplaced: the peer closes when the request is already
// on its way on a used connection.
func TestAConnectionClosedUnderTheRequestIsReplaced(t *testing.T) {
	for _, once := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			var served atomic.Int32
			w.wire("http/1.1", func(c *tls.Conn) {
				served.Add(1)
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
				if readHeader(c) == nil { // the second request: read, not answered
					served.Add(1)
				}
			})
			b := NewBudget(5)
			like := Ask{Budget: b, Once: once}
			c := w.conns(nil)
			get(t, t.Context(), c, site, like)
			want, requests, left := answer{Status: 200, Body: "ok"}, int32(3), 4
			if once {
				want, requests, left = failed("headers", wayfind.CodeTruncated), 2, 5
			}
			sameAnswer(t, want, get(t, t.Context(), c, site, like))
			if served.Load() != requests || b.Left() != left {
				t.Errorf("once %v: %d requests, budget %d; want %d, %d", once, served.Load(), b.Left(), requests, left)
			}
		})
	}
}

func TestGoAwayMovesRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var n atomic.Int32
		w.site("shop.example.com", ip1, func(rw http.ResponseWriter, r *http.Request) {
			if n.Add(1) == 1 {
				rw.Header().Set("Connection", "close") // becomes a GOAWAY
			}
			time.Sleep(100 * time.Millisecond)
			hello(rw, r)
		}, "h2")
		c := w.conns(nil)
		for range 3 {
			sameAnswer(t, answer{Status: 200, Body: "hello"}, get(t, t.Context(), c, site))
		}
		if w.dialCount() != 2 {
			t.Errorf("%d dials, want 2", w.dialCount())
		}
	})
}

func TestOriginAndMethodRefused(t *testing.T) {
	w := newWorld(t)
	c := w.conns(nil)
	tests := []struct {
		url, method string
		want        answer
	}{
		{"http://shop.example.com/", "GET", answer{Op: "dial", Code: wayfind.CodeScheme, Kind: wayfind.ErrRefused}},
		{"https://u:p@shop.example.com/", "GET", answer{Op: "dial", Code: wayfind.CodeUserinfo, Kind: wayfind.ErrRefused}},
		{"https://shop.example.com:0/", "GET", answer{Op: "dial", Code: wayfind.CodePort, Kind: wayfind.ErrRefused}},
		{"https:///x", "GET", answer{Op: "dial", Code: wayfind.CodeHostSyntax, Kind: wayfind.ErrInvalid}},
		{site, "POST", answer{Op: "headers", Code: wayfind.CodeProtocol, Kind: wayfind.ErrRefused}},
	}
	for _, tt := range tests {
		a := asking(t, tt.url)
		a.Method = tt.method
		_, err := c.Do(t.Context(), a)
		sameAnswer(t, tt.want, answerOf(t, 0, "", err))
	}
	if w.dialCount() != 0 || len(w.lookups) != 0 {
		t.Errorf("dials %v, look-ups %v", w.dials, w.lookups)
	}
}

// TestNotWellFormed: nothing leaves that would be another request on the wire,
// and that it does not is no fact about the site.
func TestNotWellFormed(t *testing.T) {
	origin := answer{Op: "headers", Code: wayfind.CodeOrigin, Kind: wayfind.ErrRefused}
	ours := answer{Op: "headers", Code: wayfind.CodeProtocol, Kind: wayfind.ErrInvalid}
	tests := []struct {
		url    url.URL
		header http.Header
		agent  string
		want   answer
	}{
		{url: url.URL{Opaque: "//evil.example.net/x"}, want: origin},
		{url: url.URL{Path: "http://evil.example.net/x"}, want: origin},
		{url: url.URL{Path: "*"}, want: origin},
		{url: url.URL{Path: "/", RawQuery: "x HTTP/1.1\r\nHost: evil.example.net"}, want: origin},
		{header: http.Header{"Accept": {"a\r\nHost: evil.example.net"}}, want: ours},
		{header: http.Header{"X:": {"a"}}, want: ours},
		{agent: "wayfind\n", want: ours},
	}
	for _, tt := range tests {
		w := newWorld(t)
		w.site("shop.example.com", ip1, hello)
		tt.url.Scheme, tt.url.Host = "https", "shop.example.com"
		_, err := w.conns(func(o *Options) { o.UserAgent = tt.agent }).Do(t.Context(), &Ask{URL: &tt.url, Header: tt.header})
		if err == nil {
			t.Errorf("%v %q was sent", &tt.url, tt.header)
			continue
		}
		sameAnswer(t, tt.want, answerOf(t, 0, "", err))
		if w.dialCount() != 0 {
			t.Errorf("%v %q: %d dials", &tt.url, tt.header, w.dialCount())
		}
	}
}

func TestRequestHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var got http.Header
		w.site("shop.example.com", ip1, func(_ http.ResponseWriter, r *http.Request) { got = r.Header })
		a := asking(t, site)
		a.Header = http.Header{
			"Authorization": {"Bearer x"}, "Cookie": {"a=b"}, "Proxy-Authorization": {"Basic x"},
			"Referer": {"https://other.example/?token"}, "Accept": {"application/json"}, "If-None-Match": {`"e"`},
			"Accept-Encoding": {"br"},
		}
		before := a.Header.Clone()
		resp, err := w.conns(nil).Do(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		want := http.Header{
			"Accept": {"application/json"}, "Accept-Encoding": {"gzip"},
			"If-None-Match": {`"e"`}, "User-Agent": {defaultUserAgent},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(before, a.Header); diff != "" {
			t.Errorf("the request was changed (-before +after):\n%s", diff)
		}
	})
}

// TestInformationalHook: a hook of the caller for 1xx answers would take the
// bound on them away.
func TestInformationalHook(t *testing.T) {
	for _, proto := range []string{"h2", "http/1.1"} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.site("shop.example.com", ip1, func(rw http.ResponseWriter, r *http.Request) {
				rw.Header().Set("Link", "</x>") // once: over HTTP/2, the server reads it while an answer that was given up is written
				for r.Context().Err() == nil {
					rw.WriteHeader(http.StatusEarlyHints)
				}
			}, proto)
			var seen atomic.Int32
			ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
				Got1xxResponse: func(int, textproto.MIMEHeader) error { seen.Add(1); return nil },
			})
			sameAnswer(t, failed("headers", wayfind.CodeHeadersTooLarge), get(t, ctx, w.conns(nil), site))
			if n := seen.Load(); n == 0 || n > maxHeaderBytes/16 {
				t.Errorf("%s: %d informational answers", proto, n)
			}
		})
	}
}
