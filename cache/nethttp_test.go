package cache_test

import (
	"context"
	"crypto/tls"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// TestOpaqueURLsAreKeysOfTheirOwn: net/http writes url.URL.Opaque into the request line, so
// it is part of the target URI, which is part of the key (RFC 9111 §2).
func TestOpaqueURLsAreKeysOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTransport(t, &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
			return response(200, req.URL.RequestURI(), "Cache-Control", "max-age=60"), nil
		}}, &cache.Options{Strict: true})
		for _, opaque := range []string{"//example.com/projects/a%2Fb", "//example.com/projects/SECRET", "//example.com/", "/projects/a%2Fb"} {
			req := newRequest(t.Context(), home)
			req.URL = &url.URL{Scheme: "https", Host: "example.com", Opaque: opaque}
			if got, want := do(t, tr, req).Body, req.URL.RequestURI(); got != want {
				t.Errorf("asked for %q, got the content of %q", want, got)
			}
		}
	})
}

// TestMaxBodyMayBeAnyNumber: MaxBody is any number: the largest means no limit.
// An incomplete body is not stored as a complete one (RFC 9111 §3.3).
func TestMaxBodyMayBeAnyNumber(t *testing.T) {
	for _, length := range []int64{11, -1} {
		for _, limit := range []int64{math.MaxInt64, math.MaxInt64 - 1} {
			synctest.Test(t, func(t *testing.T) {
				o := &origin{answer: func(int, *http.Request) (*http.Response, error) {
					r := response(200, "hello world", "Cache-Control", "max-age=60")
					r.ContentLength = length
					return r, nil
				}}
				tr := newTransport(t, o, &cache.Options{Strict: true, MaxBody: limit})
				for _, from := range []string{cache.FromNetwork, cache.FromMemory} {
					want(t, from, get(t, tr, home), result{200, "hello world", from, ""})
				}
			})
		}
	}
}

// TestFactsOfTheConnectionComeWithAResponse: a program may rely on the facts that net/http reports
// with a response: the state of TLS, the protocol and the trailer.
func TestFactsOfTheConnectionComeWithAResponse(t *testing.T) {
	for _, control := range []string{"no-store", "max-age=60"} {
		t.Run(control, func(t *testing.T) {
			srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Trailer", "X-Sum")
				w.Header().Set("Cache-Control", control)
				_, _ = io.WriteString(w, "x")
				w.Header().Set("X-Sum", "123")
			}))
			srv.EnableHTTP2 = true
			srv.StartTLS()
			defer srv.Close()
			tr := newTransport(t, srv.Client().Transport, nil)
			for _, time := range []string{"first", "second"} {
				resp, err := tr.RoundTrip(newRequest(t.Context(), srv.URL))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.ReadAll(resp.Body); err != nil {
					t.Fatal(err)
				}
				_ = resp.Body.Close()
				if resp.Proto != "HTTP/2.0" || resp.ProtoMajor != 2 {
					t.Errorf("%s: protocol %s", time, resp.Proto)
				}
				if resp.TLS == nil || resp.TLS.Version != tls.VersionTLS13 {
					t.Errorf("%s: TLS state %v", time, resp.TLS)
				}
				if resp.Trailer.Get("X-Sum") != "123" {
					t.Errorf("%s: trailer %v", time, resp.Trailer)
				}
			}
		})
	}
}

// TestACallerCanTellThatACodingWasUndone: the caller can see that net/http has decoded the body.
func TestACallerCanTellThatACodingWasUndone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTransport(t, &origin{answer: func(int, *http.Request) (*http.Response, error) {
			r := response(200, "x", "Cache-Control", "max-age=60")
			r.Uncompressed, r.ContentLength = true, -1
			return r, nil
		}}, nil)
		for _, time := range []string{"first", "second"} {
			resp, err := tr.RoundTrip(newRequest(t.Context(), home))
			if err != nil {
				t.Fatal(err)
			}
			if !resp.Uncompressed {
				t.Errorf("%s: Uncompressed is not set", time)
			}
			_ = resp.Body.Close()
		}
	})
}

// TestHooksOfACallerEndWithTheCall: the hooks of a caller write to its own variables, and are not
// called after its answer.
func TestHooksOfACallerEndWithTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := slow(say(200, "x", "Cache-Control", "max-age=3, stale-while-revalidate=60"))
		tr := newTransport(t, &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
			if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.GetConn != nil {
				trace.GetConn("example.com:443")
			}
			return o.RoundTrip(req)
		}}, nil)
		get(t, tr, home)
		time.Sleep(4 * time.Second)
		var answered atomic.Bool
		var late atomic.Int64
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GetConn: func(string) {
			// The goroutine in the background may begin after the answer.
			time.Sleep(time.Millisecond)
			if answered.Load() {
				late.Add(1)
			}
		}})
		want(t, "stale", do(t, tr, newRequest(ctx, home)), result{200, "x", cache.FromStale, cache.StaleRevalidating})
		answered.Store(true)
		time.Sleep(time.Minute)
		wantCount(t, "with the background", o, 2)
		if n := late.Load(); n > 0 {
			t.Errorf("the caller's hooks were called %d times after its answer", n)
		}
	})
}

// idling counts the calls of http.Client.CloseIdleConnections.
type idling struct {
	*origin
	closed atomic.Int64
}

func (i *idling) CloseIdleConnections() { i.closed.Add(1) }

// TestCloseIdleConnectionsIsPassedOn: http.Client passes it to its Transport, and so
// does each RoundTripper to the one below.
func TestCloseIdleConnectionsIsPassedOn(t *testing.T) {
	next := &idling{origin: always(200, "x")}
	c := &http.Client{Transport: newTransport(t, next, nil)}
	c.CloseIdleConnections()
	if n := next.closed.Load(); n != 1 {
		t.Errorf("%d calls below, want 1", n)
	}
}

// TestARequestWithoutAURLIsAnError: a request without a URL is an error, as with net/http.
func TestARequestWithoutAURLIsAnError(t *testing.T) {
	tr := newTransport(t, always(200, "x"), nil)
	req := (&http.Request{Method: http.MethodGet, Header: http.Header{}}).WithContext(context.Background())
	if resp, err := tr.RoundTrip(req); err == nil {
		t.Errorf("status %d, want an error", resp.StatusCode)
	}
}

// A 304 arrived over a connection of its own and has no content of its own. Negative answers are
// kept in a small form.
func TestAValidatedResponseHasTheFactsOfItsConnection(t *testing.T) {
	for _, status := range []int{200, 404} {
		synctest.Test(t, func(t *testing.T) {
			versions := []uint16{tls.VersionTLS12, tls.VersionTLS13}
			tr := newTransport(t, &origin{answer: func(n int, _ *http.Request) (*http.Response, error) {
				r := response(304, "", "Cache-Control", "max-age=60", "Etag", `"1"`)
				if n == 1 {
					r = response(status, "x", "Cache-Control", "max-age=60", "Etag", `"1"`)
					r.Uncompressed, r.ContentLength, r.Trailer = true, -1, http.Header{"X-Sum": {"123"}}
				}
				r.TLS = &tls.ConnectionState{Version: versions[n-1]}
				return r, nil
			}}, nil)
			for n, version := range []uint16{tls.VersionTLS12, tls.VersionTLS12, tls.VersionTLS13, tls.VersionTLS13} {
				if n == 2 {
					time.Sleep(2 * time.Minute)
				}
				resp, err := tr.RoundTrip(newRequest(t.Context(), home))
				if err != nil {
					t.Fatal(err)
				}
				if resp.TLS == nil || resp.TLS.Version != version || !resp.Uncompressed || resp.Trailer.Get("X-Sum") != "123" {
					t.Errorf("%d, response %d: TLS %v, uncompressed %v, trailer %v", status, n, resp.TLS, resp.Uncompressed, resp.Trailer)
				}
				resp.Trailer.Set("X-Sum", "changed by its caller")
				_ = resp.Body.Close()
			}
		})
	}
}
