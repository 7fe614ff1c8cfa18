package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/agentsmd"
	"github.com/wayfindhq/wayfind/internal/formats/aidiscovery"
	"github.com/wayfindhq/wayfind/parse"
)

// prose is an agents.md with header fields.
func prose(header ...string) clienttest.Page {
	p := page(agentsDocument, header...)
	p.Header.Set("Content-Type", "text/markdown")
	return p
}

// changing has another ETag each time.
func changing() http.Handler {
	var n atomic.Int32
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		prose("ETag", fmt.Sprintf(`"%d"`, n.Add(1)), "Cache-Control", "max-age=0").ServeHTTP(w, r)
	})
}

func absent(control string) clienttest.Page {
	return clienttest.Page{Status: 404, Header: http.Header{"Cache-Control": {control}}}
}

// floored makes Clients read agents.md.
func floored(o *client.Options) { o.Formats = []*parse.Format{agentsmd.Format()} }

// twoPlaces is a site with agents.md, and the requests for it in two hours.
type twoPlaces struct {
	primary, fallback http.Handler
	want              map[string]int
}

// impatient are sites that would have everybody ask again.
func impatient() map[string]twoPlaces {
	first, both := map[string]int{agentsmd.Path: 2}, map[string]int{agentsmd.Path: 2, agentsmd.FallbackPath: 2}
	return map[string]twoPlaces{
		"no-store":                 {prose("Cache-Control", "no-store"), absent(""), first},
		"no-cache":                 {prose("Cache-Control", "no-cache", "ETag", `"1"`), absent(""), first},
		"max-age=0":                {prose("Cache-Control", "max-age=0"), absent(""), first},
		"must-revalidate":          {prose("Cache-Control", "max-age=1, must-revalidate"), absent(""), first},
		"Expires in the past":      {prose("Expires", "0"), absent(""), first},
		"changing ETag":            {changing(), absent(""), first},
		"500":                      {clienttest.Page{Status: 500}, absent(""), first},
		"503":                      {clienttest.Page{Status: 503}, absent(""), first},
		"401":                      {clienttest.Page{Status: 401}, absent(""), first},
		"503 and Retry-After":      {clienttest.Page{Status: 503, Header: http.Header{"Retry-After": {"1"}}}, absent(""), first},
		"404 and the fallback":     {absent("max-age=0"), prose("Cache-Control", "no-cache"), both},
		"404 and no-store":         {absent("no-store"), prose("Cache-Control", "no-store"), both},
		"404 and nothing":          {absent("max-age=0"), absent("max-age=0"), both},
		"404 and a broken one":     {absent("max-age=0"), clienttest.Page{Status: 500}, both},
		"a redirect to a fresh no": {clienttest.Redirect(302, "/elsewhere"), absent("max-age=0"), map[string]int{agentsmd.Path: 2, agentsmd.FallbackPath: 2, "/elsewhere": 2}},
	}
}

// The agents.md protocol §1: each place gets at most one request an hour, whatever the site sends,
// for any callers and any number of calls.
func TestEachPlaceGetsOneRequestAnHour(t *testing.T) {
	for name, row := range impatient() {
		t.Run(name, func(t *testing.T) {
			eachStore(t, func(t *testing.T, internet *clienttest.Internet, store cache.Store) {
				host := internet.Host("shop.example", absent("max-age=0"))
				host.Handle(agentsmd.Path, row.primary).Handle(agentsmd.FallbackPath, row.fallback)
				clients := []*client.Client{newClient(t, internet, floored, shared(store)), newClient(t, internet, floored, shared(store))}
				half := map[string]int{}
				for path, n := range row.want {
					half[path] = n / 2
				}
				start := time.Now()
				for _, at := range []time.Duration{0, time.Second, 11 * time.Minute, 59 * time.Minute, time.Hour - time.Second} {
					time.Sleep(time.Until(start.Add(at)))
					storm(t, clients)
					clients = append(clients[:2], newClient(t, internet, floored, shared(store))) // and one that starts now
				}
				wantAsked(t, "within the hour", host, half)
				// In the first storm they waited for each other, for less than a
				// second: the last place was asked that much later.
				time.Sleep(time.Until(start.Add(time.Hour + time.Second)))
				storm(t, clients)
				wantAsked(t, "after the hour", host, row.want)
			})
		})
	}
}

// storm calls Clients in every way from 50 goroutines.
func storm(t *testing.T, clients []*client.Client) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range 50 {
		c := clients[i%len(clients)]
		wg.Go(func() {
			switch i % 4 {
			case 0:
				_, _ = c.Refresh(t.Context(), "shop.example")
			case 1:
				_, _ = again(t, c)
			default:
				_, _ = c.Resolve(t.Context(), "shop.example")
			}
		})
	}
	wg.Wait()
	synctest.Wait() // writes in the background
}

// Inside the hour, a caller gets no document if none was stored, the last reading marked stale, or
// an error with StrictFloor.
func TestACallerInsideTheHourGetsTheLastReadingOrAnError(t *testing.T) {
	for name, row := range map[string]struct {
		header       []string
		seen, strict bool // a reading is shown
	}{
		"no-store":        {[]string{"Cache-Control", "no-store"}, false, false},
		"no-cache":        {[]string{"Cache-Control", "no-cache"}, true, false},
		"must-revalidate": {[]string{"Cache-Control", "max-age=1, must-revalidate"}, true, false},
		"max-age=0":       {[]string{"Cache-Control", "max-age=0"}, true, true},
		"max-age=1":       {[]string{"Cache-Control", "max-age=1", "ETag", `"1"`}, true, true},
	} {
		for _, strict := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, strict %t", name, strict), func(t *testing.T) {
				inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
					host := internet.Host("shop.example", prose(row.header...))
					far, start := newFarStore(), time.Now().Round(0)
					change := []func(*client.Options){floored, shared(far), func(o *client.Options) { o.Lab.StrictFloor = strict }}
					c := newClient(t, internet, change...)
					if site, err := c.Resolve(t.Context(), "shop.example"); err != nil || len(stale(site)) != 0 {
						t.Fatalf("at first: %v, stale %v", err, stale(site))
					}
					time.Sleep(30 * time.Minute)
					seen := row.seen && !strict || row.strict && strict
					for who, c := range map[string]*client.Client{"the same": c, "another": newClient(t, internet, change...)} {
						for range 2 {
							site, err := c.Resolve(t.Context(), "shop.example")
							wantInside(t, who, site, err, seen, start.Add(time.Hour))
						}
						site, err := c.Refresh(t.Context(), "shop.example")
						wantInside(t, who+", Refresh", site, err, seen, start.Add(time.Hour))
					}
					wantAsked(t, "inside the hour", host, map[string]int{agentsmd.Path: 1})
				})
			})
		}
	}
}

func wantInside(t *testing.T, who string, site *wayfind.Site, err error, seen bool, until time.Time) {
	t.Helper()
	if seen {
		if err != nil || len(site.Services) != 1 || len(stale(site)) != 1 {
			t.Errorf("%s: %v, %d services, stale %v; want the last reading, marked", who, err, len(site.Services), stale(site))
		}
		if !site.FreshUntil.Before(until) {
			t.Errorf("%s: the floor prolongs freshness until %v", who, site.FreshUntil)
		}
		return
	}
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok || !errors.Is(e, wayfind.ErrThrottled) || !e.NotBefore.Equal(until) || len(site.Services) != 0 {
		t.Errorf("%s: %v, %d services; want ErrThrottled until %v", who, err, len(site.Services), until)
	}
}

// stale are the documents of a Site that are shown past their freshness.
func stale(site *wayfind.Site) []string {
	var urls []string
	for _, d := range site.Diagnostics {
		if d.Code == "document.stale" {
			urls = append(urls, d.Source)
		}
	}
	return urls
}

// An attempt that never reached the site is not counted.
func TestAFailedDialBurnsNothing(t *testing.T) {
	eachStore(t, func(t *testing.T, internet *clienttest.Internet, store cache.Store) {
		host := internet.Host("shop.example", prose("Cache-Control", "no-store"))
		host.FailConn(clienttest.Refuse())
		c := newClient(t, internet, floored, shared(store))
		if _, err := c.Resolve(t.Context(), "shop.example"); !errors.Is(err, wayfind.ErrUnreachable) {
			t.Errorf("%v", err)
		}
		host.FailConn()
		time.Sleep(time.Minute) // the cool-down
		if _, err := newClient(t, internet, floored, shared(store)).Resolve(t.Context(), "shop.example"); err != nil {
			t.Errorf("after the cool-down: %v", err)
		}
		if _, err := c.Resolve(t.Context(), "shop.example"); !errors.Is(err, wayfind.ErrThrottled) {
			t.Errorf("the one request was made by another: %v", err)
		}
		wantAsked(t, "in all", host, map[string]int{agentsmd.Path: 1})
	})
}

// The obligations of one Client need no store: neither Options.Store nor its own memory.
func TestObligationsWithoutMemory(t *testing.T) {
	for name, open := range map[string]func(*testing.T, *clienttest.Internet, ...func(*client.Options)) *client.Client{
		"Options.Store misses": func(t *testing.T, internet *clienttest.Internet, change ...func(*client.Options)) *client.Client {
			far := newFarStore()
			far.forgets = true
			return newClient(t, internet, append(change, shared(far))...)
		},
		"its own memory misses": func(t *testing.T, internet *clienttest.Internet, change ...func(*client.Options)) *client.Client {
			c := newClient(t, internet, change...)
			if err := client.Forget(c); err != nil {
				t.Fatal(err)
			}
			return c
		},
		"both miss": func(t *testing.T, internet *clienttest.Internet, change ...func(*client.Options)) *client.Client {
			far := newFarStore()
			far.forgets = true
			c := newClient(t, internet, append(change, shared(far))...)
			if err := client.Forget(c); err != nil {
				t.Fatal(err)
			}
			return c
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", page(manifest("shop.example", "/a")))
				host.Handle("/.well-known/ai", absent("no-store")).Handle("/ai", absent("no-store"))
				host.Handle(agentsmd.Path, prose("Cache-Control", "no-cache")).Handle(agentsmd.FallbackPath, absent("max-age=0"))
				busy := internet.Host("busy.example", clienttest.Page{Status: 429, Header: http.Header{"Retry-After": {"7200"}}})
				c := open(t, internet, withFormats(aidiscovery.Format(), agentsmd.Format()))
				for range 11 {
					storm(t, []*client.Client{c})
					_, _ = c.Refresh(t.Context(), "busy.example")
					_, _ = c.Resolve(t.Context(), "busy.example")
					time.Sleep(10 * time.Minute)
				}
				// 110 minutes: two attempts an hour apart, one attempt at places whose absence is
				// valid for a day, and a "not before" that is not over
				wantAsked(t, "in two hours", host, map[string]int{agentsmd.Path: 2, "/.well-known/ai": 1, "/ai": 1})
				if n := len(busy.Paths()); n == 0 || n > 4 { // both wells and their aliases, at once
					t.Errorf("the busy site was asked for %v", busy.Paths())
				}
				first := busy.Requests()[0].Time
				if late := slices.ContainsFunc(busy.Requests(), func(r clienttest.Request) bool { return r.Time.After(first) }); late {
					t.Errorf("the busy site was asked before its time")
				}
				time.Sleep(10 * time.Minute)
				n := len(busy.Paths())
				if _, err := c.Resolve(t.Context(), "busy.example"); !errors.Is(err, wayfind.ErrThrottled) || len(busy.Paths()) == n {
					t.Errorf("after the wait: %v, asked for %v", err, busy.Paths()[n:])
				}
			})
		})
	}
}

// A site that is asked by two Clients of one store keeps both away.
func TestCoolDownIsShared(t *testing.T) {
	eachStore(t, func(t *testing.T, internet *clienttest.Internet, store cache.Store) {
		host := internet.Host("shop.example", clienttest.Page{Status: 429, Header: http.Header{"Retry-After": {"3600"}}})
		_, _ = newClient(t, internet, shared(store)).Resolve(t.Context(), "shop.example")
		n := len(host.Paths())
		until := time.Now().Add(time.Hour)
		_, err := newClient(t, internet, shared(store)).Resolve(t.Context(), "shop.example")
		e, ok := errors.AsType[*wayfind.Error](err)
		if !ok || !errors.Is(e, wayfind.ErrThrottled) || !e.NotBefore.Equal(until) {
			t.Errorf("%v, want it held until %v", err, until)
		}
		if d := cmp.Diff(n, len(host.Paths())); d != "" {
			t.Errorf("requests (-want +got):\n%s", d)
		}
	})
}
