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
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// ParseURL reads a document exactly like Parse, for any format and place.
func TestParseURLIsParse(t *testing.T) {
	sloppy := strings.Replace(manifest("shop.example", "/a"), `"1.0"`, "1.0", 1)
	large := `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "paths": {"/a": {"get": {"description": "` + strings.Repeat("x", 1<<20) + `"}}}}`
	for name, row := range map[string]struct {
		body, path string
		verdict    wayfind.Verdict
		format     string
	}{
		"found":             {manifest("shop.example", "/a"), wellKnown, wayfind.VerdictFound, "adp"},
		"with mistakes":     {sloppy, wellKnown, wayfind.VerdictFound, "adp"},
		"at another place":  {sloppy, "/drafts/mine.json?v=2", wayfind.VerdictFound, "adp"},
		"detail document":   {detail("a", "https://shop.example/a"), "/d/a", wayfind.VerdictFound, "adp"},
		"broken detail":     {`{"name": "a", "description": "b", "endpoint": 7, "method": "POST", "parameters": []}`, "/d/a", wayfind.VerdictFound, "adp"},
		"another format":    {"# Shop\n\n## Can\n\n- Sell\n", "/.well-known/agents.md", wayfind.VerdictFound, "agentsmd"},
		"large description": {large, "/openapi.json", wayfind.VerdictFound, "openapi"},
		"web page":          {"<!doctype html><title>x</title>", "/page.html", wayfind.VerdictSoft404, ""},
		"nobody's":          {`{"x": 1}`, "/x.json", wayfind.VerdictUnrecognised, ""},
		"known elsewhere":   {`{"agentsJson": "0.1.0", "info": {}, "sources": [], "flows": []}`, wellKnown, wayfind.VerdictOtherFormat, ""},
		"broken":            {`{"spec_version": "1.0",`, wellKnown, wayfind.VerdictMalformed, ""},
		"empty":             {" \n", "/x.json", wayfind.VerdictMalformed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				mediaType := "application/json"
				switch {
				case strings.HasPrefix(row.body, "#"):
					mediaType = "text/markdown"
				case strings.HasPrefix(row.body, "<"):
					mediaType = "text/html"
				}
				u := "https://shop.example" + row.path
				path, _, _ := strings.Cut(row.path, "?")
				internet.Host("shop.example", nil).Handle(path, page(row.body, "Content-Type", mediaType))
				c := newClient(t, internet, allFormats)
				got, err := c.ParseURL(t.Context(), u)
				if err != nil {
					t.Fatal(err)
				}
				want := parseText(t, row.body, &client.ParseOptions{URL: u, ContentType: mediaType, Full: true})
				if got.Verdict != row.verdict || got.Format != row.format {
					t.Errorf("%s, %q (%s)", got.Verdict, got.Format, got.Reason)
				}
				if got.Caching != "" != (row.format != "") {
					t.Errorf("what a client does with the answer: %q", got.Caching)
				}
				if diff := cmp.Diff(facts(want), facts(content(got))); diff != "" {
					t.Errorf("what Parse says (-), what ParseURL says (+):\n%s", diff)
				}
			})
		})
	}
}

// content is a result without the judgement on how the document was served.
func content(r *client.ParseResult) *client.ParseResult {
	own, site := *r, *r.Site
	own.Caching, own.Site = "", &site
	of := func(d wayfind.Diagnostic) bool { return strings.HasPrefix(d.Code, "served.") }
	own.Diagnostics = slices.DeleteFunc(slices.Clone(r.Diagnostics), of)
	if site.Diagnostics = own.Diagnostics; len(own.Diagnostics) == 0 {
		site.Diagnostics = nil
	}
	return &own
}

// facts returns a result without the fields that depend on the time and the source of the document.
func facts(r *client.ParseResult) *client.ParseResult {
	own, site := *r, *r.Site
	site.ResolvedAt, site.FreshUntil = time.Time{}, time.Time{}
	site.Sources, site.Probes = nil, nil
	for _, s := range r.Site.Sources {
		s.FetchedAt, s.FreshUntil = time.Time{}, time.Time{}
		site.Sources = append(site.Sources, s)
	}
	for _, p := range r.Site.Probes {
		p.Status, p.FreshUntil = 0, time.Time{}
		site.Probes = append(site.Probes, p)
	}
	own.Site = &site
	return &own
}

// The result has the answer of the site: status, redirects, time and media type.
func TestParseURLShowsTheAnswer(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Redirect(http.StatusFound, "https://far.example/doc"))
		internet.Host("far.example", nil).Handle("/doc", page(manifest("far.example", "/a"), "Content-Type", "text/plain", "Cache-Control", "max-age=60"))
		c := newClient(t, internet, allFormats)
		var trace client.Trace
		r, err := c.ParseURL(client.WithTrace(t.Context(), &trace), "https://shop.example"+wellKnown)
		if err != nil {
			t.Fatal(err)
		}
		want := []wayfind.Probe{{URL: "https://shop.example" + wellKnown, Verdict: wayfind.VerdictFound, Status: 200, Format: "adp",
			Redirects: []string{"https://far.example/doc"}, FreshUntil: r.Site.Probes[0].FreshUntil}}
		if diff := cmp.Diff(want, r.Site.Probes); diff != "" {
			t.Error(diff)
		}
		s := r.Site.Sources[0]
		if s.Trust != wayfind.TrustCrossSite || s.FinalURL != "https://far.example/doc" || s.MediaType != "text/plain" || s.FetchedAt.IsZero() {
			t.Errorf("source %+v", s)
		}
		seen := codes{}
		seen.add(r.Diagnostics)
		if !seen["redirect.cross_site"] {
			t.Errorf("no word on the redirect: %v", r.Diagnostics)
		}
		if len(trace.Fetches) != 1 || trace.Fetches[0].From != "network" {
			t.Errorf("trace %+v", trace)
		}
	})
}

// A server that negotiates sees the question that Resolve asks.
func TestParseURLAccepts(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{})
		c := newClient(t, internet, allFormats)
		_, _ = c.Resolve(t.Context(), "shop.example")
		want := map[string]string{}
		for _, r := range host.Requests() {
			want[r.Path] = r.Header.Get("Accept")
		}
		for _, path := range []string{wellKnown, "/.well-known/agents.md"} {
			_, _ = c.ParseURL(t.Context(), "https://shop.example"+path)
			asked := host.Requests()
			if got := asked[len(asked)-1].Header.Get("Accept"); got == "" || got != want[path] {
				t.Errorf("%s: Accept %q, Resolve sends %q", path, got, want[path])
			}
		}
	})
}

// A too large document is a result. The cap of its format applies.
func TestParseURLTooLarge(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", nil)
		host.Handle(wellKnown, page(manifest("shop.example", "/"+strings.Repeat("a", 300<<10))))
		host.Handle("/huge", page(`"`+strings.Repeat("x", 17<<20)+`"`))
		c := newClient(t, internet, allFormats)
		for path, format := range map[string]string{wellKnown: "adp", "/huge": ""} {
			r, err := c.ParseURL(t.Context(), "https://shop.example"+path)
			if err != nil {
				t.Fatal(err)
			}
			r = content(r)
			if r.Verdict != wayfind.VerdictTooLarge || r.Usable || r.Format != format || len(r.Diagnostics) != 1 || r.Diagnostics[0].Code != "document.too_large" {
				t.Errorf("%s: %s, %q, %+v", path, r.Verdict, r.Format, r.Diagnostics)
			}
		}
	})
}

// Each call sends a request, whatever pause the format wants and however fresh the last answer is.
// If there is a validator, the request is conditional.
func TestParseURLAsksAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		const agents = "/.well-known/agents.md"
		first := page("# Shop\n\n## Can\n\n- Sell\n", "Content-Type", "text/markdown", "ETag", `"1"`, "Cache-Control", "max-age=86400")
		second := page("# Shop\n\n## Can\n\n- Sell\n- Rent\n", "Content-Type", "text/markdown", "ETag", `"2"`)
		host := internet.Host("shop.example", nil)
		host.Handle(agents, clienttest.Sequence(first, first, second))
		c := newClient(t, internet, allFormats)
		var got []int
		for range 3 {
			r, err := c.ParseURL(t.Context(), "https://shop.example"+agents)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, len(r.Site.Services[0].Capabilities))
		}
		if diff := cmp.Diff([]int{1, 1, 2}, got); diff != "" {
			t.Errorf("capabilities: %s", diff)
		}
		var conditions []string
		for _, r := range host.Requests() {
			conditions = append(conditions, r.Header.Get("If-None-Match"))
		}
		if diff := cmp.Diff([]string{"", `"1"`, `"1"`}, conditions); diff != "" {
			t.Errorf("conditions: %s", diff)
		}
		// ParseURL has used up no obligation of Resolve and violates none: Resolve sends one
		// request.
		before := len(host.Paths())
		for range 2 {
			if _, err := c.Refresh(t.Context(), "shop.example"); err != nil {
				t.Fatal(err)
			}
		}
		asked := 0
		for _, path := range host.Paths()[before:] {
			if path == agents {
				asked++
			}
		}
		if asked != 1 {
			t.Errorf("Refresh asked %d times within the format's hour", asked)
		}
	})
}

// An absence reflects the moment of the request: the author of the document sees a new document at
// once.
func TestParseURLAfterAbsence(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{})
		c := newClient(t, internet, allFormats)
		const u = "https://shop.example/.well-known/ai"
		if _, err := c.ParseURL(t.Context(), u); !errors.Is(err, wayfind.ErrNotFound) {
			t.Fatal(err)
		}
		host.Handle("/.well-known/ai", page(`{"aiendpoint": "1.0", "service": {"name": "Shop", "description": "Sells."}, "capabilities": []}`))
		if r, err := c.ParseURL(t.Context(), u); err != nil || r.Format != "aidiscovery" {
			t.Errorf("%+v, %v", r, err)
		}
		// What Resolve has promised to remember holds for everybody.
		other := internet.Host("other.example", clienttest.Pages{})
		_, _ = c.Resolve(t.Context(), "other.example")
		asked := len(other.Paths())
		_, err := c.ParseURL(t.Context(), "https://other.example/.well-known/ai")
		if e, ok := errors.AsType[*wayfind.Error](err); !ok || e.Code != wayfind.CodeAbsent || len(other.Paths()) != asked {
			t.Errorf("after Resolve: %v, %v", err, other.Paths()[asked:])
		}
	})
}

// If there is no document, the error is the same as of Resolve.
func TestParseURLErrors(t *testing.T) {
	for name, row := range map[string]struct {
		answer clienttest.Page
		kind   error
		code   wayfind.Code
	}{
		"absent":           {clienttest.Page{Status: 404}, wayfind.ErrNotFound, wayfind.CodeAbsent},
		"absent, a page":   {clienttest.Page{Status: 404, Body: "<!doctype html>no"}, wayfind.ErrNotFound, wayfind.CodeAbsent},
		"no content":       {clienttest.Page{Status: 204}, wayfind.ErrNotFound, wayfind.CodeAbsent},
		"a stray status":   {clienttest.Page{Status: 418}, wayfind.ErrNotFound, wayfind.CodeStatus},
		"another method":   {clienttest.Page{Status: 405}, wayfind.ErrNotFound, ""},
		"protected":        {clienttest.Page{Status: 401}, wayfind.ErrBlocked, ""},
		"server error":     {clienttest.Page{Status: 500}, wayfind.ErrUnreachable, wayfind.CodeServerError},
		"throttled":        {clienttest.Page{Status: 429, Header: http.Header{"Retry-After": {"60"}}}, wayfind.ErrThrottled, ""},
		"to http":          {clienttest.Page{Status: 302, Header: http.Header{"Location": {"http://shop.example/"}}}, wayfind.ErrRefused, wayfind.CodeRedirectDowngrade},
		"to a private one": {clienttest.Page{Status: 302, Header: http.Header{"Location": {"https://10.0.0.1/"}}}, wayfind.ErrRefused, wayfind.CodeHostIPLiteral},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example", row.answer)
				c := newClient(t, internet, allFormats)
				r, err := c.ParseURL(t.Context(), "https://shop.example/x.json")
				e, ok := errors.AsType[*wayfind.Error](err)
				if r != nil || !ok || !errors.Is(e.Kind, row.kind) || e.Code != row.code || e.URL != "https://shop.example/x.json" {
					t.Errorf("%+v, %v, want %v (%s)", r, err, row.kind, row.code)
				}
				if _, same := c.Resolve(t.Context(), "shop.example"); !errors.Is(same, row.kind) {
					t.Errorf("Resolve says %v", same)
				}
				if row.kind == wayfind.ErrThrottled && e.NotBefore.IsZero() {
					t.Error("throttled, and not until when")
				}
			})
		})
	}
}

// A URL that cannot be requested is the caller's mistake, and no request is sent.
func TestParseURLTarget(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		c := newClient(t, internet)
		for u, code := range map[string]wayfind.Code{
			"http://shop.example/":             wayfind.CodeScheme,
			"https://127.0.0.1/":               wayfind.CodeHostIPLiteral,
			"https://localhost/":               wayfind.CodeHostSingleLabel,
			"https://me:secret@shop.example/x": wayfind.CodeUserinfo,
			"https://shop.example:8443/":       wayfind.CodePort,
			"shop.example/x":                   wayfind.CodeHostSyntax,
			"":                                 wayfind.CodeHostSyntax,
		} {
			_, err := c.ParseURL(t.Context(), u)
			e, ok := errors.AsType[*wayfind.Error](err)
			if !ok || !errors.Is(e.Kind, wayfind.ErrInvalid) || e.Op != "target" || e.Code != code || strings.Contains(err.Error(), "secret") {
				t.Errorf("%q: %v, want %s", u, err, code)
			}
		}
		if n := len(internet.Requests()); n != 0 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestParseURLEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", nil)
		host.Handle("/slow", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
		c := newClient(t, internet, func(o *client.Options) { o.Timeout = 2 * time.Second })
		if _, err := c.ParseURL(t.Context(), "https://shop.example/slow"); !errors.Is(err, wayfind.ErrUnreachable) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("time-out: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.ParseURL(ctx, "https://shop.example/slow"); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := c.ParseURL(t.Context(), "https://shop.example/slow"); !errors.Is(err, wayfind.ErrClosed) {
			t.Errorf("closed: %v", err)
		}
	})
}

// If rules are enforced, they are requested first, and again with each call. Forbidden URLs are not
// requested.
func TestParseURLObeysRobots(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{"/open.json": manifest("shop.example", "/a")})
		host.Handle("/robots.txt", page("User-agent: *\nDisallow: /drafts/\n", "Content-Type", "text/plain", "Cache-Control", "max-age=3600"))
		c := newClient(t, internet, allFormats, func(o *client.Options) { o.Robots.Mode = client.RobotsEnforce })
		_, err := c.ParseURL(t.Context(), "https://shop.example/drafts/mine.json")
		e, ok := errors.AsType[*wayfind.Error](err)
		if !ok || !errors.Is(e.Kind, wayfind.ErrRefused) || e.Code != wayfind.CodeRobots {
			t.Errorf("forbidden: %v", err)
		}
		if r, err := c.ParseURL(t.Context(), "https://shop.example/open.json"); err != nil || !r.Usable {
			t.Errorf("allowed: %v", err)
		}
		if diff := cmp.Diff([]string{"/robots.txt", "/robots.txt", "/open.json"}, host.Paths()); diff != "" {
			t.Error(diff)
		}
	})
}

// Offline, ParseURL reads stored documents.
func TestParseURLOffline(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		c := newClient(t, internet, func(o *client.Options) { o.Offline = true })
		_, err := c.ParseURL(t.Context(), "https://shop.example/x")
		e, ok := errors.AsType[*wayfind.Error](err)
		if !ok || !errors.Is(e.Kind, wayfind.ErrUnreachable) || e.Code != wayfind.CodeOffline {
			t.Errorf("%v", err)
		}
	})
}
