package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/parse"
)

// counted returns the changes of the counters between two calls.
func counted(before, after client.Stats) client.Stats {
	b, a := before.Responses, after.Responses
	return client.Stats{
		Sites: client.SiteStats{
			Hits: after.Sites.Hits - before.Sites.Hits, Misses: after.Sites.Misses - before.Sites.Misses,
			Joined: after.Sites.Joined - before.Sites.Joined,
		},
		Responses: cache.Stats{
			Hits: a.Hits - b.Hits, Misses: a.Misses - b.Misses, Revalidations: a.Revalidations - b.Revalidations,
			Unchanged: a.Unchanged - b.Unchanged, Joined: a.Joined - b.Joined, Passed: a.Passed - b.Passed,
			StoreErrors: a.StoreErrors - b.StoreErrors, Corrupt: a.Corrupt - b.Corrupt,
			Stale: cache.StaleStats{
				Accepted: a.Stale.Accepted - b.Stale.Accepted, Revalidating: a.Stale.Revalidating - b.Stale.Revalidating,
				Error: a.Stale.Error - b.Stale.Error, Held: a.Stale.Held - b.Stale.Held, Floor: a.Stale.Floor - b.Stale.Floor,
			},
		},
		Store: cache.LayeredStats{Dropped: after.Store.Dropped - before.Store.Dropped, Failed: after.Store.Failed - before.Store.Failed},
	}
}

// wantCounted runs a step and compares the changed counters.
func wantCounted(t *testing.T, name string, c *client.Client, step func(), want client.Stats) {
	t.Helper()
	before := c.Stats()
	step()
	synctest.Wait()
	if d := cmp.Diff(want, counted(before, c.Stats())); d != "" {
		t.Errorf("%s counted (-want +got):\n%s", name, d)
	}
}

// responses are Stats of single responses and one Site that was asked for.
func responses(r cache.Stats) client.Stats {
	return client.Stats{Sites: client.SiteStats{Misses: 1}, Responses: r}
}

// Each counter changes with its own event and with no other.
func TestStats(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		const minute = "max-age=60, stale-while-revalidate=60"
		host := internet.Host("shop.example", nil)
		host.Handle(wellKnown, page(manifest("shop.example", "/a"), "ETag", `"1"`, "Cache-Control", minute))
		c := newClient(t, internet)
		if d := cmp.Diff(client.Stats{}, counted(client.Stats{}, c.Stats())); d != "" {
			t.Errorf("at first (-want +got):\n%s", d)
		}
		resolve := func() { _, _ = c.Resolve(t.Context(), "shop.example") }
		wantCounted(t, "a first call", c, resolve, responses(cache.Stats{Misses: 1}))
		wantCounted(t, "a second call", c, resolve, client.Stats{Sites: client.SiteStats{Hits: 1}})
		wantCounted(t, "Probe", c, func() {
			for range c.Probe(t.Context(), "shop.example") {
			}
		}, responses(cache.Stats{Hits: 1}))
		wantCounted(t, "a call without the Site", c, func() { _, _ = again(t, c) }, responses(cache.Stats{Hits: 1}))
		refresh := func() { _, _ = c.Refresh(t.Context(), "shop.example") }
		wantCounted(t, "Refresh", c, refresh, responses(cache.Stats{Revalidations: 1, Unchanged: 1}))
		host.Handle(wellKnown, page(manifest("shop.example", "/b"), "ETag", `"2"`, "Cache-Control", minute))
		wantCounted(t, "Refresh of what changed", c, refresh, responses(cache.Stats{Revalidations: 1}))
		time.Sleep(90 * time.Second)
		wantCounted(t, "stale while revalidating", c, resolve,
			responses(cache.Stats{Stale: cache.StaleStats{Revalidating: 1}, Revalidations: 1, Unchanged: 1}))
		host.Handle(wellKnown, page(manifest("shop.example", "/b"), "Cache-Control", "max-age=60"))
		wantCounted(t, "Refresh to what has no validator", c, refresh, responses(cache.Stats{Revalidations: 1}))
		time.Sleep(time.Minute)
		wantCounted(t, "what has none and is stale", c, resolve, responses(cache.Stats{Misses: 1}))
		wantCounted(t, "Peek and Describe of what is known", c, func() { c.Peek("shop.example") }, client.Stats{})
	})
}

// Stale answers are counted by why they were given.
func TestStatsOfStale(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", nil)
		host.Handle(wellKnown, page(manifest("shop.example", "/a"), "Cache-Control", "max-age=60"))
		far := newFarStore()
		c := newClient(t, internet, shared(far))
		resolve := func() { _, _ = again(t, c) }
		wantCounted(t, "a first call", c, resolve, responses(cache.Stats{Misses: 1}))
		time.Sleep(time.Minute)
		host.Fail(wellKnown, func(http.Handler) http.Handler { return clienttest.Page{Status: 500} })
		wantCounted(t, "a failure", c, resolve, responses(cache.Stats{Misses: 1, Stale: cache.StaleStats{Error: 1}}))
		wantCounted(t, "the cool-down", c, resolve, responses(cache.Stats{Stale: cache.StaleStats{Held: 1}}))
		off := newClient(t, internet, shared(far), offline)
		wantCounted(t, "offline", off, func() { _, _ = again(t, off) }, responses(cache.Stats{Stale: cache.StaleStats{Accepted: 1}}))

		host.Handle("/.well-known/agents.md", prose("Cache-Control", "max-age=60"))
		prosaic := newClient(t, internet, floored)
		resolve = func() { _, _ = again(t, prosaic) }
		wantCounted(t, "a first call", prosaic, resolve, responses(cache.Stats{Misses: 1}))
		time.Sleep(time.Minute)
		wantCounted(t, "the floor", prosaic, resolve, responses(cache.Stats{Stale: cache.StaleStats{Floor: 1}}))
	})
}

// A caller that shares the work of another call is counted as such, in calls and in requests.
func TestStatsOfJoined(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Latency(100 * time.Millisecond)
		internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a")})
		c := newClient(t, internet)
		all := func(call func()) func() {
			return func() {
				var wg sync.WaitGroup
				for range 10 {
					wg.Go(call)
				}
				wg.Wait()
			}
		}
		wantCounted(t, "ten calls", c, all(func() { _, _ = c.Resolve(t.Context(), "shop.example") }),
			client.Stats{Sites: client.SiteStats{Misses: 1, Joined: 9}, Responses: cache.Stats{Misses: 1}})
		// Two paths of the same domain are two Sites of one document.
		c = newClient(t, internet, withFormats(toy("toy", parse.Location{Path: wellKnown})))
		wantCounted(t, "Resolve and Refresh", c, func() {
			var wg sync.WaitGroup
			wg.Go(func() { _, _ = c.Resolve(t.Context(), "shop.example") })
			wg.Go(func() { synctestSettle(); _, _ = c.Refresh(t.Context(), "shop.example") })
			wg.Wait()
		}, client.Stats{Sites: client.SiteStats{Misses: 2}, Responses: cache.Stats{Misses: 2, Joined: 2}})
	})
}

// synctestSettle lets the other callers go first.
func synctestSettle() { time.Sleep(time.Millisecond) }

// The stats of the memories have their content and their evictions.
func TestStatsOfMemory(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		c := newClient(t, internet)
		before := c.Stats()
		if before.Memory.Bytes != 0 || before.SiteMemory.Bytes != 0 || before.Memory.Capacity != client.DefaultMemory || before.SiteMemory.Capacity == 0 {
			t.Errorf("at first: %+v, %+v", before.Memory, before.SiteMemory)
		}
		for i := range 20 {
			name := fmt.Sprintf("shop%d.example", i)
			internet.Host(name, clienttest.Pages{wellKnown: manifest(name, "/a")})
			_, _ = c.Resolve(t.Context(), name)
		}
		full := c.Stats()
		if full.Memory.Bytes < 20<<10 || full.SiteMemory.Bytes < 20<<10 || full.Memory.Evictions != 0 || full.SiteMemory.Evictions != 0 {
			t.Errorf("with twenty Sites: %+v, %+v", full.Memory, full.SiteMemory)
		}
		time.Sleep(25*time.Hour + time.Minute) // an hour, and a day for the validators
		empty := c.Stats()
		if empty.Memory.Bytes != 0 || empty.SiteMemory.Bytes != 0 || empty.Memory.Evictions != 20 || empty.SiteMemory.Evictions != 20 {
			t.Errorf("when their time is over: %+v, %+v", empty.Memory, empty.SiteMemory)
		}
		if empty.Memory.Rejects+empty.Memory.Drops+empty.SiteMemory.Rejects+empty.SiteMemory.Drops+empty.ObligationsEvicted != 0 {
			t.Errorf("given up: %+v", empty)
		}
	})
}

var errStore = errors.New("the store is down")

// A store that fails, or hangs, changes no result, costs its budget for each
// call and no more, and is counted and logged.
func TestAFailingStoreChangesNoResult(t *testing.T) {
	for name, fault := range map[string]func(context.Context) error{
		"fails": func(context.Context) error { return errStore },
		"hangs": hang,
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				failing(t, internet, fault, name == "hangs")
			})
		})
	}
}

func failing(t *testing.T, internet *clienttest.Internet, fault func(context.Context) error, hangs bool) {
	t.Helper()
	host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a")})
	alone, err := newClient(t, internet).Resolve(t.Context(), "shop.example")
	if err != nil {
		t.Fatal(err)
	}
	far, log := newFarStore(), &records{}
	far.fail(fault)
	c := newClient(t, internet, shared(far), log.logTo)
	before, start := len(host.Paths()), time.Now()
	site, err := c.Resolve(t.Context(), "shop.example")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(text(t, alone), text(t, site)); d != "" {
		t.Errorf("not what a Client without a store reads (-want +got):\n%s", d)
	}
	waited := far.count("load") + far.count("acquire") // a hold is a sign of the lease, for which no caller waits
	took, want := time.Since(start), time.Duration(0)
	if hangs {
		want = time.Duration(waited) * cache.StoreBudget
	}
	if took != want || waited == 0 || hangs && waited > 3 { // then it is left alone
		t.Errorf("%d calls of the store took %v, want %v", waited, took, want)
	}
	if n := len(host.Paths()) - before; n != 1 {
		t.Errorf("%d requests", n)
	}
	if resting := c.Stats().Store.Resting; resting != hangs {
		t.Errorf("it rests: %t", resting)
	}
	time.Sleep(5*time.Second + time.Second)
	s := c.Stats()
	write := cache.LayeredStats{Failed: 1} // after WriteBudget, if it hangs
	if d := cmp.Diff(write, s.Store); d != "" || s.Responses.StoreErrors != uint64(far.count("load")) || s.Responses.Corrupt != 0 {
		t.Errorf("counted %+v of %d loads; writes (-want +got):\n%s", s.Responses, far.count("load"), d)
	}
	if n := log.warnings(); n != 2 {
		t.Errorf("%d warnings for %d failures to read and to write", n, s.Responses.StoreErrors+s.Store.Failed)
	}
	if site, err := c.Resolve(t.Context(), "shop.example"); err != nil || len(site.Services) != 1 || len(host.Paths()) != before+1 {
		t.Errorf("it is not remembered: %v, asked for %v", err, host.Paths())
	}
	start = time.Now()
	if err := c.Close(); err != nil || time.Since(start) > 2*time.Second {
		t.Errorf("Close took %v: %v", time.Since(start), err)
	}
}

// Obligations are counted while they are held.
func TestStatsObligations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		internet := clienttest.New(t)
		internet.Host("busy.example", clienttest.Page{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"60"}}})
		c := internet.Client()
		if n := c.Stats().Obligations; n != 0 {
			t.Errorf("%d obligations before the first request", n)
		}
		_, _ = c.Resolve(t.Context(), "busy.example")
		if n := c.Stats().Obligations; n == 0 {
			t.Error("no obligation, and the site said 60 s")
		}
		time.Sleep(2 * time.Hour)
		if n := c.Stats().Obligations; n != 0 {
			t.Errorf("%d obligations after all of them ended", n)
		}
	})
}
