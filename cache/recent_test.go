package cache_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// without is a store in memory that has nothing at hand: each hit takes the long way.
type without struct{ cache.Store }

func (without) Local() bool { return true }

// TestRecentIsLoad: an entry from the recent ones answers exactly as one from the store, for any
// response, any request and any time between them.
func TestRecentIsLoad(t *testing.T) {
	responses := [][]string{
		{"Cache-Control", "max-age=60"},
		{"Cache-Control", "max-age=60, must-revalidate", "Etag", `"1"`},
		{"Cache-Control", "max-age=60, stale-while-revalidate=60"},
		{"Cache-Control", "max-age=60, stale-if-error=600"},
		{"Cache-Control", "no-cache", "Etag", `"1"`},
		{"Cache-Control", "no-store"},
		{"Cache-Control", "private, max-age=60"},
		{"Cache-Control", "max-age=60", "Vary", "Accept-Language"},
		{"Cache-Control", "max-age=60", "Vary", "*"},
		{"Cache-Control", "max-age=60", "Age", "50"},
		{},
	}
	requests := [][]string{
		{},
		{"Cache-Control", "no-cache"},
		{"Cache-Control", "no-store"},
		{"Cache-Control", "max-age=0"},
		{"Cache-Control", "max-age=20"},
		{"Cache-Control", "min-fresh=30"},
		{"Cache-Control", "max-stale"},
		{"Cache-Control", "only-if-cached"},
		{"Pragma", "no-cache"},
		{"Accept-Language", "de"},
		{"Authorization", "Bearer x"},
		{"Cookie", "a=b"},
		{"Host", "other.example"},
	}
	hits, n := 0, 0
	for _, response := range responses {
		for _, request := range requests {
			for _, after := range []time.Duration{0, 25 * time.Second, 59 * time.Second, 60 * time.Second, time.Hour} {
				if n++; n%testkit.Size(3, 1) != 0 {
					continue
				}
				name := fmt.Sprint(response, " ", request, " ", after)
				var got [2][]string
				for way := range got {
					synctest.Test(t, func(t *testing.T) {
						var store cache.Store = newMemory(t)
						if way == 1 {
							store = without{store}
						}
						tr := newTransportOver(t, store, always(200, "x", response...), nil)
						for _, header := range [][]string{nil, request, request} {
							req := newRequest(t.Context(), home, header...)
							if host := req.Header.Get("Host"); host != "" {
								req.Host = host
								req.Header.Del("Host")
							}
							resp, err := tr.RoundTrip(req)
							if err != nil {
								t.Fatal(err)
							}
							_, facts, _ := cache.Of(resp)
							if way == 0 && facts.From == cache.FromMemory {
								hits++
							}
							got[way] = append(got[way], fmt.Sprint(resp.StatusCode, resp.Header["Age"], resp.Header["Cache-Status"], facts))
							_ = resp.Body.Close()
							time.Sleep(after)
							synctest.Wait()
						}
						stats := tr.Stats()
						got[way] = append(got[way], fmt.Sprintf("%+v", stats))
					})
				}
				if diff := cmp.Diff(got[1], got[0]); diff != "" {
					t.Errorf("%s (-looked up +at hand):\n%s", name, diff)
				}
			}
		}
	}
	if hits < 200/testkit.Size(3, 1) {
		t.Errorf("%d hits: the test tests little", hits)
	}
}

// A key of any length finds its room.
func TestRecentOfLongKeys(t *testing.T) {
	tr := newTransport(t, always(200, "x", "Cache-Control", "max-age=60"), nil)
	for _, n := range []int{1, 500, 5000, 100_000, 10} {
		url := home + "?" + fmt.Sprintf("%0*d", n, n)
		for _, from := range []string{cache.FromNetwork, cache.FromMemory, cache.FromMemory} {
			resp, err := tr.RoundTrip(newRequest(t.Context(), url))
			if err != nil {
				t.Fatal(err)
			}
			if e, facts, _ := cache.Of(resp); facts.From != from || e.URL != url || resp.StatusCode != http.StatusOK {
				t.Errorf("%d: from %s, want %s", n, facts.From, from)
			}
			_, _ = io.Copy(io.Discard, resp.Body) // a miss is stored at its end
			_ = resp.Body.Close()
		}
	}
}

// tenant is a part of a store in memory, by keys of its own.
type tenant struct {
	*memory.Store
	name string
}

func (s tenant) Load(ctx context.Context, key string) (*cache.Variants, error) {
	return s.Store.Load(ctx, s.name+key)
}

func (s tenant) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	return s.Store.Save(ctx, s.name+key, v, retain)
}

func (s tenant) Delete(ctx context.Context, key string) error {
	return s.Store.Delete(ctx, s.name+key)
}

// A store that embeds one in memory is asked by its own Load.
func TestRecentOfAnEmbeddedStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		whole := newMemory(t)
		for _, row := range []struct {
			store cache.Store
			body  string
		}{{whole, "of all"}, {tenant{whole, "a"}, "of a"}, {tenant{whole, "b"}, "of b"}} {
			tr := newTransportOver(t, row.store, always(200, row.body, "Cache-Control", "max-age=60"), nil)
			for _, from := range []string{cache.FromNetwork, cache.FromMemory} {
				want(t, row.body, get(t, tr, home), result{200, row.body, from, ""})
			}
		}
	})
}
