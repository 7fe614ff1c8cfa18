package aicatalog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind/internal/formats/aicatalog"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// site serves the catalogues of the tests.
const site = "https://shop.example"

func input(t testing.TB, fixture string, body []byte) *parse.Input {
	_, path, ok := strings.Cut(fixture, ":")
	if !ok {
		path = aicatalog.PathCatalog
	}
	return formattest.Input(t, site+path, "application/json", body)
}

func documents(t testing.TB) (docs []parsetest.Doc) {
	for _, f := range golden.Inputs(t) {
		docs = append(docs, parsetest.DocOf(f.Name, input(t, f.Name, f.Data)))
	}
	return docs
}

func TestLaws(t *testing.T) { parsetest.Run(t, aicatalog.Format(), documents(t)...) }

func FuzzLaws(f *testing.F) { parsetest.Fuzz(f, aicatalog.Format(), documents(f)...) }

func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte {
		in := input(t, f.Name, f.Data)
		r := formattest.Read(t, aicatalog.Format(), in)
		var inline []string
		for _, part := range r.Inline {
			inline = append(inline, strings.TrimSpace(part.Value.Pointer()+" "+part.SHA256))
		}
		return golden.Object(t, "claim", formattest.ShowClaim(aicatalog.Format().Match(in)), "dialect", r.Dialect, "version", r.Version, "unusable", r.Unusable,
			"services", r.Services, "documents", r.Documents, "links", r.Links, "inline", inline,
			"diagnostics", formattest.Show(r.Diagnostics, "{severity} {code} {pointer} [{spec}]: {message}"))
	})
}

// Each code in the fixtures has a rule, and a document causes the code of each rule.
func TestRules(t *testing.T) {
	long := read(t, catalogue(`"host": {"displayName": "Shop", "logoUrl": "data:image/png;base64,`+strings.Repeat("A", 9<<10)+`"}`, many(1001)...))
	parsetest.Explains(t, aicatalog.Format(), golden.Text(t), long)
}

// read reads a catalogue at its place.
func read(t testing.TB, body string) *parse.Reading {
	t.Helper()
	return formattest.Read(t, aicatalog.Format(), input(t, "", []byte(body)))
}

// catalogue returns a catalogue with members in addition to the entries.
func catalogue(members string, entries ...string) string {
	return fmt.Sprintf(`{"specVersion": "1.0", %s, "entries": [%s]}`, members, strings.Join(entries, ",\n"))
}

// entry returns an entry with a type and a URL.
func entry(id, kind, url string) string {
	return fmt.Sprintf(`{"identifier": %q, "type": %q, "url": %q, "displayName": "E"}`, id, kind, url)
}

// many returns entries of Agent Cards.
func many(n int) (list []string) {
	for i := range n {
		list = append(list, entry(fmt.Sprintf("urn:air:shop.example:%d", i), "application/a2a-agent-card+json", fmt.Sprintf("%s/card/%d", site, i)))
	}
	return list
}

func TestMatch(t *testing.T) {
	one := entry("a", "b", site)
	exact := func(dialect string) parse.Claim { return parse.Claim{Level: parse.Exact, Dialect: dialect} }
	other := func(why string) parse.Claim { return parse.Claim{Other: true, Dialect: "catalog-like", Why: why} }
	for _, row := range []struct {
		path, body string
		want       parse.Claim
	}{
		{"", `{"specVersion": "1.0", "entries": [` + one + `]}`, exact("")},
		{"/x.json", `{"specVersion": "1.0", "entries": []}`, exact("")},
		{"", `{"entries": []}`, exact("ard")},
		{"/x.json", `{"entries": []}`, parse.Claim{}},
		{"/x.json", `{"entries": [` + one + `]}`, exact("ard")},
		{"/x.json", `{"entries": [{"urn": "a", "mediaType": "b"}]}`, exact("april")},
		{"/x.json", `{"specVersion": "draft", "entries": [{"id": "a", "type": "b"}]}`, exact("mcp")},
		{"", `{"entries": [{"identifier": "a"}]}`, other("No entry has an identifier and a type.")},
		{"/x.json", `{"entries": [{"identifier": "a"}]}`, parse.Claim{}},
		{"", `{"resources": [{"type": "api"}]}`, other(`It has "resources" instead of "entries".`)},
		{"/x.json", `{"resources": [{"type": "api"}]}`, parse.Claim{}},
		{"", `{"ard_version": "0.9", "capabilities": []}`, other(`It has "capabilities" instead of "entries".`)},
		{"", `{"skills": [{"name": "a", "url": "b"}], "entries": [` + one + `]}`, parse.Claim{}},
		{"", `{"skills": ["a"], "entries": [` + one + `]}`, exact("ard")},
		{"", `{}`, parse.Claim{}}, {"", `[]`, parse.Claim{}}, {"", ``, parse.Claim{}}, {"", `<html>`, parse.Claim{}},
		{"", `{"entries": [], "entries": []}`, parse.Claim{}},
	} {
		path := row.path
		if path == "" {
			path = aicatalog.PathCatalog
		}
		if got := aicatalog.Format().Match(input(t, "x:"+path, []byte(row.body))); got != row.want {
			t.Errorf("%s at %s: %+v, want %+v", row.body, path, got, row.want)
		}
	}
}

// No published document of another format is claimed.
func TestCorpusOthers(t *testing.T) {
	golden.Others(t, func(body []byte) parse.Claim {
		return aicatalog.Format().Match(input(t, "x:/somewhere.json", body))
	}, "ai-catalog")
}

// The work grows in proportion to the document.
func TestGrowth(t *testing.T) {
	hostile := func(n int) map[string]string {
		each := func(layout string) string {
			return `{"specVersion":"1.0","entries":[` + formattest.Repeat(n, layout) + `]}`
		}
		return map[string]string{
			"entries":           each(`{"identifier":"a","type":"application/a2a-agent-card+json","url":"https://a.example"}`),
			"skills":            each(`{"identifier":"a","type":"application/agent-skills+md","url":"https://a.example"}`),
			"registries":        each(`{"identifier":"a","type":"application/ai-registry+json","url":"https://a.example"}`),
			"inline catalogues": each(`{"identifier":"a","type":"b","data":{"entries":[{"identifier":"a","type":"b"}]}}`),
			"no entries":        each(`1`),
			"members":           `{"entries":[{"identifier":"a","type":"b",` + formattest.Repeat(n, `"mN":1`) + `}]}`,
			"manifests":         `{"entries":[{"identifier":"a","type":"b","trustManifests":[` + formattest.Repeat(n, `{"signature":{"jws":"e30..a"}}`) + `]}]}`,
			"tags":              `{"entries":[{"identifier":"a","type":"b","tags":[` + formattest.Repeat(n, `"a"`) + `]}]}`,
			"identifier":        `{"entries":[{"identifier":"urn:air:a.b:` + strings.Repeat("a:", n/2) + `","type":"b"}]}`,
		}
	}
	formattest.Growth(t, aicatalog.Format(), hostile, site+aicatalog.PathCatalog, 60, 600)
}
