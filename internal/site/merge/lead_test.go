package merge_test

import (
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

// A probe names the document that leads to it, also when it is a place of the plan. Of
// alternatives, those that failed are not named if another one was read.
func TestAProbeNamesTheDocumentThatLeadsToIt(t *testing.T) {
	links := []parse.Link{{URLs: []string{"https://example.com/missing.json"}}, {URLs: []string{"https://example.com/first.json", doc}}, {URLs: []string{catalog}}}
	from := found(&parse.Format{Name: "catalog"}, wayfind.Source{URL: catalog, SHA256: "catalog", Authority: wayfind.AuthorityCatalog}, &parse.Reading{Links: links})
	outcomes := []*merge.Outcome{from, ended("https://example.com/missing.json", wayfind.VerdictAbsent, ""), ended("https://example.com/first.json", wayfind.VerdictAbsent, ""), read("aa"), ended("https://example.com/other.json", wayfind.VerdictAbsent, "")}
	target, _, err := resolve.ParseTarget("example.com")
	if err != nil {
		t.Fatal(err)
	}
	site := merge.Site(merge.Input{Target: target, Outcomes: outcomes})
	want := map[string]string{"https://example.com/missing.json": catalog, doc: catalog}
	if len(site.Probes) != len(outcomes) {
		t.Fatalf("%+v", site.Probes)
	}
	for _, p := range site.Probes {
		if p.From != want[p.URL] {
			t.Errorf("%s is named by %q, want %q", p.URL, p.From, want[p.URL])
		}
	}
}
