package llmstxt_test

import (
	"path/filepath"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/llmstxt"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

// Each file of the corpus is recognised at its place, has a title and is usable. The folder
// contains no other files.
func TestCorpusDocuments(t *testing.T) {
	paths := golden.Files(t, golden.Corpus(t, "llms-txt"), "*.txt")
	recognised, sure, elsewhere, listed, followed, diagnostics := 0, 0, 0, 0, 0, 0
	for _, path := range paths {
		in := served(t, string(golden.Read(t, path)))
		claim := llmstxt.Format().Match(in)
		if claim.Level == parse.None {
			t.Errorf("%s is not recognised", path)
			continue
		}
		recognised++
		if claim.Level == parse.Exact {
			sure++
		}
		if llmstxt.Format().Match(&parse.Input{Body: in.Body}).Level != parse.None {
			elsewhere++
		}
		r := read(t, string(in.Body))
		if r.Unusable != "" || r.Services[0].Name == "" {
			t.Errorf("%s: unusable %q, service %+v", path, r.Unusable, r.Services[0])
		}
		listed += len(r.Documents)
		followed += len(r.Links)
		diagnostics += len(r.Diagnostics)
		t.Logf("%s: %d documents, %d links", filepath.Base(path), len(r.Documents), len(r.Links))
	}
	t.Logf("%d documents, %d recognised (%d sure, %d at any place), all usable, %d documents listed, %d followed, %d diagnostics",
		len(paths), recognised, sure, elsewhere, listed, followed, diagnostics)
}

// No document of another format is claimed: neither files for coding agents nor texts for
// agents.
func TestCorpusOthers(t *testing.T) {
	golden.Others(t, func(body []byte) parse.Claim { return llmstxt.Format().Match(&parse.Input{Body: body}) }, "llms-txt")
}
