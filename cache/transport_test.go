package cache_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

func TestFreshThenValidated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := script(
			say(200, "one", "Cache-Control", "max-age=60", "Etag", `W/"1"`, "Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT", "Set-Cookie", "a=b"),
			say(304, "", "Cache-Control", "max-age=120", "Etag", `W/"1"`),
			say(200, "two", "Cache-Control", "max-age=60"),
		)
		tr := newTransport(t, o, nil)
		want(t, "first", get(t, tr, home), result{200, "one", cache.FromNetwork, ""})
		time.Sleep(59 * time.Second)
		resp, err := tr.RoundTrip(newRequest(t.Context(), home))
		if err != nil {
			t.Fatal(err)
		}
		e, facts, ok := cache.Of(resp)
		if !ok || facts.From != cache.FromMemory || facts.Age != 59*time.Second || !facts.FreshUntil.Equal(time.Now().Add(time.Second)) {
			t.Errorf("Of = %v, %+v", ok, facts)
		}
		if e.Digest != sha256.Sum256([]byte("one")) || e.URL != home {
			t.Errorf("entry %q with digest %x", e.URL, e.Digest)
		}
		if resp.Header.Get("Age") != "59" || resp.Header.Get("Set-Cookie") != "" || resp.ContentLength != 3 {
			t.Errorf("RFC 9111 §4 and §7.3: %v", resp.Header)
		}
		resp.Header.Set("Etag", "changed by the caller")
		wantCount(t, "while fresh", o, 1)

		time.Sleep(time.Second)
		want(t, "stale", get(t, tr, home), result{200, "one", cache.FromValidated, ""})
		if h := o.last().Header; h.Get("If-None-Match") != `W/"1"` || h.Get("If-Modified-Since") != "Sun, 06 Nov 1994 08:49:37 GMT" {
			t.Errorf("RFC 9110 §13.1: validators as received, both: %v", h)
		}
		time.Sleep(119 * time.Second)
		want(t, "freshened", get(t, tr, home), result{200, "one", cache.FromMemory, ""})
		time.Sleep(time.Second)
		want(t, "replaced", get(t, tr, home), result{200, "two", cache.FromNetwork, ""})
		wantCount(t, "in all", o, 3)
	})
}

// no-cache with a validator is the hot path of agent cards: 304 every time.
func TestNoCacheIsStoredAndValidated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, directive := range []string{"no-cache", "max-age=0"} {
			o := script(say(200, "one", "Cache-Control", directive, "Etag", `"1"`), say(304, "", "Etag", `"1"`))
			tr := newTransport(t, o, nil)
			get(t, tr, home)
			time.Sleep(time.Hour)
			want(t, directive, get(t, tr, home), result{200, "one", cache.FromValidated, ""})
			time.Sleep(23 * time.Hour)
			want(t, directive+" within retention", get(t, tr, home), result{200, "one", cache.FromValidated, ""})
		}
	})
}

func TestWrong304(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := script(
			say(200, "one", "Cache-Control", "no-cache", "Etag", `"1"`),
			say(304, "", "Etag", `"2"`),
			say(200, "two", "Etag", `"2"`),
		)
		tr := newTransport(t, o, nil)
		get(t, tr, home)
		want(t, "RFC 9111 §4.3.4", get(t, tr, home), result{200, "two", cache.FromNetwork, ""})
		if h := o.last().Header; len(h["If-None-Match"])+len(h["If-Modified-Since"]) > 0 {
			t.Errorf("the second request has conditions: %v", h)
		}
		wantCount(t, "in all", o, 3)
	})
}

func TestNotStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tests := []struct {
			rule string
			o    *origin
		}{
			{"RFC 9111 §5.2.2.5: no-store", always(200, "x", "Cache-Control", "no-store, max-age=60")},
			{"RFC 9111 §4.1: Vary: *", always(200, "x", "Cache-Control", "max-age=60", "Vary", "*")},
			{"RFC 9111 §3.3: 206", always(206, "x", "Cache-Control", "max-age=60")},
			{"RFC 9111 §3: 503", always(503, "x")},
		}
		for _, tt := range tests {
			tr := newTransport(t, tt.o, nil)
			for n := 1; n <= 2; n++ {
				if got := get(t, tr, home); got.Body != "x" || got.From != cache.FromNetwork {
					t.Errorf("%s: %+v", tt.rule, got)
				}
				wantCount(t, tt.rule, tt.o, n)
			}
		}
	})
}

// failing is a body that ends with an error.
type failing struct {
	io.Reader
	err error
}

func (f failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err == io.EOF {
		err = f.err
	}
	return n, err
}

func (failing) Close() error { return nil }

// RFC 9111 §3.3: an incomplete response is not stored.
func TestIncompleteBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cut := errors.New("connection reset")
		o := script(
			func(*http.Request) (*http.Response, error) {
				r := response(200, "", "Cache-Control", "max-age=60")
				r.Body, r.ContentLength = failing{strings.NewReader("half"), cut}, -1
				return r, nil
			},
			func(*http.Request) (*http.Response, error) {
				r := response(200, "half", "Cache-Control", "max-age=60")
				r.ContentLength = 8
				return r, nil
			},
			say(200, "whole", "Cache-Control", "max-age=60"),
		)
		tr := newTransport(t, o, nil)
		for _, wanted := range []error{cut, io.ErrUnexpectedEOF} {
			resp, err := tr.RoundTrip(newRequest(t.Context(), home))
			if err != nil {
				t.Fatal(err)
			}
			if b, err := io.ReadAll(resp.Body); string(b) != "half" || !errors.Is(err, wanted) {
				t.Errorf("body %q, %v; want half of it and %v", b, err, wanted)
			}
			_ = resp.Body.Close()
		}
		want(t, "then", get(t, tr, home), result{200, "whole", cache.FromNetwork, ""})
	})
}

func TestVariantsByAccept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
			return response(200, req.Header.Get("Accept"), "Cache-Control", "max-age=60", "Vary", "Accept"), nil
		}}
		tr := newTransport(t, o, nil)
		for range 2 {
			for _, accept := range []string{"a", "b"} {
				if got := get(t, tr, home, "Accept", accept); got.Body != accept {
					t.Errorf("for %q: %+v", accept, got)
				}
			}
		}
		wantCount(t, "two variants", o, 2)
	})
}

func TestPartitions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
			return response(200, req.Header.Get("Authorization"), "Cache-Control", "max-age=60"), nil
		}}
		tr := newTransport(t, o, nil)
		for range 2 {
			for _, who := range []string{"Bearer a", "Bearer b"} {
				if got := get(t, tr, home, "Authorization", who); got.Body != who {
					t.Errorf("%q got the answer of %q", who, got.Body)
				}
			}
			get(t, tr, home)
		}
		wantCount(t, "two callers and nobody", o, 3)
	})
}

func TestRequestDirectives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
			if req.Header.Get("If-None-Match") != "" {
				return response(304, "", "Cache-Control", "max-age=60", "Etag", `"1"`), nil
			}
			return response(200, "one", "Cache-Control", "max-age=60", "Etag", `"1"`), nil
		}}
		tr := newTransport(t, o, nil)
		want(t, "RFC 9111 §5.2.1.7", get(t, tr, home, "Cache-Control", "only-if-cached"), result{504, "", "", ""})
		wantCount(t, "only-if-cached", o, 0)
		get(t, tr, home, "Cache-Control", "no-store")
		want(t, "RFC 9111 §5.2.1.5", get(t, tr, home, "Cache-Control", "only-if-cached"), result{504, "", "", ""})
		get(t, tr, home)
		want(t, "RFC 9111 §5.2.1.4", get(t, tr, home, "Cache-Control", "no-cache"), result{200, "one", cache.FromValidated, ""})
		want(t, "RFC 9111 §5.4", get(t, tr, home, "Pragma", "no-cache"), result{200, "one", cache.FromValidated, ""})
		time.Sleep(61 * time.Second)
		want(t, "RFC 9111 §5.2.1.2", get(t, tr, home, "Cache-Control", "max-stale=5, only-if-cached"), result{200, "one", cache.FromStale, cache.StaleAccepted})
		want(t, "RFC 9111 §5.2.1.7", get(t, tr, home, "Cache-Control", "only-if-cached"), result{504, "", "", ""})
		wantCount(t, "in all", o, 4)
	})
}

func TestStaleIfError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := errors.New("no route to host")
		tests := []struct {
			rule, directives string
			opts             *cache.Options
			then             func(*http.Request) (*http.Response, error)
			want             result // zero: the error itself
		}{
			{"RFC 5861 §4: 503", "max-age=1, stale-if-error=60", nil, say(503, "x"), result{200, "one", cache.FromStale, cache.StaleError}},
			{"RFC 5861 §4: unreachable", "max-age=1, stale-if-error=60", nil, fail(down), result{200, "one", cache.FromStale, cache.StaleError}},
			{"RFC 5861 §4: 404 is an answer", "max-age=1, stale-if-error=60", nil, say(404, "x"), result{404, "x", cache.FromNetwork, ""}},
			{"RFC 5861 §4: window is over", "max-age=1, stale-if-error=5", nil, fail(down), result{}},
			{"RFC 9111 §4.2.4: no directive", "max-age=1", nil, fail(down), result{}},
			{"RFC 9111 §4.2.4: disconnected", "max-age=1", &cache.Options{Strict: true}, fail(down), result{200, "one", cache.FromStale, cache.StaleError}},
			{"RFC 9111 §4.2.4: configured", "max-age=1", &cache.Options{StaleIfError: time.Minute}, say(502, "x"), result{200, "one", cache.FromStale, cache.StaleError}},
			{"RFC 9111 §5.2.2.2: must-revalidate", "max-age=1, stale-if-error=60, must-revalidate", nil, fail(down), result{}},
			{"a refusal of ours is no failure", "max-age=1, stale-if-error=60", &cache.Options{Failed: errors.New("unreachable")}, fail(down), result{}},
		}
		for _, tt := range tests {
			o := script(say(200, "one", "Cache-Control", tt.directives), tt.then)
			tr := newTransport(t, o, tt.opts)
			get(t, tr, home)
			time.Sleep(10 * time.Second)
			if tt.want == (result{}) {
				if _, err := tr.RoundTrip(newRequest(t.Context(), home)); err != down {
					t.Errorf("%s: %v, want the error as it is", tt.rule, err)
				}
				continue
			}
			want(t, tt.rule, get(t, tr, home), tt.want)
		}
	})
}

// A 5xx replaces neither the stored response nor its validator.
func TestErrorKeepsEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, control := range []string{"", "no-cache", "max-age=0, private", "no-store"} {
			o := script(say(200, "one", "Cache-Control", "no-cache", "Etag", `"1"`), say(503, "down", "Cache-Control", control), say(304, "", "Etag", `"1"`))
			tr := newTransport(t, o, nil)
			get(t, tr, home)
			want(t, "down", get(t, tr, home), result{503, "down", cache.FromNetwork, ""})
			want(t, "up after "+control, get(t, tr, home), result{200, "one", cache.FromValidated, ""})
		}
	})
}

func TestUnsafeMethodInvalidates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
			if req.Method == http.MethodDelete {
				return response(500, ""), nil
			}
			return response(200, "x", "Cache-Control", "max-age=60"), nil
		}}
		tr := newTransport(t, o, nil)
		get(t, tr, home)
		for _, tt := range []struct {
			method string
			want   string
		}{
			{http.MethodHead, cache.FromMemory},
			{http.MethodDelete, cache.FromMemory}, // failed: RFC 9111 §4.4
			{http.MethodPost, cache.FromNetwork},
		} {
			req := newRequest(t.Context(), home)
			req.Method = tt.method
			if got := do(t, tr, req); got.From != "" && tt.method != http.MethodHead {
				t.Errorf("%s was served by the cache: %+v", tt.method, got)
			}
			if got := get(t, tr, home); got.From != tt.want {
				t.Errorf("after %s: %+v, want from %s", tt.method, got, tt.want)
			}
		}
	})
}

// RFC 9111 §4.4: a caller that changes a resource changes it for all, whatever credentials they
// have.
func TestUnsafeMethodInvalidatesForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTransport(t, always(200, "x", "Cache-Control", "max-age=60"), nil)
		get(t, tr, home)
		get(t, tr, home, "Authorization", "a")
		get(t, tr, home, "Authorization", "b")
		req := newRequest(t.Context(), home)
		req.Method = http.MethodPost
		req.Header.Set("Authorization", "a")
		do(t, tr, req)
		for _, own := range [][]string{nil, {"Authorization", "a"}, {"Authorization", "b"}} {
			if got := get(t, tr, home, own...); got.From != cache.FromNetwork {
				t.Errorf("%q after POST: %+v", own, got)
			}
		}
	})
}

func TestConditionsOfTheCallerPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := always(200, "x", "Cache-Control", "max-age=60")
		tr := newTransport(t, o, nil)
		for _, name := range []string{"Range", "If-Match", "If-Unmodified-Since", "If-Range"} {
			if got := get(t, tr, home, name, "x"); got.From != "" {
				t.Errorf("%s: %+v, want it passed through", name, got)
			}
		}
		wantCount(t, "passed", o, 4)
		want(t, "nothing was stored", get(t, tr, home), result{200, "x", cache.FromNetwork, ""})
	})
}

// broken is a store that always fails.
type broken struct{ err error }

func (b broken) Load(context.Context, string) (*cache.Variants, error) { return nil, b.err }
func (b broken) Save(context.Context, string, *cache.Variants, time.Duration) error {
	return b.err
}
func (b broken) Delete(context.Context, string) error { return b.err }
func (b broken) Acquire(context.Context, string, time.Time) (bool, time.Time, func(), error) {
	return false, time.Time{}, nil, b.err
}
func (b broken) Hold(context.Context, string, time.Time) error { return b.err }
func (b broken) Close() error                                  { return b.err }

func TestStoreErrorsFailNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := always(200, "x", "Cache-Control", "max-age=60")
		tr := cache.NewTransport(broken{errors.New("disk full")}, o, nil)
		defer tr.Close()
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() { want(t, "broken store", get(t, tr, home), result{200, "x", cache.FromNetwork, ""}) })
		}
		wg.Wait()
	})
}

// TestAResponseThatPassedThroughIsOfNoEntry: a response that passed through was served from no
// entry, also when its request has the context of one that was.
func TestAResponseThatPassedThroughIsOfNoEntry(t *testing.T) {
	tr := newTransport(t, always(200, "x", "Cache-Control", "max-age=60"), nil)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	first, err := tr.RoundTrip(newRequest(ctx, home))
	if err != nil {
		t.Fatal(err)
	}
	_ = first.Body.Close()
	first.Body = http.NoBody // http.Client replaces it if there is a deadline
	if _, _, ok := cache.Of(first); !ok {
		t.Error("a response whose body was replaced has lost its entry")
	}
	req := newRequest(first.Request.Context(), home)
	req.Method = http.MethodOptions
	second, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	second.Request = req // as net/http has it
	_ = second.Body.Close()
	if e, _, ok := cache.Of(second); ok {
		t.Errorf("a response to OPTIONS was served from %v", e)
	}
}

// TestHooksOfPackageNetEndWithTheCall: package net calls hooks of its own for the DNS and for
// connections. They end with the call as well, and are called until then.
func TestHooksOfPackageNetEndWithTheCall(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "max-age=0, stale-while-revalidate=60")
		w.Header().Set("Connection", "close") // each request connects
	}))
	defer srv.Close()
	renewed := make(chan struct{}, 1)
	tr := newTransport(t, &origin{answer: func(n int, req *http.Request) (*http.Response, error) {
		resp, err := srv.Client().Transport.RoundTrip(req)
		if n == 2 {
			renewed <- struct{}{}
		}
		return resp, err
	}}, nil)
	var connects, written atomic.Int64
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		ConnectStart: func(string, string) { connects.Add(1) },
		WroteHeaders: func() { written.Add(1) },
	})
	for _, time := range []string{"first", "stale"} {
		do(t, tr, newRequest(ctx, srv.URL))
		if time == "stale" {
			<-renewed
		}
		if connects.Load() != 1 || written.Load() != 1 {
			t.Errorf("%s: the caller's hooks saw %d connections and %d requests, want one each", time, connects.Load(), written.Load())
		}
	}
}
