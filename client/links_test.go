package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/internal/formats/links"
	"github.com/wayfindhq/wayfind/internal/formats/robots"
	"github.com/wayfindhq/wayfind/parse"
)

// catalogOf is a catalogue of documents.
func catalogOf(urls ...string) string {
	var list []string
	for i, u := range urls {
		list = append(list, fmt.Sprintf(`{"identifier": "urn:air:shop.example:e%d", "displayName": "E", "type": "application/a2a-agent-card+json", "url": %q}`, i, u))
	}
	return `{"specVersion": "1.0", "host": {"displayName": "Shop"}, "entries": [` + strings.Join(list, ", ") + `]}`
}

// html is a page with a head.
func html(head string, header ...string) clienttest.Page {
	p := page("<!doctype html><html><head>"+head+"</head><body>Welcome", header...)
	p.Header.Set("Content-Type", "text/html")
	return p
}

const (
	catalogPath = "/.well-known/ai-catalog.json"
	cardLink    = `<link rel="agent-card" href="/my/card.json">`
)

func withLinks(o *client.Options) { o.Formats = []*parse.Format{a2a.Format(), links.Format()} }

// These are the round trips for the links of a site whose host is not known: four if a catalogue is
// found at once and has no links, five with fallbacks and "/", one more for each level of links on the origin, and three
// for the first request to another host of the site.
func TestLinksCostTheirRoundTrips(t *testing.T) {
	card := page(agentCard("example.net", "find"))
	for _, row := range []struct {
		name  string
		pages map[string]http.Handler
		mcp   map[string]http.Handler // of mcp.example.net
		trips float64
		root  int // requests for "/"
	}{
		{"a catalogue and no link", map[string]http.Handler{"/.well-known/ard.json": page(catalogOf()), catalogPath: page(catalogOf())}, nil, 5, 0},
		{"no catalogue: fallbacks and \"/\" together", map[string]http.Handler{a2a.Path: card, "/": html("")}, nil, 6, 1},
		{"a link on \"/\"", map[string]http.Handler{"/": html(cardLink), "/my/card.json": card}, nil, 6, 1},
		{"a catalogue and a link", map[string]http.Handler{"/.well-known/ard.json": page(catalogOf("https://example.net/my/card.json")), "/my/card.json": card}, nil, 5, 0},
		{"a link to another host of the site", map[string]http.Handler{"/.well-known/ard.json": page(catalogOf("https://mcp.example.net/card.json"))},
			map[string]http.Handler{"/card.json": page(agentCard("mcp.example.net", "find"))}, 7, 0},
		{"\"/\", a catalogue, another host, and a link there", map[string]http.Handler{
			"/": html(`<link rel="ai-catalog" href="/catalog.json">`), "/catalog.json": page(catalogOf("https://mcp.example.net/card.json"))},
			map[string]http.Handler{"/card.json": page(agentCard("mcp.example.net", "find"), "Link", `</openapi.json>; rel="service-desc"`),
				"/openapi.json": page(`{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {}}`)}, 10, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Latency(rtt)
				status := 404
				if row.root == 0 {
					status = 405 // nothing permits a fallback
				}
				host := internet.Host("example.net", clienttest.Page{Status: status})
				sibling := internet.Host("mcp.example.net", nil)
				for path, p := range row.pages {
					host.Handle(path, p)
				}
				for path, p := range row.mcp {
					sibling.Handle(path, p)
				}
				c := newClient(t, internet, byDefault)
				wantTrips(t, "cold", row.trips, func() { _, _ = c.Resolve(t.Context(), "example.net") })
				if n := asked(host)["/"]; n != row.root {
					t.Errorf("%d requests for /, want %d", n, row.root)
				}
				for path := range row.mcp {
					if asked(sibling)[path] != 1 {
						t.Errorf("%s is not asked for once: %v", path, asked(sibling))
					}
				}
				if host.Conns() != 1 || sibling.Conns() > 1 {
					t.Errorf("%d connections, %d to the other host", host.Conns(), sibling.Conns())
				}
				wantTrips(t, "hit", 0, func() { _, _ = c.Resolve(t.Context(), "example.net") })
			})
		})
	}
}

// A link on "/" leads to a document. The page itself is no document of a format, whatever its
// content.
func TestALinkOnThePageLeadsToADocument(t *testing.T) {
	for name, row := range map[string]struct {
		root  http.Handler
		found bool
	}{
		"a page with a link":       {html(cardLink), true},
		"a field with a link":      {html("", "Link", `</my/card.json>; rel="agent-card"`), true},
		"a field and another type": {page("hello", "Link", `</my/card.json>; rel="agent-card"`), true},
		"a page to log in":         {clienttest.Page{Status: 401, Header: http.Header{"Link": {`</my/card.json>; rel="agent-card"`}}}, true},
		"a page without links":     {html(""), false},
		"a card":                   {page(agentCard("shop.example", "find")), false},
		"a body of a 404":          {clienttest.Page{Status: 404, Body: "<!doctype html>" + cardLink, Header: http.Header{"Link": {`</my/card.json>; rel="agent-card"`}}}, false},
		"a body of a 500":          {clienttest.Page{Status: 500, Body: "<!doctype html>" + cardLink, Header: http.Header{"Link": {`</my/card.json>; rel="agent-card"`}}}, false},
		"a body of a 403":          {clienttest.Page{Status: 403, Body: "<!doctype html>" + cardLink}, false},
		"to another site":          {html(`<link rel="agent-card" href="https://other.example/card.json">`), false},
		"to a private address":     {html(`<link rel="agent-card" href="https://127.0.0.1/card.json"><link rel="ard" href="https://localhost/x"><link rel=ard href="http://shop.example/my/card.json">`), false},
		"a page of another site":   {http.RedirectHandler("https://other.example/", http.StatusFound), false},
		"a page of the same site":  {http.RedirectHandler("/en/", http.StatusFound), true},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", nil)
				host.Handle("/", row.root)
				host.Handle("/en/", html(`<link rel="agent-card" href="../my/card.json">`))
				host.Handle("/my/card.json", page(agentCard("shop.example", "find")))
				other := internet.Host("other.example", nil)
				other.Handle("/", html(`<link rel="agent-card" href="https://shop.example/my/card.json">`))
				c := newClient(t, internet, withLinks)
				site, err := c.Resolve(t.Context(), "shop.example")
				if (err == nil) != row.found || len(site.Services) > 0 != row.found {
					t.Errorf("%v, services %+v", err, site.Services)
				}
				if err != nil && !errors.Is(err, wayfind.ErrNotFound) {
					t.Errorf("the page counts: %v", err)
				}
				if asked(other)["/card.json"] > 0 {
					t.Error("another site is asked")
				}
				for _, s := range site.Sources {
					if s.Format == "a2a" && s.Authority != wayfind.AuthorityLinked {
						t.Errorf("the document is %s", s.Authority)
					}
				}
				for _, p := range site.Probes {
					if p.URL == "https://shop.example/" && p.Verdict == wayfind.VerdictFound {
						t.Errorf("the page is found: %+v", p)
					}
				}
			})
		})
	}
}

// The page is stored for a day, whatever its header. Refresh requests it again after an hour. It
// never shortens the freshness of the Site.
func TestThePageIsRememberedForADay(t *testing.T) {
	for _, control := range []string{"", "max-age=1", "max-age=604800", "no-cache", "no-store", "private, no-store", "max-age=0, must-revalidate"} {
		for name, root := range map[string]http.Handler{"page": html(cardLink, "Cache-Control", control, "Age", "3500"),
			"redirect": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Cache-Control", control)
				http.Redirect(w, r, "/en/", http.StatusFound)
			})} {
			t.Run(name+" "+control, func(t *testing.T) {
				inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
					host := internet.Host("shop.example", nil)
					host.Handle("/", root)
					host.Handle("/en/", html(cardLink, "Cache-Control", control))
					host.Handle("/my/card.json", page(agentCard("shop.example", "find"), "Cache-Control", "max-age=600"))
					c := newClient(t, internet, withLinks)
					pages := func() int { return asked(host)["/"] }
					site, err := c.Resolve(t.Context(), "shop.example")
					if err != nil || pages() != 1 {
						t.Fatalf("%v, %v", err, asked(host))
					}
					if left := time.Until(site.FreshUntil); left != 10*time.Minute {
						t.Errorf("the Site counts for %v", left)
					}
					time.Sleep(59 * time.Minute)
					if site, err := c.Refresh(t.Context(), "shop.example"); err != nil || pages() != 1 || len(site.Services) != 1 {
						t.Errorf("refreshed too early: %v, %v", err, asked(host))
					}
					time.Sleep(2 * time.Minute)
					if _, err := c.Refresh(t.Context(), "shop.example"); err != nil || pages() != 2 {
						t.Errorf("not refreshed: %v, %v", err, asked(host))
					}
					time.Sleep(23 * time.Hour)
					if site, err := c.Resolve(t.Context(), "shop.example"); err != nil || pages() != 2 || len(site.Services) != 1 {
						t.Errorf("forgotten within a day: %v, %v", err, asked(host))
					}
					time.Sleep(2 * time.Hour)
					if _, err := c.Resolve(t.Context(), "shop.example"); err != nil || pages() != 3 {
						t.Errorf("remembered for more than a day: %v, %v", err, asked(host))
					}
				})
			})
		}
	}
}

// A page that the site shows for any path proves nothing about "/", and "/" proves nothing about
// other places.
func TestACatchAllPageIsNoEvidence(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", html(`<link rel="agent-card" href="my/card.json">`))
		host.Handle("/my/card.json", page(agentCard("shop.example", "find")))
		c := newClient(t, internet, withLinks)
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil || len(site.Services) != 1 {
			t.Errorf("%v, %+v", err, site.Services)
		}
		for path := range asked(host) {
			if strings.HasPrefix(path, "/.well-known/my") || strings.HasPrefix(path, "/.well-known/wayfind-") {
				t.Errorf("asked for %s", path)
			}
		}
		for _, p := range site.Probes {
			if p.URL != "https://shop.example/" && p.Status == 200 && p.Format == "" && p.Verdict != wayfind.VerdictSoft404 {
				t.Errorf("%s: %s", p.URL, p.Verdict)
			}
		}
	})
}

// At most 16 links are followed, whichever answers carry them.
func TestSixteenLinksAreFollowedAtMost(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		field := func(from int) string {
			var list []string
			for i := from; i < from+12; i++ {
				list = append(list, fmt.Sprintf("</%d>; rel=describedby", i))
			}
			return strings.Join(list, ", ")
		}
		host := internet.Host("shop.example", nil)
		host.Handle(wellKnown, page(manifest("shop.example", "/a"), "Link", field(0)))
		host.Handle("/", html("", "Link", field(100)))
		c := newClient(t, internet, func(o *client.Options) { o.Formats = []*parse.Format{adp.Format(), links.Format()} })
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		followed := 0
		for path := range asked(host) {
			if strings.Trim(path, "/0123456789") == "" && path != "/" {
				followed++
			}
		}
		if followed != 16 || len(site.Documents) != 24 {
			t.Errorf("%d links followed, %d listed", followed, len(site.Documents))
		}
	})
}

// "/" obeys robots.txt like any other place, and an origin that answers nothing is not
// asked for it.
func TestThePageObeysRobots(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{robotsTxt: "User-agent: *\nDisallow: /$\n"})
		host.Handle("/", html(cardLink))
		c := newClient(t, internet, withLinks, func(o *client.Options) { o.Robots.Mode = client.RobotsEnforce })
		site, err := c.Resolve(t.Context(), "shop.example")
		if !errors.Is(err, wayfind.ErrNotFound) || asked(host)["/"] != 0 {
			t.Errorf("%v, %v", err, asked(host))
		}
		if !slices.ContainsFunc(site.Probes, func(p wayfind.Probe) bool { return p.URL == "https://shop.example/" && p.RobotsDisallowed }) {
			t.Errorf("probes %+v", site.Probes)
		}
		dead := internet.Host("dead.example", clienttest.Page{Status: 500})
		if _, err := c.Resolve(t.Context(), "dead.example"); err == nil || asked(dead)["/"] != 0 {
			t.Errorf("%v, %v", err, asked(dead))
		}
	})
}

// "/" is a request like any other: its Crawl-delay must pass before the next domain of the site may
// be asked, and it is not requested if the budget is used up.
func TestThePageIsARequestLikeAnyOther(t *testing.T) {
	for name, row := range map[string]struct {
		formats []*parse.Format
		want    time.Duration
	}{
		"without links": {[]*parse.Format{adp.Format(), robots.Format()}, 20 * time.Second},                 // robots.txt and a place
		"with links":    {[]*parse.Format{adp.Format(), links.Format(), robots.Format()}, 30 * time.Second}, // and "/"
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				hosts := []string{"a.paced.com", "b.paced.com"}
				for _, h := range hosts {
					internet.Host(h, clienttest.Pages{wellKnown: manifest(h, "/d/act"), "/robots.txt": "User-agent: *\nCrawl-delay: 10\n"}).Handle("/", html(""))
				}
				c := newClient(t, internet, func(o *client.Options) { o.Formats, o.Robots.Mode = row.formats, client.RobotsReport })
				start, last := time.Now(), time.Duration(0)
				for _, err := range c.ResolveAll(t.Context(), slices.Values(hosts), nil) {
					if last = max(last, time.Since(start)); err != nil {
						t.Error(err)
					}
				}
				if last != row.want {
					t.Errorf("the second domain was ready after %v, want %v", last, row.want)
				}
			})
		})
	}
	for budget, asks := range map[int]int{1: 0, 2: 1} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			host := internet.Host("shop.example", nil)
			host.Handle("/", html(cardLink))
			host.Handle("/my/card.json", page(agentCard("shop.example", "find")))
			c := newClient(t, internet, func(o *client.Options) {
				o.Formats, o.Limits.Budget = []*parse.Format{adp.Format(), links.Format()}, budget
			})
			site, _ := c.Resolve(t.Context(), "shop.example")
			i := slices.IndexFunc(site.Probes, func(p wayfind.Probe) bool { return p.URL == "https://shop.example/" })
			if n := asked(host)["/"]; n != asks || i < 0 || (site.Probes[i].Reason == "budget") != (asks == 0) {
				t.Errorf("a budget of %d: %v, %+v", budget, asked(host), site.Probes)
			}
		})
	}
}

// A Link on a 304 replaces the one that is stored, one without leaves it (RFC 9111 §3.2).
func TestALinkOnANotModifiedReplacesTheStoredOne(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		link := `</first>; rel=help`
		host := internet.Host("shop.example", nil)
		host.Handle(wellKnown, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"1"`)
			w.Header().Set("Content-Type", "application/json")
			if link != "" {
				w.Header().Set("Link", link)
			}
			if r.Header.Get("If-None-Match") != "" {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			_, _ = fmt.Fprint(w, manifest("shop.example", "/a"))
		}))
		c := newClient(t, internet, func(o *client.Options) { o.Formats = []*parse.Format{adp.Format(), links.Format()} })
		for _, step := range []struct{ send, want string }{{link, "/first"}, {"", "/first"}, {`</second>; rel=help`, "/second"}, {"", "/second"}} {
			link = step.send
			site, err := c.Refresh(t.Context(), "shop.example")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range site.Documents {
				got = append(got, strings.TrimPrefix(d.URL, "https://shop.example"))
			}
			if d := cmp.Diff([]string{step.want}, got); d != "" {
				t.Errorf("after %q (-want +got):\n%s", step.send, d)
			}
			time.Sleep(2 * time.Hour)
		}
	})
}
