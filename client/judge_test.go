package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// A redirect that the format of one place forbids decides nothing about the domain: a site that
// redirects all its paths, and has nothing, is a site with nothing.
func TestARedirectThatAFormatForbidsDecidesNothing(t *testing.T) {
	gone := http.NotFoundHandler()
	slash := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" && !strings.HasSuffix(r.URL.Path, "/") {
			http.Redirect(w, r, r.URL.Path+"/", http.StatusPermanentRedirect)
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}
	home := func(path string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, path) && len(r.URL.Path) < 5 {
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, "<!doctype html><html><title>Home</title></html>")
				return
			}
			http.Redirect(w, r, path, http.StatusMovedPermanently)
		}
	}
	for name, site := range map[string]http.Handler{
		"to www, path kept":      leading(301, "https://www.kettleshop.com"),
		"to /":                   home("/"),
		"to /en/":                home("/en/"),
		"a slash more":           http.HandlerFunc(slash),
		"one, at the place":      at("/.well-known/ucp", clienttest.Redirect(302, "/"), http.NotFoundHandler()),
		"one, to http":           at("/ai", clienttest.Redirect(301, "http://www.kettleshop.com/x/"), http.NotFoundHandler()),
		"one, in a loop":         at("/ai", clienttest.Redirect(302, "/ai"), http.NotFoundHandler()),
		"one, to no host":        at("/agents", clienttest.Redirect(302, "https://nowhere.kettleshop.com/"), http.NotFoundHandler()),
		"one, to another site":   at("/agents", clienttest.Redirect(302, "https://login.kettle-sso.com/"), http.NotFoundHandler()),
		"one, in a loop, at ucp": at("/.well-known/ucp", clienttest.Redirect(302, "/.well-known/ucp"), http.NotFoundHandler()),
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("www.kettleshop.com", gone)
				internet.Host("kettleshop.com", site)
				found, err := newClient(t, internet, allFormats).Resolve(t.Context(), "kettleshop.com")
				if !errors.Is(err, wayfind.ErrNotFound) || found.Incomplete != nil {
					t.Errorf("%v, incomplete: %v", err, found.Incomplete)
				}
			})
		})
	}
}

// One ordinary path of an application, or a broken /agent.json, decides nothing about a site of 404s.
func TestOnePlaceOfThirtyDecidesNothing(t *testing.T) {
	for path, answer := range map[string]clienttest.Page{
		"/agents":      {Status: 401, Body: "{}"},
		"/agents/v1":   {Status: 403, Body: "{}"},
		"/ai":          {Status: 500, Body: "x"},
		"/v1/entities": {Status: 429, Body: "{}"},
		"/agent.json":  {Body: `{"a":1,`, Header: http.Header{"Content-Type": {"application/json"}}},
	} {
		t.Run(path, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("www.kettleshop.com", at(path, answer, http.NotFoundHandler()))
				site, err := newClient(t, internet, allFormats).Resolve(t.Context(), "www.kettleshop.com")
				if !errors.Is(err, wayfind.ErrNotFound) {
					t.Errorf("%v", err)
				}
				if path != "/v1/entities" && site.Incomplete != nil { // a 429 holds the requests after it
					t.Errorf("incomplete: %v", site.Incomplete)
				}
			})
		})
	}
}

// A site that refuses requests after the tenth is incomplete: the Site names the places, FreshUntil is
// the end of the pause, and the next call after it asks for them.
func TestWhatASiteRefusesIsMissingAndAskedLater(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		var asked, most atomic.Int32
		var once sync.Once
		listed := make(chan struct{})
		most.Store(10)
		pages := clienttest.Pages{"/llms.txt": "# Shop\n\n> Sells.\n\n- [API](https://shop.example/api): the API\n", "/openapi.json": oneOperation("/x")}
		internet.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/llms.txt" {
				defer once.Do(func() { close(listed) })
			} else if asked.Add(1) > most.Load() {
				<-listed // a pause of the origin would hold a request that is not sent yet
				w.Header().Set("Retry-After", "120")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			pages.ServeHTTP(w, r)
		}))
		c := newClient(t, internet, allFormats)
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil || site.Incomplete == nil || site.Incomplete.Places() < 5 || len(site.Documents) == 0 {
			t.Fatalf("%v, incomplete: %v", err, site.Incomplete)
		}
		for _, m := range site.Incomplete.Missing {
			if m.Verdict != wayfind.VerdictThrottled {
				t.Errorf("%+v", m)
			}
		}
		if in := site.Incomplete; in.NotBefore.IsZero() || site.FreshUntil.After(in.NotBefore) {
			t.Errorf("not before %v, fresh until %v", in.NotBefore, site.FreshUntil)
		}
		most.Store(1000)
		for range 3 { // a place that was refused later is asked later
			if site.Incomplete == nil {
				break
			}
			time.Sleep(time.Until(site.Incomplete.NotBefore) + time.Second)
			site, err = c.Resolve(t.Context(), "shop.example")
		}
		if err != nil || site.Incomplete != nil || len(site.Services) == 0 {
			t.Errorf("later: %v, incomplete: %v", err, site.Incomplete)
		}
	})
}

// If the policy of the user refuses everything, that is the error of the domain.
func TestAllRefusedByTheUsersPolicy(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		refuse := func(o *client.Options) { o.Robots.Mode = client.RobotsEnforce }
		internet.Host("shop.example", clienttest.Pages{"/robots.txt": forbid("/")})
		site, err := newClient(t, internet, allFormats, refuse).Resolve(t.Context(), "shop.example")
		if !errors.Is(err, wayfind.ErrRefused) || site.Incomplete != nil {
			t.Errorf("%v, incomplete: %v", err, site.Incomplete)
		}
	})
}

// The probe of the place that decided the error of a domain says so.
func TestTheProbeThatDecides(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", at("/.well-known/ucp", clienttest.Page{Body: "{", Header: http.Header{"Content-Type": {"application/json"}}}, http.NotFoundHandler()))
		site, err := newClient(t, internet, allFormats).Resolve(t.Context(), "shop.example")
		var decided []string
		for _, p := range site.Probes {
			if p.Decides {
				decided = append(decided, p.URL)
			}
		}
		if !errors.Is(err, wayfind.ErrInvalid) || len(decided) != 1 || decided[0] != "https://shop.example/.well-known/ucp" {
			t.Errorf("%v, decided by %v", err, decided)
		}
	})
}
