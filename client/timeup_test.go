package client_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// A site that accepts requests and never answers is asked ever more seldom, whatever Options.Timeout is:
// the end of a call by it is a failure of the places that were under way. The loops are those of
// docs/RECIPES.md.
func TestASiteThatNeverAnswersIsAskedEverMoreSeldom(t *testing.T) {
	loops := map[string]func(context.Context, *client.Client) (until time.Time){
		"Resolve": func(ctx context.Context, c *client.Client) time.Time {
			site, _ := c.Resolve(ctx, "shop.example")
			return site.FreshUntil
		},
		"ResolveAll": func(ctx context.Context, c *client.Client) (until time.Time) {
			for site := range c.ResolveAll(ctx, slices.Values([]string{"shop.example"}), nil) {
				until = site.FreshUntil
			}
			return until
		},
	}
	for name, loop := range loops {
		for place, most := range map[string]int{"": 250, "/llms.txt": 60} { // an empty path is each
			for at, fault := range map[string]clienttest.Fault{"header": clienttest.AtHeaders(clienttest.Stall), "body": clienttest.AtBody(1, clienttest.Stall)} {
				t.Run(name+" "+place+" "+at, func(t *testing.T) {
					inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
						internet.Host("shop.example", clienttest.Pages{"/llms.txt": "# Shop\n"}).Fail(place, fault)
						c := newClient(t, internet, func(o *client.Options) { o.Timeout, o.Formats = 3*time.Second, nil })
						for end := time.Now().Add(time.Hour); time.Now().Before(end); {
							until := loop(t.Context(), c)
							if until.Before(time.Now()) {
								t.Fatalf("it was fresh until %v before", time.Since(until))
							}
							time.Sleep(time.Until(until))
						}
						if n := len(internet.Requests()); n > most {
							t.Errorf("%d requests in an hour, want at most %d", n, most)
						}
					})
				})
			}
		}
	}
}

// The end of a caller's own time is no failure of the site.
func TestACallersOwnTimeIsNoFailureOfTheSite(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/llms.txt": "# Shop\n\n> Sells lamps.\n\n## Docs\n\n- [API](/api.md): the API\n"}).Fail("", clienttest.Delay(time.Second))
		c := newClient(t, internet, func(o *client.Options) { o.Formats = nil })
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			_, _ = c.Resolve(ctx, "shop.example")
			cancel()
		}
		if site, err := c.Resolve(t.Context(), "shop.example"); err != nil || len(site.Services) != 1 {
			t.Errorf("%v, %d services", err, len(site.Services))
		}
	})
}
