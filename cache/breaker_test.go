package cache_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
)

// The breaker of a Layered opens for a second after three late calls.
const (
	lateCalls = 3
	leftAlone = time.Second
)

// tried loads a key that is not stored, and returns whether the far store was asked and how long
// the load took.
func tried(t *testing.T, l *cache.Layered, far *remote) (asked bool, took time.Duration) {
	t.Helper()
	before, start := far.loaded(), time.Now()
	if v, _ := l.Load(t.Context(), "k"); v != nil {
		t.Errorf("Load: %+v", v)
	}
	return far.loaded() > before, time.Since(start)
}

// A far store that hangs is asked three times and then skipped. No caller waits for it, and no
// result is an error.
func TestBreakerOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := newRemote(t)
		l := newLayered(t, newStore(t), far)
		far.fail(silent)
		for i := range lateCalls {
			if asked, took := tried(t, l, far); !asked || took != cache.StoreBudget {
				t.Errorf("call %d: asked %t, took %v", i, asked, took)
			}
		}
		start := time.Now()
		if v, err := l.Load(t.Context(), "k"); v != nil || err != nil {
			t.Errorf("Load: %+v, %v", v, err)
		}
		ok, _, release, err := l.Acquire(t.Context(), "k", start.Add(time.Hour))
		if !ok || err != nil {
			t.Fatalf("Acquire: %t, %v", ok, err)
		}
		release()
		if err := l.Hold(t.Context(), "k", start.Add(time.Hour)); err != nil {
			t.Errorf("Hold: %v", err)
		}
		save(t, l, "k", "text")
		synctest.Wait()
		// Writes have a time limit and a breaker of their own.
		if len(far.writes()) != 1 || far.loaded() != lateCalls || time.Since(start) != 0 {
			t.Errorf("after %v: %d loads, writes %q", time.Since(start), far.loaded(), far.writes())
		}
		if d := cmp.Diff(cache.LayeredStats{Resting: true}, l.Stats()); d != "" {
			t.Errorf("counted (-want +got):\n%s", d)
		}
	})
}

// After a while one call tries the store again, and the others go on without it. The result applies
// to all.
func TestBreakerTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := newRemote(t)
		l := newLayered(t, newStore(t), far)
		far.fail(silent)
		for range lateCalls {
			tried(t, l, far)
		}
		time.Sleep(leftAlone - time.Nanosecond)
		if asked, _ := tried(t, l, far); asked {
			t.Error("it was asked too early")
		}
		time.Sleep(time.Nanosecond)
		before, start := far.loaded(), time.Now()
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { _, _ = l.Load(t.Context(), "k") })
		}
		wg.Wait()
		if n := far.loaded() - before; n != 1 || time.Since(start) != cache.StoreBudget {
			t.Errorf("%d of 20 callers tried, in %v", n, time.Since(start))
		}
		if asked, _ := tried(t, l, far); asked {
			t.Error("it is asked though the try was late, too")
		}
		far.fail(nil)
		if asked, _ := tried(t, l, far); asked {
			t.Error("it is asked before its time")
		}
		time.Sleep(leftAlone)
		for range 3 {
			if asked, took := tried(t, l, far); !asked || took != 0 {
				t.Errorf("when it is well: asked %t, took %v", asked, took)
			}
		}
		save(t, l, "k", "text")
		synctest.Wait()
		if d := cmp.Diff([]string{"save k text"}, far.writes()); d != "" {
			t.Errorf("written (-want +got):\n%s", d)
		}
	})
}

// Only late calls in a row open it: quick errors and callers that leave do not.
func TestBreakerStaysClosed(t *testing.T) {
	for name, call := range map[string]func(t *testing.T, l *cache.Layered, far *remote){
		"fast errors": func(t *testing.T, l *cache.Layered, far *remote) {
			far.fail(func(context.Context) error { return errors.New("down") })
			_, _ = l.Load(t.Context(), "k")
		},
		"callers who leave": func(t *testing.T, l *cache.Layered, far *remote) {
			far.fail(silent)
			ctx, cancel := context.WithTimeout(t.Context(), cache.StoreBudget/2)
			defer cancel()
			_, _ = l.Load(ctx, "k")
		},
		"late now and then": func(t *testing.T, l *cache.Layered, far *remote) {
			for range lateCalls - 1 {
				far.fail(silent)
				_, _ = l.Load(t.Context(), "k")
			}
			far.fail(nil)
			_, _ = l.Load(t.Context(), "k")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				far := newRemote(t)
				l := newLayered(t, newStore(t), far)
				for range 10 {
					call(t, l, far)
				}
				far.fail(nil)
				if asked, _ := tried(t, l, far); !asked {
					t.Error("the far store is left alone")
				}
			})
		})
	}
}

// A floor that is taken while the far store is left alone holds in this
// process.
func TestBreakerKeepsOwnFloor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := newRemote(t)
		l := newLayered(t, newStore(t), far)
		far.fail(silent)
		for range lateCalls {
			tried(t, l, far)
		}
		until := time.Now().Add(time.Hour)
		if ok, _, _, err := l.Acquire(t.Context(), "k", until); !ok || err != nil {
			t.Errorf("%t, %v", ok, err)
		}
		if ok, held, _, err := l.Acquire(t.Context(), "k", until); ok || err != nil || !held.Equal(until) {
			t.Errorf("once more: %t until %v, %v", ok, held, err)
		}
	})
}

// A store without a near store is skipped too: requests and invalidations go on without it, and it
// is tried again later.
func TestBreakerOfAStoreAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := newRemote(t)
		tr := newTransportOver(t, far, always(200, "one", "Cache-Control", "max-age=600"), nil)
		want(t, "when it is well", get(t, tr, home), result{200, "one", cache.FromNetwork, ""})
		want(t, "again", get(t, tr, home), result{200, "one", "remote", ""})
		far.fail(silent)
		ask := func(n int) time.Duration {
			start := time.Now()
			for range n {
				want(t, "while it hangs", get(t, tr, home), result{200, "one", cache.FromNetwork, ""})
				post := newRequest(t.Context(), home+"/form")
				post.Method = http.MethodPost
				resp, err := tr.RoundTrip(post)
				if err != nil {
					t.Fatal(err)
				}
				_ = resp.Body.Close()
			}
			return time.Since(start)
		}
		if took := ask(100); took != lateCalls*cache.StoreBudget {
			t.Errorf("a hundred requests waited %v", took)
		}
		time.Sleep(leftAlone)
		if took := ask(100); took != cache.StoreBudget {
			t.Errorf("after a while a hundred requests waited %v", took)
		}
		far.fail(nil)
		time.Sleep(leftAlone)
		get(t, tr, home)
		want(t, "when it is well again", get(t, tr, home), result{200, "one", "remote", ""})
	})
}

// A directory that hangs before a server is left alone as well.
func TestBreakerOfTheNearStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := newRemote(t), newRemote(t)
		save(t, far, "k", "text")
		l := newLayered(t, near, far)
		near.fail(silent)
		start := time.Now()
		for i := range 100 {
			if v, err := l.Load(t.Context(), "k"); v == nil || (err != nil) != (i < lateCalls) {
				t.Errorf("Load %d: %v, %v", i, v, err)
			}
		}
		if took := time.Since(start); took != lateCalls*cache.StoreBudget {
			t.Errorf("a hundred calls waited %v", took)
		}
	})
}

// A process that waits 400 ms for a processor whenever its store answers gets every answer.
func TestBreakerOfABusyProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := newRemote(t)
		tr := newTransportOver(t, far, always(200, "one", "Cache-Control", "max-age=600"), nil)
		far.fail(func(ctx context.Context) error {
			select {
			case <-ctx.Done():
			case <-time.After(400 * time.Millisecond):
			}
			return ctx.Err()
		})
		get(t, tr, home)
		for range 20 {
			want(t, "busy", get(t, tr, home), result{200, "one", "remote", ""})
		}
	})
}

// Callers of a store that is slow, but within its budget, get its answers.
func TestBreakerOfASlowStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := newRemote(t)
		tr := newTransportOver(t, far, always(200, "one", "Cache-Control", "max-age=600"), nil)
		far.fail(func(context.Context) error { time.Sleep(cache.StoreBudget * 4 / 5); return nil })
		get(t, tr, home)
		for range 20 {
			want(t, "slow", get(t, tr, home), result{200, "one", "remote", ""})
		}
	})
}
