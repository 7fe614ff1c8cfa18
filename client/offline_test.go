package client_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

func offline(o *client.Options) { o.Offline = true }

// traffic is everything that left a Client so far.
type traffic struct{ lookups, requests, dials int }

func trafficOf(internet *clienttest.Internet, host *clienttest.Host) traffic {
	return traffic{len(internet.Lookups()), len(internet.Requests()), host.Dials()}
}

// wantQuiet fails when anything left since.
func wantQuiet(t *testing.T, before traffic, internet *clienttest.Internet, host *clienttest.Host) {
	t.Helper()
	if d := cmp.Diff(before, trafficOf(internet, host), cmp.AllowUnexported(traffic{})); d != "" {
		t.Errorf("something was asked offline (-want +got):\n%s", d)
	}
}

// Offline, a call waits for a slow disk, because there is no other source.
func TestOfflineIsPatient(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", page(manifest("shop.example", "/a"), "Cache-Control", "max-age=60"))
		far := newFarStore()
		_, _ = newClient(t, internet, shared(far)).Resolve(t.Context(), "shop.example")
		synctest.Wait()
		far.fail(func(ctx context.Context) error {
			select {
			case <-time.After(4 * cache.StoreBudget):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		if _, err := newClient(t, internet, shared(far), offline).Resolve(t.Context(), "shop.example"); err != nil {
			t.Errorf("a slow store: %v", err)
		}
	})
}

// Offline, stored answers are used, even if they are stale, unless their response forbids that. No
// request is sent.
func TestOffline(t *testing.T) {
	for name, row := range map[string]struct {
		page  clienttest.Page
		later time.Duration
		fresh bool
		kind  error // of Resolve; nil: found
	}{
		"fresh":                    {page(manifest("shop.example", "/a"), "Cache-Control", "max-age=60"), 0, true, nil},
		"stale":                    {page(manifest("shop.example", "/a"), "Cache-Control", "max-age=60"), time.Hour, false, nil},
		"revalidating":             {page(manifest("shop.example", "/a"), "Cache-Control", "max-age=60, stale-while-revalidate=86400"), time.Hour, false, nil},
		"fresh, must-revalidate":   {page(manifest("shop.example", "/a"), "Cache-Control", "max-age=60, must-revalidate"), 0, true, nil},
		"stale, must-revalidate":   {page(manifest("shop.example", "/a"), "Cache-Control", "max-age=60, must-revalidate"), time.Hour, false, wayfind.ErrUnreachable},
		"no-cache":                 {page(manifest("shop.example", "/a"), "Cache-Control", "no-cache", "ETag", `"1"`), 0, false, wayfind.ErrUnreachable},
		"no-store":                 {page(manifest("shop.example", "/a"), "Cache-Control", "no-store"), 0, false, wayfind.ErrUnreachable},
		"absent":                   {clienttest.Page{Status: 404}, 0, true, wayfind.ErrNotFound},
		"absent, longer than that": {clienttest.Page{Status: 404}, 47 * time.Hour, false, wayfind.ErrNotFound},
		"failed":                   {clienttest.Page{Status: 500}, 0, false, wayfind.ErrUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			eachStore(t, func(t *testing.T, internet *clienttest.Internet, store cache.Store) {
				host := internet.Host("shop.example", row.page)
				_, _ = newClient(t, internet, shared(store)).Resolve(t.Context(), "shop.example")
				synctest.Wait()
				time.Sleep(row.later)
				before := trafficOf(internet, host)
				c := newClient(t, internet, shared(store), offline)
				for range 2 {
					site, err := c.Resolve(t.Context(), "shop.example")
					if !errors.Is(err, row.kind) {
						t.Errorf("%v, want kind %v", err, row.kind)
					}
					wantOffline(t, site, err, row.kind)
					if marked := len(stale(site)) > 0; site.Services != nil && marked == row.fresh {
						t.Errorf("marked as stale: %t", marked)
					}
				}
				site, err := c.Refresh(t.Context(), "shop.example")
				wantOffline(t, site, err, row.kind)
				time.Sleep(time.Hour) // nothing is asked in the background
				wantQuiet(t, before, internet, host)
			})
		})
	}
}

// wantOffline checks the verdict of a place to which no request can be sent.
func wantOffline(t *testing.T, site *wayfind.Site, err, kind error) {
	t.Helper()
	if !errors.Is(kind, wayfind.ErrUnreachable) {
		return
	}
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok || e.Code != wayfind.CodeOffline {
		t.Errorf("%v, want code %s", err, wayfind.CodeOffline)
	}
	for _, p := range site.Probes {
		if p.Verdict != wayfind.VerdictSkipped || p.Reason != string(wayfind.CodeOffline) {
			t.Errorf("probe %+v, want it skipped", p)
		}
	}
}

// Without a store nothing is known, and still no request is sent.
func TestOfflineKnowsNothing(t *testing.T) {
	for name, change := range map[string]func(*client.Options){"without a store": func(*client.Options) {}, "an empty store": shared(newFarStore())} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", everything())
				before := trafficOf(internet, host)
				site, err := newClient(t, internet, allFormats, offline, change).Resolve(t.Context(), "shop.example")
				if !errors.Is(err, wayfind.ErrUnreachable) || site == nil || len(site.Probes) == 0 {
					t.Errorf("%v, %+v", err, site)
				}
				wantOffline(t, site, err, wayfind.ErrUnreachable)
				wantQuiet(t, before, internet, host)
			})
		})
	}
}

// Part of a Site may be stored: that is found, the rest is skipped, and
// going online asks for just that.
func TestOfflineKnowsAPart(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", everything())
		far := newFarStore()
		_, _ = newClient(t, internet, shared(far)).Resolve(t.Context(), "shop.example")
		synctest.Wait()
		before := trafficOf(internet, host)
		site, err := newClient(t, internet, shared(far), allFormats, offline).Resolve(t.Context(), "shop.example")
		if err != nil || len(site.Sources) != 1 || site.Sources[0].Format != "adp" {
			t.Errorf("%v, sources %+v", err, site.Sources)
		}
		wantQuiet(t, before, internet, host)
		site, err = newClient(t, internet, shared(far), allFormats).Resolve(t.Context(), "shop.example")
		if err != nil || len(site.Sources) != 5 || asked(host)[wellKnown] != 1 {
			t.Errorf("online again: %v, %d sources, asked for %v", err, len(site.Sources), host.Paths())
		}
	})
}

// Describe works for stored documents.
func TestOfflineDescribe(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{
			wellKnown: manifest("shop.example", "/d/send", "/d/read"), "/d/send": detail("send", "/api/send"), "/d/read": detail("read", "/api/read")})
		far := newFarStore()
		online := newClient(t, internet, shared(far))
		site, err := online.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := online.Describe(t.Context(), site, "adp:send"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		time.Sleep(2 * time.Hour) // all of it is stale
		before := trafficOf(internet, host)
		c := newClient(t, internet, shared(far), offline)
		if site, err = c.Resolve(t.Context(), "shop.example"); err != nil {
			t.Fatal(err)
		}
		d, err := c.Describe(t.Context(), site, "adp:send")
		if err != nil || d.Capability.Invocation == nil {
			t.Errorf("what is stored: %v, %+v", err, d.Capability)
		}
		d, err = c.Describe(t.Context(), site, "adp:read")
		e, ok := errors.AsType[*wayfind.Error](err)
		if !ok || !errors.Is(e, wayfind.ErrUnreachable) || e.Code != wayfind.CodeOffline || d.Capability.Invocation != nil {
			t.Errorf("what is not: %v", err)
		}
		wantQuiet(t, before, internet, host)
	})
}

// A stored redirect leads to the stored document.
func TestOfflineRedirect(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", nil)
		host.Handle(wellKnown, clienttest.Page{Status: 301, Header: http.Header{"Location": {"/moved"}, "Cache-Control": {"max-age=60"}}})
		host.Handle("/moved", page(manifest("shop.example", "/a"), "Cache-Control", "max-age=3600"))
		far := newFarStore()
		if _, err := newClient(t, internet, shared(far)).Resolve(t.Context(), "shop.example"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		before := trafficOf(internet, host)
		site, err := newClient(t, internet, shared(far), offline).Resolve(t.Context(), "shop.example")
		if err != nil || site.Sources[0].FinalURL != "https://shop.example/moved" {
			t.Errorf("%v, %+v", err, site.Sources)
		}
		wantQuiet(t, before, internet, host)
	})
}
