package client_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/internal/formats/llmstxt"
	"github.com/wayfindhq/wayfind/internal/formats/openapi"
)

// listing is an llms.txt with a list of links.
func listing(links ...string) string {
	var b strings.Builder
	b.WriteString("# Shop\n\n> Sells things.\n\n## Docs\n\n")
	for _, l := range links {
		fmt.Fprintf(&b, "- [%s](%s): about it\n", l[strings.LastIndexByte(l, '/')+1:], l)
	}
	return b.String()
}

func readListings(o *client.Options) {
	withFormats(adp.Format(), a2a.Format(), openapi.Format(), llmstxt.Format())(o)
}

// linkedPaths returns the requested paths of a host that are no well-known places.
func linkedPaths(host *clienttest.Host) []string {
	return slices.DeleteFunc(host.Paths(), func(p string) bool {
		return p == openapi.Path || p == openapi.PathWellKnown || p == openapi.PathYAML || p == llmstxt.Path || p == a2a.Path || p == a2a.PathOld || p == a2a.PathBare || p == wellKnown || p == a2a.PathREST
	})
}

// A site that has nothing but prose is found, with the authority of prose.
func TestLLMSTxtAlone(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{llmstxt.Path: listing("https://shop.example/guide", "/terms.html")})
		site := resolvedBy(t, internet, newClient(t, internet, readListings))
		if len(site.Services) != 1 || site.Services[0].Name != "Shop" || site.Services[0].Description != "Sells things." || site.Services[0].Capabilities != nil {
			t.Errorf("services %+v", site.Services)
		}
		if s := site.Sources[0]; len(site.Sources) != 1 || s.Format != "llmstxt" || s.Authority != wayfind.AuthorityProse || s.Trust != wayfind.TrustSameOrigin {
			t.Errorf("sources %+v", site.Sources)
		}
		ref := func(line int) []wayfind.Ref {
			return []wayfind.Ref{{Source: "https://shop.example" + llmstxt.Path, Line: line}}
		}
		want := []wayfind.Document{
			{Rel: "documentation", URL: "https://shop.example/guide", Title: "guide", Description: "about it", Section: "Docs", Trust: wayfind.TrustSameOrigin, Sources: ref(7)},
			{Rel: "documentation", URL: "https://shop.example/terms.html", Title: "terms.html", Description: "about it", Section: "Docs", Trust: wayfind.TrustSameOrigin, Sources: ref(8)},
		}
		if d := cmp.Diff(want, site.Documents); d != "" {
			t.Errorf("documents (-want +got):\n%s", d)
		}
	})
}

// Prose adds pages to read to the facts of better sources, and nothing else.
func TestLLMSTxtAddsToBetterSources(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		alone := clienttest.Pages{wellKnown: manifest("shop.example", "/d/a"), a2a.Path: agentCard("shop.example", "find")}
		both := clienttest.Pages{llmstxt.Path: listing("https://shop.example/guide"), wellKnown: alone[wellKnown], a2a.Path: alone[a2a.Path]}
		host := internet.Host("shop.example", alone)
		without := resolvedBy(t, internet, newClient(t, internet, readListings))
		host.Handle(llmstxt.Path, page(both[llmstxt.Path], "Content-Type", "text/markdown"))
		with := resolvedBy(t, internet, newClient(t, internet, readListings))
		if d := cmp.Diff(skillKeys(without), skillKeys(with)); d != "" {
			t.Errorf("capabilities (-without +with):\n%s", d)
		}
		if d := cmp.Diff(without.Services, with.Services[:len(without.Services)]); d != "" || len(with.Services) != len(without.Services)+1 {
			t.Errorf("services (-without +with):\n%s", d)
		}
		last := with.Sources[len(with.Sources)-1]
		if last.Format != "llmstxt" || len(with.Conflicts) != 0 || len(with.Documents) != 1 {
			t.Errorf("last source %+v, conflicts %v, documents %v", last, with.Conflicts, with.Documents)
		}
	})
}

// Links to descriptions that other formats read are followed within the site,
// and believed less than a well-known place.
func TestLLMSTxtLinks(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{
			llmstxt.Path: listing("https://shop.example/api/openapi.json", "https://shop.example/agents/agent-card.json", "https://shop.example/guide.html",
				"https://else.example/openapi.json", "https://shop.example:8443/openapi.json", "http://shop.example/plain/openapi.json"),
			"/api/openapi.json": apiJSON(""), "/agents/agent-card.json": agentCard("shop.example", "find"),
		})
		other := internet.Host("else.example", clienttest.Pages{"/openapi.json": apiJSON("")})
		site := resolvedBy(t, internet, newClient(t, internet, readListings))
		want := []string{"/agents/agent-card.json", "/api/openapi.json"}
		if d := cmp.Diff(want, slices.Sorted(slices.Values(linkedPaths(host)))); d != "" || other.Dials() != 0 {
			t.Errorf("followed (-want +got):\n%s\nand elsewhere %v", d, other.Paths())
		}
		if d := cmp.Diff([]string{"a2a:agents-agent-card/find", "openapi:api-openapi/getOrder"}, slices.Sorted(slices.Values(skillKeys(site)))); d != "" {
			t.Errorf("capabilities (-want +got):\n%s", d)
		}
		for _, s := range site.Sources {
			if want := s.Format != "llmstxt"; want != (s.Authority == wayfind.AuthorityLinked) {
				t.Errorf("source %+v", s)
			}
		}
		if len(site.Documents) != 6 {
			t.Errorf("%d documents: what is not followed is listed", len(site.Documents))
		}
	})
}

// A card at its own place is not asked for twice, and keeps its authority.
func TestLLMSTxtLinkToAPlaceOfThePlan(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{llmstxt.Path: listing(a2a.Path), a2a.Path: agentCard("shop.example", "find")})
		site := resolvedBy(t, internet, newClient(t, internet, readListings))
		if n := asked(host)[a2a.Path]; n != 1 || site.Source("https://shop.example"+a2a.Path).Authority != wayfind.AuthorityNative {
			t.Errorf("asked %d times, sources %+v", n, site.Sources)
		}
	})
}

// Links use the budget, and are bounded by Follow.
func TestLLMSTxtBounds(t *testing.T) {
	var links []string
	pages := clienttest.Pages{}
	for i := range 30 {
		path := fmt.Sprintf("/%02d/openapi.json", i)
		links = append(links, "https://shop.example"+path)
		pages[path] = apiJSON(fmt.Sprintf(`, "x-number": %d`, i))
	}
	pages[llmstxt.Path] = listing(links...)
	rows := []struct {
		name   string
		change func(*client.Options)
		want   int
	}{
		{"the first ten", func(*client.Options) {}, 10},
		{"no link", func(o *client.Options) { o.Limits.Follow = -1 }, 0},
		{"a budget", func(o *client.Options) { o.Limits.Budget = 9 }, 3}, // after llms.txt, four places of cards and one of ADP
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", pages)
				site := resolvedBy(t, internet, newClient(t, internet, readListings, r.change))
				if got := linkedPaths(host); len(got) != r.want {
					t.Errorf("followed %d links, want %d: %v", len(got), r.want, host.Paths())
				}
				if len(site.Documents) != len(links) {
					t.Errorf("%d documents", len(site.Documents))
				}
			})
		})
	}
}

// A place below a path has a file of its own.
func TestLLMSTxtBelowAPath(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/docs" + llmstxt.Path: listing("guide.html")})
		site, err := newClient(t, internet, readListings).Resolve(t.Context(), "shop.example/docs")
		if err != nil {
			t.Fatal(err)
		}
		if len(site.Documents) != 1 || site.Documents[0].URL != "https://shop.example/docs/guide.html" {
			t.Errorf("documents %+v", site.Documents)
		}
	})
}

// The beginning of a copy of the whole site is read, and a diagnostic reports that.
func TestOfACopyOfASiteTheBeginningIsRead(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{llmstxt.Path: listing("/guide.html") + strings.Repeat("word ", 60<<10)})
		site, err := newClient(t, internet, readListings).Resolve(t.Context(), "shop.example")
		if err != nil || probed(site)[llmstxt.Path] != wayfind.VerdictFound || len(site.Documents) != 1 || !slices.ContainsFunc(site.Diagnostics, isCut) {
			t.Errorf("%v, verdicts %v, documents %+v, %+v", err, probed(site), site.Documents, site.Diagnostics)
		}
	})
}

// A page that is no listing is not read as one.
func TestAPageThatIsNoListingIsNoLLMSTxt(t *testing.T) {
	const text = "Welcome to the shop."
	rows := []struct {
		name    string
		page    clienttest.Page
		all     bool // the server shows it for every path
		verdict wayfind.Verdict
	}{
		{"a web page", page("<!doctype html><h1>Shop</h1>", "Content-Type", "text/plain"), false, wayfind.VerdictSoft404},
		{"a server that shows one text for everything", page("# Shop\n\nWelcome.\n", "Content-Type", "text/plain"), true, wayfind.VerdictSoft404},
		{"a text without links", page(text, "Content-Type", "text/plain"), false, wayfind.VerdictUnrecognised},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", nil).Handle(llmstxt.Path, r.page)
				if r.all {
					host = internet.Host("all.example", r.page)
				}
				site, err := newClient(t, internet, readListings).Resolve(t.Context(), host.Name())
				if !errors.Is(err, wayfind.ErrNotFound) && !errors.Is(err, wayfind.ErrInvalid) || probed(site)[llmstxt.Path] != r.verdict {
					t.Errorf("%v, verdicts %v", err, probed(site))
				}
			})
		})
	}
}
