package cache_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
)

// Cache-Status describes how a response was produced.
func TestCacheStatus(t *testing.T) {
	const s = time.Second
	const minute = `200 one | Cache-Control: max-age=60 | Etag: "1"`
	const window = `200 one | Cache-Control: max-age=60, stale-while-revalidate=10, stale-if-error=20 | Etag: "1"`
	const asked = `If-None-Match: "1"`
	const stored = "wayfind; fwd=uri-miss; ttl=60; stored"
	// status is a turn that shows Cache-Status.
	status := func(wait time.Duration, ask, say string, want seen) turn {
		return turn{wait: wait, ask: ask, say: say, show: "Cache-Status", want: want}
	}
	first := status(0, "", minute, sawFetch("one").with(stored))
	runLaws(t, []law{
		rule("RFC 9211 §2.2 ¶3", "uri-miss, stored", first),
		rule("RFC 9211 §2.5 ¶1", "not stored", status(0, "", "200 one | Cache-Control: no-store", sawFetch("one").with("wayfind; fwd=uri-miss"))),
		rule("RFC 9211 §2.1 ¶1", "hit, ttl", first, status(3*s, "", "", sawHit("one", 3).with("wayfind; hit; ttl=57"))),
		rule("RFC 9211 §2.2 ¶3", "vary-miss",
			turn{ask: "Accept: a", say: minute + " | Vary: Accept"},
			status(0, "Accept: b", "200 two | Cache-Control: max-age=5 | Vary: Accept", sawFetch("two").with("wayfind; fwd=vary-miss; ttl=5; stored"))),
		rule("RFC 9211 §2.2 ¶3", "request",
			first, status(3*s, "Cache-Control: no-cache", "304", sawValidated("one", asked).with("wayfind; fwd=request; fwd-status=304; ttl=60; stored"))),
		rule("RFC 9211 §2.3 ¶1", "stale, fwd-status",
			first, status(60*s, "", "304", sawValidated("one", asked).with("wayfind; fwd=stale; fwd-status=304; ttl=60; stored"))),
		rule("RFC 9211 §2.2 ¶3", "stale, replaced",
			first, status(60*s, "", "404 gone | Cache-Control: max-age=5",
				seen{Asked: []string{asked}, Status: 404, Body: "gone", From: cache.FromNetwork, Field: "wayfind; fwd=stale; ttl=5; stored"})),
		rule("RFC 9211 §2.4 ¶1", "ttl of an answer that was old when it came",
			status(0, "", minute+" | Age: 70", sawFetch("one").aged("70").with("wayfind; fwd=uri-miss; ttl=-10; stored"))),
		rule("RFC 9211 §2.4 ¶2", "stale and accepted",
			first, status(65*s, "Cache-Control: max-stale", "", sawStale("one", cache.StaleAccepted, 65).with("wayfind; hit; ttl=-5; detail=max-stale"))),
		rule("RFC 9211 §2.4 ¶2", "stale while revalidated",
			turn{say: window}, status(61*s, "", "304", sawStale("one", cache.StaleRevalidating, 61, asked).with("wayfind; hit; ttl=-1; detail=revalidating"))),
		rule("RFC 9211 §2.8 ¶1", "stale for want of an answer",
			turn{say: window}, status(75*s, "", "down", sawStale("one", cache.StaleError, 75, asked).with("wayfind; fwd=stale; detail=error"))),
		rule("RFC 9211 §2.3 ¶1", "stale for a bad answer",
			turn{say: window}, status(75*s, "", "503 x", sawStale("one", cache.StaleError, 75, asked).with("wayfind; fwd=stale; fwd-status=503; detail=error"))),
		rule("RFC 9211 §2.2 ¶3", "bypass",
			status(0, "Range: bytes=0-1", "206 x", seen{Asked: []string{"Range: bytes=0-1"}, Status: 206, Body: "x", Field: "wayfind; fwd=bypass"})),
		rule("RFC 9211 §2.2 ¶3", "method",
			turn{method: "POST", say: "200 x", show: "Cache-Status", want: sawPassed(200, "x").with("wayfind; fwd=method")},
			turn{method: "HEAD", say: "200 x", show: "Cache-Status", want: sawPassed(200, "x").with("wayfind; fwd=method")}),
		rule("RFC 9211 §2.8 ¶1", "only-if-cached",
			status(0, "Cache-Control: only-if-cached", "", sawTimeout().with("wayfind; detail=only-if-cached"))),
		rule("RFC 9211 §2 ¶4", "those before us come first",
			status(0, "", minute+" | Cache-Status: edge; hit", sawFetch("one").with("edge; hit | "+stored)),
			status(s, "", "", sawHit("one", 1).with("edge; hit | wayfind; hit; ttl=59"))),
	})
}

// RFC 9211 §2.6: the Cache-Status of a caller that shares a request has "collapsed".
func TestCacheStatusCollapsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTransport(t, slow(say(200, "one", "Cache-Control", "max-age=60")), nil)
		var mu sync.Mutex
		got := make(map[string]int)
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				resp, err := tr.RoundTrip(newRequest(t.Context(), home))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				got[resp.Header.Get("Cache-Status")]++
			})
		}
		wg.Wait()
		want := map[string]int{"wayfind; fwd=uri-miss; ttl=59; stored": 1, "wayfind; fwd=uri-miss; ttl=59; stored; collapsed": 2}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
