package client_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/resolve/diff"
	"github.com/wayfindhq/wayfind/security/pins"
)

// lawful returns a site whose documents describe the same capabilities in several ways, take each
// other's keys, fill each other's gaps and link to each other.
func lawful() clienttest.Pages {
	return clienttest.Pages{
		"/agent.json":             oneAction("/x"),
		"/.well-known/agent.json": oneAction("/other"),
		"/.well-known/ai":         oneEndpoint("/x"),
		wellKnown:                 manifest("shop.example", "/detail/pay"),
		"/openapi.json":           oneOperation("/x"),
		"/v2/openapi.json":        strings.Replace(oneOperation("/third"), `"getX"`, `"getY"`, 1),
		"/llms.txt":               linking("https://shop.example/openapi.json", "https://shop.example/v2/openapi.json"),
		"/.well-known/ai-plugin.json": strings.Replace(pluginManifest("https://shop.example/openapi.json"), `{"type": "none"}`,
			`{"type": "service_http", "authorization_type": "bearer", "verification_tokens": {}}`, 1),
		"/.well-known/agent-card.json": strings.Replace(cardOf(`{"o":{"list":[]}}`), `"extendedAgentCard":true`, "", 1),
		"/.well-known/mcp.json": `{"name":"shop","endpoint":"https://shop.example/mcp","transport":"streamable-http",
			"tools":[{"name":"find","description":"x","inputSchema":{"type":"object"}}]}`,
		"/.well-known/mcp/server-card.json": `{"name":"example.shop/lib","version":"1","description":"d","remotes":[{"type":"streamable-http","url":"https://shop.example/mcp"}]}`,
	}
}

// failures are the answers that do not show whether a document exists, and noes the answers that
// show that it does not.
func failures() map[string]http.Handler {
	ways := broken()
	ways["429"] = clienttest.Page{Status: 429, Header: http.Header{"Retry-After": {"5"}}}
	ways["503"] = clienttest.Page{Status: 503}
	ways["truncated"] = clienttest.AtBody(3, clienttest.Reset)(clienttest.Page{Body: strings.Repeat("x", 200)})
	ways["empty"] = clienttest.Page{Header: http.Header{"Content-Type": {"application/json"}}}
	return ways
}

func noes() map[string]http.Handler {
	return map[string]http.Handler{
		"404": clienttest.Page{Status: 404}, "410": clienttest.Page{Status: 410},
		"page": clienttest.Page{Body: "<!doctype html><title>Hello</title>", Header: http.Header{"Content-Type": {"text/html"}}},
	}
}

// law contains the Site that results if every document can be read.
type law struct {
	site  *wayfind.Site
	whole *pins.Set
	each  *pins.Set
	told  map[string]*wayfind.Capability // what Describe gives, by key
}

func newLaw(t *testing.T, internet *clienttest.Internet) *law {
	t.Helper()
	c := pinning(internet, &pins.Set{})
	defer c.Close()
	site, err := c.Resolve(t.Context(), "shop.example")
	if err != nil {
		t.Fatal(err)
	}
	l := &law{site: site, each: &pins.Set{}, told: map[string]*wayfind.Capability{}}
	if l.whole, err = (&pins.Set{}).With(site); err != nil {
		t.Fatal(err)
	}
	for _, capability := range site.Capabilities() {
		d, err := c.Describe(t.Context(), site, capability.Key)
		if err != nil {
			t.Fatal(err)
		}
		if l.each, err = l.each.WithDetail(site, d); err != nil {
			t.Fatal(err)
		}
		for _, r := range append([]wayfind.Capability{*d.Capability}, capability.Alternatives...) {
			l.told[r.Key] = &r
		}
	}
	return l
}

// check checks the law of pins: each pinned key is absent, refused, or equal to its pin. If quiet
// is true, no answer shows an absence, so no key was removed, added or changed except keys that
// another document took.
func (l *law) check(t *testing.T, internet *clienttest.Internet, name string, quiet bool) {
	t.Helper()
	for _, held := range []*pins.Set{l.each, l.whole} {
		c := pinning(internet, held)
		site, err := c.Resolve(t.Context(), "shop.example")
		if site == nil {
			t.Fatal(name, err)
		}
		if quiet {
			l.checkQuiet(t, name, site, held.Check(site))
		}
		for key, pinned := range l.told {
			l.checkKey(t, c, site, name, key, pinned)
		}
		_ = c.Close()
	}
}

func (l *law) checkKey(t *testing.T, c *client.Client, site *wayfind.Site, name, key string, pinned *wayfind.Capability) {
	t.Helper()
	_, there := site.Capability(key)
	d, err := c.Describe(t.Context(), site, key)
	switch {
	case there == nil && err == nil:
		t.Errorf("%s: %s is not there and described", name, key)
	case err != nil:
		if there != nil && !errors.Is(err, wayfind.ErrRefused) && !there.Lazy {
			t.Errorf("%s: %s: %v", name, key, err)
		}
	default:
		if diff := cmp.Diff(pinned.Invocation, ownReading(d.Capability, key).Invocation); diff != "" {
			t.Errorf("%s: %s is given as pinned (-pinned +now):\n%s", name, key, diff)
		}
	}
}

// ownReading returns the reading of a capability that has a key of its own.
func ownReading(c *wayfind.Capability, key string) *wayfind.Capability {
	for i := range c.Alternatives {
		if c.Alternatives[i].Key == key {
			return &c.Alternatives[i]
		}
	}
	return c
}

func (l *law) checkQuiet(t *testing.T, name string, site *wayfind.Site, report *pins.Report) {
	t.Helper()
	for way, d := range map[string]*diff.Result{"": diff.Sites(l.site, site), ", back": diff.Sites(site, l.site)} {
		for _, c := range slices.Concat(d.Added, d.Removed) {
			t.Errorf("%s%s: %s %s is told as added or removed", name, way, c.Kind, c.Key)
		}
		for _, c := range d.Changed {
			if c.Field != "key" {
				t.Errorf("%s%s: %s: %s changed from %s to %s", name, way, c.Key, c.Field, c.Old, c.New)
			}
		}
	}
	for _, m := range report.Mismatches {
		renamed := len(m.Changes) > 0 && !slices.ContainsFunc(m.Changes, func(c diff.Change) bool { return c.Field != "key" })
		if !m.Elsewhere && !renamed {
			t.Errorf("%s: %s", name, m)
		}
	}
}

// Whatever documents fail, in whatever way, pins and Diff report nothing that is false, and each
// pinned key is absent, refused, or equal to its pin.
func TestPinsAndDiffSayNothingFalse(t *testing.T) {
	testkit.Large(t)
	pages := lawful()
	paths := slices.Sorted(maps.Keys(pages))
	pages["/detail/pay"] = detail("pay", "/v1/pay")
	ways := failures()
	names := slices.Sorted(maps.Keys(ways))
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", pages)
		l := newLaw(t, internet)
		with := func(name string, quiet bool, fail map[string]http.Handler) {
			for path, handler := range fail {
				host.Handle(path, handler)
			}
			l.check(t, internet, name, quiet)
			for path := range fail {
				host.Handle(path, pages)
			}
		}
		cases := 0
		each := func(quiet bool, ways map[string]http.Handler) {
			for _, path := range paths {
				for _, name := range slices.Sorted(maps.Keys(ways)) {
					if cases++; cases%testkit.Stride() == 0 {
						with(path+" "+name, quiet, map[string]http.Handler{path: ways[name]})
					}
				}
			}
		}
		each(true, ways)
		each(false, noes())
		rng := rand.New(rand.NewPCG(7, 7))
		for range testkit.Crowd(50) {
			fail, said := map[string]http.Handler{}, []string{}
			for _, path := range paths {
				if rng.IntN(3) == 0 {
					name := names[rng.IntN(len(names))]
					fail[path] = ways[name]
					said = append(said, path+" "+name)
				}
			}
			with(strings.Join(said, ", "), true, fail)
		}
	})
}
