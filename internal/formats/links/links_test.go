package links_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"net/textproto"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind/internal/formats/links"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

const site = "https://shop.example/en/"

// served returns the answer in a fixture.
func served(t testing.TB, answer []byte) *parse.Input {
	t.Helper()
	header, body, _ := bytes.Cut(answer, []byte("\n\n"))
	fields, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(append(header, "\n\n"...)))).ReadMIMEHeader()
	if err != nil {
		t.Fatal(err)
	}
	in := formattest.Input(t, site, fields.Get("Content-Type"), body)
	in.Header = http.Header(fields)
	return in
}

// documents returns the inputs of all fixtures.
func documents(t testing.TB) (docs []parsetest.Doc) {
	for _, f := range golden.Inputs(t) {
		in := served(t, f.Data)
		doc := parsetest.DocOf(f.Name, in)
		doc.Header = in.Header
		docs = append(docs, doc)
	}
	return docs
}

func TestLaws(t *testing.T) { parsetest.Run(t, links.Format(), documents(t)...) }
func FuzzLaws(f *testing.F) { parsetest.Fuzz(f, links.Format(), documents(f)...) }

// FuzzField checks that each field is read within its limits.
func FuzzField(f *testing.F) {
	for _, doc := range documents(f) {
		for _, line := range doc.Header["Link"] {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, line string) {
		doc := parsetest.Doc{URL: site, Header: http.Header{"Link": {line}}}
		for _, problem := range parsetest.Check(links.Format(), doc) {
			t.Error(problem)
		}
	})
}

func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte {
		in := served(t, f.Data)
		r := formattest.Read(t, links.Format(), in)
		var documents, followed []string
		for _, d := range r.Documents {
			documents = append(documents, strings.TrimSpace(fmt.Sprintf("%d %s %s %s %q", d.Sources[0].Line, d.Rel, d.URL, d.MediaType, d.Title)))
		}
		for _, l := range r.Links {
			followed = append(followed, l.Role+" "+strings.Join(l.URLs, " "))
		}
		return golden.Object(t, "claim", formattest.ShowClaim(links.Format().Match(in)), "documents", documents, "links", followed,
			"policies", r.Policies, "diagnostics", formattest.Show(r.Diagnostics, "{severity} {code} {section} {line}: {message}"))
	})
}

func TestRules(t *testing.T) {
	in := formattest.Input(t, site, "", nil)
	in.Header = http.Header{"Link": {strings.Repeat("</a>; rel=describedby,", 10_000)}}
	parsetest.Explains(t, links.Format(), golden.Text(t), formattest.Read(t, links.Format(), in))
}

// No document of another format has links.
func TestCorpusOthers(t *testing.T) {
	golden.Others(t, func(body []byte) parse.Claim { return links.Format().Match(&parse.Input{Body: body}) }, "html-soft404")
}

// followed reads an answer and returns the followed links.
func followed(t testing.TB, header http.Header, page string) (list []string) {
	t.Helper()
	in := formattest.Input(t, site, "text/html", []byte(page))
	in.Header = header
	r := formattest.Read(t, links.Format(), in)
	for _, l := range r.Links {
		list = append(list, strings.Join(l.URLs, " "))
	}
	return list
}

func field(lines ...string) http.Header { return http.Header{"Link": lines} }

// These are the cases of links, and prohibitions.
func TestLinksOfHeaderAndPageAreRead(t *testing.T) {
	const doctype = "<!doctype html>"
	for name, row := range map[string]struct {
		header http.Header
		page   string
		want   []string
	}{
		"rel is a list":               {field(`</a>; rel="help Service-Desc"`), "", []string{"https://shop.example/a"}},
		"commas in quotes":            {field(`</a>; title="a, <b>; rel=x"; rel=service-desc`), "", []string{"https://shop.example/a"}},
		"commas in targets":           {field(`</a,b>; rel=service-desc`), "", []string{"https://shop.example/a,b"}},
		"foreign anchor":              {field(`</a>; rel=service-desc; anchor="https://other.example/"`), "", nil},
		"anchor of another scheme":    {field(`</a>; rel=service-desc; anchor="http://shop.example/"`), "", nil},
		"anchor of the host":          {field(`</a>; rel=service-desc; anchor="/api"`), "", []string{"https://shop.example/a"}},
		"relative to the final URL":   {field(`<a>; rel=service-desc`), "", []string{"https://shop.example/en/a"}},
		"base":                        {nil, doctype + `<link rel=ard href=a><base href="/x/">`, []string{"https://shop.example/x/a"}},
		"a base is not of the field":  {field(`<a>; rel=ard`), doctype + `<base href="/x/">`, []string{"https://shop.example/en/a"}},
		"a base that is no address":   {nil, doctype + `<base href="data:text/html,x"><link rel=ard href=a>`, []string{"https://shop.example/en/a"}},
		"rel=ARD":                     {nil, doctype + `<LINK REL=ARD HREF=/a>`, []string{"https://shop.example/a"}},
		"within 64 KiB":               {nil, doctype + "<!--" + strings.Repeat("x", 65_000) + `--><link rel=ard href=/a>`, []string{"https://shop.example/a"}},
		"after 64 KiB":                {nil, doctype + "<!--" + strings.Repeat("x", 66_000) + `--><link rel=ard href=/a>`, nil},
		"at the end of 64 KiB":        {nil, doctype + "<!--" + strings.Repeat("x", 65_500) + `--><link rel=ard href=/a>`, nil},
		"in the body":                 {nil, doctype + `<head></head><link rel=ard href=/a>`, nil},
		"after a tag of the body":     {nil, doctype + `<div><link rel=ard href=/a>`, nil},
		"after text":                  {nil, doctype + `text<link rel=ard href=/a>`, nil},
		"in a template":               {nil, doctype + `<template><link rel=ard href=/a>`, nil},
		"in a comment":                {nil, doctype + `<!--<link rel=ard href=/a>`, nil},
		"in noscript":                 {nil, doctype + `<noscript><p><link rel=ard href=/a></noscript><link rel=ard href=/b>`, []string{"https://shop.example/b"}},
		"never preload":               {field(`</a>; rel=preload, </b>; rel="preload describedby"`), "", []string{"https://shop.example/b"}},
		"never dns-prefetch":          {field(`</a>; rel=dns-prefetch`), doctype + `<link rel=dns-prefetch href=/a>`, nil},
		"never stylesheet":            {nil, doctype + `<link rel=stylesheet href=/a>`, nil},
		"never canonical":             {field(`</a>; rel=canonical`), doctype + `<link rel=canonical href=/a>`, nil},
		"never executed":              {nil, doctype + `<script>document.write('<link rel=ard href=/a>')</script><link rel=ard href=/b onload="x()">`, []string{"https://shop.example/b"}},
		"unknown is not followed":     {field(`</a>; rel=mystery, </b>; rel="https://e.example/rel"`), "", nil},
		"service-doc is for people":   {field(`</a>; rel=service-doc`), "", nil},
		"the first rel counts":        {field(`</a>; rel=help; rel=ard`), "", nil},
		"twice is once":               {field(`</a>; rel="ard ai-catalog", </a>; rel=describedby`), doctype + `<link rel=ard href=/a>`, []string{"https://shop.example/a"}},
		"control characters":          {nil, doctype + "<link rel=ard href='/a\x01b'><link rel=ard href='/a&#10;b'><link rel=ard href='/c'>", []string{"https://shop.example/c"}},
		"scripts and data":            {nil, doctype + `<link rel=ard href="javascript:x"><link rel=ard href="data:,x"><link rel=ard href="file:///etc/passwd">`, nil},
		"a name and a password":       {field(`<https://shop.example@evil.example/>; rel=ard`), "", nil},
		"two slashes":                 {nil, doctype + `<link rel=ard href="//evil.example/a">`, nil},
		"no end of a target":          {field(`<a`, `</b>; rel=ard`), "", []string{"https://shop.example/b"}},
		"no end of a quotation":       {field(`</a>; rel="ard, </b>; rel=ard`, `</c>; rel=ard`), "", []string{"https://shop.example/c"}},
		"rubbish between two":         {field(`</a>; rel=ard, x;y, <<, </b> z; rel=ard,, </c>;;rel = "ard" ;`), "", []string{"https://shop.example/a", "https://shop.example/c"}},
		"of a body that is no page":   {field(`</a>; rel=ard`), `{"a": "<link rel=ard href=/b>"}`, []string{"https://shop.example/a"}},
		"a page whose tags never end": {nil, doctype + `<link rel=ard href=/a><link rel=ard href=/b`, []string{"https://shop.example/a"}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(row.want, followed(t, row.header, row.page)); d != "" {
				t.Errorf("%s (-want +got):\n%s", name, d)
			}
		})
	}
}

// A relation with an unknown name is only a document.
func TestAnUnknownRelationIsADocumentAndNoMore(t *testing.T) {
	in := formattest.Input(t, site, "", nil)
	in.Header = field(`</a>; rel=mystery; title="M"`, `<https://mcp.other.example/>; rel=mcp-server`)
	r := formattest.Read(t, links.Format(), in)
	if len(r.Documents) != 2 || r.Documents[0].Rel != "mystery" || r.Documents[0].Title != "M" || len(r.Links) != 1 {
		t.Errorf("%+v, %+v", r.Documents, r.Links)
	}
}

// At most 16 links are followed. 10⁵ links are neither listed nor compared with each other.
func TestSixteenLinksAreFollowedAtMost(t *testing.T) {
	var line, head strings.Builder
	head.WriteString("<!doctype html>")
	for i := range 100_000 {
		fmt.Fprintf(&line, "</%d>; rel=describedby,", i)
		fmt.Fprintf(&head, "<link rel=ard href=/h%d>", i)
	}
	for name, row := range map[string]struct {
		header http.Header
		page   string
	}{"field": {field(line.String()), ""}, "head": {nil, head.String()}, "both": {field(line.String()), head.String()}} {
		in := formattest.Input(t, site, "text/html", []byte(row.page))
		in.Header = row.header
		r := formattest.Read(t, links.Format(), in)
		if len(r.Links) != links.MaxFollowed || len(r.Documents) != 100 || len(r.Diagnostics) == 0 || len(r.Diagnostics) > 3 {
			t.Errorf("%s: %d links, %d documents, %v", name, len(r.Links), len(r.Documents), formattest.Show(r.Diagnostics, "{message}"))
		}
	}
}

// The work grows in proportion to the length of the input, for any content.
func TestGrowth(t *testing.T) {
	formattest.Growth(t, links.Format(), func(n int) map[string]string {
		fill := func(unit string) string { return "<!doctype html>" + strings.Repeat(unit, n/len(unit)) }
		return map[string]string{
			"links": fill("<link rel=ard href=/a>"), "open tags": fill("<link rel="), "attributes": fill("<link ") + strings.Repeat(" a=b", n/4),
			"templates": fill("<template>"), "comments": fill("<!-- --!>"), "bases": fill("<base href=/a/>"), "blanks": fill(" "), "entities": fill("&amp;"),
		}
	}, site, 8<<10, 64<<10)
}

// A hostile field is read in one pass. Each contains a byte that some readers search from each
// place.
func BenchmarkField(b *testing.B) {
	for name, unit := range map[string]string{"targets": "<a,", "ends": "<a,>", "params": "<a>;", "quotes": `<a>;b="\",`, "names": "<a>;b;c;d;e=f,", "commas": ","} {
		in := formattest.Input(b, site, "", nil)
		in.Header = field(strings.Repeat(unit, links.MaxBytes/len(unit)))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_ = formattest.Read(b, links.Format(), in)
			}
		})
	}
}
