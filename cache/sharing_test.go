package cache_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// together sends n requests at once and returns how long the slowest took.
func together(t *testing.T, rt http.RoundTripper, n int, pairs func(i int) []string) time.Duration {
	t.Helper()
	began := time.Now()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { get(t, rt, home, pairs(i)...) })
	}
	wg.Wait()
	return time.Since(began)
}

func says(pairs ...string) func(int) []string { return func(int) []string { return pairs } }

// Callers that accept only answers to later requests share the next request (RFC 9111 §5.2.1.4).
func TestReloadsShareTheNextRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := slow(say(200, "x", "Cache-Control", "max-age=60"))
		tr := newTransport(t, o, nil)
		var wg sync.WaitGroup
		wg.Go(func() { get(t, tr, home) })
		time.Sleep(time.Second / 2)
		if d := together(t, tr, 20, says("Cache-Control", "no-cache")); d != 3*time.Second/2 {
			t.Errorf("the slowest took %v", d)
		}
		wg.Wait()
		wantCount(t, "both", o, 2)
	})
}

// Callers with the same values for the fields in Vary share a request, and do not wait for callers
// with other values.
func TestVariantsShareAmongThemselves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := naming("Accept-Language", "Vary", "Accept-Language", "Cache-Control", "max-age=60")
		tr := newTransport(t, o, nil)
		get(t, tr, home, "Accept-Language", "aa")
		d := together(t, tr, 40, func(i int) []string { return []string{"Accept-Language", fmt.Sprint("x-", i%4)} })
		if d != time.Second {
			t.Errorf("the slowest took %v", d)
		}
		wantCount(t, "one for each language", o, 5)
	})
}

// After an answer could not be shared, each caller sends its own request at once, until an answer
// can be shared again or two minutes have passed. A failure does not change this.
func TestApart(t *testing.T) {
	for name, row := range map[string]struct {
		before []func(*http.Request) (*http.Response, error)
		pause  time.Duration
		asked  int // by 20 callers
	}{
		"no-store":              {[]func(*http.Request) (*http.Response, error){say(200, "x", "Cache-Control", "no-store")}, 0, 20},
		"long ago":              {[]func(*http.Request) (*http.Response, error){say(200, "x", "Cache-Control", "no-store")}, 2 * time.Minute, 1},
		"shareable again":       {[]func(*http.Request) (*http.Response, error){say(200, "x", "Cache-Control", "no-store"), say(200, "x", "Cache-Control", "max-age=1")}, time.Second, 1},
		"a failure":             {[]func(*http.Request) (*http.Response, error){say(503, "x")}, 0, 1},
		"no lifetime, then 304": {[]func(*http.Request) (*http.Response, error){say(200, "x", "Etag", `"1"`), say(304, "", "Etag", `"1"`)}, 0, 20},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				last := slow(say(200, "x", "Cache-Control", "max-age=60"))
				o := &origin{answer: func(n int, req *http.Request) (*http.Response, error) {
					if n <= len(row.before) {
						return row.before[n-1](req)
					}
					return last.answer(n, req)
				}}
				tr := newTransport(t, o, &cache.Options{Strict: true})
				for range row.before {
					get(t, tr, home)
				}
				time.Sleep(row.pause)
				if d := together(t, tr, 20, says()); d != time.Second {
					t.Errorf("the slowest took %v", d)
				}
				wantCount(t, name, o, len(row.before)+row.asked)
			})
		})
	}
}

// Callers with Rules share the answer that came while they waited, and wait for each other the next
// time too.
func TestRulesShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, control := range []string{"no-store", "no-cache", "max-age=0"} {
			o := slow(say(200, "x", "Cache-Control", control))
			rt := cache.By(newTransport(t, o, nil), &cache.TestRules{})
			for n := 1; n <= 2; n++ {
				if d := together(t, rt, 20, says()); d != time.Second {
					t.Errorf("%s: the slowest took %v", control, d)
				}
				wantCount(t, control, o, n)
			}
		}
	})
}
