package apicatalog_test

import (
	"path/filepath"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/apicatalog"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

// Each linkset of the corpus is read. It is usable if it has a URL without a placeholder. Lists
// of other kinds are named.
func TestCorpusDocuments(t *testing.T) {
	paths := golden.Files(t, golden.Corpus(t, "api-catalog"), "*.json")
	found, usable, foreign, services, followed, diagnostics := 0, 0, 0, 0, 0, map[string]int{}
	for _, path := range paths {
		in := document(t, golden.Read(t, path))
		claim := apicatalog.Format().Match(in)
		root, err := in.JSON()
		if linkset := err == nil && root.Get("linkset").Exists(); linkset != (claim.Level == parse.Exact) {
			t.Errorf("%s: claim %+v", filepath.Base(path), claim)
		}
		if claim.Other {
			foreign++
		}
		if claim.Level == parse.None {
			t.Logf("%s: not a linkset, %q", filepath.Base(path), claim.Dialect)
			continue
		}
		found++
		r := read(t, in)
		for _, d := range r.Diagnostics {
			diagnostics[d.Code]++
		}
		if r.Unusable == "" {
			usable++
		}
		services, followed = services+len(r.Services), followed+len(r.Links)
		t.Logf("%s: %d services, %d links, %v", filepath.Base(path), len(r.Services), len(r.Links), codes(r.Diagnostics))
	}
	t.Logf("%d documents, %d linksets, %d usable, %d foreign, %d services, %d links, diagnostics %v", len(paths), found, usable, foreign, services, followed, diagnostics)
	if usable < found-1 {
		t.Errorf("%d of %d linksets are of use", usable, found)
	}
}

// No published document of another format is claimed.
func TestCorpusOthers(t *testing.T) {
	golden.Others(t, func(body []byte) parse.Claim { return apicatalog.Format().Match(formattest.Input(t, "", "", body)) }, "api-catalog")
}
