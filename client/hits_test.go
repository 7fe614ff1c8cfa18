package client_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// A domain of a batch that memory answers is a hit, and has an event, as with Resolve.
func TestABatchCountsAndReportsAnswersFromMemory(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/d/act")})
		o := &eventLog{}
		c := newClient(t, internet, func(opts *client.Options) { opts.Observe = o.observe })
		for range 3 {
			for site, err := range c.ResolveAll(t.Context(), slices.Values([]string{"shop.example"}), nil) {
				if err != nil || len(site.Services) == 0 {
					t.Fatal(site, err)
				}
			}
		}
		if got := c.Stats().Sites; got.Hits != 2 || got.Misses != 1 {
			t.Errorf("%+v", got)
		}
		resolves := slices.DeleteFunc(o.lines, func(line string) bool { return !strings.HasPrefix(line, "/resolve https") })
		if len(resolves) != 3 || !strings.Contains(resolves[2], "memory") {
			t.Errorf("events: %q", resolves)
		}
	})
}
