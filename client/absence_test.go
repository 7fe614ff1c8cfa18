package client_test

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/aidiscovery"
	"github.com/wayfindhq/wayfind/parse"
)

// asked counts the requests for each path.
func asked(host *clienttest.Host) map[string]int {
	n := map[string]int{}
	for _, path := range host.Paths() {
		n[path]++
	}
	return n
}

// wantAsked compares the requests so far.
func wantAsked(t *testing.T, when string, host *clienttest.Host, want map[string]int) {
	t.Helper()
	if d := cmp.Diff(want, asked(host)); d != "" {
		t.Errorf("%s: asked for (-want +got):\n%s", when, d)
	}
}

// again resolves without the Site of before.
func again(t *testing.T, c *client.Client) (*wayfind.Site, error) {
	t.Helper()
	c.Invalidate("shop.example")
	return c.Resolve(t.Context(), "shop.example")
}

// restart closes a Client and makes the same again.
func restart(t *testing.T, internet *clienttest.Internet, c *client.Client, change ...func(*client.Options)) *client.Client {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	return newClient(t, internet, change...)
}

// A 404 is stored for a day for its origin and path, also for a later Client.
func TestAnAbsenceIsStoredForADay(t *testing.T) {
	for name, status := range map[string]int{"404": 404, "410": 410, "204": 204} {
		t.Run(name, func(t *testing.T) {
			eachStore(t, func(t *testing.T, internet *clienttest.Internet, store cache.Store) {
				host := internet.Host("shop.example", clienttest.Page{Status: status})
				other := internet.Host("other.example", clienttest.Page{Status: status})
				one, two := toy("one", parse.Location{Path: "/one"}), toy("two", parse.Location{Path: "/two"})
				c := newClient(t, internet, shared(store), withFormats(one))
				for range 23 {
					if site, err := again(t, c); !errors.Is(err, wayfind.ErrNotFound) || only(t, site).Verdict != wayfind.VerdictAbsent {
						t.Errorf("%v, probe %+v", err, only(t, site))
					}
					time.Sleep(time.Hour)
				}
				wantAsked(t, "after 23 hours", host, map[string]int{"/one": 1})
				c = restart(t, internet, c, shared(store), withFormats(one, two))
				time.Sleep(time.Hour - time.Nanosecond)
				_, _ = again(t, c)
				wantAsked(t, "another path, a moment before a day is over", host, map[string]int{"/one": 1, "/two": 1})
				_, _ = c.Resolve(t.Context(), "other.example")
				wantAsked(t, "another origin", other, map[string]int{"/one": 1, "/two": 1})
				time.Sleep(time.Nanosecond)
				_, _ = again(t, c)
				wantAsked(t, "after a day", host, map[string]int{"/one": 2, "/two": 1})
			})
		})
	}
}

// The header of a "no" shortens that to ten minutes and no further.
func TestTheHeaderOfAnAbsenceShortensItToTenMinutes(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Page{Status: 404, Header: http.Header{"Cache-Control": {"max-age=1"}}})
		c := newClient(t, internet)
		_, _ = again(t, c)
		time.Sleep(10*time.Minute - time.Nanosecond)
		_, _ = again(t, c)
		wantAsked(t, "within ten minutes", host, map[string]int{wellKnown: 1})
		time.Sleep(time.Nanosecond)
		_, _ = again(t, c)
		wantAsked(t, "after ten minutes", host, map[string]int{wellKnown: 2})
	})
}

// AI Discovery Endpoint §4.3: the absence of /.well-known/ai is an obligation in spite of all
// headers, also for Refresh; /ai may be validated.
func TestAnAbsenceOfAIDiscoveryIsAnObligation(t *testing.T) {
	for _, control := range []string{"", "no-store", "max-age=0", "no-cache, no-store, max-age=0, must-revalidate", "max-age=1"} {
		t.Run("Cache-Control "+control, func(t *testing.T) {
			eachStore(t, func(t *testing.T, internet *clienttest.Internet, store cache.Store) {
				absent := clienttest.Page{Status: 404, Header: http.Header{"Cache-Control": {control}}}
				host := internet.Host("shop.example", absent)
				host.Handle("/ai", page(aiDocument, "ETag", `"1"`, "Cache-Control", "max-age=60"))
				change := []func(*client.Options){shared(store), withFormats(aidiscovery.Format())}
				c := newClient(t, internet, change...)
				for range 3 { // a Client that stays, and then new ones
					_, _ = again(t, c)
					if _, err := c.Refresh(t.Context(), "shop.example"); err != nil {
						t.Errorf("Refresh: %v", err)
					}
					time.Sleep(7 * time.Hour)
					_, _ = again(t, c)
					c = restart(t, internet, c, change...)
				}
				time.Sleep(3*time.Hour - time.Nanosecond)
				_, _ = again(t, c)
				n := asked(host)
				if n["/.well-known/ai"] != 1 || n["/ai"] < 4 {
					t.Errorf("within a day: asked %v", n)
				}
				validated := 0
				for _, r := range host.Requests() {
					if r.Header.Get("If-None-Match") == `"1"` {
						validated++
					}
				}
				if validated != n["/ai"]-1 {
					t.Errorf("%d of %d requests for /ai were conditional", validated, n["/ai"])
				}
				time.Sleep(time.Nanosecond)
				_, _ = again(t, c)
				if n := asked(host); n["/.well-known/ai"] != 2 {
					t.Errorf("after a day: asked %v", n)
				}
			})
		})
	}
}

// Only an answer is stored as an absence.
func TestOnlyANoIsAnAbsence(t *testing.T) {
	slow := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	for name, row := range map[string]struct {
		failure http.Handler
		kind    error
		wait    time.Duration
	}{
		"503":      {clienttest.Page{Status: 503}, wayfind.ErrUnreachable, 30 * time.Second},
		"500":      {clienttest.Page{Status: 500}, wayfind.ErrUnreachable, 30 * time.Second},
		"time-out": {slow, wayfind.ErrUnreachable, 30 * time.Second},
		"blocked":  {clienttest.Page{Status: 403, Header: http.Header{"Cf-Mitigated": {"challenge"}}}, wayfind.ErrBlocked, 10 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				var well atomic.Bool
				good := page(manifest("shop.example", "/a"))
				internet.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if well.Load() {
						good.ServeHTTP(w, r)
						return
					}
					row.failure.ServeHTTP(w, r)
				}))
				far := newFarStore()
				c := newClient(t, internet, shared(far))
				if site, err := again(t, c); !errors.Is(err, row.kind) || only(t, site).Verdict == wayfind.VerdictAbsent {
					t.Errorf("%v, probe %+v", err, only(t, site))
				}
				well.Store(true)
				synctest.Wait()
				time.Sleep(row.wait)
				for _, c := range []*client.Client{newClient(t, internet, shared(far)), c} {
					if _, err := again(t, c); err != nil {
						t.Errorf("when the site is well again: %v", err)
					}
				}
			})
		})
	}
}
