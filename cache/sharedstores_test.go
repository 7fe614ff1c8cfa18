package cache_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/internal/web/gate"
)

// serialised is a shared store that keeps only what can be written down.
type serialised struct {
	*written
	mu     sync.Mutex
	bodies []string // of all that was ever saved
}

func newSerialised() *serialised {
	return &serialised{written: newWritten()}
}

func (*serialised) Shared() bool { return true }

func (s *serialised) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	s.mu.Lock()
	for _, e := range v.Entries {
		s.bodies = append(s.bodies, string(e.Body))
	}
	s.mu.Unlock()
	return s.written.Save(ctx, key, v, retain)
}

// saved returns all entries that the store has ever got.
func (s *serialised) saved() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.bodies)
}

// TestNoStaleResponseIsUsedAgainstSMaxage: a shared cache uses no stale response with s-maxage (RFC
// 9111 §5.2.2.10) or proxy-revalidate (§5.2.2.8), even if the response was serialised and read
// again.
func TestNoStaleResponseIsUsedAgainstSMaxage(t *testing.T) {
	for _, control := range []string{"s-maxage=10", "max-age=10, proxy-revalidate", "s-maxage=10, stale-while-revalidate=600", "s-maxage=10, stale-if-error=600"} {
		for _, ask := range []string{"", "max-stale=100"} {
			t.Run(control+" "+ask, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					down := errors.New("connection refused")
					tr := cache.NewTransport(newSerialised(), script(say(200, "x", "Cache-Control", control), fail(down)), &cache.Options{Strict: true})
					defer tr.Close()
					get(t, tr, home)
					time.Sleep(5 * time.Second)
					want(t, "fresh", get(t, tr, home), result{200, "x", "disk", ""})
					time.Sleep(10 * time.Second)
					req := newRequest(t.Context(), home)
					if ask != "" {
						req.Header.Set("Cache-Control", ask)
					}
					resp, err := tr.RoundTrip(req)
					if err == nil {
						t.Errorf("five seconds after its end: %d %s", resp.StatusCode, resp.Header.Get("Cache-Status"))
						_ = resp.Body.Close()
					}
				})
			})
		}
	}
}

// A shared store gets no response that sets a cookie (RFC 9111 §7.3) and none to credentials
// (§3.5), even if the store before it has serialised them.
func TestAnswersForOneCallerOnADiskReachNoSharedStore(t *testing.T) {
	for name, row := range map[string]struct {
		response []string
		request  []string
	}{
		"Set-Cookie":    {[]string{"Set-Cookie", "sid=alice"}, nil},
		"Authorization": {nil, []string{"Authorization", "Bearer alice"}},
	} {
		t.Run(name, func(t *testing.T) {
			near, err := disk.Open(t.TempDir(), nil)
			if err != nil {
				t.Fatal(err)
			}
			far := newSerialised()
			layers := cache.NewLayered(near, far, nil)
			next := &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
				header := []string{"Cache-Control", "max-age=600", "Vary", "Accept-Language"}
				if req.Header.Get("Accept-Language") == "de" {
					return response(200, "alice's", append(header, row.response...)...), nil
				}
				return response(200, "everyone's", header...), nil
			}}
			over := cache.NewTransport(layers, next, &cache.Options{Strict: true})
			tr := cache.Ruled(over, func(_ *http.Request, a *cache.Ask) { a.Partition = "" })
			defer func() {
				if err := errors.Join(over.Close(), layers.Close(), near.Close()); err != nil {
					t.Error(err)
				}
			}()
			get(t, tr, home, append([]string{"Accept-Language", "de"}, row.request...)...)
			get(t, tr, home, "Accept-Language", "en")
			if err := layers.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := far.saved(); slices.Contains(got, "alice's") {
				t.Errorf("the shared store was given %q", got)
			}
		})
	}
}

// TestANearStoreThatHangsCostsItsBudget: a near store that is not in memory may hang as a far one
// may, and costs no more time than one (StoreBudget).
func TestANearStoreThatHangsCostsItsBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		layers := cache.NewLayered(hanging{}, newRemote(t), nil)
		tr := cache.NewTransport(layers, always(200, "x", "Cache-Control", "max-age=60"), nil)
		defer func() {
			if err := errors.Join(tr.Close(), layers.Close()); err != nil {
				t.Error(err)
			}
		}()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		began := time.Now()
		resp, err := tr.RoundTrip(newRequest(ctx, home))
		if d := time.Since(began); err != nil || d > 10*cache.StoreBudget {
			t.Fatalf("after %v: %v", d, err)
		}
		_ = resp.Body.Close()
	})
}

// lateLoads is a far store that reads too slowly if a test wants it.
type lateLoads struct {
	*remote
	late atomic.Bool
}

func (s *lateLoads) Load(ctx context.Context, key string) (*cache.Variants, error) {
	if s.late.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.remote.Load(ctx, key)
}

// TestASlowStoreIsNotTakenForAnEmptyOne: a store that answers late may have entries, so the other
// variants that it keeps are not overwritten (RFC 9111 §4.1).
func TestASlowStoreIsNotTakenForAnEmptyOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &lateLoads{remote: newRemote(t)}
		o := &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
			language := req.Header.Get("Accept-Language")
			store.late.Store(language == "en")
			return response(200, language, "Cache-Control", "max-age=600", "Vary", "Accept-Language"), nil
		}}
		tr := cache.NewTransport(store, o, nil)
		defer tr.Close()
		get(t, tr, home, "Accept-Language", "de")
		get(t, tr, home, "Accept-Language", "en")
		synctest.Wait()
		store.late.Store(false)
		if got := get(t, tr, home, "Accept-Language", "de"); got.Body != "de" || got.From == cache.FromNetwork {
			t.Errorf("the first variant is forgotten: %+v", got)
		}
	})
}

// A response that must not be stored still replaces the stored one (RFC 9111 §4: the most recent
// one is used), even if the store reads too slowly to return it.
func TestAnUnstoredAnswerReplacesTheEntryOfASlowStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &lateLoads{remote: newRemote(t)}
		o := &origin{answer: func(n int, _ *http.Request) (*http.Response, error) {
			store.late.Store(n == 2)
			if n == 1 {
				return response(200, "v1", "Cache-Control", "max-age=600"), nil
			}
			return response(200, "v2", "Cache-Control", "no-store"), nil
		}}
		tr := cache.NewTransport(store, o, &cache.Options{Strict: true})
		defer tr.Close()
		get(t, tr, home)
		get(t, tr, home, "Cache-Control", "no-cache")
		synctest.Wait()
		store.late.Store(false)
		if got := get(t, tr, home).Body; got != "v2" {
			t.Errorf("after a newer answer: %q", got)
		}
	})
}

// TestOfTwoCallersOneTakesAKey: of two callers that try to acquire one key at a time, one gets it
// (Store.Acquire), even if the table is full of longer obligations.
func TestOfTwoCallersOneTakesAKey(t *testing.T) {
	h := fullTable()
	until := time.Now().Add(time.Hour)
	if ok, _, _ := h.Acquire("floor", until); !ok {
		return // a full table may refuse both
	}
	if ok, _, _ := h.Acquire("floor", until); ok {
		t.Error("two callers have taken one floor")
	}
}

// TestARetryAfterHoldsWhenTheTableIsFull: a Retry-After (RFC 9110 §10.2.3) that comes when the
// table is full of longer obligations holds.
func TestARetryAfterHoldsWhenTheTableIsFull(t *testing.T) {
	h := fullTable()
	h.Hold("busy", time.Now().Add(time.Hour))
	if _, held := h.Until("busy"); !held {
		t.Error("the new obligation is not held")
	}
}

// fullTable has no room left.
func fullTable() *gate.Holds {
	h := gate.NewHolds(64, nil)
	for n := range 64 {
		h.Hold("absent"+strings.Repeat("x", n), time.Now().Add(24*time.Hour))
	}
	return h
}

// Where the store could not be read at any time, a response that must not be stored leaves
// nothing older behind.
func TestNothingOlderIsLeftInAStoreThatCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &lateLoads{remote: newRemote(t)}
		o := script(say(200, "v1", "Cache-Control", "max-age=600"), say(200, "v2", "Cache-Control", "no-store"))
		tr := cache.NewTransport(store, o, &cache.Options{Strict: true})
		defer tr.Close()
		get(t, tr, home)
		store.late.Store(true)
		want(t, "unread", get(t, tr, home), result{200, "v2", cache.FromNetwork, ""})
		store.late.Store(false)
		if got := get(t, tr, home).Body; got != "v2" {
			t.Errorf("after a newer answer: %q", got)
		}
	})
}

// TestSharedAnswersStaySharedAfterAPrivateStore: the same applies to entries that a private store
// in between has serialised.
func TestSharedAnswersStaySharedAfterAPrivateStore(t *testing.T) {
	for _, control := range []string{"s-maxage=10", "max-age=10, proxy-revalidate"} {
		synctest.Test(t, func(t *testing.T) {
			far, near := newSerialised(), newWritten()
			o := script(say(200, "x", "Cache-Control", control), fail(errors.New("connection refused")))
			first := cache.NewTransport(far, o, &cache.Options{Strict: true})
			get(t, first, home)
			layers := cache.NewLayered(near, far, nil)
			tr := cache.NewTransport(layers, o, &cache.Options{Strict: true})
			defer func() {
				if err := errors.Join(first.Close(), tr.Close(), layers.Close()); err != nil {
					t.Error(err)
				}
			}()
			want(t, "far", get(t, tr, home), result{200, "x", "disk", ""})
			if len(near.kept) != 1 {
				t.Error("not brought near")
			}
			time.Sleep(15 * time.Second)
			if resp, err := tr.RoundTrip(newRequest(t.Context(), home)); err == nil {
				t.Errorf("%s, five seconds after its end: %s", control, resp.Header.Get("Cache-Status"))
				_ = resp.Body.Close()
			}
		})
	}
}
