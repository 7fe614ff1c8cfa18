package aidiscovery_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/aidiscovery"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

const folder = "ai-discovery-endpoint"

// promised reports whether a document names the format, for a reader without knowledge of the
// format.
func promised(body []byte) bool {
	var doc struct {
		AIEndpoint any `json:"aiendpoint"`
	}
	return json.Unmarshal(body, &doc) == nil && doc.AIEndpoint != nil
}

func TestCorpus(t *testing.T) {
	found, usable, capabilities, params, unclear := 0, 0, 0, 0, 0
	paths := golden.Files(t, golden.Corpus(t, folder), "*.json")
	for _, path := range paths {
		in := document(t, golden.Read(t, path))
		claim := aidiscovery.Format().Match(in)
		if want := promised(in.Body); (claim.Level == parse.Exact) != want {
			t.Errorf("%s: claim %+v, want exact %t", path, claim, want)
		}
		if claim.Level == parse.None {
			t.Logf("%s: another document", filepath.Base(path))
			continue
		}
		found++
		r := read(t, in)
		if r.Unusable != "" {
			t.Errorf("%s: unusable: %s; %v", path, r.Unusable, lines(r.Diagnostics))
			continue
		}
		usable++
		for _, c := range r.Services[0].Capabilities {
			capabilities++
			if err := c.Check(); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			for _, p := range c.Params {
				params++
				if p.Type == "" && p.Raw != "" || p.Required == nil {
					unclear++
					t.Errorf("%s: %s: %+v", path, c.ID, p)
				}
			}
		}
		t.Logf("%s: %d diagnostics", filepath.Base(path), len(r.Diagnostics))
	}
	t.Logf("%d documents, %d recognised, %d usable, %d capabilities, %d parameters of which %d are unclear",
		len(paths), found, usable, capabilities, params, unclear)
	if usable == 0 || params == 0 {
		t.Error("nothing usable")
	}
}

// No published document of another format is claimed.
func TestCorpusOthers(t *testing.T) {
	golden.Others(t, func(body []byte) parse.Claim { return aidiscovery.Format().Match(document(t, body)) }, folder)
}
