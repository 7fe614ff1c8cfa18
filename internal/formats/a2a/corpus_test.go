package a2a_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

// corpus is the folder of the published cards.
const corpus = "a2a-agent-card"

// unclaimed returns the documents at the place of a card that are not cards, with the reasons.
func unclaimed() map[string]string {
	return map[string]string{
		"AlejandroMI__fyn__2.json":                     "names MCP and OpenAPI; no skills, no modes, capabilities are a list of its own",
		"Arithrix__agentpulse-data__1.json":            "an API: capabilities are endpoints with methods",
		"a2aproject__A2A__6.json":                      "endpoint, supported_protocols and a list of functions",
		"a2aproject__A2A__7.json":                      "endpoint, supported_protocols and a list of functions",
		"prassanna-ravishankar__a2a-registry__22.json": "an empty file",
		"empty.json":     "an empty file",
		"functions.json": "endpoint, supported_protocols and a list of functions",
	}
}

// unusable returns the cards without an address of the agent, with the reasons.
func unusable() map[string]string {
	return map[string]string{
		"110kc3__seo__2.json":     "a template of a card: url is {{BASE}}",
		"a2aproject__A2A__8.json": `url is ""`,
		"template.json":           "a template of a card: url is {{BASE}}",
	}
}

// promised returns the IDs of skills as a reader without knowledge of the format sees them.
func promised(body []byte) []string {
	var doc struct {
		Skills []struct {
			ID string `json:"id"`
		} `json:"skills"`
	}
	_ = json.Unmarshal(body, &doc) // a document of another type has no skills
	var list []string
	for _, s := range doc.Skills {
		list = append(list, s.ID)
	}
	return list
}

// Each card is recognised and usable, or there is a known reason.
func TestCorpusDocuments(t *testing.T) {
	paths := golden.Files(t, golden.Corpus(t, corpus), "*.json")
	dialects, said := map[string]int{}, map[string]int{}
	var skipped, useless []string
	for _, path := range paths {
		body, file := golden.Read(t, path), filepath.Base(path)
		in := served(t, body)
		claim := a2a.Format().Match(in)
		if claim.Level != parse.Exact {
			skipped = append(skipped, file)
			continue
		}
		r, err := a2a.Format().Parse(in)
		if err != nil || r.Dialect != claim.Dialect {
			t.Errorf("%s: claim %+v, dialect %q: %v", file, claim, r.Dialect, err)
			continue
		}
		dialects[r.Dialect]++
		for _, d := range r.Diagnostics {
			said[strings.TrimPrefix(d.Code, "a2a.")]++
		}
		if r.Unusable != "" {
			useless = append(useless, file)
		}
		if diff := cmp.Diff(promised(body), formattest.IDs(r)); diff != "" {
			t.Errorf("%s: skills (-want +got):\n%s", file, diff)
		}
		t.Logf("%s: %s %q", file, r.Dialect, codes(r.Diagnostics))
	}
	if diff := cmp.Diff(golden.Known(unclaimed(), paths), skipped); diff != "" {
		t.Errorf("documents that are no cards (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(golden.Known(unusable(), paths), useless); diff != "" {
		t.Errorf("cards of no use (-want +got):\n%s", diff)
	}
	t.Logf("%d documents, %d recognised %v, %d usable, diagnostics %v",
		len(paths), len(paths)-len(skipped), dialects, len(paths)-len(skipped)-len(useless), said)
}

// No published document of another format is claimed.
func TestCorpusOthers(t *testing.T) {
	golden.Others(t, func(body []byte) parse.Claim { return a2a.Format().Match(served(t, body)) }, corpus)
}
