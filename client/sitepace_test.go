package client_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
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
		if sent, _ := apart(t, h.Requests()[n:], time.Second); sent < 25 || took > 2*time.Minute {
			t.Errorf("%d requests, and %v for two hosts of the site", sent, took)
		}
	})
}

// apart returns the number of requests and the time of the first. Two of them must be at least a time
// apart.
func apart(t *testing.T, requests []clienttest.Request, least time.Duration) (n int, first time.Time) {
	t.Helper()
	times := make([]time.Time, len(requests))
	for i, r := range requests {
		times[i] = r.Time
	}
	slices.SortFunc(times, time.Time.Compare)
	for i := 1; i < len(times); i++ {
		if d := times[i].Sub(times[i-1]); d < least {
			t.Errorf("%v between two requests", d)
		}
	}
	return len(times), times[0]
}

// A rate that the first domain of a site states spreads the requests to the next ones, while other sites
// are asked. If that takes longer than MaxPause, they are throttled.
func TestResolveAllSpreadsARateThatItLearns(t *testing.T) {
	agents := "# Shop\n\nSells.\n\n## Can\n\n- Search\n\n## Behavior\n\n- 2 requests/minute\n"
	for most, spread := range map[time.Duration]bool{20 * time.Minute: true, time.Minute: false} {
		inBubble(t, func(t *testing.T, in *clienttest.Internet) {
			domains := []string{"a.shop.example", "b.shop.example", "c.shop.example", "one.example", "two.example"}
			hosts := map[string]*clienttest.Host{}
			for _, d := range domains {
				hosts[d] = in.Host(d, clienttest.Pages{"/agents.md": agents})
			}
			began, done := time.Now(), map[string]time.Duration{}
			var shops []string // in the order in which they were done
			for site, err := range in.Client().ResolveAll(t.Context(), slices.Values(domains), &client.BatchOptions{InFlight: 2, MaxPause: most}) {
				name := strings.TrimPrefix(site.Origin, "https://")
				done[name] = time.Since(began)
				next := false // of a site that has stated its rate
				if strings.HasSuffix(name, ".shop.example") {
					shops = append(shops, name)
					next = len(shops) > 1
				}
				if wait := next && !spread; errors.Is(err, wayfind.ErrThrottled) != wait || err != nil && !wait {
					t.Errorf("%s: %v", name, err)
				}
			}
			if done["one.example"] > time.Second || done["two.example"] > time.Second {
				t.Errorf("other sites waited: %v", done)
			}
			for i, d := range shops[1:] {
				if requests := hosts[d].Requests(); !spread {
					if len(requests) > 0 {
						t.Errorf("%s has %d requests", d, len(requests))
					}
				} else if n, first := apart(t, requests, 30*time.Second); n < 25 || i == 0 && first.Sub(began) > time.Minute {
					t.Errorf("%s has %d requests, the first after %v", d, n, first.Sub(began))
				}
			}
		})
	}
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
