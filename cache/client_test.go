package cache_test

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// clientOver is a Client of NewClient over an origin. It ends with the test.
func clientOver(t *testing.T, next http.RoundTripper) *http.Client {
	t.Helper()
	store := newMemory(t)
	c := cache.NewClient(store, next)
	t.Cleanup(func() {
		_ = c.Transport.(*cache.Transport).Close()
		_ = store.Close()
	})
	return c
}

// A Client of NewClient has the grace period that docs/CACHING.md documents: if an origin cannot be
// reached, its answer is used for 24 hours past its freshness, unless the answer forbids it.
func TestClientGrace(t *testing.T) {
	const day = 24 * time.Hour
	for _, tt := range []struct {
		name, control string
		wait          time.Duration
		then          func(*http.Request) (*http.Response, error)
		want          result // zero: an error
	}{
		{"unreachable", "max-age=60", day + 59*time.Second, fail(errDown), result{200, "one", cache.FromStale, cache.StaleError}},
		{"503", "max-age=60", day + 59*time.Second, say(503, "x"), result{200, "one", cache.FromStale, cache.StaleError}},
		{"a day and a second", "max-age=60", day + 61*time.Second, fail(errDown), result{}},
		{"stale-if-error", "max-age=60, stale-if-error=10", 71 * time.Second, fail(errDown), result{}},
		{"must-revalidate", "max-age=60, must-revalidate", 61 * time.Second, fail(errDown), result{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := clientOver(t, script(say(200, "one", "Cache-Control", tt.control), tt.then))
				want(t, "first", get(t, c.Transport, home), result{200, "one", cache.FromNetwork, ""})
				time.Sleep(tt.wait)
				if tt.want == (result{}) {
					if _, err := c.Get(home); !errors.Is(err, errDown) {
						t.Errorf("%v, want the error of the origin", err)
					}
					return
				}
				want(t, "then", get(t, c.Transport, home), tt.want)
			})
		})
	}
}
