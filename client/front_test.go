package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

// lookalike has letters that look like Latin ones. A caller that names it gets a diagnostic.
const lookalike = "оѕоѕе.example"

func canonicalHost(s string) string {
	target, _, err := resolve.ParseTarget(s)
	if err != nil {
		panic(err)
	}
	return target.Host()
}

// spellings of targets that are all asked for below. Some are one target.
func spellings() []string {
	return []string{
		"shop.example", "SHOP.example", "Shop.Example.", "shop.example.", "https://shop.example", "https://shop.example/",
		"shop.example/", "shop.example/?q", "shop.example#f", "shop.example/a", "shop.example/A", "SHOP.example/a", "shop.example./a",
		"shop.example/a/", "shop.example//a", "shop.example/%61", "shop.example/a%2Fb", "shop.example/a%2fb",
		"bücher.example", "BÜCHER.example", "xn--bcher-kva.example", "XN--BCHER-KVA.example", "ｓhop.example", "shop。example",
		lookalike, canonicalHost(lookalike),
		"shop-1.example", "Shop-1.Example",
		"shop", "shop.local", "127.0.0.1", "shop_1.example", "-shop.example", "shop..example", "", ".", "shop.example..", "shop.example:443",
		"http://shop.example", "sh--op.example", "a.shop.example", "shop.exampl", "hop.example",
	}
}

func homograph(d wayfind.Diagnostic) bool { return d.Code == "target.host_homograph" }

// For any spelling of a target, and with any content of the memory, the answer is the one for its
// canonical form, with the diagnostics of the spelling.
func TestSpellingsAndMemory(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		hosts := map[string]bool{}
		for _, s := range spellings() {
			if target, _, err := resolve.ParseTarget(s); err == nil && !hosts[target.Host()] {
				hosts[target.Host()] = true
				internet.Host(target.Host(), clienttest.Pages{wellKnown: manifest(target.Host(), "/a")})
			}
		}
		c := newClient(t, internet)
		for pass := range 3 {
			for _, s := range spellings() {
				target, diags, wrong := resolve.ParseTarget(s)
				site, err := c.Resolve(t.Context(), s)
				if wrong != nil {
					if site != nil || !errors.Is(err, wayfind.ErrInvalid) {
						t.Errorf("pass %d: Resolve(%q) = %v, %v; want %v", pass, s, site, err, wrong)
					}
					continue
				}
				if site.Origin != target.Origin || site.Base != target.Base {
					t.Errorf("pass %d: Resolve(%q) is about %s%s, want %s", pass, s, site.Origin, site.Base, target)
				}
				if (s == lookalike || s == canonicalHost(lookalike)) != slices.ContainsFunc(diags, homograph) {
					t.Errorf("the diagnostics of %q: %+v", s, diags)
				}
				for _, d := range diags {
					if !told(site, d.Code) {
						t.Errorf("pass %d: Resolve(%q) has not %s", pass, s, d.Code)
					}
				}
				codes := func(d wayfind.Diagnostic) bool { return d.Source == "" && d.Code[:min(7, len(d.Code))] == "target." }
				if len(diags) == 0 && slices.ContainsFunc(site.Diagnostics, codes) {
					t.Errorf("pass %d: Resolve(%q) has the diagnostics of another spelling: %+v", pass, s, site.Diagnostics)
				}
				peeked, ok := c.Peek(s)
				if !ok || peeked.Origin != target.Origin || peeked.Base != target.Base {
					t.Errorf("pass %d: Peek(%q) = %v, %v", pass, s, peeked, ok)
				}
			}
		}
	})
}

// No spelling of a target returns a Site that Invalidate has removed or Refresh has replaced.
func TestForgottenInEverySpelling(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", nil)
		host.Handle(wellKnown, page(manifest("shop.example", "/old"), "Cache-Control", "max-age=60"))
		internet.Host("other.example", clienttest.Pages{wellKnown: manifest("other.example", "/a")})
		c := newClient(t, internet)
		names := []string{"shop.example", "SHOP.example", "shop.example.", "https://shop.example/"}
		for _, name := range append(names, "other.example", "shop.example/a") {
			for range 2 {
				if _, err := c.Resolve(t.Context(), name); err != nil {
					t.Fatal(err)
				}
			}
		}
		host.Handle(wellKnown, page(manifest("shop.example", "/new"), "Cache-Control", "max-age=60"))
		if _, err := c.Refresh(t.Context(), "Shop.example"); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			site, err := c.Resolve(t.Context(), name)
			if _, is := site.Capability("adp:new"); err != nil || is == nil {
				t.Errorf("Resolve(%q) after Refresh: %v, %+v", name, err, site.Services)
			}
		}
		c.Invalidate("Shop.example")
		for _, name := range names {
			if site, ok := c.Peek(name); ok {
				t.Errorf("Peek(%q) after Invalidate: %v", name, site)
			}
		}
		for _, name := range []string{"other.example", "shop.example/a"} {
			if _, ok := c.Peek(name); !ok {
				t.Errorf("Invalidate has forgotten %s too", name)
			}
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if site, err := c.Resolve(t.Context(), name); site != nil || !errors.Is(err, wayfind.ErrClosed) {
				t.Errorf("Resolve(%q) after Close = %v, %v", name, site, err)
			}
			if site, ok := c.Peek(name); ok {
				t.Errorf("Peek(%q) after Close: %v", name, site)
			}
		}
	})
}

// Two Clients never share a Site, whatever their memory contains, because they may have different
// policies.
func TestSitesAreOfOneClient(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a")})
		open := newClient(t, internet)
		_, _ = open.Resolve(t.Context(), "shop.example")
		closed := newClient(t, internet, offline)
		if site, err := closed.Resolve(t.Context(), "shop.example"); err == nil || len(site.Services) != 0 {
			t.Errorf("an offline Client has the Site of another: %v, %+v", err, site.Services)
		}
		wantAsked(t, "one Client", host, map[string]int{wellKnown: 1})
	})
}

// A fresh Site is available at once until its freshness ends, with any number of domains and
// callers. No request is repeated.
func TestCacheVisibility(t *testing.T) {
	const callers = 8
	domains := testkit.Crowd(150)
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		var asked atomic.Int64
		name := func(i int) string { return fmt.Sprintf("d%d.example", i) }
		for i := range domains {
			document := page(manifest(name(i), "/a"), "Cache-Control", "max-age=3600")
			internet.Host(name(i), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				document.ServeHTTP(w, r)
			}))
		}
		c := newClient(t, internet)
		var work sync.WaitGroup
		for g := range callers {
			work.Go(func() {
				for i := range domains {
					domain := name((i + g*domains/callers) % domains)
					if _, err := c.Resolve(t.Context(), domain); err != nil {
						t.Errorf("Resolve(%q): %v", domain, err)
					}
					var trace client.Trace
					if _, err := c.Resolve(client.WithTrace(t.Context(), &trace), domain); err != nil || !trace.FromMemory {
						t.Errorf("Resolve(%q) again: %v, from memory: %v", domain, err, trace.FromMemory)
					}
				}
			})
		}
		work.Wait()
		time.Sleep(time.Hour - time.Nanosecond)
		for i := range domains {
			if _, err := c.Resolve(t.Context(), name(i)); err != nil {
				t.Error(err)
			}
		}
		if n := int(asked.Load()); n != domains {
			t.Errorf("%d requests for %d domains of one place", n, domains)
		}
		time.Sleep(time.Nanosecond)
		for i := range domains {
			_, _ = c.Resolve(t.Context(), name(i))
		}
		if n := int(asked.Load()); n != 2*domains {
			t.Errorf("%d requests after their time, want twice %d", n, domains)
		}
	})
}

// After a Refresh no caller gets an older Site, while others resolve, refresh and invalidate the
// same few domains.
func TestNothingOldUnderLoad(t *testing.T) {
	const domains, rounds = 3, 20
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		var published, refreshed [domains]atomic.Int64
		name := func(i int) string { return fmt.Sprintf("d%d.example", i) }
		for i := range domains {
			internet.Host(name(i), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				page(manifest(name(i), fmt.Sprint("/v", published[i].Load())), "Cache-Control", "max-age=3600").ServeHTTP(w, r)
			}))
		}
		c := newClient(t, internet)
		version := func(site *wayfind.Site) (n int64) {
			for _, capability := range site.Capabilities() {
				_, _ = fmt.Sscanf(capability.Key, "adp:v%d", &n)
			}
			return n
		}
		look := func(i int, domain string) {
			oldest := refreshed[i].Load()
			site, err := c.Resolve(t.Context(), domain)
			switch {
			case err != nil:
				t.Error(err)
			case site.Origin != "https://"+name(i):
				t.Errorf("Resolve(%q) is about %s", domain, site.Origin)
			case version(site) < oldest:
				t.Errorf("%s has version %d, which %d had replaced", domain, version(site), oldest)
			}
		}
		for i := range domains { // a Refresh may share a request that is under way
			look(i, name(i))
		}
		var readers, writers sync.WaitGroup
		ctx, stop := context.WithCancel(t.Context())
		for g := range 4 {
			readers.Go(func() {
				for k := g; ctx.Err() == nil; k++ {
					look(k%domains, name(k%domains))
					look(k%domains, fmt.Sprintf("D%d.Example.", k%domains))
					if k%7 == 0 {
						c.Invalidate(name(k % domains))
					}
					time.Sleep(time.Millisecond)
				}
			})
		}
		for i := range domains {
			writers.Go(func() {
				for n := range int64(rounds) {
					published[i].Store(n + 1)
					site, err := c.Refresh(t.Context(), name(i))
					if err != nil || version(site) < n+1 {
						t.Errorf("Refresh of version %d has %d, %v: %+v", n+1, version(site), err, site.Diagnostics)
					}
					refreshed[i].Store(n + 1)
					time.Sleep(3 * time.Millisecond)
				}
			})
		}
		writers.Wait()
		stop()
		readers.Wait()
	})
}

// A call that read a document before somebody refreshed it, and waits for
// another one, does not bring the old one back.
func TestRefreshOvertakes(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", nil)
		two := page(`{"two": []}`, "Cache-Control", "max-age=3600")
		c := newClient(t, internet, withFormats(toy("one", parse.Location{Path: "/one"}), toy("two", parse.Location{Path: "/two"})))
		for round := range 10 {
			document := func(version string) {
				host.Handle("/one", page(fmt.Sprintf(`{"one": ["%s%d"]}`, version, round), "Cache-Control", "max-age=3600"))
			}
			document("old")
			host.Fail("/two")
			host.Handle("/two", page(`{"two": []}`, "Cache-Control", "no-store"))
			if _, err := c.Refresh(t.Context(), "shop.example"); err != nil {
				t.Fatal(err)
			}
			document("new")
			host.Handle("/two", two)
			host.Fail("/two", clienttest.Delay(3*time.Second))
			var both sync.WaitGroup
			both.Go(func() { _, _ = again(t, c) })
			time.Sleep(time.Second)
			both.Go(func() { _, _ = c.Refresh(t.Context(), "shop.example") })
			both.Wait()
			site, err := c.Resolve(t.Context(), "shop.example")
			if err != nil || site.Services[0].Capabilities[0].ID != fmt.Sprint("new", round) {
				t.Errorf("round %d: %v, %+v", round, err, site.Services)
			}
		}
	})
}

// A call that read a document before it was replaced, and goes on, neither brings the old one back
// into memory nor answers later callers with it.
func TestForgottenStaysForgotten(t *testing.T) {
	rows := []struct {
		name    string
		maxAge  string
		replace func(ctx context.Context, c *client.Client)
	}{
		{"refreshed and invalidated", "max-age=3600", func(ctx context.Context, c *client.Client) {
			_, _ = c.Refresh(ctx, "shop.example")
			c.Invalidate("SHOP.example")
		}},
		{"invalidated among many", "max-age=3600", func(ctx context.Context, c *client.Client) {
			_, _ = c.Refresh(ctx, "shop.example")
			c.Invalidate("shop.example")
			for i := range 3000 {
				c.Invalidate(fmt.Sprintf("d%d.example", i))
			}
		}},
		{"refreshed, never fresh", "no-cache", func(ctx context.Context, c *client.Client) { _, _ = c.Refresh(ctx, "shop.example") }},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", nil).Handle("/slow", page(`{"one": []}`)).Fail("/slow", clienttest.Delay(5*time.Second)).
					Handle("/one", page(`{"one": ["old"], "links": ["https://shop.example/slow"]}`, "Cache-Control", row.maxAge))
				c := newClient(t, internet, withFormats(toy("one", parse.Location{Path: "/one"})))
				is := func(when, want string, site *wayfind.Site) {
					t.Helper()
					if got := ids(site); !slices.Equal(got, []string{want}) {
						t.Errorf("%s: %v, want %s", when, got, want)
					}
				}
				var slow sync.WaitGroup
				slow.Go(func() {
					site, _ := c.Resolve(t.Context(), "shop.example")
					is("what began before", "old", site)
				})
				time.Sleep(time.Second)
				host.Handle("/one", page(`{"one": ["new"]}`, "Cache-Control", row.maxAge))
				row.replace(t.Context(), c)
				site, _ := c.Resolve(t.Context(), "shop.example")
				is("while the old one goes on", "new", site)
				row.replace(t.Context(), c)
				slow.Wait()
				if site, ok := c.Peek("shop.example"); ok {
					is("what is in memory", "new", site)
				}
				site, _ = c.Resolve(t.Context(), "shop.example")
				is("after it", "new", site)
			})
		})
	}
}

// A hit allocates nothing, even if letters of the name must be made lower case.
func TestHitAllocatesNothing(t *testing.T) {
	internet := clienttest.New(t)
	internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a")})
	c := newClient(t, internet)
	for _, domain := range []string{"shop.example", "Shop.EXAMPLE.", "none.example", "NONE.example"} {
		_, _ = c.Resolve(t.Context(), domain)
		if n := testing.AllocsPerRun(1000, func() { _, _ = c.Resolve(t.Context(), domain) }); n >= 1 {
			t.Errorf("Resolve(%q) allocates %v times", domain, n)
		}
	}
}
