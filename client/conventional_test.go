package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/resolve"
)

// unlinked is an API description to which nothing links.
const unlinked = `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "paths": {"/orders": {"get": {"operationId": "orders", "responses": {"200": {"description": "ok"}}}}}}`

// A description at a place of convention is found. It ranks below a linked one. If a document
// links to it, wherever and whenever it is read, the description is linked.
func TestADescriptionAtAPlaceOfConvention(t *testing.T) {
	plugin := `{"schema_version": "v1", "name_for_human": "S", "name_for_model": "s", "description_for_human": "S", "description_for_model": "S", "auth": {"type": "none"},
		"api": {"type": "openapi", "url": "https://shop.example/openapi.json"}}`
	for name, row := range map[string]struct {
		pages     clienttest.Pages
		at        string
		authority wayfind.Authority
	}{
		"alone":               {clienttest.Pages{"/openapi.json": unlinked}, "/openapi.json", wayfind.AuthorityConventional},
		"beside a text":       {clienttest.Pages{"/.well-known/openapi.json": unlinked, "/llms.txt": "# Shop\n\n> Sells\n"}, "/.well-known/openapi.json", wayfind.AuthorityConventional},
		"YAML beside a text":  {clienttest.Pages{"/openapi.yaml": "openapi: 3.1.0\ninfo: {title: Shop, version: '1'}\npaths:\n  /orders:\n    get: {operationId: orders, responses: {}}\n", "/llms.txt": "# Shop\n\n> Sells\n"}, "/openapi.yaml", wayfind.AuthorityConventional},
		"a manifest links":    {clienttest.Pages{"/openapi.json": unlinked, "/.well-known/ai-plugin.json": plugin}, "/openapi.json", wayfind.AuthorityLinked},
		"the home page links": {clienttest.Pages{"/openapi.json": unlinked, "/": `<!doctype html><link rel="service-desc" href="/openapi.json" type="application/json">`}, "/openapi.json", wayfind.AuthorityLinked},
	} {
		t.Run(name, func(t *testing.T) {
			internet := clienttest.New(t)
			host := internet.Host("shop.example", row.pages)
			c := internet.Client()
			site, err := c.Resolve(t.Context(), "shop.example")
			if err != nil {
				t.Fatal(err)
			}
			source := site.Source("https://shop.example" + row.at)
			if source == nil || source.Authority != row.authority {
				t.Errorf("%+v", source)
			}
			if n := asked(host)[row.at]; n != 1 {
				t.Errorf("%d requests for %s", n, row.at)
			}
			service := slices.IndexFunc(site.Services, func(s wayfind.Service) bool { return strings.HasPrefix(s.ID, "openapi") })
			if service < 0 || site.Services[service].Unlinked != (row.authority == wayfind.AuthorityConventional) {
				t.Errorf("services %+v", site.Services)
			}
		})
	}
}

// A place of convention is an ordinary one: no answer there decides, and its siblings are asked only beside a
// document. A robots.txt that forbids it is obeyed, unless the caller ignores robots.txt.
func TestAPlaceOfConventionDecidesNothing(t *testing.T) {
	const at = "https://shop.example/openapi.json"
	for name, answer := range map[string]http.Handler{
		"a login": clienttest.Page{Status: 401}, "a fault": clienttest.Page{Status: 500}, "broken": page(`{"openapi": `), "of its own": page(`{"colour": "blue"}`), "too many": clienttest.Page{Status: 429},
	} {
		t.Run(name, func(t *testing.T) {
			internet := clienttest.New(t)
			host := internet.Host("shop.example", clienttest.Pages{}).Handle("/openapi.json", answer)
			_, err := internet.Client().Resolve(t.Context(), "shop.example")
			if !errors.Is(err, wayfind.ErrNotFound) || asked(host)["/openapi.json"] == 0 || asked(host)["/openapi.yaml"]+asked(host)["/.well-known/openapi.json"] > 0 {
				t.Errorf("%v; %v", err, host.Paths())
			}
		})
	}
	for mode, want := range map[client.RobotsMode]int{client.RobotsReport: 0, client.RobotsEnforce: 0, client.RobotsIgnore: 1} {
		internet := clienttest.New(t)
		host := internet.Host("shop.example", clienttest.Pages{"/openapi.json": unlinked, "/robots.txt": "User-agent: *\nDisallow: /openapi.json\n"})
		options := internet.Options()
		options.Robots.Mode = mode
		c, err := client.New(options)
		if err != nil {
			t.Fatal(err)
		}
		site, err := c.Resolve(t.Context(), "shop.example")
		if n := asked(host)["/openapi.json"]; n != want || (err == nil) != (want == 1) {
			t.Errorf("mode %d: %d requests, %v", mode, n, err)
		}
		i := slices.IndexFunc(site.Probes, func(p wayfind.Probe) bool { return p.URL == at })
		if want == 0 && (i < 0 || site.Probes[i].Reason != string(wayfind.CodeRobots)) {
			t.Errorf("mode %d: %+v", mode, site.Probes)
		}
	}
}

// A rule against the siblings alone is obeyed too, and is said where they are not asked for another reason.
func TestAForbiddenSiblingOfAPlaceOfConventionIsNamed(t *testing.T) {
	for name, text := range map[string]string{"nothing": "", "a document": "# Shop\n\n> Sells\n"} {
		internet := clienttest.New(t)
		pages := clienttest.Pages{"/openapi.yaml": "openapi: 3.1.0", "/robots.txt": "User-agent: *\nDisallow: /openapi.yaml\n"}
		if text != "" {
			pages["/llms.txt"] = text
		}
		host := internet.Host("shop.example", pages)
		site, _ := internet.Client().Resolve(t.Context(), "shop.example")
		i := slices.IndexFunc(site.Probes, func(p wayfind.Probe) bool { return p.URL == "https://shop.example/openapi.yaml" })
		if asked(host)["/openapi.yaml"] > 0 || i < 0 || site.Probes[i].Reason != string(wayfind.CodeRobots) {
			t.Errorf("%s: %v", name, host.Paths())
		}
	}
}

// A document that the site links to is asked for under the caller's mode, whatever the rule about the place: its
// owner has named it. The place is listed once.
func TestALinkedPlaceOfConventionIsNoConvention(t *testing.T) {
	internet := clienttest.New(t)
	internet.Host("shop.example", clienttest.Pages{"/openapi.json": unlinked, "/robots.txt": "User-agent: *\nDisallow: /openapi.json\n",
		"/": `<!doctype html><link rel="service-desc" href="/openapi.json" type="application/json">`})
	site, err := internet.Client().Resolve(t.Context(), "shop.example")
	if err != nil {
		t.Fatal(err)
	}
	var probes []wayfind.Probe
	for _, p := range site.Probes {
		if p.URL == "https://shop.example/openapi.json" {
			probes = append(probes, p)
		}
	}
	if len(probes) != 1 || probes[0].Verdict != wayfind.VerdictFound || site.Source(probes[0].URL).Authority != wayfind.AuthorityLinked {
		t.Errorf("%+v", probes)
	}
}

// A caller who names the URL of a description has asked for it: it is a document of the origin like any other, which
// needs no link and no other document, whatever robots.txt says where it is only reported.
func TestAURLAtAPlaceOfConventionIsAsked(t *testing.T) {
	for _, at := range []string{"/openapi.json", "/.well-known/openapi.json", "/openapi.yaml"} {
		for _, mode := range []client.Mode{client.All, client.FirstMatch} {
			internet := clienttest.New(t)
			internet.Host("shop.example", clienttest.Pages{at: unlinked, "/robots.txt": "User-agent: *\nDisallow: /\n"})
			options := internet.Options()
			options.Mode = mode
			c, err := client.New(options)
			if err != nil {
				t.Fatal(err)
			}
			site, err := c.Resolve(t.Context(), "https://shop.example"+at)
			if err != nil || site.Source("https://shop.example"+at).Authority != wayfind.AuthorityNative || site.Services[0].Unlinked {
				t.Errorf("%s: %v", at, err)
			}
		}
	}
}

// A site that answers each path with a page, or with the same JSON, has no description and is not found by it.
func TestASiteThatAnswersEverythingHasNoDescription(t *testing.T) {
	for name, answer := range map[string]http.Handler{
		"a page": html("<title>Shop</title>"), "JSON": page(`{"error": "no such page"}`), "a text": clienttest.Page{Body: "hello", Header: http.Header{"Content-Type": {"text/plain"}}},
		"a wall": clienttest.Page{Status: 403, Body: "<title>Just a moment</title>", Header: http.Header{"Content-Type": {"text/html"}}},
	} {
		t.Run(name, func(t *testing.T) {
			internet := clienttest.New(t)
			internet.Host("shop.example", answer)
			without := internet.Options()
			without.Formats = slices.DeleteFunc(formats.All(), func(f *parse.Format) bool { return f.Name == "openapi" })
			plain, err := client.New(without)
			if err != nil {
				t.Fatal(err)
			}
			_, want := plain.Resolve(t.Context(), "shop.example")
			site, got := internet.Client().Resolve(t.Context(), "shop.example")
			if fmt.Sprint(got) != fmt.Sprint(want) || got == nil || len(site.Services) > 0 {
				t.Errorf("%v, without the place %v; %+v", got, want, site)
			}
		})
	}
}

// A link that is not followed is named with its cause, and keeps no place of convention from being asked.
func TestALinkThatIsNotFollowedIsNamed(t *testing.T) {
	const foreign, own = "https://api.other.example/openapi.json", "https://shop.example/openapi.json"
	catalog := `{"specVersion": "1.0", "entries": [{"identifier": "urn:air:other.example:a", "displayName": "A", "type": "application/vnd.oai.openapi+json", "url": "` + foreign + `"}]}`
	for name, row := range map[string]struct {
		path, body string
		follow     int
		at, why    string
	}{
		"a text":             {"/llms.txt", "# Shop\n\n> Sells.\n\n## API\n\n- [API](" + foreign + ")\n", 0, foreign, string(wayfind.CodeCrossSite)},
		"a catalogue":        {"/.well-known/ai-catalog.json", catalog, 0, foreign, string(wayfind.CodeCrossSite)},
		"a page":             {"/", `<!doctype html><link rel="service-desc" href="` + foreign + `" type="application/json">`, 0, foreign, string(wayfind.CodeCrossSite)},
		"no link may follow": {"/llms.txt", "# Shop\n\n> Sells.\n\n- [API](https://shop.example/v1/openapi.json)\n", -1, "https://shop.example/v1/openapi.json", resolve.ReasonDepth},
		"no such document":   {"/llms.txt", "# Shop\n\n> Sells.\n\n- [API](https://shop.example/v1/openapi.json)\n", 0, "https://shop.example/v1/openapi.json", ""},
	} {
		t.Run(name, func(t *testing.T) {
			internet := clienttest.New(t)
			host := internet.Host("shop.example", clienttest.Pages{"/openapi.json": unlinked, row.path: row.body})
			other := internet.Host("api.other.example", clienttest.Pages{})
			options := internet.Options()
			options.Limits.Follow = row.follow
			c, err := client.New(options)
			if err != nil {
				t.Fatal(err)
			}
			site, err := c.Resolve(t.Context(), "shop.example")
			if err != nil {
				t.Fatal(err)
			}
			if asked(host)["/openapi.json"] != 1 || site.Source(own) == nil || len(other.Paths()) > 0 {
				t.Errorf("asked %v and %v; sources %+v", host.Paths(), other.Paths(), site.Sources)
			}
			i := slices.IndexFunc(site.Probes, func(p wayfind.Probe) bool { return p.URL == row.at })
			if i < 0 || site.Probes[i].Reason != row.why || (site.Probes[i].Verdict == wayfind.VerdictSkipped) != (row.why != "") || site.Probes[i].From != "https://shop.example"+row.path {
				t.Errorf("probes %+v", site.Probes)
			}
		})
	}
}
