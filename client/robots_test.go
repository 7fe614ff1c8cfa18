package client_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/robots"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse"
)

const robotsTxt = "/robots.txt"

// robotsMode sets how robots.txt is used.
func robotsMode(m client.RobotsMode) func(*client.Options) {
	return func(o *client.Options) { o.Robots.Mode = m }
}

// calls is a toy format whose capabilities are the URLs, or the templates, that
// they call.
func calls(name string, locations ...parse.Location) *parse.Format {
	f := toy(name, locations...)
	read := f.Parse
	f.Parse = func(in *parse.Input) (*parse.Reading, error) {
		r, err := read(in)
		if err != nil {
			return nil, err
		}
		for i := range r.Services[0].Capabilities {
			c := &r.Services[0].Capabilities[i]
			c.Invocation = &wayfind.Invocation{Protocol: "http", Method: "POST", URL: c.ID}
			if strings.Contains(c.ID, "{") {
				c.Invocation.URL, c.Invocation.Template = "", c.ID
			}
		}
		return r, nil
	}
	return f
}

// disallowed are the paths and the IDs that a Site marks.
func disallowed(site *wayfind.Site) (marked []string) {
	for _, p := range site.Probes {
		if p.RobotsDisallowed {
			marked = append(marked, strings.TrimPrefix(p.URL, site.Origin))
		}
	}
	for _, c := range site.Capabilities() {
		if c.RobotsDisallowed {
			marked = append(marked, c.ID)
		}
	}
	return marked
}

// told reports whether a Site has a diagnostic with a code.
func told(site *wayfind.Site, code string) bool {
	return slices.ContainsFunc(site.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == code })
}

// Reported rules change no request, and each place of the origin is judged by
// the longest match for our token.
func TestRobotsReport(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{
			robotsTxt: "User-agent: *\nDisallow: /\n\nUser-agent: Wayfind\nDisallow: /api/\nAllow: /api/open$\nDisallow: /two\nContent-Signal: search=yes, ai-train=no\n",
			"/one": `{"one": ["https://shop.example/api/a", "https://shop.example/api/open", "https://shop.example/api/{id}",
				"https://shop.example/other", "https://api.shop.example/api/a", "https://else.example/api/a"]}`,
			"/two": `{"two": []}`,
		})
		c := newClient(t, internet, robotsMode(client.RobotsReport), withFormats(
			calls("one", parse.Location{Path: "/one"}), toy("two", parse.Location{Path: "/two"})))
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"/two", "https://shop.example/api/a", "https://shop.example/api/{id}"}
		if d := cmp.Diff(want, disallowed(site)); d != "" {
			t.Errorf("marked (-want +got):\n%s", d)
		}
		asked := slices.Sorted(slices.Values(host.Paths()))
		if d := cmp.Diff([]string{"/one", robotsTxt, "/two"}, asked); d != "" {
			t.Errorf("asked for (-want +got):\n%s", d)
		}
		var signals []map[string]string
		for _, p := range site.Policies {
			if p.Kind == "content_signal" {
				signals = append(signals, p.Values)
			}
		}
		if d := cmp.Diff([]map[string]string{{"search": "yes", "ai-train": "no"}}, signals); d != "" {
			t.Errorf("content signals (-want +got):\n%s", d)
		}
	})
}

// A caller may have a token of its own.
func TestRobotsToken(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{
			robotsTxt: "User-agent: wayfind\nDisallow: /a\n\nUser-agent: other-bot\nDisallow: /b\n", "/a": `{"a": []}`, "/b": `{"b": []}`})
		c := newClient(t, internet, robotsMode(client.RobotsReport), withFormats(
			toy("a", parse.Location{Path: "/a"}), toy("b", parse.Location{Path: "/b"})), func(o *client.Options) { o.Robots.Token = "Other-Bot" })
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"/b"}, disallowed(site)); d != "" {
			t.Errorf("marked (-want +got):\n%s", d)
		}
	})
}

// Only a Client that enforces the rules waits for them. Others request them together with
// everything else, or never.
func TestRobotsRoundTrips(t *testing.T) {
	const rtt = time.Second
	rows := []struct {
		name  string
		mode  client.RobotsMode
		first client.Mode
		trips time.Duration
		paths []string
	}{
		{"report", client.RobotsReport, client.All, 3, []string{"/one", robotsTxt, "/two"}},
		{"ignore", client.RobotsIgnore, client.All, 3, []string{"/one", "/two"}},
		{"enforce", client.RobotsEnforce, client.All, 4, []string{robotsTxt, "/one", "/two"}},
		{"report, first match", client.RobotsReport, client.FirstMatch, 4, []string{robotsTxt, "/one"}},
		{"ignore, first match", client.RobotsIgnore, client.FirstMatch, 3, []string{"/one"}},
		{"enforce, first match", client.RobotsEnforce, client.FirstMatch, 4, []string{robotsTxt, "/one"}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Latency(rtt)
				host := internet.Host("shop.example", clienttest.Pages{
					robotsTxt: "User-agent: *\nDisallow: /x\n", "/one": `{"one": ["a"]}`, "/two": `{"two": ["b"]}`})
				c := newClient(t, internet, robotsMode(r.mode), withFormats(
					toy("one", parse.Location{Path: "/one"}), toy("two", parse.Location{Path: "/two"})), func(o *client.Options) { o.Mode = r.first })
				start := time.Now()
				site, err := c.Resolve(t.Context(), "shop.example")
				if err != nil {
					t.Fatal(err)
				}
				if got := time.Since(start); got != r.trips*rtt {
					t.Errorf("%.2f round trips, want %d", got.Seconds()/rtt.Seconds(), r.trips)
				}
				paths := host.Paths()
				if r.mode == client.RobotsEnforce && paths[0] != robotsTxt {
					t.Errorf("asked for %v: the rules come first", paths)
				}
				slices.Sort(paths)
				if d := cmp.Diff(slices.Sorted(slices.Values(r.paths)), paths); d != "" {
					t.Errorf("asked for (-want +got):\n%s", d)
				}
				if got, want := len(site.Policies) > 0, r.mode != client.RobotsIgnore; got != want {
					t.Errorf("policies %+v", site.Policies)
				}
			})
		})
	}
}

// The mode decides, not the list of formats.
func TestRobotsAmongFormats(t *testing.T) {
	for mode, want := range map[client.RobotsMode]int{client.RobotsReport: 1, client.RobotsIgnore: 0, client.RobotsEnforce: 1} {
		t.Run(fmt.Sprint(mode), func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", clienttest.Pages{robotsTxt: "User-agent: *\nDisallow: /x\n", "/one": `{"one": ["a"]}`})
				list := []*parse.Format{robots.Format(), toy("one", parse.Location{Path: "/one"})}
				if _, err := newClient(t, internet, robotsMode(mode), withFormats(list...)).Resolve(t.Context(), "shop.example"); err != nil {
					t.Fatal(err)
				}
				if n := asked(host)[robotsTxt]; n != want || len(list) != 2 || list[0].Name != "robots" {
					t.Errorf("asked %d times, want %d; the caller's list is %d long", n, want, len(list))
				}
			})
		})
	}
}

// Rules are no answer about capabilities. The error is the same with any answer for robots.txt.
func TestRobotsAffectNoError(t *testing.T) {
	rows := []struct {
		name        string
		page        http.Handler
		fault       clienttest.Fault
		unreachable bool
	}{
		{"rules", clienttest.Page{Body: "User-agent: *\nDisallow: /x\n"}, nil, false},
		{"absent", clienttest.Page{Status: 404}, nil, false},
		{"forbidden", clienttest.Page{Status: 403}, nil, false},
		{"a web page", clienttest.Page{Body: "<!doctype html><p>"}, nil, false},
		{"throttled", clienttest.Page{Status: 429, Header: http.Header{"Retry-After": {"5"}}}, nil, true},
		{"down", clienttest.Page{Status: 500}, nil, true},
		{"cut off", clienttest.Page{Body: "x"}, clienttest.AtHeaders(clienttest.Abort), true},
		{"to nowhere", clienttest.Redirect(302, "https://nowhere.example/robots.txt"), nil, true},
		{"to http", clienttest.Redirect(302, "http://shop.example/robots.txt"), nil, false},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Latency(time.Second) // all is asked before a Retry-After is known
				host := internet.Host("shop.example", clienttest.Pages{}).Handle(robotsTxt, r.page)
				full := internet.Host("full.example", clienttest.Pages{"/one": `{"one": ["a"]}`}).Handle(robotsTxt, r.page)
				if r.fault != nil {
					host.Fail(robotsTxt, r.fault)
					full.Fail(robotsTxt, r.fault)
				}
				one := withFormats(toy("one", parse.Location{Path: "/one"}))
				c := newClient(t, internet, robotsMode(client.RobotsReport), one)
				site, err := c.Resolve(t.Context(), "shop.example")
				_, without := newClient(t, internet, one).Resolve(t.Context(), "shop.example")
				if !errors.Is(err, wayfind.ErrNotFound) || err.Error() != without.Error() {
					t.Errorf("%v, and without robots.txt %v", err, without)
				}
				if got := told(site, "robots.unreachable"); got != r.unreachable {
					t.Errorf("diagnostic robots.unreachable: %v", got)
				}
				if marked := disallowed(site); marked != nil {
					t.Errorf("marked %v", marked)
				}
				if site, err := c.Resolve(t.Context(), "full.example"); err != nil || len(site.Services) != 1 {
					t.Errorf("beside a document: %v, %+v", err, site.Services)
				}
			})
		})
	}
}

// RFC 9309 §2.5: the beginning of a long file is used. The cap is 512 KiB.
func TestTheBeginningOfALongRobotsIsUsed(t *testing.T) {
	testkit.Large(t)
	const size, unit = 600 << 10, 64
	noise := rand.NewChaCha8([32]byte{})
	lines := func(next func() string) string {
		var b strings.Builder
		b.WriteString("User-agent: *\nDisallow: /first\n")
		for b.Len() < size/2 {
			b.WriteString(next())
		}
		b.WriteString("Disallow: /middle\n")
		for b.Len() < size {
			b.WriteString(next())
		}
		return b.String() + "Disallow: /last\n"
	}
	plain := lines(func() string { return "# " + strings.Repeat("x", unit) + "\n" })
	dense := lines(func() string {
		line := make([]byte, unit)
		_, _ = noise.Read(line) // never fails
		return "#" + string(bytes.Map(func(r rune) rune { return max(r, ' ') }, line)) + "\n"
	})
	zip := func(s string) clienttest.Page {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write([]byte(s))
		_ = w.Close()
		return clienttest.Page{Body: b.String(), Header: http.Header{"Content-Encoding": {"gzip"}, "Content-Type": {"text/plain"}}}
	}
	endless := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { // no Content-Length
		for chunk := range strings.SplitAfterSeq(plain, "\n") {
			fmt.Fprint(w, chunk)
		}
	})
	for name, page := range map[string]http.Handler{"plain": clienttest.Page{Body: plain}, "chunked": endless, "gzip": zip(plain), "dense gzip": zip(dense)} {
		for _, alpn := range []string{"h2", "http/1.1"} {
			t.Run(name+" "+alpn, func(t *testing.T) {
				inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
					host := internet.Host("shop.example", clienttest.Pages{}).Protocols(alpn).Handle(robotsTxt, page)
					c := newClient(t, internet, robotsMode(client.RobotsEnforce), withFormats(toy("first", parse.Location{Path: "/first"}),
						toy("middle", parse.Location{Path: "/middle"}), toy("last", parse.Location{Path: "/last"})))
					site, err := c.Resolve(t.Context(), "shop.example")
					if !errors.Is(err, wayfind.ErrNotFound) {
						t.Errorf("%v", err)
					}
					if d := cmp.Diff([]string{robotsTxt, "/last"}, host.Paths()); d != "" {
						t.Errorf("asked for (-want +got):\n%s", d)
					}
					want := map[string]wayfind.Verdict{robotsTxt: wayfind.VerdictFound, "/first": wayfind.VerdictSkipped,
						"/middle": wayfind.VerdictSkipped, "/last": wayfind.VerdictAbsent}
					if d := cmp.Diff(want, probed(site)); d != "" {
						t.Errorf("verdicts (-want +got):\n%s", d)
					}
				})
			})
		}
	}
}

// Rules apply with any media type. An HTML page has none.
func TestRobotsApplyWithAnyTypeExceptHTML(t *testing.T) {
	asHTML := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	rows := []struct {
		name string
		page clienttest.Page
		want []string
	}{
		{"rules served as HTML", clienttest.Page{Header: asHTML, Body: "User-agent: *\nDisallow: /one\n"}, []string{"/one"}},
		{"a web page", clienttest.Page{Header: asHTML, Body: "<!doctype html>\nUser-agent: *\nDisallow: /one\n"}, nil},
	}
	for _, r := range rows {
		for _, control := range []string{"max-age=60", "no-store"} {
			t.Run(r.name+" "+control, func(t *testing.T) {
				inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
					page := r.page
					page.Header = http.Header{"Content-Type": r.page.Header["Content-Type"], "Cache-Control": {control}}
					internet.Host("shop.example", clienttest.Pages{"/one": `{"one": ["a"]}`}).Handle(robotsTxt, page)
					c := newClient(t, internet, robotsMode(client.RobotsEnforce), withFormats(toy("one", parse.Location{Path: "/one"})))
					for range 2 { // the stored answer has the same result
						site, _ := c.Resolve(t.Context(), "shop.example")
						if d := cmp.Diff(r.want, disallowed(site)); d != "" {
							t.Errorf("marked (-want +got):\n%s", d)
						}
						c.Invalidate("shop.example")
					}
				})
			})
		}
	}
}

// RFC 9309 §2.4: a copy is used for 24 hours at most, whatever the server sends.
func TestRobotsAreKeptADay(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		week := func(body string) clienttest.Page {
			return clienttest.Page{Body: body, Header: http.Header{"Cache-Control": {"max-age=604800"}}}
		}
		host := internet.Host("shop.example", nil).Handle("/one", week(`{"one": ["a"]}`)).Handle(robotsTxt, week("User-agent: *\nDisallow: /x\n"))
		c := newClient(t, internet, robotsMode(client.RobotsEnforce), withFormats(toy("one", parse.Location{Path: "/one"})))
		for _, wait := range []time.Duration{0, 24*time.Hour - time.Second, time.Second} {
			time.Sleep(wait)
			if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff([]string{robotsTxt, "/one", robotsTxt}, host.Paths()); d != "" {
			t.Errorf("asked for (-want +got):\n%s", d)
		}
	})
}

// The documents that an Agentmap links to are read each time the rules are requested.
func TestRobotsAgentmap(t *testing.T) {
	for _, mode := range []client.RobotsMode{client.RobotsReport, client.RobotsEnforce} {
		for _, first := range []client.Mode{client.All, client.FirstMatch} {
			t.Run(fmt.Sprint(mode, first), func(t *testing.T) {
				inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
					internet.Host("shop.example", clienttest.Pages{
						robotsTxt: "User-agent: *\nDisallow: /x\nAgentmap: https://shop.example/map\n", "/map": `{"one": ["a"]}`})
					c := newClient(t, internet, robotsMode(mode), withFormats(toy("one", parse.Location{Path: "/one"})),
						func(o *client.Options) { o.Mode = first })
					site, err := c.Resolve(t.Context(), "shop.example")
					if err != nil || site.Source("https://shop.example/map") == nil {
						t.Fatalf("%v, sources %+v", err, site.Sources)
					}
					if got := site.Source("https://shop.example/map").Authority; got != wayfind.AuthorityLinked {
						t.Errorf("authority %s", got)
					}
				})
			})
		}
	}
}
