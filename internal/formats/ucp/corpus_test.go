package ucp_test

import (
	"path/filepath"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/ucp"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

func TestCorpusDocuments(t *testing.T) {
	recognised, denied, foreign, usable := 0, 0, 0, 0
	dialects, versions, diagnostics := map[string]int{}, map[string]int{}, map[string]int{}
	paths := golden.Files(t, golden.Corpus(t, "ucp-profile"), "*.json")
	for _, path := range paths {
		in := document(t, golden.Read(t, path))
		claim := ucp.Format().Match(in)
		t.Logf("%s: %s", filepath.Base(path), formattest.ShowClaim(claim))
		switch {
		case claim.Other:
			foreign++
			continue
		case claim.Negative:
			denied++
			continue
		case claim.Level == parse.None:
			continue
		}
		recognised++
		r := formattest.Read(t, ucp.Format(), in)
		dialects[r.Dialect]++
		versions[r.Version]++
		for _, d := range r.Diagnostics {
			diagnostics[d.Code]++
		}
		if r.Unusable == "" {
			usable++
		}
	}
	t.Logf("%d documents, %d recognised %v %v, %d usable, %d denials, %d foreign, diagnostics %v", len(paths), recognised, dialects, versions, usable, denied, foreign, diagnostics)
	if usable == 0 || foreign == 0 || denied == 0 || len(dialects) != 2 {
		t.Error("none of a kind that the corpus has")
	}
}

// No published document of another format is claimed.
func TestCorpusOthers(t *testing.T) {
	golden.Others(t, func(body []byte) parse.Claim { return ucp.Format().Match(&parse.Input{Body: body}) }, "ucp-profile")
}
