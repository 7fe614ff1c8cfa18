package client_test

import (
	"slices"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/agentsmd"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// A temporary failure is retried three times, except at a place with one request an hour.
func TestEachPlaceThatMayPassIsRetried(t *testing.T) {
	for _, status := range []int{500, 502, 503, 504} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			down := clienttest.Page{Status: status}
			host := internet.Host("shop.example", clienttest.Pages{}).
				Handle(wellKnown, clienttest.Sequence(down, down, down, page(manifest("shop.example", "/a"))))
			start := time.Now()
			site, err := newClient(t, internet).Resolve(t.Context(), "shop.example")
			if err != nil || len(site.Sources) != 1 || len(host.Requests()) != 4 || time.Since(start) > 2*time.Second {
				t.Errorf("%d: %v, asked %v in %v", status, err, host.Paths(), time.Since(start))
			}
		})
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			host := internet.Host("shop.example", clienttest.Page{Status: status})
			c := newClient(t, internet, withFormats(agentsmd.Format()))
			for range 4 { // within the hour
				_, _ = c.Resolve(t.Context(), "shop.example")
				time.Sleep(14 * time.Minute)
			}
			if paths := slices.Sorted(slices.Values(host.Paths())); len(slices.Compact(slices.Clone(paths))) != len(paths) || len(paths) == 0 {
				t.Errorf("%d: asked %v", status, paths)
			}
		})
	}
}

// No place gets more than three retries, also if the sender takes its failure for a sign of too many
// requests at a time, because other places answer.
func TestAPlaceThatFailsAmongOthersGetsThreeRetries(t *testing.T) {
	for _, failing := range [][]string{{wellKnown}, {wellKnown, "/.well-known/ai"}, {wellKnown, "/.well-known/ai", "/agent.json", "/llms.txt"}} {
		for _, status := range []int{500, 503} {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", clienttest.Pages{})
				for _, path := range failing {
					host.Handle(path, clienttest.Page{Status: status})
				}
				_, _ = newClient(t, internet, withFormats(formats.All()...)).Resolve(t.Context(), "shop.example")
				for _, path := range failing {
					if n := asked(host)[path]; n < 2 || n > 4 {
						t.Errorf("%d at %v: %s was asked %d times", status, failing, path, n)
					}
				}
			})
		}
	}
}

// A lasting failure is requested once, and only an absence is stored for a day.
func TestEachLastingStatusIsAskedForOnce(t *testing.T) {
	for status, remembered := range map[int]bool{
		404: true, 410: true, 401: false, 403: false, 405: false, 406: false, 418: false, 451: false,
	} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			host := internet.Host("shop.example", clienttest.Page{Status: status, Header: map[string][]string{"Retry-After": {"1"}}})
			c := newClient(t, internet)
			_, _ = c.Resolve(t.Context(), "shop.example")
			if n := len(host.Requests()); n != 1 {
				t.Errorf("%d: asked %d times", status, n)
			}
			time.Sleep(23 * time.Hour)
			_, _ = c.Resolve(t.Context(), "shop.example")
			if again := len(host.Requests()) > 1; again == remembered {
				t.Errorf("%d: asked %d times within a day", status, len(host.Requests()))
			}
		})
	}
}
