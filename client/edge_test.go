package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/parse"
)

// page is a JSON body with header fields.
func page(body string, header ...string) clienttest.Page {
	p := clienttest.Page{Body: body, Header: http.Header{"Content-Type": {"application/json"}}}
	for i := 0; i < len(header); i += 2 {
		p.Header.Set(header[i], header[i+1])
	}
	return p
}

// Our own deadline is no answer of the site.
func TestTimeoutIsNotAbsence(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{})
		host.Handle(wellKnown, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
		c := newClient(t, internet, func(o *client.Options) { o.Timeout = 2 * time.Second })
		site, err := c.Resolve(t.Context(), "shop.example")
		if !errors.Is(err, wayfind.ErrUnreachable) || !errors.Is(err, context.DeadlineExceeded) || site == nil {
			t.Errorf("%v, %+v", err, site)
		}
	})
}

// The lifetime of a detail document follows its own header, not the verdict that discovery would
// give the document.
func TestDetailLifetimes(t *testing.T) {
	for name, row := range map[string]struct {
		header   []string
		requests int // of three Describes, five minutes apart
	}{
		"not to be stored": {[]string{"Cache-Control", "no-store"}, 3},
		"to be validated":  {[]string{"Cache-Control", "no-cache", "ETag", `"1"`}, 3},
		"the format's own": {nil, 1},
		"for a minute":     {[]string{"Cache-Control", "max-age=60"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/d/send")})
				host.Handle("/d/send", page(detail("send", "/api"), row.header...))
				c := newClient(t, internet)
				site, err := c.Resolve(t.Context(), "shop.example")
				if err != nil {
					t.Fatal(err)
				}
				for range 3 {
					if d, err := c.Describe(t.Context(), site, "adp:send"); err != nil || d.Source.FetchedAt.IsZero() {
						t.Errorf("%v, %+v", err, d.Source)
					}
					time.Sleep(5 * time.Minute)
				}
				if n := len(host.Paths()) - 1; n != row.requests {
					t.Errorf("%d requests, want %d", n, row.requests)
				}
			})
		})
	}
}

// The answer to the canary is never read as a document, and it is stored whatever its header.
func TestCanaryIsNoSource(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", page(manifest("shop.example", "/a"), "Cache-Control", "no-store"))
		host.Handle(wellKnown, page(`{"foo": 1}`))
		c := newClient(t, internet)
		for range 5 {
			site, err := c.Resolve(t.Context(), "shop.example")
			if !errors.Is(err, wayfind.ErrNotFound) || len(site.Sources) != 0 || len(site.Services) != 0 {
				t.Errorf("%v, %+v", err, site.Sources)
			}
			c.Invalidate("shop.example")
		}
		if len(host.Paths()) != 2 {
			t.Errorf("asked for %v", host.Paths())
		}
	})
}

// A Refresh that fails keeps stored answers that are fresh.
func TestRefreshFails(t *testing.T) {
	for name, failure := range map[string]clienttest.Page{
		"throttled": {Status: 429, Header: http.Header{"Retry-After": {"600"}}}, "down": {Status: 500},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				var broken atomic.Bool
				good := page(manifest("shop.example", "/a"), "Cache-Control", "max-age=86400")
				internet.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if broken.Load() {
						failure.ServeHTTP(w, r)
						return
					}
					good.ServeHTTP(w, r)
				}))
				c := newClient(t, internet)
				if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
					t.Fatal(err)
				}
				broken.Store(true)
				site, err := c.Refresh(t.Context(), "shop.example")
				if err != nil || len(site.Services) != 1 || !slices.ContainsFunc(site.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "refresh.failed" }) {
					t.Errorf("Refresh: %v, %v", err, site.Diagnostics)
				}
				if site, err := c.Resolve(t.Context(), "shop.example"); err != nil || len(site.Services) != 1 {
					t.Errorf("Resolve after it: %v", err)
				}
			})
		})
	}
}

// The cap of one caller does not apply to others.
func TestCapIsTheCallers(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a")})
		store, err := memory.New(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		share := func(o *client.Options) { o.Store, o.Network.View = store, "shared" }
		small := newClient(t, internet, share, func(o *client.Options) { o.Limits.MaxBytes = 50 })
		if _, err := small.Resolve(t.Context(), "shop.example"); !errors.Is(err, wayfind.ErrInvalid) {
			t.Errorf("with a small cap: %v", err)
		}
		if _, err := newClient(t, internet, share).Resolve(t.Context(), "shop.example"); err != nil {
			t.Errorf("with the default cap: %v", err)
		}
	})
}

// A redirect is no way around an approval.
func TestDescribeRedirectedAway(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/d/send")})
		host.Handle("/d/send", clienttest.Redirect(302, "https://evil.example.net/d"))
		evil := internet.Host("evil.example.net", clienttest.Pages{"/d": detail("send", "/api")})
		_, err := describeIn(t, internet, "adp:send")
		var e *wayfind.Error
		if !errors.Is(err, wayfind.ErrRefused) || !errors.As(err, &e) || e.Code != wayfind.CodeRedirectCrossSite || len(evil.Paths()) != 0 {
			t.Errorf("%v; the other site was asked for %v", err, evil.Paths())
		}
	})
}

// A manifest that came from elsewhere does not speak for the origin.
func TestDescribeOfForeignManifest(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{"/d/send": detail("send", "/api")})
		host.Handle(wellKnown, clienttest.Redirect(302, "https://evil.example.net/m"))
		internet.Host("evil.example.net", clienttest.Pages{"/m": manifest("shop.example", "/d/send")})
		if _, err := describeIn(t, internet, "adp:send"); !errors.Is(err, wayfind.ErrRefused) || slices.Contains(host.Paths(), "/d/send") {
			t.Errorf("%v, asked for %v", err, host.Paths())
		}
	})
}

// A custom format can only make a statement about its own document, whatever it returns.
func TestFormatErrors(t *testing.T) {
	for name, result := range map[string]func() (*parse.Reading, error){
		"any error":           func() (*parse.Reading, error) { return nil, errors.New("boom") },
		"a context error":     func() (*parse.Reading, error) { return nil, context.Canceled },
		"a network error":     func() (*parse.Reading, error) { return nil, &wayfind.Error{Kind: wayfind.ErrUnreachable} },
		"nothing":             func() (*parse.Reading, error) { return nil, nil },
		"an unusable reading": func() (*parse.Reading, error) { return &parse.Reading{Unusable: "nothing in it"}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example", clienttest.Pages{"/x": `{"bad": ["a"], "good": ["b"]}`})
				bad := toy("bad", parse.Location{Path: "/x"})
				bad.Parse = func(*parse.Input) (*parse.Reading, error) { return result() }
				bad.Detail = func(*parse.Input, parse.Subject) (*parse.Reading, error) { return result() }
				site, err := newClient(t, internet, withFormats(bad)).Resolve(t.Context(), "shop.example")
				if p := only(t, site); p.Verdict != wayfind.VerdictMalformed || !isCode(p.Reason) || err == nil || p.Error == "" {
					t.Errorf("%v, probe %+v", err, p)
				}
				// Another format that reads the document does not hide it.
				site, err = newClient(t, internet, withFormats(bad, toy("good"))).Resolve(t.Context(), "shop.example")
				if err != nil || !slices.ContainsFunc(site.Diagnostics, func(d wayfind.Diagnostic) bool { return strings.HasPrefix(d.Code, "document.") }) {
					t.Errorf("beside another: %v, %v", err, site.Diagnostics)
				}
			})
		})
	}
}

// isCode: stable strings in snake_case.
func isCode(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// Diagnostics of equal readings of two documents each name their own document.
func TestReadingsOfTwoDocuments(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/x": `{"toy": 1}`, "/y": `{"toy": 2}`})
		f := toy("toy", parse.Location{Path: "/x"}, parse.Location{Path: "/y"})
		f.Parse = func(in *parse.Input) (*parse.Reading, error) {
			return &parse.Reading{Services: []wayfind.Service{{Name: "x"}}, Diagnostics: []wayfind.Diagnostic{{Code: "toy.x"}}}, nil
		}
		site, err := newClient(t, internet, withFormats(f)).Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		var sources []string
		for _, d := range site.Diagnostics {
			sources = append(sources, d.Source)
		}
		if d := cmp.Diff([]string{"https://shop.example/x", "https://shop.example/y"}, sources); d != "" {
			t.Errorf("diagnostics by source (-want +got):\n%s", d)
		}
	})
}

// A URL that cleaning would change leads elsewhere: it is left out.
func TestBadURLs(t *testing.T) {
	f := toy("toy", parse.Location{Path: "/x"})
	f.Parse = func(*parse.Input) (*parse.Reading, error) {
		invocation := func(u, template string) *wayfind.Invocation {
			return &wayfind.Invocation{Protocol: "http", Method: "GET", URL: u, Template: template}
		}
		return &parse.Reading{Services: []wayfind.Service{{Capabilities: []wayfind.Capability{
			{ID: "long", Invocation: invocation("https://shop.example/"+strings.Repeat("x", 3000), "")},
			{ID: "hidden", Invocation: invocation("", "https://shop.example/a\u200bb/{id}")},
			{ID: "details", Lazy: true, DetailURLs: []string{"https://shop.example/a\u202eb", "https://shop.example/d"}},
		}}}}, nil
	}
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/x": `{"toy": 1}`})
		site, err := newClient(t, internet, withFormats(f)).Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		list := site.Services[0].Capabilities
		if list[0].Invocation != nil || list[1].Invocation != nil || !slices.Equal(list[2].DetailURLs, []string{"https://shop.example/d"}) {
			t.Errorf("%+v, %+v, %v", list[0].Invocation, list[1].Invocation, list[2].DetailURLs)
		}
		if site.Diagnostics[0].Code != "text.url" {
			t.Errorf("diagnostics %v", site.Diagnostics)
		}
	})
}

// A chain of redirects that leads nowhere is not walked again and again.
func TestFutileRedirects(t *testing.T) {
	for name, target := range map[string]func(*http.Request) string{
		"loop":  func(r *http.Request) string { return r.URL.Path },
		"chain": func(r *http.Request) string { return r.URL.Path + "x" },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					http.Redirect(w, r, target(r), http.StatusFound)
				}))
				c := newClient(t, internet)
				_, err := c.Resolve(t.Context(), "shop.example")
				n := len(host.Paths())
				c.Invalidate("shop.example")
				site, again := c.Resolve(t.Context(), "shop.example")
				if !errors.Is(again, wayfind.ErrRefused) || again.Error() != err.Error() || len(host.Paths()) != n || only(t, site).Redirects == nil && name == "chain" {
					t.Errorf("%v, then %v; asked for %v", err, again, host.Paths()[n:])
				}
				time.Sleep(11 * time.Minute)
				if _, _ = c.Resolve(t.Context(), "shop.example"); len(host.Paths()) == n {
					t.Error("not asked again after ten minutes")
				}
			})
		})
	}
}

// When the time is up, documents that were found are used, even if a canary is still needed to
// judge them. Fallbacks that would not be requested are not listed.
func TestAPartialSiteKeepsArrivedDocuments(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{"/quick": `{"quick": ["a"]}`})
		host.Handle("/slow", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
		quick := toy("quick", parse.Location{Path: "/quick"}, parse.Location{Path: "/later", After: "/quick"})
		match := quick.Match
		quick.Match = func(in *parse.Input) parse.Claim {
			claim := match(in)
			claim.Level = min(claim.Level, parse.Likely)
			return claim
		}
		c := newClient(t, internet, withFormats(quick, toy("slow", parse.Location{Path: "/slow"})))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		site, err := c.Resolve(ctx, "shop.example")
		want := map[string]wayfind.Verdict{"/quick": wayfind.VerdictFound, "/slow": wayfind.VerdictSkipped}
		if d := cmp.Diff(want, probed(site)); d != "" || err != nil {
			t.Errorf("%v, verdicts (-want +got):\n%s", err, d)
		}
	})
}

// A document from a redirect to another site has less authority than documents of the origin.
func TestForeignDocumentRanksLow(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{"/own": `{"own": ["a"]}`})
		host.Handle("/moved", clienttest.Redirect(302, "https://elsewhere.example.net/x"))
		internet.Host("elsewhere.example.net", clienttest.Pages{"/x": `{"moved": ["b"]}`})
		site, err := newClient(t, internet, withFormats(toy("moved", parse.Location{Path: "/moved"}), toy("own", parse.Location{Path: "/own"}))).Resolve(t.Context(), "shop.example")
		if err != nil || site.Sources[0].Format != "own" || site.Sources[1].Authority != wayfind.AuthorityThirdParty {
			t.Errorf("%v, sources %+v", err, site.Sources)
		}
	})
}

// A place whose redirect leads to a host without an answer has the status of the redirect.
func TestStatusOfARedirectIntoNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", nil).Handle("/moved", clienttest.Redirect(302, "https://gone.shop.example/x"))
		internet.DNS("gone.shop.example", clienttest.NXDomain())
		site, _ := newClient(t, internet, withFormats(toy("moved", parse.Location{Path: "/moved"}))).Resolve(t.Context(), "shop.example")
		if p := site.Probes[0]; p.Status != 302 || len(p.Redirects) != 1 || p.Verdict.Answered() {
			t.Errorf("%+v", p)
		}
	})
}

// A target with a query is the same domain.
func TestDiagnosticsAreTheCallers(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a")})
		c := newClient(t, internet)
		if site, err := c.Resolve(t.Context(), "shop.example"); err != nil || len(site.Diagnostics) != 0 {
			t.Fatal(err, site.Diagnostics)
		}
		var trace client.Trace
		site, err := c.Resolve(client.WithTrace(t.Context(), &trace), "https://shop.example/#utm=1")
		if err != nil || !trace.FromMemory || len(site.Diagnostics) != 1 {
			t.Errorf("%v, from memory %v, %v", err, trace.FromMemory, site.Diagnostics)
		}
		if site, _ := c.Resolve(t.Context(), "shop.example"); len(site.Diagnostics) != 0 {
			t.Errorf("one caller's query is told to another: %v", site.Diagnostics)
		}
	})
}

// Member names that are the same once they are clean are all kept, in an order
// of their own.
func TestCollidingNames(t *testing.T) {
	body := strings.TrimSuffix(manifest("shop.example", "/a"), "}") + `, "x\u200b\u200b": 3, "x": 1, "x\u200b": 2}`
	want := ""
	for range 50 {
		out, err := json.Marshal(parseText(t, body, nil).Site.Services[0].Extensions)
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = string(out)
		}
		if string(out) != want || !strings.Contains(want, `"x":1`) || !strings.Contains(want, `"x~2":2`) {
			t.Fatalf("%s, then %s", want, out)
		}
	}
}

func TestFirstMatch(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{"/b2": `{"b": ["x"]}`, "/c": `{"c": ["y"]}`})
		formats := withFormats(toy("a", parse.Location{Path: "/a"}), toy("b", parse.Location{Path: "/b"}, parse.Location{Path: "/b2", After: "/b"}), toy("c", parse.Location{Path: "/c"}))
		c := newClient(t, internet, formats, func(o *client.Options) { o.Mode = client.FirstMatch })
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"/a", "/b", "/b2"}, host.Paths()); d != "" {
			t.Errorf("asked for (-want +got):\n%s", d)
		}
		if p := site.Probes[len(site.Probes)-1]; p.Verdict != wayfind.VerdictSkipped || p.Reason != "first_match" {
			t.Errorf("probe %+v", p)
		}
		var trace client.Trace
		if _, err := c.Resolve(client.WithTrace(t.Context(), &trace), "shop.example"); err != nil || !trace.FromMemory {
			t.Errorf("a Site of the first match is kept: %v, %+v", err, trace)
		}
	})
}

// Links are followed in the order of the plan, whatever arrives first.
func TestBudgetFollowsThePlan(t *testing.T) {
	for _, slow := range []string{"/1", "/2"} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			links := func(n int) string {
				var l []string
				for i := range 3 {
					l = append(l, fmt.Sprintf(`"https://shop.example/l%d-%d"`, n, i))
				}
				return fmt.Sprintf(`{"toy": ["x%d"], "links": [%s]}`, n, strings.Join(l, ", "))
			}
			host := internet.Host("shop.example", clienttest.Pages{"/1": links(1), "/2": links(2)})
			host.Fail(slow, clienttest.Delay(time.Second))
			c := newClient(t, internet, withFormats(toy("toy", parse.Location{Path: "/1"}, parse.Location{Path: "/2"})), func(o *client.Options) { o.Limits.Budget = 6 })
			if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
				t.Fatal(err)
			}
			got := slices.Sorted(slices.Values(host.Paths()))
			if d := cmp.Diff([]string{"/1", "/2", "/l1-0", "/l1-1", "/l1-2", "/l2-0"}, got); d != "" {
				t.Errorf("%s slow: asked for (-want +got):\n%s", slow, d)
			}
		})
	}
}

// An internationalised host in a document is the host that was asked.
func TestInternationalHost(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		const ascii = "xn--mnchen-3ya.example"
		internet.Host(ascii, clienttest.Pages{wellKnown: manifest("münchen.example", "/d/send"), "/d/send": detail("send", "/api/send")})
		c := newClient(t, internet)
		site, err := c.Resolve(t.Context(), "münchen.example")
		if err != nil || site.Origin != "https://"+ascii {
			t.Fatalf("%v, %+v", err, site)
		}
		d, err := c.Describe(t.Context(), site, "adp:send")
		if err != nil || d.Capability.Trust != wayfind.TrustSameOrigin {
			t.Errorf("%v, %+v", err, d.Capability)
		}
	})
}

// The error details that a site sends are reported, and change nothing.
func TestProblemDetails(t *testing.T) {
	for name, row := range map[string]struct {
		page clienttest.Page
		want []string
	}{
		"problem":        {page(`{"type": "about:blank", "title": "Not for you", "detail": "Ask\u202e us", "status": 403}`, "Content-Type", "application/problem+json"), []string{`the site answers 403, "Not for you", "Ask us"`}},
		"wrong types":    {page(`{"title": 7}`, "Content-Type", "application/problem+json"), []string{"the site answers 403"}},
		"by its members": {page(`{"title": "Gone fishing"}`), []string{`the site answers 403, "Gone fishing"`}},
		"other JSON":     {page(`{"error": "no"}`), nil},
		"no JSON":        {page(`no`, "Content-Type", "application/problem+json"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				row.page.Status = 403
				internet.Host("shop.example", row.page)
				site, err := newClient(t, internet).Resolve(t.Context(), "shop.example")
				var got []string
				for _, d := range site.Diagnostics {
					got = append(got, d.Message)
				}
				if d := cmp.Diff(row.want, got); d != "" || !errors.Is(err, wayfind.ErrBlocked) || only(t, site).Verdict != wayfind.VerdictProtected {
					t.Errorf("%v, %s, diagnostics (-want +got):\n%s", err, only(t, site).Verdict, d)
				}
			})
		})
	}
}
