package agentsmd_test

import (
	"path/filepath"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/agentsmd"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

// TestCorpus checks that nothing in the corpus is claimed, because no site there publishes the
// protocol. Files for coding agents are detected, and nothing else is taken for such a file.
func TestCorpus(t *testing.T) {
	coding, all := map[string]int{}, map[string]int{}
	for _, path := range golden.Documents(t) {
		folder := filepath.Base(filepath.Dir(path))
		all[folder]++
		claim := agentsmd.Format().Match(&parse.Input{Body: golden.Read(t, path)})
		switch {
		case claim.Level != parse.None:
			t.Errorf("%s: claim %+v", path, claim)
		case claim.Other:
			coding[folder]++
			t.Logf("%s/%s: %s", folder, filepath.Base(path), claim.Dialect)
		case folder == "agents-md-coding":
			t.Logf("%s/%s: not told apart", folder, filepath.Base(path))
		}
	}
	for folder, n := range coding {
		if folder != "agents-md-coding" && folder != "agents-md" {
			t.Errorf("%d documents of %s are taken for files for coding agents", n, folder)
		}
	}
	for _, folder := range []string{"agents-md", "agents-md-coding"} {
		t.Logf("%s: %d documents, none claimed, %d for coding agents", folder, all[folder], coding[folder])
		if all[folder] == 0 {
			t.Errorf("no documents of %s", folder)
		}
	}
}
