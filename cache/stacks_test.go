package cache_test

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// stack contains the stores of one process before the shared one.
type stack struct {
	name string
	open func(t *testing.T) cache.Store // nil: nothing
}

func stacks() []stack {
	return []stack{
		{"alone", nil},
		{"memory", func(t *testing.T) cache.Store { return newMemory(t) }},
		{"disk", func(t *testing.T) cache.Store { return openDisk(t) }},
	}
}

// member is a Transport with stores, as one process has them.
type member struct {
	*cache.Transport
	layers *cache.Layered // nil: over the far store alone
}

func begin(near, far cache.Store, next http.RoundTripper) *member {
	return beginBy(strict(), near, far, next)
}

func beginBy(opts *cache.Options, near, far cache.Store, next http.RoundTripper) *member {
	p := &member{}
	if near != nil {
		p.layers = cache.NewLayered(near, far, nil)
		far = p.layers
	}
	p.Transport = cache.NewTransport(far, next, opts)
	return p
}

// end waits for pending writes.
func (p *member) end() {
	_ = p.Transport.Close()
	if p.layers != nil {
		_ = p.layers.Close()
	}
}

// onRedis runs a test in a bubble for each stack before a real Redis.
func onRedis(t *testing.T, run func(t *testing.T, open func() cache.Store, far cache.Store)) {
	t.Helper()
	server := testkit.StartRedis(t)
	for _, s := range stacks() {
		t.Run(s.name, func(t *testing.T) {
			far := openRedis(t, server, t.Name()+":")
			synctest.Test(t, func(t *testing.T) {
				run(t, func() cache.Store {
					if s.open == nil {
						return nil
					}
					near := s.open(t)
					t.Cleanup(func() { _ = near.Close() })
					return near
				}, far)
			})
		})
	}
}

// TestSharedAnswersStaySharedInEachStackOfStores: an entry from Redis is fresh for others as long
// as its s-maxage, and is never used stale if that is forbidden (RFC 9111 §5.2.2.8, §5.2.2.10),
// even after a store before it has serialised it.
func TestSharedAnswersStaySharedInEachStackOfStores(t *testing.T) {
	for _, control := range []string{"max-age=600, s-maxage=10", "max-age=600, s-maxage=10, stale-while-revalidate=600", "max-age=10, proxy-revalidate", "max-age=10, proxy-revalidate, stale-if-error=600"} {
		t.Run(control, func(t *testing.T) {
			onRedis(t, func(t *testing.T, open func() cache.Store, far cache.Store) {
				first := begin(open(), far, always(200, "x", "Cache-Control", control))
				get(t, first, home)
				first.end()
				near := open()
				down := script(fail(errors.New("connection refused")))
				second := begin(near, far, down)
				time.Sleep(5 * time.Second)
				want(t, "fresh", get(t, second, home), result{200, "x", "redis", ""})
				second.end()
				third := begin(near, far, down)
				defer third.end()
				time.Sleep(3 * time.Second)
				if got := get(t, third, home); got.Status != 200 {
					t.Errorf("fresh still: %+v", got)
				}
				time.Sleep(5 * time.Second)
				for _, demand := range []string{"", "max-stale=100", "max-stale"} {
					req := newRequest(t.Context(), home)
					if demand != "" {
						req.Header.Set("Cache-Control", demand)
					}
					if resp, err := third.RoundTrip(req); err == nil {
						t.Errorf("three seconds after its end, with %q: %s", demand, resp.Header.Get("Cache-Status"))
						_ = resp.Body.Close()
					}
				}
			})
		})
	}
}

// TestAnswersForOneUserReachNoOtherProcess: a response that is private (RFC 9111 §5.2.2.7), sets a
// cookie (§7.3) or answers credentials (§3.5) reaches no other process, even if the origin allows
// sharing it.
func TestAnswersForOneUserReachNoOtherProcess(t *testing.T) {
	for name, row := range map[string]struct {
		response, request []string
		shared            bool
	}{
		"for all":         {[]string{"Cache-Control", "max-age=600"}, nil, true},
		"private":         {[]string{"Cache-Control", "private, max-age=600"}, nil, false},
		"private field":   {[]string{"Cache-Control", `private="X", max-age=600`}, nil, false},
		"Set-Cookie":      {[]string{"Cache-Control", "public, max-age=600", "Set-Cookie", "sid=alice"}, nil, false},
		"Authorization":   {[]string{"Cache-Control", "public, s-maxage=600"}, []string{"Authorization", "Bearer alice"}, false},
		"Cookie":          {[]string{"Cache-Control", "public, s-maxage=600"}, []string{"Cookie", "sid=alice"}, false},
		"must-revalidate": {[]string{"Cache-Control", "must-revalidate, max-age=600"}, []string{"Authorization", "Bearer alice"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			onRedis(t, func(t *testing.T, open func() cache.Store, far cache.Store) {
				near := open()
				o := &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
					if req.Header.Get("Accept-Language") == "de" {
						return response(200, "alice's", append(row.response, "Vary", "Accept-Language")...), nil
					}
					return response(200, "all", "Cache-Control", "max-age=600", "Vary", "Accept-Language"), nil
				}}
				first := beginBy(nil, near, far, o)
				get(t, first, home, append([]string{"Accept-Language", "de"}, row.request...)...)
				first.end()
				first = beginBy(nil, near, far, o) // the near entry was serialised
				get(t, first, home, "Accept-Language", "en")
				first.end()
				second := beginBy(nil, open(), far, always(200, "another", "Cache-Control", "no-store"))
				defer second.end()
				for _, request := range [][]string{nil, row.request} {
					got := get(t, second, home, append([]string{"Accept-Language", "de"}, request...)...)
					if (got.Body == "alice's") != (row.shared) {
						t.Errorf("another process, asked with %q: %+v", request, got)
					}
				}
			})
		})
	}
}
