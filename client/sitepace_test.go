package client_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// A site that states a pace for all agents is asked at that pace by later calls of Resolve and Refresh.
// What has no turn within 20 seconds is left to the next call, and what is known stays in the Site.
func TestTheNextResolveKeepsThePace(t *testing.T) {
	for _, row := range []struct {
		rate        string
		every       time.Duration
		span, pause time.Duration // of the calls, and between two of them
		most, least int           // requests in the span
	}{
		{"1 request/second", time.Second, 5 * time.Minute, time.Second, 302, 240},
		{"2 requests/minute", 30 * time.Second, time.Hour, 15 * time.Second, 121, 60},
	} {
		t.Run(row.rate, func(t *testing.T) {
			inBubble(t, func(t *testing.T, in *clienttest.Internet) {
				doc := "# Shop\n\nSells.\n\n## Can\n\n- Search\n\n## Behavior\n\n- " + row.rate + "\n"
				h := in.Host("shop.example", clienttest.Pages{"/agents.md": doc})
				c := in.Client()
				if site, err := c.Resolve(t.Context(), "shop.example"); err != nil || len(site.Policies) == 0 {
					t.Fatal(err, site)
				}
				time.Sleep(25 * time.Hour)
				n, began := len(h.Requests()), time.Now()
				for calls := 0; time.Since(began) < row.span; calls++ {
					site, err := c.Refresh(t.Context(), "shop.example")
					if err != nil || len(site.Services) == 0 {
						t.Fatalf("call %d: %v", calls, err)
					}
					time.Sleep(row.pause)
				}
				var times []time.Time
				for _, r := range h.Requests()[n:] {
					times = append(times, r.Time)
				}
				slices.SortFunc(times, time.Time.Compare)
				for i := 1; i < len(times); i++ {
					if d := times[i].Sub(times[i-1]); d < row.every {
						t.Fatalf("%v between two requests", d)
					}
				}
				if len(times) > row.most || len(times) < row.least {
					t.Errorf("%d requests in %v", len(times), row.span)
				}
				t.Logf("%s: %d requests in %v", row.rate, len(times), row.span)
			})
		})
	}
}

// The pace that one host states holds for no other host of its domain.
func TestAHostSetsNoPaceForItsSiblings(t *testing.T) {
	inBubble(t, func(t *testing.T, in *clienttest.Internet) {
		doc := func(rate string) clienttest.Pages {
			return clienttest.Pages{"/agents.md": "# Shop\n\nSells.\n\n## Can\n\n- Search\n\n## Behavior\n\n- " + rate + "\n"}
		}
		in.Host("evil.shop.example", doc("1 request/day"))
		www := in.Host("www.shop.example", doc("1 request/second"))
		c := in.Client()
		for _, host := range []string{"www.shop.example", "evil.shop.example"} {
			if site, err := c.Resolve(t.Context(), host); err != nil || len(site.Policies) == 0 {
				t.Fatal(err, site)
			}
		}
		time.Sleep(25 * time.Hour)
		if _, err := c.Refresh(t.Context(), "evil.shop.example"); err != nil {
			t.Fatal(err)
		}
		n := len(www.Requests())
		_, err := c.Refresh(t.Context(), "www.shop.example")
		if err != nil || len(www.Requests()) < n+5 {
			t.Errorf("%v: %d requests", err, len(www.Requests())-n)
		}
	})
}

// ResolveAll keeps a pace that it knows: the requests are spread, and no pause for all of them follows.
func TestResolveAllKeepsAKnownPace(t *testing.T) {
	inBubble(t, func(t *testing.T, in *clienttest.Internet) {
		h := in.Host("a.shop.example", clienttest.Pages{"/agents.md": "# Shop\n\nSells.\n\n## Can\n\n- Search\n\n## Behavior\n\n- 1 request/second\n"})
		in.Host("b.shop.example", clienttest.Pages{"/agents.md": "# Shop\n\nSells.\n\n## Can\n\n- Search\n"})
		c := in.Client()
		if _, err := c.Resolve(t.Context(), "a.shop.example"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(25 * time.Hour)
		n, began := len(h.Requests()), time.Now()
		for site, err := range c.ResolveAll(t.Context(), slices.Values([]string{"a.shop.example", "b.shop.example"}), nil) {
			if err != nil || len(site.Services) == 0 {
				t.Fatal(err)
			}
		}
		took := time.Since(began)
		var times []time.Time
		for _, r := range h.Requests()[n:] {
			times = append(times, r.Time)
		}
		slices.SortFunc(times, time.Time.Compare)
		for i := 1; i < len(times); i++ {
			if d := times[i].Sub(times[i-1]); d < time.Second {
				t.Errorf("%v between two requests", d)
			}
		}
		if len(times) < 10 || len(times) > 21 || took > 25*time.Second {
			t.Errorf("%d requests, and %v for two hosts of the site", len(times), took)
		}
	})
}

// A pace of one request a week is bounded and told: a daily call gets what is stored, with a word, and
// when that is gone it reads the site as at the first time. Nothing waits for the pace. Words that are no
// rate hold nothing back, and are told as they are.
func TestASlowPaceIsBoundedAndTold(t *testing.T) {
	for rate, isRate := range map[string]bool{"1 request/week": true, "1 request/year": false} {
		t.Run(rate, func(t *testing.T) {
			inBubble(t, func(t *testing.T, in *clienttest.Internet) {
				h := in.Host("shop.example", clienttest.Pages{"/agents.md": "# Shop\n\nSells.\n\n## Can\n\n- Search\n\n## Behavior\n\n- " + rate + "\n"})
				c := in.Client()
				if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
					t.Fatal(err)
				}
				whole := 0 // readings of all places
				for day := range 6 {
					time.Sleep(25 * time.Hour)
					n, began := len(h.Requests()), time.Now()
					site, err := c.Refresh(t.Context(), "shop.example")
					if err != nil || len(site.Services) == 0 || time.Since(began) > time.Minute {
						t.Fatalf("day %d: %v after %v", day, err, time.Since(began))
					}
					if !slices.ContainsFunc(site.Policies, func(p wayfind.Policy) bool { return strings.Contains(p.Text, rate) }) {
						t.Errorf("the Site does not have the words: %+v", site.Policies)
					}
					told := slices.ContainsFunc(site.Diagnostics, func(d wayfind.Diagnostic) bool {
						return d.Code == "document.stale" && strings.Contains(d.Message, "must not be asked yet")
					})
					sent := len(h.Requests()) - n
					if sent > 1 {
						whole++
					}
					if told == (sent > 1) {
						t.Errorf("day %d: %d requests, and that the site must not be asked yet is told: %t", day, sent, told)
					}
				}
				if isRate && whole > 3 || !isRate && whole != 6 {
					t.Errorf("%d whole readings in 6 days", whole)
				}
			})
		})
	}
}
