package client_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/parse"
)

// forbid is a robots.txt that forbids paths.
func forbid(paths ...string) string {
	return "User-agent: *\nDisallow: " + strings.Join(paths, "\nDisallow: ") + "\n"
}

// obeying is a Client that obeys robots.txt and reads formats.
func obeying(t *testing.T, internet *clienttest.Internet, list ...*parse.Format) *client.Client {
	t.Helper()
	return newClient(t, internet, robotsMode(client.RobotsEnforce), withFormats(list...))
}

// wantSkipped compares the places that a Site gives as skipped, with the
// reason.
func wantSkipped(t *testing.T, site *wayfind.Site, reason string, want ...string) {
	t.Helper()
	var got []string
	for _, p := range site.Probes {
		if p.Verdict == wayfind.VerdictSkipped && p.Reason == reason && p.RobotsDisallowed {
			got = append(got, strings.TrimPrefix(p.URL, site.Origin))
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("skipped because of %s (-want +got):\n%s", reason, d)
	}
}

// A forbidden place is never requested, whatever leads to it.
func TestRobotsEnforce(t *testing.T) {
	one := func(more ...parse.Location) *parse.Format {
		return toy("one", slices.Concat([]parse.Location{{Path: "/one"}}, more)...)
	}
	const body = `{"one": ["a"]}`
	rows := []struct {
		name    string
		format  *parse.Format
		pages   clienttest.Pages
		hop     string // where /one redirects
		skipped []string
		asked   []string
		err     error
	}{
		{name: "a primary", format: one(parse.Location{Path: "/two"}), pages: clienttest.Pages{robotsTxt: forbid("/one"), "/one": body, "/two": body},
			skipped: []string{"/one"}, asked: []string{robotsTxt, "/two"}},
		{name: "everything", format: one(parse.Location{Path: "/two"}), pages: clienttest.Pages{robotsTxt: forbid("/"), "/one": body},
			skipped: []string{"/one", "/two"}, asked: []string{robotsTxt}, err: wayfind.ErrRefused},
		{name: "a fallback", format: one(parse.Location{Path: "/two", After: "/one"}), pages: clienttest.Pages{robotsTxt: forbid("/two"), "/two": body},
			skipped: []string{"/two"}, asked: []string{robotsTxt, "/one"}, err: wayfind.ErrNotFound}, // the other place was asked
		{name: "a fallback of a forbidden place", format: one(parse.Location{Path: "/two", After: "/one"}), pages: clienttest.Pages{robotsTxt: forbid("/one"), "/two": body},
			skipped: []string{"/one"}, asked: []string{robotsTxt}, err: wayfind.ErrRefused},
		{name: "a link", format: one(), pages: clienttest.Pages{robotsTxt: forbid("/linked"), "/linked": body,
			"/one": `{"one": ["a"], "links": ["https://shop.example/linked"]}`},
			skipped: []string{"/linked"}, asked: []string{robotsTxt, "/one"}},
		{name: "the canary", format: one(), pages: clienttest.Pages{robotsTxt: forbid("/.well-known/wayfind-"), "/one": `{"doubtful": 1}`},
			asked: []string{robotsTxt, "/one"}, err: wayfind.ErrNotFound}, // the canary is never counted
		{name: "a redirect", format: one(), pages: clienttest.Pages{robotsTxt: forbid("/hidden"), "/hidden": body}, hop: "/hidden",
			skipped: []string{"/one"}, asked: []string{robotsTxt, "/one"}, err: wayfind.ErrRefused},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", r.pages)
				if r.hop != "" {
					host.Handle("/one", clienttest.Redirect(302, r.hop))
				}
				site, err := obeying(t, internet, r.format).Resolve(t.Context(), "shop.example")
				e, _ := errors.AsType[*wayfind.Error](err)
				if !errors.Is(err, r.err) || errors.Is(r.err, wayfind.ErrRefused) != (e != nil && e.Code == wayfind.CodeRobots) {
					t.Errorf("%v, want %v", err, r.err)
				}
				if d := cmp.Diff(r.asked, host.Paths()); d != "" {
					t.Errorf("asked for (-want +got):\n%s", d)
				}
				site.Probes = slices.DeleteFunc(slices.Clone(site.Probes), func(p wayfind.Probe) bool {
					return strings.Contains(p.URL, "/.well-known/wayfind-") // its name changes
				})
				wantSkipped(t, site, "robots", r.skipped...)
				if r.skipped != nil && !site.FreshUntil.After(site.ResolvedAt) {
					t.Errorf("fresh until %v: what is forbidden now is so the next time", site.FreshUntil)
				}
			})
		})
	}
}

// A redirect to another origin is under the rules of that one, which are asked
// for first.
func TestRobotsEnforceElsewhere(t *testing.T) {
	rows := []struct {
		name  string
		rules clienttest.Page
		asked []string
		code  wayfind.Code
	}{
		{"allowed", page(forbid("/private")), []string{robotsTxt, "/doc"}, ""},
		{"forbidden", page(forbid("/doc")), []string{robotsTxt}, wayfind.CodeRobots},
		{"unreachable", clienttest.Page{Status: 502}, []string{robotsTxt}, wayfind.CodeRobotsUnreachable},
	}
	for _, r := range rows {
		for _, to := range []string{"api.shop.example", "else.example"} {
			t.Run(r.name+" "+to, func(t *testing.T) {
				inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
					shop := internet.Host("shop.example", clienttest.Pages{robotsTxt: forbid("/doc")})
					shop.Handle("/one", clienttest.Redirect(302, "https://"+to+"/doc"))
					other := internet.Host(to, clienttest.Pages{"/doc": `{"one": ["a"]}`}).Handle(robotsTxt, r.rules)
					_, err := obeying(t, internet, toy("one", parse.Location{Path: "/one"})).Resolve(t.Context(), "shop.example")
					var e *wayfind.Error
					if errors.As(err, &e) != (r.code != "") || e != nil && e.Code != r.code {
						t.Errorf("%v, want %q", err, r.code)
					}
					if d := cmp.Diff(r.asked, slices.Compact(other.Paths())); d != "" {
						t.Errorf("asked %s for (-want +got):\n%s", to, d)
					}
				})
			})
		}
	}
}

// RFC 9309 §2.3.1.4: rules that cannot be had forbid everything. The error is the failure
// of the site itself, unless its robots.txt is at another place.
func TestRobotsEnforceUnreachable(t *testing.T) {
	rows := []struct {
		name  string
		page  http.Handler
		fault clienttest.Fault
		code  wayfind.Code
		kind  error
	}{
		{"500", clienttest.Page{Status: 500}, nil, wayfind.CodeServerError, wayfind.ErrUnreachable},
		{"503 with a date", clienttest.Page{Status: 503, Header: http.Header{"Retry-After": {"60"}}}, nil, "", wayfind.ErrThrottled},
		{"429", clienttest.Page{Status: 429}, nil, "", wayfind.ErrThrottled},
		{"429 of a firewall", clienttest.Page{Status: 429, Header: http.Header{"Server": {"AkamaiGHost"}}, Body: "<!doctype html>"}, nil, wayfind.CodeFirewall, wayfind.ErrBlocked},
		{"no end", clienttest.Page{Body: forbid("/x")}, clienttest.AtBody(4, clienttest.Abort), wayfind.CodeNetwork, wayfind.ErrUnreachable},
		{"no answer", clienttest.Page{}, clienttest.AtHeaders(clienttest.Abort), wayfind.CodeNetwork, wayfind.ErrUnreachable},
		{"a time-out", clienttest.Page{}, clienttest.AtHeaders(clienttest.Stall), wayfind.CodeTimeout, wayfind.ErrUnreachable},
		{"to nowhere", clienttest.Redirect(302, "https://nowhere.example/robots.txt"), nil, wayfind.CodeRobotsUnreachable, wayfind.ErrUnreachable},
		{"to a failure", clienttest.Redirect(302, "/failure"), nil, wayfind.CodeRobotsUnreachable, wayfind.ErrUnreachable},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", clienttest.Pages{"/one": `{"one": ["a"]}`}).Handle(robotsTxt, r.page)
				host.Handle("/failure", clienttest.Page{Status: 500})
				if r.fault != nil {
					host.Fail(robotsTxt, r.fault)
				}
				c := newClient(t, internet, robotsMode(client.RobotsEnforce), func(o *client.Options) { o.Timeout = time.Hour },
					withFormats(toy("one", parse.Location{Path: "/one"}, parse.Location{Path: "/two"})))
				site, err := c.Resolve(t.Context(), "shop.example")
				var e *wayfind.Error
				if !errors.As(err, &e) || !errors.Is(e.Kind, r.kind) || e.Code != r.code {
					t.Fatalf("%v, want %v (%s)", err, r.kind, r.code)
				}
				if wait := time.Until(e.NotBefore).Round(time.Second); r.name == "503 with a date" && wait != time.Minute {
					t.Errorf("not before %v (in %v), and the site said 60 s", e.NotBefore, wait)
				}
				wantSkipped(t, site, "robots_unreachable", "/one", "/two")
				if !told(site, "robots.unreachable") || slices.Contains(host.Paths(), "/one") {
					t.Errorf("asked for %v, diagnostics %v", host.Paths(), site.Diagnostics)
				}
			})
		})
	}
}

// A failure is remembered for as long as no request is sent, and no longer. Rules that were known
// before apply meanwhile (RFC 9309 §2.4).
func TestRobotsEnforceFailureIsNotForEver(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		down := clienttest.Page{Status: 500}
		host := internet.Host("shop.example", clienttest.Pages{"/one": `{"one": ["a"]}`, "/two": `{"one": ["b"]}`}).Handle(robotsTxt, down)
		c := obeying(t, internet, toy("one", parse.Location{Path: "/one"}, parse.Location{Path: "/two"}))
		for range 2 {
			if _, err := c.Resolve(t.Context(), "shop.example"); !errors.Is(err, wayfind.ErrUnreachable) {
				t.Errorf("down: %v", err)
			}
		}
		before := asked(host)[robotsTxt]
		host.Handle(robotsTxt, page(forbid("/two"), "Cache-Control", "max-age=60"))
		time.Sleep(10 * time.Minute)
		for _, when := range []string{"up", "down again"} {
			site, err := c.Resolve(t.Context(), "shop.example")
			if err != nil {
				t.Fatalf("%s: %v", when, err)
			}
			wantSkipped(t, site, "robots", "/two")
			host.Handle(robotsTxt, down)
			time.Sleep(2 * time.Hour)
		}
		if n := asked(host); n["/two"] != 0 || n["/one"] != 2 || n[robotsTxt] < before+2 {
			t.Errorf("asked for %v, %d times robots.txt before", n, before)
		}
	})
}

// RFC 9309 §2.3.1.3: any other answer of 4xx, and more than five redirects
// (§2.3.1.2), mean that there are no rules.
func TestRobotsEnforceUnavailable(t *testing.T) {
	rows := map[string]http.Handler{
		"401": clienttest.Page{Status: 401}, "403": clienttest.Page{Status: 403}, "404": clienttest.Page{Status: 404}, "410": clienttest.Page{Status: 410},
		"400": clienttest.Page{Status: 400}, "204": clienttest.Page{Status: 204}, "empty": clienttest.Page{}, "a web page": page("<!doctype html>", "Content-Type", "text/html"),
		"a rule in a 404": clienttest.Page{Status: 404, Body: forbid("/")}, "six redirects": clienttest.Redirect(302, "/1"), "a loop": clienttest.Redirect(302, robotsTxt),
	}
	for name, rules := range rows {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", clienttest.Pages{"/one": `{"one": ["a"]}`, "/6": forbid("/")}).Handle(robotsTxt, rules)
				for i, next := range []string{"/2", "/3", "/4", "/5", "/6"} {
					host.Handle("/"+string(rune('1'+i)), clienttest.Redirect(302, next))
				}
				c := obeying(t, internet, toy("one", parse.Location{Path: "/one"}))
				for range 2 { // the stored answer has the same result
					site, err := c.Resolve(t.Context(), "shop.example")
					if err != nil || len(site.Services) != 1 || disallowed(site) != nil || told(site, "robots.unreachable") {
						t.Errorf("%v, marked %v, %v", err, disallowed(site), site.Diagnostics)
					}
					c.Invalidate("shop.example")
				}
			})
		})
	}
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{"/5": forbid("/")}).Handle(robotsTxt, clienttest.Redirect(302, "/1"))
		for i, next := range []string{"/2", "/3", "/4", "/5"} {
			host.Handle("/"+string(rune('1'+i)), clienttest.Redirect(302, next))
		}
		if _, err := obeying(t, internet, toy("one", parse.Location{Path: "/one"})).Resolve(t.Context(), "shop.example"); !errors.Is(err, wayfind.ErrRefused) {
			t.Errorf("five redirects: %v", err)
		}
	})
}

// Rules that may not be stored are requested once in a run, however many places they govern. A
// Describe is a run too.
func TestRobotsAreAskedForOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/d/a"), "/moved": detail("a", "/x")})
		host.Handle(robotsTxt, page(forbid("/x"), "Cache-Control", "no-store")).Handle("/d/a", clienttest.Redirect(302, "/moved"))
		host.Handle("/two", clienttest.Redirect(302, "/three"))
		c := newClient(t, internet, robotsMode(client.RobotsEnforce), func(o *client.Options) {
			o.Formats = append(o.Formats, toy("one", parse.Location{Path: "/one"}, parse.Location{Path: "/two"}, parse.Location{Path: "/three"}))
		})
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if n := asked(host)[robotsTxt]; n != 1 {
			t.Errorf("Resolve asked %d times", n)
		}
		if _, err := c.Describe(t.Context(), site, "adp:a"); err != nil {
			t.Error(err)
		}
		if n := asked(host)[robotsTxt]; n != 2 {
			t.Errorf("Describe asked %d times", n-1)
		}
	})
}

func TestRobotsEnforceDescribe(t *testing.T) {
	rows := []struct {
		name string
		hop  string
		want []string
	}{
		{"forbidden", "", nil},
		{"a redirect to what is forbidden", "/d/a", []string{"/open"}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				path := "/d/a"
				host := internet.Host("shop.example", clienttest.Pages{robotsTxt: forbid("/d/"), "/d/a": detail("a", "/x")})
				if r.hop != "" {
					path = "/open"
					host.Handle(path, clienttest.Redirect(302, r.hop))
				}
				host.Handle(wellKnown, page(manifest("shop.example", path)))
				c := newClient(t, internet, robotsMode(client.RobotsEnforce))
				site, err := c.Resolve(t.Context(), "shop.example")
				if err != nil {
					t.Fatal(err)
				}
				_, capability := site.Capability("adp:" + path[strings.LastIndexByte(path, '/')+1:])
				d, err := c.Describe(t.Context(), site, capability.Key)
				var e *wayfind.Error
				if !errors.Is(err, wayfind.ErrRefused) || !errors.As(err, &e) || e.Code != wayfind.CodeRobots || !d.Capability.Lazy {
					t.Errorf("%v, %+v", err, d.Capability)
				}
				if d := cmp.Diff(append([]string{robotsTxt, wellKnown}, r.want...), host.Paths()); d != "" {
					t.Errorf("asked for (-want +got):\n%s", d)
				}
			})
		})
	}
}

// Refresh asks for the rules again as for everything else, and obeys the new
// ones.
func TestRobotsEnforceRefresh(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{"/one": `{"one": ["a"]}`}).Handle(robotsTxt,
			clienttest.Sequence(page(forbid("/x"), "Cache-Control", "max-age=3600"), page(forbid("/one"))))
		c := obeying(t, internet, toy("one", parse.Location{Path: "/one"}))
		if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Refresh(t.Context(), "shop.example"); !errors.Is(err, wayfind.ErrRefused) {
			t.Errorf("Refresh: %v", err)
		}
		wantAsked(t, "after Refresh", host, map[string]int{robotsTxt: 2, "/one": 1})
	})
}

// Offline, no request is sent, not even for rules: stored rules apply.
func TestRobotsEnforceOffline(t *testing.T) {
	eachStore(t, func(t *testing.T, internet *clienttest.Internet, store cache.Store) {
		host := internet.Host("shop.example", clienttest.Pages{"/one": `{"one": ["a"]}`, robotsTxt: forbid("/one")})
		one := withFormats(toy("one", parse.Location{Path: "/one"}))
		first := newClient(t, internet, shared(store), robotsMode(client.RobotsReport), one)
		if _, err := first.Resolve(t.Context(), "shop.example"); err != nil {
			t.Fatal(err)
		}
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		before := trafficOf(internet, host)
		c := newClient(t, internet, shared(store), robotsMode(client.RobotsEnforce), one, offline)
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil || len(site.Services) != 1 {
			t.Errorf("%v, %+v", err, site.Services)
		}
		empty, err := c.Resolve(t.Context(), "else.example")
		wantOffline(t, empty, err, wayfind.ErrUnreachable)
		wantQuiet(t, before, internet, host)
	})
}

// A Site that was cut short lists forbidden places like any other.
func TestRobotsEnforceCutShort(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{robotsTxt: forbid("/one"), "/two": `{"two": ["a"]}`})
		host.Fail("/three", clienttest.AtHeaders(clienttest.Stall))
		c := obeying(t, internet, toy("one", parse.Location{Path: "/one"}), toy("two", parse.Location{Path: "/two"}), toy("three", parse.Location{Path: "/three"}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		site, err := c.Resolve(ctx, "shop.example")
		if err != nil || !site.FreshUntil.Equal(site.ResolvedAt) {
			t.Errorf("%v, fresh until %v", err, site.FreshUntil)
		}
		wantSkipped(t, site, "robots", "/one")
	})
}
