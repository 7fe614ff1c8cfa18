package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse"
)

// Lifetimes in headers are bounded, for any header.
func TestLifetimesInHeadersAreReadWithCaution(t *testing.T) {
	const week, day, hour = 7 * 24 * time.Hour, 24 * time.Hour, time.Hour
	for name, row := range map[string]struct {
		header []string
		keep   time.Duration
	}{
		"beyond all bounds":     {[]string{"Cache-Control", "max-age=999999999999"}, week},
		"a year":                {[]string{"Cache-Control", "max-age=31536000, immutable"}, week},
		"Expires in 2999":       {[]string{"Expires", "Tue, 01 Jan 2999 00:00:00 GMT"}, week},
		"negative":              {[]string{"Cache-Control", "max-age=-1"}, 0},
		"no number":             {[]string{"Cache-Control", "max-age=1h"}, 0},
		"two that differ":       {[]string{"Cache-Control", "max-age=1, max-age=2"}, 0},
		"Expires is garbage":    {[]string{"Expires", "soon"}, 0},
		"zero beats Expires":    {[]string{"Cache-Control", "max-age=0", "Expires", "Tue, 01 Jan 2999 00:00:00 GMT"}, 0},
		"of a shared cache":     {[]string{"Cache-Control", "s-maxage=60"}, hour},
		"the format's own":      {nil, hour},
		"not a heuristic":       {[]string{"Last-Modified", "Thu, 01 Jan 1970 00:00:00 GMT"}, hour},
		"Age takes from it":     {[]string{"Cache-Control", "max-age=7200", "Age", "3600"}, hour},
		"Age beyond all bounds": {[]string{"Cache-Control", "max-age=7200", "Age", "99999999999999999999"}, 0},
		"Age is negative":       {[]string{"Cache-Control", "max-age=3600", "Age", "-5"}, hour},
		"Age of the default":    {[]string{"Age", "99999999999999999999"}, 0},
		"Date in 1970":          {[]string{"Cache-Control", "max-age=3600", "Date", "Thu, 01 Jan 1970 00:00:00 GMT"}, 0},
		"Date in 2999":          {[]string{"Cache-Control", "max-age=3600", "Date", "Tue, 01 Jan 2999 00:00:00 GMT"}, hour},
		"a day":                 {[]string{"Cache-Control", "max-age=86400"}, day},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", page(manifest("shop.example", "/a"), row.header...))
				c := newClient(t, internet)
				ask := func(when string, want int) {
					t.Helper()
					if _, err := again(t, c); err != nil {
						t.Errorf("%s: %v", when, err)
					}
					wantAsked(t, when, host, map[string]int{wellKnown: want})
				}
				ask("at first", 1)
				if row.keep > 0 {
					time.Sleep(row.keep - time.Nanosecond)
					ask("while it is fresh", 1)
					time.Sleep(time.Nanosecond)
				}
				ask("when it is no longer fresh", 2)
			})
		})
	}
}

// "Vary: *" matches no request (RFC 9111 §4.1); a named field does.
func TestVaryMatchesByNamedFieldsOnly(t *testing.T) {
	for vary, want := range map[string]int{"*": 3, "Accept, *": 3, "User-Agent": 1, "Accept": 1, "X-Unknown": 1} {
		t.Run(vary, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", page(manifest("shop.example", "/a"), "Vary", vary, "ETag", `"1"`))
				c := newClient(t, internet, shared(newFarStore()))
				for range 3 {
					if _, err := again(t, c); err != nil {
						t.Error(err)
					}
				}
				wantAsked(t, "of three calls", host, map[string]int{wellKnown: want})
				for _, r := range host.Requests() {
					if r.Header.Get("If-None-Match") != "" {
						t.Error("what is not stored was validated")
					}
				}
			})
		})
	}
}

// RFC 8246 §2: a fresh immutable document is not asked for by Refresh.
func TestAFreshImmutableDocumentIsNotRefreshed(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", page(manifest("shop.example", "/a"), "Cache-Control", "max-age=60, immutable", "ETag", `"1"`))
		c := newClient(t, internet)
		for range 3 {
			if _, err := c.Refresh(t.Context(), "shop.example"); err != nil {
				t.Error(err)
			}
		}
		wantAsked(t, "while it is fresh", host, map[string]int{wellKnown: 1})
		time.Sleep(time.Minute)
		_, _ = c.Refresh(t.Context(), "shop.example")
		wantAsked(t, "after that", host, map[string]int{wellKnown: 2})
	})
}

// A 404 in between is used when it is due, and not before.
func TestAnAbsenceInBetweenIsUsedWhenItIsDue(t *testing.T) {
	eachStore(t, func(t *testing.T, internet *clienttest.Internet, store cache.Store) {
		var gone atomic.Bool
		good := page(manifest("shop.example", "/a"), "Cache-Control", "max-age=3600")
		host := internet.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if gone.Load() {
				http.NotFound(w, r)
				return
			}
			good.ServeHTTP(w, r)
		}))
		c := newClient(t, internet, shared(store))
		look := func(when string, found bool, requests int) {
			t.Helper()
			_, err := again(t, c)
			if found && err != nil || !found && !errors.Is(err, wayfind.ErrNotFound) {
				t.Errorf("%s: %v", when, err)
			}
			wantAsked(t, when, host, map[string]int{wellKnown: requests})
		}
		look("200", true, 1)
		gone.Store(true)
		time.Sleep(time.Hour - time.Nanosecond)
		look("a fresh 200 before a 404", true, 1)
		time.Sleep(time.Nanosecond)
		look("404", false, 2)
		gone.Store(false)
		time.Sleep(24*time.Hour - time.Nanosecond)
		look("a fresh 404 before a 200", false, 2)
		time.Sleep(time.Nanosecond)
		look("200 again", true, 3)
	})
}

// A stored Site is available to the very next call.
func TestFillIsVisibleAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		c := newClient(t, internet)
		sites := testkit.Crowd(100)
		for i := range sites {
			name := fmt.Sprintf("shop%d.example", i)
			host := internet.Host(name, clienttest.Pages{wellKnown: manifest(name, "/a")})
			first, err := c.Resolve(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			var trace client.Trace
			second, err := c.Resolve(client.WithTrace(t.Context(), &trace), name)
			if err != nil || first != second || !trace.FromMemory {
				t.Errorf("%s: %v, from memory %v", name, err, trace.FromMemory)
			}
			wantAsked(t, name, host, map[string]int{wellKnown: 1})
		}
		want := client.SiteStats{Hits: uint64(sites), Misses: uint64(sites)}
		if d := cmp.Diff(want, c.Stats().Sites); d != "" {
			t.Errorf("counted (-want +got):\n%s", d)
		}
	})
}

// After the freshness of a Site, only stale documents are requested, with their validators, even if
// the memory of responses has lost the documents.
func TestOnlyStaleDocumentsAreAsked(t *testing.T) {
	for name, forget := range map[string]bool{"with its memory": false, "without": true} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", nil)
				host.Handle("/a", page(`{"toy": ["a"]}`, "ETag", `"a"`, "Cache-Control", "max-age=60"))
				host.Handle("/b", page(`{"toy": ["b"]}`, "ETag", `W/"b"`, "Cache-Control", "max-age=3600"))
				host.Handle("/c", page(`{"toy": ["c"]}`, "Last-Modified", "Fri, 31 Dec 1999 00:00:00 GMT"))
				c := newClient(t, internet, withFormats(toy("toy", parse.Location{Path: "/a"}, parse.Location{Path: "/b"}, parse.Location{Path: "/c"})))
				if forget {
					if err := client.Forget(c); err != nil {
						t.Fatal(err)
					}
				}
				var before int
				step := func(when string, want map[string]string) {
					t.Helper()
					site, err := c.Resolve(t.Context(), "shop.example")
					if err != nil || len(site.Services) != 3 || len(stale(site)) != 0 {
						t.Errorf("%s: %v, %d services, stale %v", when, err, len(site.Services), stale(site))
					}
					got := map[string]string{}
					for _, r := range host.Requests()[before:] {
						got[r.Path] += r.Header.Get("If-None-Match") + r.Header.Get("If-Modified-Since")
					}
					if d := cmp.Diff(want, got); d != "" {
						t.Errorf("%s: conditions by path (-want +got):\n%s", when, d)
					}
					before = len(host.Requests())
				}
				step("at first", map[string]string{"/a": "", "/b": "", "/c": ""})
				time.Sleep(time.Minute - time.Nanosecond)
				step("while all is fresh", map[string]string{})
				time.Sleep(time.Nanosecond)
				step("after a minute", map[string]string{"/a": `"a"`})
				time.Sleep(59 * time.Minute)
				step("after an hour", map[string]string{"/a": `"a"`, "/b": `W/"b"`, "/c": "Fri, 31 Dec 1999 00:00:00 GMT"})
				// Validators are kept for a day past freshness.
				time.Sleep(24*time.Hour + time.Minute - time.Nanosecond)
				step("a day later", map[string]string{"/a": `"a"`, "/b": `W/"b"`, "/c": "Fri, 31 Dec 1999 00:00:00 GMT"})
			})
		})
	}
}

// Changes of the site are seen, and a Site that was returned does not change.
func TestChangedDocument(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", nil)
		host.Handle(wellKnown, page(manifest("shop.example", "/a"), "ETag", `"1"`, "Cache-Control", "max-age=60"))
		c := newClient(t, internet)
		first, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		internet.Watch(first)
		host.Handle(wellKnown, page(manifest("shop.example", "/b"), "ETag", `"2"`, "Cache-Control", "max-age=60"))
		time.Sleep(time.Minute)
		second, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if _, is := second.Capability("adp:b"); is == nil || second.Sources[0].ETag != `"2"` {
			t.Errorf("the change is not seen: %+v", second.Sources)
		}
	})
}
