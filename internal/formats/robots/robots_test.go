package robots_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/robots"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

const site = "https://shop.example/robots.txt"

// documents returns the inputs of all fixtures.
func documents(t testing.TB) (docs []parsetest.Doc) {
	for _, f := range golden.Inputs(t) {
		if strings.HasSuffix(f.Name, ".txt") {
			docs = append(docs, parsetest.Doc{Name: f.Name, URL: site, MediaType: "text/plain", Body: f.Data})
		}
	}
	return append(docs,
		parsetest.Doc{Name: "line ends", URL: site, Body: []byte("User-agent: *\rDisallow: /a\r\nDisallow: /b\n\rCrawl-delay: 1")},
		parsetest.Doc{Name: "not UTF-8", URL: site, Body: []byte("\xef\xbbUser-agent: \xff\nDisallow: /\xe9\nSitemap: https://a.example/\xe9\n")},
	)
}

func TestLaws(t *testing.T) { parsetest.Run(t, robots.Format(), documents(t)...) }

func FuzzLaws(f *testing.F) { parsetest.Fuzz(f, robots.Format(), documents(f)...) }

func served(t testing.TB, body string) *parse.Input {
	return formattest.Input(t, site, "text/plain", []byte(body))
}

func read(t testing.TB, body string) *parse.Reading {
	t.Helper()
	return formattest.Read(t, robots.Format(), served(t, body))
}

func codes(r *parse.Reading) []string {
	return formattest.Show(r.Diagnostics, "{severity} {code} {line}")
}

func TestMatch(t *testing.T) {
	exact, likely := parse.Claim{Level: parse.Exact}, parse.Claim{Level: parse.Likely}
	for _, c := range []struct {
		body string
		want parse.Claim
	}{
		{"User-agent: *\nDisallow:\n", exact},
		{"\ufeffuseragent: *\r\ndisalow: /\r", exact},
		{"# a comment\n\nUSER AGENT: x\n", exact},
		{"user-agent *\ndisallow /\n", exact},
		{"User-agent: *\nAllow: /\nwhat is this\n", exact},
		{"Sitemap: https://a.example/sitemap.xml\n", likely},
		{"Content-Signal: search=yes", likely},
		{"allow: all\n", parse.Claim{}},
		{"Sitemap: /a\ntitle: b\n", parse.Claim{}},
		{"user-agent:\n", parse.Claim{}},
		{"To keep robots out:\n\nwrite\n\n    User-agent: *\n    Disallow: /\n\nand save it\nto a file\n", parse.Claim{}},
		{strings.Repeat("strange\n", 200) + strings.Repeat("Disallow: /\nUser-agent: *\n", 300), parse.Claim{}},
		{"Permitir: /\n", parse.Claim{}},
		{"# only a comment\n", parse.Claim{}},
		{"<!doctype html><pre>\nUser-agent: *\nDisallow: /\n", parse.Claim{}},
		{`{"a": "` + "\nUser-agent: *\n" + `"}`, parse.Claim{}},
		{"[\nUser-agent: *\n", parse.Claim{}},
		{"", parse.Claim{}},
	} {
		for _, at := range []string{"", "https://shop.example/robots.txt"} {
			in := &parse.Input{Body: []byte(c.body)}
			if at != "" {
				in = served(t, c.body)
			}
			if diff := cmp.Diff(c.want, robots.Format().Match(in)); diff != "" {
				t.Errorf("%.60q at %q (-want +got):\n%s", c.body, at, diff)
			}
		}
	}
}

// A web page is an error regardless of its content, and a file without records is unusable.
func TestUnusable(t *testing.T) {
	if r, err := robots.Format().Parse(served(t, "<html>\nUser-agent: *\n")); err == nil {
		t.Errorf("a web page was read: %+v", r)
	}
	for _, body := range []string{"", "# nothing\n", "Hello\n", "Permitir: /\n", "Allow: /\n"} {
		if r := read(t, body); r.Unusable == "" {
			t.Errorf("%q is usable: %+v", body, r)
		}
	}
}

// A robots.txt is never a service, so it is never a match.
func TestNoServices(t *testing.T) {
	for _, doc := range documents(t) {
		if r := read(t, string(doc.Body)); r.Services != nil {
			t.Errorf("%s: %+v", doc.Name, r.Services)
		}
	}
}

// RFC 9309 §2.5: the part that was read is used, up to the last whole line.
func TestTruncated(t *testing.T) {
	const head, tail = "User-agent: *\n", "Disallow: /secret\n"
	filler := strings.Repeat("# filler\n", robots.MaxBytes/9)
	for over, want := range map[int]string{
		-1: "",                           // one byte less than the limit: the whole file is used
		0:  "warning robots.truncated 0", // as long as the limit: the file may have been cut there
		7:  "warning robots.truncated 0",
	} {
		body := head + filler[:robots.MaxBytes+over-len(head)-len(tail)-1] + "\n" + tail
		r := read(t, body)
		if got := strings.Join(codes(r), ","); got != want {
			t.Errorf("%d bytes over: %q, want %q", over, got, want)
		}
		whole := over <= 0
		if got := strings.Contains(r.Policies[0].Text, "/secret"); got != whole {
			t.Errorf("%d bytes over: the last rule is shown: %t", over, got)
		}
		if got := robots.Allowed([]byte(body), "wayfind", "/secret"); got == whole {
			t.Errorf("%d bytes over: allowed %t", over, got)
		}
	}
}

// RFC 9309 §2.2: CR, LF and CRLF end a line. Line numbers are the same as in editors.
func TestLineEnds(t *testing.T) {
	r := read(t, "User-agent: *\rDisallow: /a\r\nDisallow: /b\n\rCrawl-delay: 1\n\n\nSitemap: /s")
	want := []wayfind.Policy{
		{Kind: "robots", Text: "User-agent: *\nDisallow: /a\nDisallow: /b", Agents: []string{"*"}, Sources: []wayfind.Ref{{Line: 1}}},
		{Kind: "crawl_delay", Text: "Crawl-delay: 1", Limit: &wayfind.Limit{N: 1, Per: 1e9}, Agents: []string{"*"}, Sources: []wayfind.Ref{{Line: 3}}},
	}
	if diff := cmp.Diff(want, r.Policies); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"warning robots.relative_url 6"}, codes(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A line is endless: its beginning is used, and the next line is read.
func TestLongLines(t *testing.T) {
	r := read(t, "User-agent: *\nDisallow: /x"+strings.Repeat("é", 10_000)+"\nDisallow: /b\n")
	lines := strings.Split(r.Policies[0].Text, "\n")
	if diff := cmp.Diff([]string{"warning robots.line_too_long 2"}, codes(r)); diff != "" || len(lines) != 3 || len(lines[1]) != 2083*8-2 || lines[2] != "Disallow: /b" {
		t.Errorf("%d lines (-want +got):\n%s", len(lines), diff)
	}
}

// Lists are limited, and a cut is reported.
func TestBounds(t *testing.T) {
	r := read(t, strings.Repeat("User-agent: *\nDisallow: /\n", parse.DefaultItems+1)+
		strings.Repeat("Sitemap: https://a.example/\n", parse.DefaultItems+1))
	if len(r.Policies) != parse.DefaultItems || len(r.Documents) != parse.DefaultItems {
		t.Errorf("%d policies, %d documents", len(r.Policies), len(r.Documents))
	}
	var maps strings.Builder
	for i := range 12 {
		fmt.Fprintf(&maps, "Agentmap: https://a.example/%d\n", i)
	}
	r2 := read(t, maps.String())
	if len(r2.Documents) != 12 || len(r2.Links) != 10 || r2.Links[9].URLs[0] != "https://a.example/9" {
		t.Errorf("%d documents, links %+v", len(r2.Documents), r2.Links)
	}
	r3 := read(t, strings.Repeat("User-agent: crawler\n", 300)+"User-agent: GPTBot\nDisallow: /\n")
	if len(r3.Policies) != 1 || len(r3.Policies[0].Agents) != 250 {
		t.Errorf("policies %+v", r3.Policies)
	}
	for _, r := range []*parse.Reading{r, r2, r3} {
		if !slices.ContainsFunc(codes(r), func(c string) bool { return strings.HasPrefix(c, "warning robots.truncated") }) {
			t.Errorf("it is not said that the list was cut: %v", codes(r))
		}
	}
}

// Each archive in testdata contains files and, after each, the result of reading it. -update
// rewrites the results.
func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte {
		body := strings.NewReplacer(`\ufeff`, "\ufeff", `\0`, "\x00", `\xe9`, "\xe9", `\r`, "\r").Replace(string(f.Data))
		r := read(t, body)
		return golden.Object(t, "claim", formattest.ShowClaim(robots.Format().Match(served(t, body))), "unusable", r.Unusable, "policies", r.Policies,
			"documents", r.Documents, "links", r.Links, "diagnostics", formattest.Show(r.Diagnostics, "{severity} {code} {section} line {line}: {message}"))
	})
}

// Each code is explained. A fixture, or a document that would be too long for a fixture, causes
// each explained code.
func TestRulesExplainTheCodes(t *testing.T) {
	parsetest.Explains(t, robots.Format(), golden.Text(t), read(t, "# "+strings.Repeat("x", 20_000)+"\n"),
		formattest.Read(t, robots.Format(), withFields(t, site, "{}", http.Header{"Tdm-Reservation": {"yes"}})))
}
