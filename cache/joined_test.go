package cache_test

import (
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// stranded is a Transport with an entry that is stale, and its origin, which
// takes a second to fail.
func stranded(t *testing.T) (*cache.Transport, *origin) {
	t.Helper()
	failing := slow(fail(errDown))
	o := &origin{answer: func(n int, req *http.Request) (*http.Response, error) {
		if n == 1 {
			return response(200, "one", "Cache-Control", "max-age=60", "Etag", `"1"`), nil
		}
		return failing.answer(n, req)
	}}
	tr := newTransport(t, o, &cache.Options{StaleIfError: time.Hour})
	want(t, "the first", get(t, tr, home), result{200, "one", cache.FromNetwork, ""})
	time.Sleep(61 * time.Second)
	return tr, o
}

// wantDown asks with no-cache, which wants nothing old (RFC 9111 §5.2.1.4).
func wantDown(t *testing.T, tr *cache.Transport) {
	t.Helper()
	resp, err := tr.RoundTrip(newRequest(t.Context(), home, "Cache-Control", "no-cache"))
	if !errors.Is(err, errDown) {
		t.Errorf("no-cache: %v, %v; want the failure", resp, err)
	}
}

// standsIn is the result of a plain request at stranded.
var standsIn = result{200, "one", cache.FromStale, cache.StaleError}

// A stored answer may be used for callers that joined a flight, even if the caller that began it
// refuses stored answers (RFC 5861 §4).
func TestJoinedCallerGetsTheStaleEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, o := stranded(t)
		var wg sync.WaitGroup
		wg.Go(func() { wantDown(t, tr) })
		synctest.Wait()
		for range 3 {
			wg.Go(func() { want(t, "a plain request", get(t, tr, home), standsIn) })
		}
		wg.Wait()
		wantCount(t, "all of them", o, 2)
	})
}

// A stored answer that is used for the caller that began a flight is not used for a caller that
// joined it and accepts no stale answer.
func TestJoinedCallerKeepsNoCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, o := stranded(t)
		var wg sync.WaitGroup
		wg.Go(func() { want(t, "a plain request", get(t, tr, home), standsIn) })
		synctest.Wait()
		wg.Go(func() { wantDown(t, tr) })
		wg.Wait()
		wantCount(t, "with one of its own", o, 3)
	})
}
