package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/aidiscovery"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// One site cannot write into the memory of another one.

const bankDocument = `{"aiendpoint":"1.0","service":{"name":"Bank","description":"d","category":["x"]},"capabilities":[{"id":"pay","description":"Pay","endpoint":"/pay","method":"POST","params":{}}],"auth":{"type":"none"}}`

// later answers "not before" ten days from now.
var later = clienttest.Page{Status: 429, Header: http.Header{"Retry-After": {"864000"}}}

// bank is a healthy site with paths that answer "not before".
func bank(internet *clienttest.Internet) *clienttest.Host {
	host := internet.Host("bank.example", clienttest.Pages{aidiscovery.Path: bankDocument})
	for i := range 4 {
		host.Handle(fmt.Sprintf("/status/%d", i), later)
	}
	return host.Handle("/busy", clienttest.Page{Status: 503, Header: http.Header{"Retry-After": {"864000"}}})
}

// everyPlaceTo redirects the places of a site to URLs, in turn.
func everyPlaceTo(internet *clienttest.Internet, name string, urls ...string) *clienttest.Host {
	host := internet.Host(name, clienttest.Pages{})
	n := 0
	for _, f := range formats.All() {
		for _, l := range f.Locations {
			if !l.Base {
				host.Handle(l.Path, clienttest.Redirect(302, urls[n%len(urls)]))
				n++
			}
		}
	}
	return host
}

// A site that redirects to another does not make it unusable, not even for a later process on the
// same store.
func TestARedirectOfAnotherSiteHoldsNoOrigin(t *testing.T) {
	for name, urls := range map[string][]string{
		"one path":  {"https://bank.example/status/0"},
		"one 503":   {"https://bank.example/busy"},
		"all paths": {"https://bank.example/status/0", "https://bank.example/status/1", "https://bank.example/busy"},
	} {
		t.Run(name, func(t *testing.T) {
			eachStore(t, func(t *testing.T, internet *clienttest.Internet, store cache.Store) {
				host := bank(internet)
				everyPlaceTo(internet, "evil.example", urls...)
				first := newClient(t, internet, shared(store), allFormats)
				_, _ = first.Resolve(t.Context(), "evil.example")
				if asked := host.Requests(); len(asked) == 0 {
					t.Fatal("the attack asked nothing of the bank")
				}
				for _, c := range []*client.Client{first, newClient(t, internet, shared(store), allFormats)} {
					if site, err := c.Resolve(t.Context(), "bank.example"); err != nil || len(site.Services) == 0 {
						t.Errorf("the bank cannot be used: %v", err)
					}
				}
			})
		})
	}
}

// Ten thousand sites that lead to one host do not hammer it: after its "not before" no
// site leads another request there, for at most ten minutes.
func TestLedRequestsLeaveAnOriginAlone(t *testing.T) {
	eachStore(t, func(t *testing.T, internet *clienttest.Internet, store cache.Store) {
		host := bank(internet)
		for i := range 20 {
			everyPlaceTo(internet, fmt.Sprintf("evil%d.example", i), fmt.Sprintf("https://bank.example/status/%d", i%4))
		}
		asked := func(from, to int) int {
			before := len(host.Requests())
			for i := from; i < to; i++ {
				_, _ = newClient(t, internet, shared(store)).Resolve(t.Context(), fmt.Sprintf("evil%d.example", i))
			}
			return len(host.Requests()) - before
		}
		if n := asked(0, 10); n != 1 {
			t.Errorf("%d requests to an origin that had said no", n)
		}
		time.Sleep(10*time.Minute + time.Second)
		if n := asked(10, 20); n != 1 {
			t.Errorf("%d requests after ten minutes", n)
		}
	})
}

// An answer of one of its places, or of two of its other paths, holds an origin for
// everybody.
func TestAnOriginHoldsItself(t *testing.T) {
	for name, row := range map[string]struct {
		ask  func(t *testing.T, c *client.Client)
		held bool
	}{
		"a place": {func(t *testing.T, c *client.Client) { _, _ = c.Resolve(t.Context(), "bank.example") }, true},
		"one path that the caller typed": {func(t *testing.T, c *client.Client) {
			_, _ = c.ParseURL(t.Context(), "https://bank.example/status/0")
		}, false},
		"two paths that the caller typed": {func(t *testing.T, c *client.Client) {
			_, _ = c.ParseURL(t.Context(), "https://bank.example/status/0")
			_, _ = c.ParseURL(t.Context(), "https://bank.example/status/1")
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			eachStore(t, func(t *testing.T, internet *clienttest.Internet, store cache.Store) {
				host := bank(internet)
				if name == "a place" {
					host.Handle(aidiscovery.Path, later)
				}
				row.ask(t, newClient(t, internet, shared(store), allFormats))
				host.Handle(aidiscovery.Path, page(bankDocument))
				site, err := newClient(t, internet, shared(store), allFormats).Resolve(t.Context(), "bank.example")
				if held := errors.Is(err, wayfind.ErrThrottled) || site.Incomplete != nil; held != row.held {
					t.Errorf("held %t, want %t: %v", held, row.held, err)
				}
			})
		})
	}
}

// A way that leaves the site and comes back is another site's.
func TestADetourIsALedRequest(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := bank(internet)
		host.Handle("/agent.json", clienttest.Redirect(302, "https://evil.example/back"))
		internet.Host("evil.example", clienttest.Pages{}).Handle("/back", clienttest.Redirect(302, "https://bank.example/status/0"))
		c := newClient(t, internet, func(o *client.Options) { o.Formats = formats.All() })
		if site, err := c.Resolve(t.Context(), "bank.example"); err != nil || len(site.Services) == 0 {
			t.Fatalf("the bank cannot be used: %v", err)
		}
		other := newClient(t, internet, func(o *client.Options) { o.Formats = []*parse.Format{aidiscovery.Format()} })
		if _, err := other.Resolve(t.Context(), "bank.example"); err != nil {
			t.Error(err)
		}
		if _, err := c.ParseURL(t.Context(), "https://bank.example"+aidiscovery.Path); err != nil {
			t.Error(err)
		}
	})
}
