package sitecheck_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/llmstxt"
	"github.com/wayfindhq/wayfind/internal/show/sitecheck"
	"github.com/wayfindhq/wayfind/parse"
)

// empty is a site on which nothing is described, whose home page is body.
func empty(mediaType, body string) *sitecheck.Input {
	in := ready()
	in.Site.Sources, in.Site.Services, in.Offer = nil, nil, sitecheck.Offer{}
	in.Site.Probes = []wayfind.Probe{probe("/robots.txt", wayfind.VerdictAbsent, 404, "robots"), probe("/llms.txt", wayfind.VerdictAbsent, 404, "llmstxt")}
	in.Answers = map[string]sitecheck.Answer{origin + "/": {Status: 200, Header: http.Header{"Content-Type": {mediaType}}, Body: []byte(body)}}
	return in
}

// first is the document that a site is advised to publish first.
func first(t *testing.T, in *sitecheck.Input) *sitecheck.Document {
	t.Helper()
	d := sitecheck.Check(in).Result("described").Document
	if d == nil {
		t.Fatal("no document is advised")
	}
	return d
}

// The first document is that of the kind of the site.
func TestTheFirstDocumentFitsTheSite(t *testing.T) {
	speaks := func(protocol string) *sitecheck.Input {
		in := empty("text/html", "<title>x</title>")
		in.Site.Services = []wayfind.Service{{ID: "live", Interfaces: []wayfind.Interface{{Protocol: protocol, URL: origin + "/x"}}}}
		return in
	}
	described := empty("text/html", "<title>x</title>")
	described.Site.Documents = []wayfind.Document{{URL: origin + "/d", Rel: "service-desc"}}
	for name, c := range map[string]struct {
		in    *sitecheck.Input
		place string
	}{
		"pages":       {empty("text/html; charset=utf-8", "<title>Tea</title>"), "/llms.txt"},
		"API":         {empty("application/json", `{"ok": true}`), "/.well-known/api-catalog"},
		"description": {described, "/.well-known/api-catalog"},
		"server":      {speaks("mcp"), "/.well-known/mcp/server-card.json"},
		"agent":       {speaks("a2a"), "/.well-known/agent-card.json"},
		"unknown":     {empty("image/png", ""), "/.well-known/api-catalog"},
	} {
		if got := first(t, c.in).Place; got != c.place {
			t.Errorf("%s: %s", name, got)
		}
	}
	if d := sitecheck.Check(empty("text/html", "<title>Tea</title>")).Result("tools").Document; d != nil {
		t.Errorf("a site of pages is shown an API description at %s", d.Place)
	}
}

// The llms.txt of a site of pages is made of its home page, and its reader finds no fault.
func TestTheHomePageBecomesAnLLMsTxt(t *testing.T) {
	for name, c := range map[string]struct{ body, want, decide string }{
		"shop": {`<!doctype html><title>Home | Tea &amp; Cups</title><meta name="description" content="Fine teas,
			sent from Leeds."><a href="/">Home</a><a href=/shop><b>The</b> shop</a><a href="/shop#top">again</a> <a href="/my-account">Mine</a>
			<a href="https://other.example/x">Other</a><a href="/menu.pdf">Menu</a><a href="javascript:x()">js</a><svg viewBox="0 0 1 1"/><a href="/a (b)">[Old] tea</a>
			<a href="/icon"><svg><title>icon</title></svg></a><svg/><a href="/wp-login.php">in</a><a href="/jobs" rel="nofollow">Jobs</a>`,
			"# Tea & Cups\n\n> Fine teas, sent from Leeds.\n\n## Pages\n\n- [Home](" + origin + "/)\n- [The shop](" + origin + "/shop)\n- [\\[Old\\] tea](" + origin + "/a%20%28b%29)\n", ""},
		"stated name": {`<title>Welcome - nothing</title><meta property="og:site_name" content="Cups"><meta property="og:description" content="Cups for all."><a href="https://shop.example/about" aria-label="About us"><i></i></a>`,
			"# Cups\n\n> Cups for all.\n\n## Pages\n\n- [Home](" + origin + "/)\n- [About us](" + origin + "/about)\n", ""},
		"an application in a script": {`<title>App</title><div id=root></div><script>"<a href='/x'>x</a>"</script>`,
			"# App\n\n> One sentence about the site.\n\n## Pages\n\n- [Home](" + origin + "/)\n", "the summary and the pages that matter"},
		"no text":        {"\xff\xfe<title>x", "# shop.example\n\n> One sentence about the site.\n\n## Pages\n\n- [Home](" + origin + "/)\n", "the summary and the pages that matter"},
		"controls":       {"<title>A\x1b[2J\u202eB</title><a href=/x>c\x07</a>", "# A\\x1b[2J\\u202eB\n\n> One sentence about the site.\n\n## Pages\n\n- [Home](" + origin + "/)\n- [c\\\\a](" + origin + "/x)\n", "the summary"},
		"unclosed title": {"<title>" + strings.Repeat("x", 5000), "# shop.example\n", "the summary and the pages that matter"},
	} {
		d := first(t, empty("text/html", c.body))
		if !strings.HasPrefix(d.Content, c.want) || d.Decide != c.decide {
			t.Errorf("%s: fill in %q\n%s", name, d.Decide, d.Content)
		}
		u := &url.URL{Scheme: "https", Host: "shop.example", Path: "/llms.txt"}
		reading, err := llmstxt.Format().Parse(&parse.Input{URL: u, FinalURL: u, MediaType: "text/markdown", Body: []byte(d.Content)})
		if err != nil || len(reading.Diagnostics) > 0 {
			t.Errorf("%s: its reader says %v, %v", name, err, reading.Diagnostics)
		}
	}
}

// A tool that does not say how to authenticate is a fault of its own, with its place and the mend of its
// format.
func TestEachUnclearToolIsAFault(t *testing.T) {
	in := ready()
	in.Offer.Unclear = []string{"openapi"}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		in.Offer.UnclearTools = append(in.Offer.UnclearTools, sitecheck.UnclearTool{Tool: name, Service: "openapi", Format: "openapi", Source: origin + "/openapi.json", Pointer: "/paths/~1" + name + "/get"})
	}
	r := sitecheck.Check(in)
	got := r.Result("authentication")
	if len(got.Faults) != 7 || got.Faults[6].Pointer != "/paths/~1g/get" || !strings.Contains(got.Faults[0].Mend, "security") {
		t.Errorf("%+v", got.Faults)
	}
	text := r.Next[0].Text
	if strings.Count(text, "Write ") != 1 || !strings.Contains(text, "2 more are alike.") || strings.Contains(text, "wayfind lint") {
		t.Errorf("the step is %q", text)
	}
}
