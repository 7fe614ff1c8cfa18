package client_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/aidiscovery"
)

// The site and the formats of a place decide the lifetime of an answer, not the place of another
// site that redirects there.
func TestARedirectOfAnotherSiteDecidesNoLifetime(t *testing.T) {
	for name, from := range map[string]string{"the page that cannot exist": "/.well-known/wayfind-", "the home page": "/"} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("bank.example", clienttest.Pages{})
				host.Handle(aidiscovery.Path, page(bankDocument, "Cache-Control", "max-age=60"))
				internet.Host("evil.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == from || len(from) > 1 && strings.HasPrefix(r.URL.Path, from) {
						http.Redirect(w, r, "https://bank.example"+aidiscovery.Path, http.StatusFound)
						return
					}
					_, _ = w.Write([]byte(`{"a":1}`))
				}))
				c := newClient(t, internet, allFormats)
				_, _ = c.Resolve(t.Context(), "evil.example")
				if len(host.Requests()) == 0 {
					t.Fatal("evil.example led nobody to the bank")
				}
				time.Sleep(2 * time.Minute)
				host.Handle(aidiscovery.Path, page(strings.ReplaceAll(bankDocument, "Bank", "New Bank")))
				site, err := c.Resolve(t.Context(), "bank.example")
				if err != nil || site.Services[0].Name != "New Bank" {
					t.Errorf("a minute later: %v, %+v", err, site.Services)
				}
			})
		})
	}
}

// A place of which only the beginning is read must not store the beginning of another site's
// document.
func TestARedirectOfAnotherSiteCutsNoStoredAnswer(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("bank.example", clienttest.Pages{})
		host.Handle(aidiscovery.Path, page(strings.Repeat(" ", 100<<10)+bankDocument, "Cache-Control", "max-age=3600"))
		internet.Host("evil.example", clienttest.Pages{}).Handle("/", clienttest.Redirect(302, "https://bank.example"+aidiscovery.Path))
		c := newClient(t, internet, allFormats)
		_, _ = c.Resolve(t.Context(), "evil.example")
		if len(host.Requests()) == 0 {
			t.Fatal("evil.example led nobody to the bank")
		}
		if site, err := c.Resolve(t.Context(), "bank.example"); err != nil || len(site.Services) == 0 {
			t.Errorf("the bank cannot be used: %v", err)
		}
	})
}

// The failure of a request that another site redirected is that site's own.
func TestAFailedRedirectIsRememberedOfTheSiteThatBeganIt(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("bank.example", clienttest.Pages{"/document": bankDocument})
		host.Handle(aidiscovery.Path, clienttest.Redirect(302, "/document"))
		everyPlaceTo(internet, "evil.example", "https://evil.example/1")
		evil := internet.Host("evil2.example", clienttest.Pages{})
		for i, to := range []string{"/2", "/3", "/4", "/5", "https://bank.example" + aidiscovery.Path} {
			evil.Handle("/"+string(rune('1'+i)), clienttest.Redirect(302, to))
		}
		everyPlaceTo(internet, "evil3.example", "https://evil2.example/1")
		c := newClient(t, internet, allFormats)
		for _, name := range []string{"evil.example", "evil3.example"} {
			_, _ = c.Resolve(t.Context(), name)
		}
		if site, err := c.Resolve(t.Context(), "bank.example"); err != nil || len(site.Services) == 0 {
			t.Errorf("the bank cannot be used: %v", err)
		}
	})
}

// robots.txt that "not before" keeps from being asked on a way of another site does not
// forbid the origin's own requests.
func TestRobotsOnAWayOfAnotherSiteForbidNothingOfTheOrigin(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := bank(internet)
		host.Handle("/robots.txt", later)
		everyPlaceTo(internet, "evil.example", "https://bank.example/x")
		c := newClient(t, internet, allFormats, func(o *client.Options) { o.Robots.Mode = client.RobotsEnforce })
		_, _ = c.Resolve(t.Context(), "evil.example")
		if len(host.Requests()) == 0 {
			t.Fatal("evil.example led nobody to the bank")
		}
		host.Handle("/robots.txt", clienttest.Page{Status: 404})
		if site, err := c.Resolve(t.Context(), "bank.example"); err != nil || len(site.Services) == 0 {
			t.Errorf("the bank cannot be used: %v", err)
		}
	})
}

// The pause that a site declares is for its own domains, wherever its places lead.
func TestARateOfAnotherSitePausesNoOtherSite(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		bank(internet)
		evil := everyPlaceTo(internet, "evil.example", "https://bank.example"+aidiscovery.Path)
		evil.Handle("/robots.txt", page("User-agent: *\nCrawl-delay: 3600\n", "Content-Type", "text/plain"))
		c := newClient(t, internet, allFormats, func(o *client.Options) { o.Robots.Mode = client.RobotsReport })
		for site, err := range c.ResolveAll(t.Context(), slices.Values([]string{"evil.example", "bank.example"}), &client.BatchOptions{InFlight: 1}) {
			if site != nil && site.Origin == "https://bank.example" && err != nil {
				t.Errorf("the bank has to wait: %v", err)
			}
		}
	})
}
