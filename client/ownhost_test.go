package client_test

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/internal/formats/llmstxt"
	"github.com/wayfindhq/wayfind/internal/formats/ucp"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security/pins"
)

const wwwCard = "/.well-known/agent-card.json"

// leading is a host that redirects every path to another one.
func leading(status int, to string, header ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.Header().Set("Location", to+r.URL.RequestURI())
		w.WriteHeader(status)
	})
}

// replaceable is a handler that a test replaces.
type replaceable struct{ http.Handler }

// twoHosts are a name and the host to which it leads, with a card there.
func twoHosts(internet *clienttest.Internet, lead http.Handler) (bare, www *clienttest.Host) {
	bare = internet.Host("example.com", lead)
	www = internet.Host("www.example.com", clienttest.Pages{wwwCard: agentCard("www.example.com", "find"), "/llms.txt": "# Shop\n"})
	return bare, www
}

func requestsOf(hosts ...*clienttest.Host) (n int) {
	for _, h := range hosts {
		n += len(h.Paths())
	}
	return n
}

func resolved(t *testing.T, c *client.Client, domain string) *wayfind.Site {
	t.Helper()
	site, err := c.Resolve(t.Context(), domain)
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// A name that leads to www costs two requests more than www itself, and none when it is asked again.
// Site.Origin is the typed name, Site.Host is www, and the trust of the documents is same_site.
func TestTheSitesOwnHostCostsTwoRequests(t *testing.T) {
	for name, pages := range map[string]clienttest.Pages{
		"documents": {wwwCard: agentCard("www.example.com", "find")},
		"nothing":   {},
		"a profile": {ucp.Path: profile("2026-08-25", "")},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				direct := internet.Host("www.other.com", pages)
				want, err := newClient(t, internet, byDefault).Resolve(t.Context(), "www.other.com")
				bare, www := internet.Host("example.com", leading(301, "https://www.example.com")), internet.Host("www.example.com", pages)
				c := newClient(t, internet, byDefault)
				site, again := c.Resolve(t.Context(), "example.com")
				if requestsOf(bare) != 2 || requestsOf(www) != requestsOf(direct) || bare.Conns()+www.Conns() != 2 {
					t.Errorf("%d and %d requests, want 2 and %d; %d and %d connections", requestsOf(bare), requestsOf(www), requestsOf(direct), bare.Conns(), www.Conns())
				}
				if errors.Is(err, wayfind.ErrNotFound) != errors.Is(again, wayfind.ErrNotFound) || len(site.Services) != len(want.Services) {
					t.Errorf("%v, want %v; %d services, want %d", again, err, len(site.Services), len(want.Services))
				}
				if site.Origin != "https://example.com" || site.Host != "www.example.com" || site.Asked() != "https://www.example.com" {
					t.Errorf("origin %s, host %s", site.Origin, site.Host)
				}
				for _, s := range site.Sources {
					if s.Trust != wayfind.TrustSameSite || !strings.HasPrefix(s.URL, "https://www.example.com/") {
						t.Errorf("%s is %s", s.URL, s.Trust)
					}
				}
				row := "a bare name that leads to www, with nothing there"
				if name != "nothing" {
					row = "a bare name that leads to www, with a document"
				}
				if _, most := performance(t, row); requestsOf(bare, www) > most {
					t.Errorf("%d requests, want at most %d", requestsOf(bare, www), most)
				}
				_, _ = c.Resolve(t.Context(), "example.com")
				if n := requestsOf(bare, www); n != 2+requestsOf(direct) {
					t.Errorf("%d requests for a second call", n-2-requestsOf(direct))
				}
			})
		})
	}
}

// Only two well-known places that lead, path kept, to one other host of the same site make that host the
// site.
func TestWhatMakesNoHostTheSite(t *testing.T) {
	var turns atomic.Int32
	for name, lead := range map[string]http.Handler{
		"one place":       at(wwwCard, leading(301, "https://www.example.com"), http.NotFoundHandler()),
		"an ordinary one": at("/agents", leading(301, "https://www.example.com"), http.NotFoundHandler()),
		"the page":        at("/", leading(301, "https://www.example.com"), http.NotFoundHandler()),
		"the path is lost": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://www.example.com/", http.StatusMovedPermanently)
		}),
		"a query is added": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://www.example.com"+r.URL.Path+"?from=bare", http.StatusMovedPermanently)
		}),
		"another site": leading(301, "https://www.example.net"),
		"several hosts": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			leading(301, []string{"https://www.example.com", "https://shop.example.com"}[turns.Add(1)%2]).ServeHTTP(w, r)
		}),
		"a port":       leading(301, "https://www.example.com:8443"),
		"http, a port": leading(301, "http://www.example.com:8080"),
		"a user":       leading(301, "http://me@www.example.com"),
		"an address":   leading(301, "https://127.0.0.1"),
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("example.com", lead)
				for _, host := range []string{"www.example.com", "shop.example.com", "www.example.net"} {
					internet.Host(host, clienttest.Pages{})
				}
				site, _ := newClient(t, internet, byDefault).Resolve(t.Context(), "example.com")
				if site.Host != "" || !slices.ContainsFunc(site.Probes, func(p wayfind.Probe) bool { return p.URL == "https://example.com/llms.txt" }) {
					t.Errorf("the site is at %q", site.Host)
				}
			})
		})
	}
}

// A redirect makes no host the site if it leads to another customer of a hosting domain, or to another name
// of the private network.
func TestNamesWithoutSiblings(t *testing.T) {
	for from, to := range map[string]string{"shop.github.io": "evil.github.io", "api.corp.internal": "evil.corp.internal"} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			name, other := internet.Host(from, leading(301, "https://"+to)), internet.Host(to, clienttest.Pages{})
			if strings.HasSuffix(from, ".internal") {
				name.At(addr("10.1.2.3"))
				other.At(addr("10.1.2.4"))
			}
			c := newClient(t, internet, byDefault, func(o *client.Options) {
				if strings.HasSuffix(from, ".internal") {
					o.Policy.AllowNames = []string{"*.corp.internal"}
					o.Policy.AllowCIDR = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
				}
			})
			if site, _ := c.Resolve(t.Context(), from); site == nil || site.Host != "" || asked(other)[ucp.Path] != 0 {
				t.Errorf("%s is at %+v", from, site)
			}
		})
	}
}

// The redirects are remembered as a fact about the name: a permanent one for ten minutes to a day, any
// other for ten minutes, whatever their lifetime is.
func TestTheSitesOwnHostIsRememberedForATime(t *testing.T) {
	for _, row := range []struct {
		name   string
		lead   http.Handler
		before time.Duration
		after  time.Duration
	}{
		{"301", leading(301, "https://www.example.com"), 23 * time.Hour, 2 * time.Hour},
		{"308, no lifetime", leading(308, "https://www.example.com", "Cache-Control", "max-age=0"), 9 * time.Minute, 2 * time.Minute},
		{"301, not stored", leading(301, "https://www.example.com", "Cache-Control", "no-store"), 9 * time.Minute, 25 * time.Hour},
		{"301, a year", leading(301, "https://www.example.com", "Cache-Control", "max-age=31536000"), 23 * time.Hour, 2 * time.Hour},
		{"301, an hour", leading(301, "https://www.example.com", "Cache-Control", "max-age=3600"), 59 * time.Minute, 2 * time.Minute},
		{"302, a day", leading(302, "https://www.example.com", "Cache-Control", "max-age=86400"), 9 * time.Minute, 2 * time.Minute},
		{"307", leading(307, "https://www.example.com"), 9 * time.Minute, 2 * time.Minute},
	} {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				bare, _ := twoHosts(internet, row.lead)
				c := newClient(t, internet, byDefault)
				for _, step := range []struct {
					wait time.Duration
					n    int
				}{{0, 2}, {row.before, 2}, {row.after, 4}} {
					time.Sleep(step.wait)
					if site := resolved(t, c, "example.com"); site.Host != "www.example.com" || requestsOf(bare) != step.n {
						t.Errorf("after %s: %d requests for the name, want %d; the site is at %q", step.wait, requestsOf(bare), step.n, site.Host)
					}
				}
			})
		})
	}
}

// A purge and a refresh end the fact. A store shares it with the Clients of its view.
func TestTheSitesOwnHostInStores(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		bare, www := twoHosts(internet, leading(301, "https://www.example.com"))
		store, err := memory.New(8 << 20)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		shared := func(view string) *client.Client {
			return newClient(t, internet, byDefault, func(o *client.Options) { o.Store, o.Network.View = store, view })
		}
		first := shared("a")
		want := func(what string, bares int, site *wayfind.Site, err error) {
			t.Helper()
			if err != nil || site.Host != "www.example.com" || requestsOf(bare) != bares {
				t.Errorf("%s: %v, %d requests for the name, want %d", what, err, requestsOf(bare), bares)
			}
		}
		site, err := first.Resolve(t.Context(), "example.com")
		want("first", 2, site, err)
		before := requestsOf(www)
		site, err = shared("a").Resolve(t.Context(), "example.com")
		want("of the same view", 2, site, err)
		if n := requestsOf(www) - before; n != 0 {
			t.Errorf("%d requests for www", n)
		}
		site, err = shared("b").Resolve(t.Context(), "example.com")
		want("of another view", 4, site, err)
		site, err = first.Refresh(t.Context(), "example.com")
		want("refreshed", 6, site, err)
		if err := first.Purge(t.Context(), "example.com"); err != nil {
			t.Fatal(err)
		}
		site, err = first.Resolve(t.Context(), "example.com")
		want("purged", 8, site, err)
	})
}

// A purge of the name ends what is stored for the site's own host, also by a Client that learns of that host
// from the store alone. It sends no request.
func TestAPurgeOfTheNameIsOneOfTheSitesOwnHost(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		bare, www := twoHosts(internet, leading(301, "https://www.example.com"))
		store, err := memory.New(8 << 20)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		sharing := func(o *client.Options) { o.Store, o.Network.View = store, "a" }
		first, second := newClient(t, internet, byDefault, sharing), newClient(t, internet, byDefault, sharing)
		page := "https://www.example.com/other.txt"
		www.Handle("/other.txt", clienttest.Page{Body: "# Other\n", Header: http.Header{"Cache-Control": {"max-age=9999"}}})
		resolved(t, first, "example.com")
		_, _ = first.ParseURL(t.Context(), page)
		for name, c := range map[string]*client.Client{"its own": first, "another": second} {
			before := requestsOf(bare, www)
			if err := c.Purge(t.Context(), "example.com"); err != nil || requestsOf(bare, www) != before {
				t.Fatalf("%s: %v, %d requests", name, err, requestsOf(bare, www)-before)
			}
			cards, others := asked(www)[wwwCard], asked(www)["/other.txt"]
			third := newClient(t, internet, byDefault, sharing)
			resolved(t, third, "example.com")
			_, _ = third.ParseURL(t.Context(), page)
			if asked(www)[wwwCard] != cards+1 || asked(www)["/other.txt"] != others+1 || others == 0 {
				t.Errorf("%s: after a purge the card was asked %d times more, another page %d times more", name, asked(www)[wwwCard]-cards, asked(www)["/other.txt"]-others)
			}
		}
	})
}

// A site that moves after it was asked is found at its new host, also where the old one was known; and
// one that comes back is found at its name.
func TestASiteThatMoves(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		card := clienttest.Pages{wwwCard: agentCard("example.com", "find")}
		now := &replaceable{card}
		internet.Host("example.com", now)
		c := newClient(t, internet, byDefault)
		if site := resolved(t, c, "example.com"); site.Host != "" {
			t.Fatal(site.Host)
		}
		www := internet.Host("www.example.com", clienttest.Pages{wwwCard: agentCard("www.example.com", "find"), ucp.Path: profile("2026-08-25", "")})
		now.Handler = leading(302, "https://www.example.com")
		time.Sleep(25 * time.Hour)
		if site := resolved(t, c, "example.com"); site.Host != "www.example.com" || asked(www)[ucp.Path] != 1 || len(site.Sources) != 2 {
			t.Errorf("moved: the site is at %q, %d documents", site.Host, len(site.Sources))
		}
		now.Handler = card
		time.Sleep(25 * time.Hour)
		if site := resolved(t, c, "example.com"); site.Host != "" || len(site.Sources) != 1 {
			t.Errorf("back: the site is at %q, %d documents", site.Host, len(site.Sources))
		}
	})
}

// One host of a chain leads to the next.
func TestTheSitesOwnHostBehindAnother(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("example.com", leading(301, "http://www.example.com"))
		internet.Host("www.example.com", leading(301, "https://shop.example.com"))
		shop := internet.Host("shop.example.com", clienttest.Pages{ucp.Path: profile("2026-08-25", "")})
		if site := resolved(t, newClient(t, internet, byDefault), "example.com"); site.Host != "shop.example.com" || asked(shop)[ucp.Path] != 1 {
			t.Errorf("the site is at %q", site.Host)
		}
	})
}

// Rules hold where they are served: those of the name for its two requests, those of www for the rest.
func TestBothRobotsHold(t *testing.T) {
	const none, free = "User-agent: *\nDisallow: /\n", "User-agent: *\nAllow: /\n"
	for _, row := range []struct {
		bare, www string
		err       error
	}{{free, free, nil}, {none, free, wayfind.ErrRefused}, {free, none, wayfind.ErrRefused}} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			bare, www := twoHosts(internet, leading(301, "https://www.example.com"))
			bare.Handle("/robots.txt", clienttest.Page{Body: row.bare})
			www.Handle("/robots.txt", clienttest.Page{Body: row.www})
			_, err := newClient(t, internet, byDefault, func(o *client.Options) { o.Robots.Mode = client.RobotsEnforce }).Resolve(t.Context(), "example.com")
			if (row.err == nil) != (err == nil) {
				t.Errorf("%q and %q: %v", row.bare, row.www, err)
			}
			if row.bare == none && requestsOf(bare, www) != 1 || row.www == none && asked(www)[wwwCard] != 0 {
				t.Errorf("%q and %q: asked %v and %v", row.bare, row.www, asked(bare), asked(www))
			}
		})
	}
}

// The guard judges the host to which a name leads by itself.
func TestNothingOfTheTypedOriginMoves(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		_, www := twoHosts(internet, leading(301, "https://www.example.com"))
		c := newClient(t, internet, byDefault, func(o *client.Options) {
			o.Network.BeforeHost = func(_ context.Context, host string) error {
				if host == "www.example.com" {
					return errors.New("not there")
				}
				return nil
			}
		})
		if _, err := c.Resolve(t.Context(), "example.com"); !errors.Is(err, wayfind.ErrRefused) || requestsOf(www) != 0 {
			t.Errorf("%v, %d requests", err, requestsOf(www))
		}
	})
}

// Pins name the host at which they were made: a site that changes its host differs from them.
func TestPinsNameTheHost(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		now := &replaceable{leading(302, "https://www.example.com")}
		twoHosts(internet, now)
		read := func() *wayfind.Site {
			return resolved(t, newClient(t, internet, byDefault, func(o *client.Options) { o.Trust.Pins = &pins.Set{} }), "example.com")
		}
		set, err := (&pins.Set{}).With(read())
		if err != nil {
			t.Fatal(err)
		}
		if r := set.Check(read()); !r.Empty() {
			t.Errorf("unchanged: %v", r.Mismatches)
		}
		now.Handler = clienttest.Pages{}
		r := set.Check(siteAt(t, newClient(t, internet, byDefault), "example.com"))
		if !slices.ContainsFunc(r.Mismatches, func(m pins.Mismatch) bool { return m.Host == "example.com" && m.PinnedHost == "www.example.com" }) {
			t.Errorf("moved: %v", r.Mismatches)
		}
	})
}

func siteAt(t *testing.T, c *client.Client, domain string) *wayfind.Site {
	t.Helper()
	site, err := c.Resolve(t.Context(), domain)
	if site == nil {
		t.Fatal(err)
	}
	return site
}

// A Client that reads one format asks a second place of the name only if the first one leads.
func TestOneFormatFindsTheSitesOwnHost(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		bare, www := internet.Host("example.com", leading(301, "https://www.example.com")), internet.Host("www.example.com", clienttest.Pages{ucp.Path: profile("2026-08-25", "")})
		site := resolved(t, newClient(t, internet, withFormats(ucp.Format())), "example.com")
		if site.Host != "www.example.com" || requestsOf(bare) != 2 || asked(www)[ucp.Path] != 1 {
			t.Errorf("at %q, asked %v and %v", site.Host, asked(bare), asked(www))
		}
		plain := internet.Host("plain.com", clienttest.Pages{})
		_, _ = newClient(t, internet, withFormats(ucp.Format(), llmstxt.Format())).Resolve(t.Context(), "plain.com")
		if asked(plain)[ucp.Path] != 1 || slices.ContainsFunc(plain.Paths(), func(p string) bool { return strings.Contains(p, "wayfind-") }) {
			t.Errorf("asked %v", asked(plain))
		}
	})
}

// A host that is not known costs a round trip more than one that is. A name that leads to another host
// costs a connection to each of them.
func TestRoundTripsOfTheSitesOwnHost(t *testing.T) {
	for _, row := range []struct {
		name        string
		cold, stale float64
	}{{"www.example.com", 6, 5}, {"example.com", 8, 8}} {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Latency(rtt)
				internet.Host("example.com", leading(302, "https://www.example.com"))
				internet.Host("www.example.com", clienttest.Page{Status: 404, Header: http.Header{"Cache-Control": {"max-age=600"}}}).
					Handle(wwwCard, page(agentCard("www.example.com", "find")))
				c := newClient(t, internet, byDefault)
				ask := func() { resolved(t, c, row.name) }
				wantTrips(t, "cold", row.cold, ask)
				wantTrips(t, "again", 0, ask)
				time.Sleep(2 * time.Hour) // the connections are gone, and everything is stale
				wantTrips(t, "stale", row.stale, ask)
			})
		})
	}
}

// A call whose time ends while the site's own host is asked has what was found there.
func TestACallThatEndsAtTheSitesOwnHost(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		_, www := twoHosts(internet, leading(301, "https://www.example.com"))
		www.Fail("/llms.txt", clienttest.AtHeaders(clienttest.Stall))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		site, err := newClient(t, internet, byDefault).Resolve(ctx, "example.com")
		if err != nil || site.Host != "www.example.com" || len(site.Services) == 0 || site.Incomplete == nil {
			t.Fatalf("%v, %+v", err, site)
		}
		for _, p := range site.Probes {
			if p.Verdict == wayfind.VerdictSkipped && !strings.HasPrefix(p.URL, "https://www.example.com/") {
				t.Errorf("%s is missing, which nothing asks", p.URL)
			}
		}
	})
}

// A lead that takes long does not hold the other places, and a name whose every place hangs costs no
// more than before.
func TestALeadThatHangs(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("example.com", clienttest.Pages{"/llms.txt": "# Shop\n"}).Fail(wwwCard, clienttest.AtHeaders(clienttest.Stall))
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		site, _ := newClient(t, internet, byDefault).Resolve(ctx, "example.com")
		if site == nil || len(site.Sources) == 0 || asked(host)[wwwCard] != 1 {
			t.Errorf("%+v, asked %v", site, asked(host))
		}
	})
}

// A name whose leads redirect to another site is one of the names of that site. The answer names it, and
// it is not asked, also behind www, and also by a Client that knew the name.
func TestANameOfAnotherSite(t *testing.T) {
	for name, hops := range map[string][]string{"at once": {"example.com"}, "behind www": {"example.com", "www.example.com"}} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				now := &replaceable{clienttest.Pages{}}
				for i, hop := range hops {
					if i+1 < len(hops) {
						internet.Host(hop, leading(301, "https://"+hops[i+1]))
					} else {
						internet.Host(hop, now)
					}
				}
				other := internet.Host("newbrand.com", clienttest.Pages{wwwCard: agentCard("newbrand.com", "find")})
				c := newClient(t, internet, byDefault)
				_, _ = c.Resolve(t.Context(), "example.com")
				now.Handler = leading(301, "https://newbrand.com")
				time.Sleep(25 * time.Hour)
				for _, c := range []*client.Client{c, newClient(t, internet, byDefault)} {
					_, err := c.Resolve(t.Context(), "example.com")
					if requestsOf(other) != 0 || !errors.Is(err, wayfind.ErrNotFound) || !strings.Contains(err.Error(), `"newbrand.com"`) {
						t.Errorf("%v, %d requests", err, requestsOf(other))
					}
				}
			})
		})
	}
}

// A registrable domain without an address whose www has one is answered with a hint, which asks nothing.
func TestABareNameWithoutAnAddress(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		www := internet.Host("www.example.com", clienttest.Pages{})
		for domain, hint := range map[string]bool{"example.com": true, "shop.example.com": false, "example.net": false} {
			internet.DNS(domain, clienttest.NXDomain())
			internet.DNS("www.example.net", clienttest.NXDomain())
			_, err := newClient(t, internet, byDefault).Resolve(t.Context(), domain)
			e, ok := errors.AsType[*wayfind.Error](err)
			if !ok || e.Code != wayfind.CodeDNSNotFound || strings.Contains(err.Error(), `"www.example.com"`) != hint || requestsOf(www) != 0 {
				t.Errorf("%s: %v, %d requests", domain, err, requestsOf(www))
			}
		}
		c := newClient(t, internet, byDefault, func(o *client.Options) {
			o.Network.BeforeHost = func(_ context.Context, host string) error {
				if host != "example.com" {
					return errors.New("not there")
				}
				return nil
			}
		})
		if _, err := c.Resolve(t.Context(), "example.com"); strings.Contains(err.Error(), "www") {
			t.Errorf("a host that is refused is looked up: %v", err)
		}
	})
}

// Two hosts that redirect to each other end in an error, after a bounded number of requests.
func TestHostsThatLeadToEachOther(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		bare, www := internet.Host("example.com", leading(301, "https://www.example.com")), internet.Host("www.example.com", leading(301, "https://example.com"))
		c := newClient(t, internet, byDefault)
		_, err := c.Resolve(t.Context(), "example.com")
		if n := requestsOf(bare, www); !errors.Is(err, wayfind.ErrNotFound) && !errors.Is(err, wayfind.ErrUnreachable) || n > 45 {
			t.Errorf("%v, %d requests", err, n)
		}
	})
}

// With Live, a POST goes to the endpoints at the site's own host that documents of that host name, and not
// to those that the document of another host names, or that are elsewhere. Describe asks the same.
func TestLiveAtTheSitesOwnHost(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("example.com", leading(301, "https://www.example.com"))
		const here, shop = "https://www.example.com/mcp", "https://shop.example.com/mcp"
		names(internet, "www.example.com", here, shop)
		p := offering(time.Hour, "find")
		c := newClient(t, internet, live(p), func(o *client.Options) {
			f := o.Formats[0]
			f.Locations = append(f.Locations, parse.Location{Path: "/.well-known/naming"})
			second := toy("second", parse.Location{Path: "/.well-known/second"})
			o.Formats = append(o.Formats, second)
		})
		site := siteAt(t, c, "example.com")
		p.want(t, "by Resolve", map[string]int{here: 1})
		if site.Host != "www.example.com" || len(site.Services) == 0 {
			t.Fatalf("at %q: %+v", site.Host, site)
		}
		for _, s := range site.Sources {
			if s.Trust != wayfind.TrustSameSite {
				t.Errorf("%s is %s", s.URL, s.Trust)
			}
		}
		if _, err := c.Describe(t.Context(), site, site.Services[0].ID); err != nil { // it needs no approval
			t.Error(err)
		}
	})
}

// Pins report no change of the host if a lead fails once, or if the name does not answer. Pins that were made
// before pins had a host still match.
func TestPinsOfAHostThatIsNotKnown(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		lead := leading(302, "https://www.example.com")
		now := &replaceable{lead}
		twoHosts(internet, now)
		read := func() *wayfind.Site {
			return siteAt(t, newClient(t, internet, byDefault, func(o *client.Options) { o.Trust.Pins = &pins.Set{} }), "example.com")
		}
		before := read()
		set, err := (&pins.Set{}).With(before)
		if err != nil {
			t.Fatal(err)
		}
		for name, h := range map[string]http.Handler{
			"a lead fails":    at(wwwCard, clienttest.Page{Status: 500}, lead),
			"another fails":   at("/.well-known/mcp.json", clienttest.Page{Status: 500}, lead),
			"nothing answers": clienttest.Page{Status: 503},
		} {
			now.Handler = h
			if r := set.Check(read()); !r.Empty() {
				t.Errorf("%s: %v", name, r.Mismatches)
			}
		}
		now.Handler = lead
		older := *before
		older.Host = ""
		older.Sources = slices.Clone(before.Sources)
		for i := range older.Sources {
			older.Sources[i].FinalURL = older.Sources[i].URL
			older.Sources[i].URL = strings.Replace(older.Sources[i].URL, "www.", "", 1)
		}
		older.Services = slices.Clone(before.Services)
		for i := range older.Services {
			older.Services[i].Sources = slices.Clone(older.Services[i].Sources)
			for j := range older.Services[i].Sources {
				older.Services[i].Sources[j].Source = strings.Replace(older.Services[i].Sources[j].Source, "www.", "", 1)
			}
		}
		if set, err = (&pins.Set{}).With(&older, older.Services[0].ID); err != nil {
			t.Fatal(err)
		}
		if r := set.Check(read()); slices.ContainsFunc(r.Mismatches, func(m pins.Mismatch) bool { return m.Host != "" || m.Elsewhere }) {
			t.Errorf("pinned before: %v", r.Mismatches)
		}
	})
}

// A lead of another site that takes long brings no request to that site either.
func TestASlowNameOfAnotherSite(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("example.com", leading(301, "https://newbrand.com")).Fail(wwwCard, clienttest.Delay(4*time.Second))
		other := internet.Host("newbrand.com", clienttest.Pages{wwwCard: agentCard("newbrand.com", "find")})
		if _, err := newClient(t, internet, byDefault).Resolve(t.Context(), "example.com"); requestsOf(other) != 0 || !errors.Is(err, wayfind.ErrNotFound) {
			t.Errorf("%v, %d requests", err, requestsOf(other))
		}
	})
}

// That a place is a lead changes nothing about the redirects that its format forbids.
func TestALeadKeepsTheLimitOfItsFormat(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("example.com", clienttest.Pages{}).Handle(ucp.Path, clienttest.Redirect(301, "/ucp.json"))
		host.Handle("/ucp.json", page(profile("2026-08-25", "")))
		for _, formats := range []func(*client.Options){withFormats(ucp.Format()), byDefault} {
			if _, err := newClient(t, internet, formats).Resolve(t.Context(), "example.com"); !errors.Is(err, wayfind.ErrNotFound) || asked(host)["/ucp.json"] != 0 {
				t.Errorf("%v, asked %v", err, asked(host))
			}
		}
	})
}

// A refresh finds that a site has moved. A budget that has no room for the leads finds no host, and says
// nothing about one.
func TestRefreshAndBudgetOfTheSitesOwnHost(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		now := &replaceable{clienttest.Pages{}}
		_, www := twoHosts(internet, now)
		c := newClient(t, internet, byDefault)
		_, _ = c.Resolve(t.Context(), "example.com")
		now.Handler = leading(301, "https://www.example.com")
		if site, err := c.Refresh(t.Context(), "example.com"); err != nil || site.Host != "www.example.com" {
			t.Errorf("refreshed: %v, at %q", err, site.Host)
		}
		before := requestsOf(www)
		_, err := newClient(t, internet, byDefault, func(o *client.Options) { o.Limits.Budget = 1 }).Resolve(t.Context(), "example.com")
		if err != nil && strings.Contains(err.Error(), "nothing was found") && requestsOf(www) == before {
			t.Error(err)
		}
	})
}

// If one document is enough, a lead that hangs does not hold it.
func TestALeadHoldsNoFirstMatch(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("example.com", clienttest.Pages{"/llms.txt": "# Shop\n\n- [Docs](https://example.com/docs.md)\n"}).Fail(wwwCard, clienttest.AtHeaders(clienttest.Stall))
		c := newClient(t, internet, withFormats(llmstxt.Format(), a2a.Format()), func(o *client.Options) { o.Mode = client.FirstMatch })
		start := time.Now()
		if site := resolved(t, c, "example.com"); len(site.Sources) != 1 || time.Since(start) > 4*time.Second {
			t.Errorf("%d documents after %s", len(site.Sources), time.Since(start))
		}
	})
}

// A chain of hosts costs its requests, and ends after two moves.
func TestAChainOfHosts(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		names := []string{"example.com", "www.example.com", "m.example.com", "shop.example.com"}
		var hosts []*clienttest.Host
		for i, name := range names[:3] {
			hosts = append(hosts, internet.Host(name, leading(301, "https://"+names[i+1])))
		}
		hosts = append(hosts, internet.Host(names[3], clienttest.Pages{}))
		site := siteAt(t, newClient(t, internet, byDefault), "example.com")
		if site.Host != "m.example.com" || requestsOf(hosts...) > 150 {
			t.Errorf("at %q after %d requests", site.Host, requestsOf(hosts...))
		}
	})
}

// A refused answer that waits to be asked again holds no connection that the others need, however long its
// body is.
func TestRefusalsHoldNoConnection(t *testing.T) {
	for _, n := range []int{0, 200, 100_000} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			var inFlight atomic.Int32
			internet.Host("busy.com", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				defer inFlight.Add(-1)
				if inFlight.Add(1) > 1 {
					w.WriteHeader(http.StatusServiceUnavailable)
					_, _ = w.Write(make([]byte, n))
					return
				}
				time.Sleep(50 * time.Millisecond)
				w.WriteHeader(http.StatusNotFound)
			})).Protocols("http/1.1")
			start := time.Now()
			site := siteAt(t, newClient(t, internet, byDefault), "busy.com")
			late := slices.ContainsFunc(site.Probes, func(p wayfind.Probe) bool { return p.Verdict == wayfind.VerdictSkipped })
			if took := time.Since(start); took > 10*time.Second || late {
				t.Errorf("bodies of %d bytes: after %s, places were not asked: %t", n, took, late)
			}
		})
	}
}
