package acp_test

import (
	"path/filepath"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/acp"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

func TestCorpusDocuments(t *testing.T) {
	recognised, denied, foreign, usable, diagnostics := 0, 0, 0, 0, map[string]int{}
	paths := golden.Files(t, golden.Corpus(t, "acp-discovery"), "*.json")
	for _, path := range paths {
		in := document(t, golden.Read(t, path))
		claim := acp.Format().Match(in)
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
		r := formattest.Read(t, acp.Format(), in)
		for _, d := range r.Diagnostics {
			diagnostics[d.Code]++
		}
		if r.Unusable == "" {
			usable++
		}
	}
	t.Logf("%d documents, %d recognised, %d usable, %d denials, %d foreign, diagnostics %v", len(paths), recognised, usable, denied, foreign, diagnostics)
	if usable == 0 || foreign == 0 || denied == 0 {
		t.Error("none of a kind that the corpus has")
	}
}

// No document of another format is claimed, except for two documents of this protocol at
// /.well-known/agent.json.
func TestCorpusOthers(t *testing.T) {
	golden.Others(t, func(body []byte) parse.Claim { return acp.Format().Match(&parse.Input{Body: body}) }, "acp-discovery", "other-agent-json")
}
