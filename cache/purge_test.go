package cache_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
)

// unsafely sends an unsafe request with fields of its own.
func unsafely(t *testing.T, rt http.RoundTripper, method, url string, pairs ...string) {
	t.Helper()
	req := newRequest(t.Context(), url, pairs...)
	req.Method = method
	do(t, rt, req)
}

// After an unsafe request has been answered, no caller gets an older answer, whatever caller sent
// the request (RFC 9111 §4.4).
func TestAnUnsafeRequestEndsTheAnswersOfAllCallers(t *testing.T) {
	callers := [][]string{
		nil, {"Cookie", "sid=1"}, {"Cookie", "sid=1; csrf=2"}, {"Authorization", "Bearer a"}, {"Authorization", "Bearer b"},
		{"Authorization", "Bearer a", "Cookie", "csrf=2"}, {"X-Api-Key", "k"}, {"Mcp-Session-Id", "s"},
	}
	for _, open := range map[string]func(*testing.T) cache.Store{
		"memory":           func(t *testing.T) cache.Store { return newMemory(t) },
		"a local store":    func(t *testing.T) cache.Store { return localOnly{newMemory(t)} },
		"local, then far":  func(t *testing.T) cache.Store { return newLayered(t, localOnly{newStore(t)}, newRemote(t)) },
		"memory, then far": func(t *testing.T) cache.Store { return newLayered(t, newStore(t), newRemote(t)) },
	} {
		for use, opts := range everyUse() {
			for _, changer := range callers {
				t.Run(fmt.Sprint(use, changer), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						var v version
						tr := newTransportOver(t, open(t), v.origin(0, "Cache-Control", "max-age=600"), opts)
						for n := range 2 {
							for _, caller := range callers {
								want(t, fmt.Sprint("before ", caller), get(t, tr, home, caller...), result{200, fmt.Sprint("v", n+1), cache.FromNetwork, ""})
								want(t, fmt.Sprint("stored ", caller), get(t, tr, home, caller...), result{200, fmt.Sprint("v", n+1), cache.FromMemory, ""})
							}
							unsafely(t, tr, http.MethodPost, home, changer...)
						}
					})
				})
			}
		}
	}
}

// localOnly is a store of somebody else's: it keeps answers to credentials, and
// has no Purge.
type localOnly struct{ cache.Store }

func (localOnly) Local() bool { return true }

// The URLs in Location and Content-Location are invalidated too if they are of the same origin.
// Other URLs are not.
func TestAnUnsafeRequestEndsTheAnswersThatItNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
			if req.Method == http.MethodPost {
				return response(201, "", "Location", "/made?x=1", "Content-Location", "https://other.example/c"), nil
			}
			return response(200, "x", "Cache-Control", "max-age=600"), nil
		}}
		tr := newTransport(t, o, nil)
		for url, from := range map[string]string{
			"https://example.com/made?x=1": cache.FromNetwork, "https://example.com/made": cache.FromMemory,
			"https://other.example/c": cache.FromMemory, "http://example.com/made?x=1": cache.FromMemory,
		} {
			get(t, tr, url, "Authorization", "a")
			unsafely(t, tr, http.MethodPost, home)
			if got := get(t, tr, url, "Authorization", "a"); got.From != from {
				t.Errorf("%s: %+v, want from %s", url, got, from)
			}
		}
	})
}

// Purge ends answers by URL, by origin, or all, of every caller, and no others.
func TestPurgeRemovesItsScope(t *testing.T) {
	pages := []string{"https://a.example/1", "https://a.example/1?q", "https://a.example:8443/1", "http://a.example/1", "https://a.example.b.example/1", "https://b.example/1"}
	scope := func(f func(*url.URL) cache.Scope, s string) cache.Scope {
		u, err := url.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return f(u)
	}
	for name, row := range map[string]struct {
		scope cache.Scope
		ends  []string
	}{
		"a URL":           {scope(cache.OfURL, "https://A.example:443/1#x"), pages[:1]},
		"an origin":       {scope(cache.OfOrigin, "https://a.example/other"), pages[:2]},
		"an origin, port": {scope(cache.OfOrigin, "https://a.example:8443"), pages[2:3]},
		"all":             {cache.Everything(), pages},
		"nothing":         {cache.Scope{}, nil},
	} {
		for _, view := range []string{"", "a lab\nof ours"} {
			t.Run(fmt.Sprint(name, view), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					tr := newTransport(t, always(200, "x", "Cache-Control", "max-age=600"), &cache.Options{View: view})
					callers := [][]string{nil, {"Authorization", "a"}, {"Cookie", "b"}}
					for _, page := range pages {
						for _, caller := range callers {
							get(t, tr, page, caller...)
						}
					}
					if err := tr.Purge(t.Context(), row.scope); err != nil {
						t.Fatal(err)
					}
					for _, page := range pages {
						from := cache.FromMemory
						for _, end := range row.ends {
							if end == page {
								from = cache.FromNetwork
							}
						}
						for _, caller := range callers {
							if got := get(t, tr, page, caller...); got.From != from {
								t.Errorf("%s of %v: from %s, want %s", page, caller, got.From, from)
							}
						}
					}
				})
			})
		}
	}
}

// An answer that was requested before a Purge is not stored after it, and no caller joins its
// request, for any scope.
func TestPurgeEndsAnswersThatAreUnderWay(t *testing.T) {
	u, _ := url.Parse(home)
	for name, scope := range map[string]cache.Scope{"URL": cache.OfURL(u), "origin": cache.OfOrigin(u), "all": cache.Everything()} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var v version
				o := v.origin(time.Second, "Cache-Control", "max-age=600")
				tr := newTransport(t, o, nil)
				early := make(chan result, 1)
				go func() { early <- get(t, tr, home, "Authorization", "a") }()
				time.Sleep(500 * time.Millisecond)
				v.raise()
				if err := tr.Purge(t.Context(), scope); err != nil {
					t.Fatal(err)
				}
				want(t, "after", get(t, tr, home, "Authorization", "a"), result{200, "v2", cache.FromNetwork, ""})
				want(t, "before", <-early, result{200, "v1", cache.FromNetwork, ""})
				want(t, "stored", get(t, tr, home, "Authorization", "a"), result{200, "v2", cache.FromMemory, ""})
			})
		})
	}
}

// Unsafe requests to other URLs lose no answer, however many there are.
func TestUnsafeRequestsToOtherURLsLoseNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
			if req.Method == http.MethodPost {
				return response(200, ""), nil
			}
			time.Sleep(100 * time.Millisecond)
			return response(200, "x", "Cache-Control", "max-age=600"), nil
		}}
		tr := newTransport(t, o, nil)
		stop := make(chan struct{})
		go func() { // 4,000 a second
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				case <-time.After(250 * time.Microsecond):
				}
				unsafely(t, tr, http.MethodPost, fmt.Sprint("https://b.example/", n))
			}
		}()
		for n := range 15 {
			page := fmt.Sprint("https://a.example/", n)
			get(t, tr, page, "Authorization", "a")
			if got := get(t, tr, page, "Authorization", "a"); got.From != cache.FromMemory {
				t.Errorf("%s: %+v", page, got)
			}
		}
		close(stop)
		synctest.Wait()
	})
}

// reluctant is a store whose writes fail if a test wants it.
type reluctant struct {
	cache.Store
	save, remove atomic.Bool
}

var errRefused = errors.New("refused")

func (*reluctant) Local() bool { return true }

func (r *reluctant) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	if r.save.Load() {
		return errRefused
	}
	return r.Store.Save(ctx, key, v, retain)
}

func (r *reluctant) Delete(ctx context.Context, key string) error {
	if r.remove.Load() {
		return errRefused
	}
	return r.Store.Delete(ctx, key)
}

// A write that fails leaves no earlier answer in charge, whether the store can
// delete or not.
func TestAWriteThatFailsLeavesNoEarlierAnswer(t *testing.T) {
	for _, both := range []bool{false, true} {
		for _, caller := range [][]string{nil, {"Authorization", "a"}} {
			t.Run(fmt.Sprint(both, caller), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := &reluctant{Store: newMemory(t)}
					var v version
					tr := newTransportOver(t, store, v.origin(0, "Cache-Control", "max-age=600"), nil)
					get(t, tr, home, caller...)
					v.raise()
					store.save.Store(true)
					store.remove.Store(both)
					reload := append([]string{"Cache-Control", "no-cache"}, caller...)
					want(t, "reload", get(t, tr, home, reload...), result{200, "v2", cache.FromNetwork, ""})
					v.raise()
					for range 2 {
						want(t, "refused", get(t, tr, home, caller...), result{200, "v3", cache.FromNetwork, ""})
					}
					store.save.Store(false)
					want(t, "taken again", get(t, tr, home, caller...), result{200, "v3", cache.FromNetwork, ""})
					want(t, "stored", get(t, tr, home, caller...), result{200, "v3", cache.FromMemory, ""})
				})
			})
		}
	}
}

// If the store does not write an invalidation, this process no longer uses the entries of its URL.
// It still uses the entries of other URLs.
func TestAnInvalidationThatIsNotWrittenAppliesInThisProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &reluctant{Store: newMemory(t)}
		var v version
		tr := newTransportOver(t, store, v.origin(0, "Cache-Control", "max-age=600"), nil)
		get(t, tr, home)
		get(t, tr, "https://b.example/")
		store.save.Store(true)
		store.remove.Store(true)
		unsafely(t, tr, http.MethodPost, home)
		for n := range 3 * 1024 { // more than are kept separately
			unsafely(t, tr, http.MethodPost, fmt.Sprint("https://c.example/", n))
			if n == 0 {
				want(t, "another URL", get(t, tr, "https://b.example/"), result{200, "v1", cache.FromMemory, ""})
			}
		}
		if got := get(t, tr, home); got.From != cache.FromNetwork || got.Body == "v1" {
			t.Errorf("the entry that could not be deleted: %+v", got)
		}
	})
}

// Cache-Status has no "stored" as long as the store takes no entries.
func TestCacheStatusOfAStoreThatRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &reluctant{Store: newMemory(t)}
		tr := newTransportOver(t, store, always(200, "x", "Cache-Control", "max-age=600"), nil)
		status := func() string {
			resp, err := tr.RoundTrip(newRequest(t.Context(), home, "Cache-Control", "no-cache"))
			if err != nil {
				t.Fatal(err)
			}
			defer synctest.Wait()
			defer resp.Body.Close()
			return resp.Header.Get("Cache-Status")
		}
		if got := status(); !strings.Contains(got, "stored") {
			t.Errorf("before: %q", got)
		}
		store.save.Store(true)
		status() // its answer is given on before the store has refused it
		if got := status(); strings.Contains(got, "stored") {
			t.Errorf("refused: %q", got)
		}
		store.save.Store(false)
		status()
		if got := status(); !strings.Contains(got, "stored") {
			t.Errorf("taken again: %q", got)
		}
	})
}

// Two Transports over one memory see each other's purges, also of the answers that one
// of them is asking for.
func TestTransportsOverOneMemorySharePurges(t *testing.T) {
	u, _ := url.Parse(home)
	for name, scope := range map[string]cache.Scope{"URL": cache.OfURL(u), "origin": cache.OfOrigin(u), "all": cache.Everything()} {
		for _, layered := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " layered ", layered), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					near := newMemory(t)
					defer near.Close()
					var v version
					o := v.origin(time.Second, "Cache-Control", "max-age=600")
					over := func() *cache.Transport {
						if layered {
							return cache.NewTransport(newLayered(t, near, newWritten()), o, nil)
						}
						return cache.NewTransport(near, o, nil)
					}
					a, b := over(), cache.NewTransport(near, o, nil)
					defer a.Close()
					defer b.Close()
					early := make(chan result, 1)
					go func() { early <- get(t, a, home, "Authorization", "x") }()
					time.Sleep(500 * time.Millisecond)
					v.raise()
					if err := b.Purge(t.Context(), scope); err != nil {
						t.Fatal(err)
					}
					want(t, "before", <-early, result{200, "v1", cache.FromNetwork, ""})
					want(t, "after", get(t, b, home, "Authorization", "x"), result{200, "v2", cache.FromNetwork, ""})
					want(t, "stored", get(t, b, home, "Authorization", "x"), result{200, "v2", cache.FromMemory, ""})
					if err := b.Purge(t.Context(), scope); err != nil {
						t.Fatal(err)
					}
					want(t, "the other one", get(t, a, home, "Authorization", "x"), result{200, "v2", cache.FromNetwork, ""})
				})
			})
		}
	}
}

// Two Transports over one memory see each other's invalidations.
func TestTransportsOverOneMemoryShareInvalidations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, err := memory.New(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		var v version
		o := v.origin(0, "Cache-Control", "max-age=600")
		a, b := cache.NewTransport(store, o, nil), cache.NewTransport(store, o, nil)
		defer a.Close()
		defer b.Close()
		get(t, a, home, "Authorization", "x")
		want(t, "shared", get(t, b, home, "Authorization", "x"), result{200, "v1", cache.FromMemory, ""})
		unsafely(t, b, http.MethodPost, home)
		want(t, "after", get(t, a, home, "Authorization", "x"), result{200, "v2", cache.FromNetwork, ""})
	})
}
