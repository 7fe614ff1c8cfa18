package adp_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

// promised reports whether a document lists capabilities with detail URLs, for a reader without
// knowledge of the format.
func promised(body []byte) bool {
	var doc struct {
		Capabilities []struct {
			DetailURL string `json:"detail_url"`
		} `json:"capabilities"`
	}
	return json.Unmarshal(body, &doc) == nil && len(doc.Capabilities) > 0 && doc.Capabilities[0].DetailURL != ""
}

func TestCorpusManifests(t *testing.T) {
	found, usable := 0, 0
	paths := golden.Files(t, golden.Corpus(t, "agent-discovery-protocol"), "*.json")
	for _, path := range paths {
		body := golden.Read(t, path)
		in := document(body)
		claim := adp.Format().Match(in)
		if want := promised(body); (claim.Level == parse.Exact) != want {
			t.Errorf("%s: claim %+v, want exact %t", path, claim, want)
		}
		if claim.Level == parse.None {
			t.Logf("%s: not a manifest", filepath.Base(path))
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
			if c.DetailURLs == nil && r.Services[0].Interfaces[0].Template == "" {
				t.Errorf("%s: %s has no detail URL", path, c.ID)
			}
		}
	}
	t.Logf("%d documents, %d manifests, %d usable", len(paths), found, usable)
	if usable == 0 {
		t.Error("no usable manifest")
	}
}

func TestCorpusDetails(t *testing.T) {
	paths := golden.Files(t, golden.Corpus(t, "adp-capability-detail"), "*.json")
	service := read(t, manifest(t, nil)).Services[0]
	for _, path := range paths {
		in := document(golden.Read(t, path))
		want := parse.Claim{Level: parse.Likely, Dialect: parse.DialectDetail}
		if claim := adp.Format().Match(in); claim != want {
			t.Errorf("%s: claim %+v", path, claim)
		}
		alone, c := describe(t, in, parse.Subject{})
		if alone.Unusable != "" || c.Invocation != nil {
			t.Errorf("%s: alone: unusable %q, invocation %+v", path, alone.Unusable, c.Invocation)
		}
		r, c := describe(t, in, parse.Subject{Service: &service})
		if err := c.Check(); err != nil || len(c.Params) == 0 {
			t.Errorf("%s: %v; %d parameters; %v", path, err, len(c.Params), lines(r.Diagnostics))
		}
	}
	t.Logf("%d detail documents", len(paths))
}

// No published document of another format is claimed.
func TestCorpusOthers(t *testing.T) {
	others := golden.Documents(t, "agent-discovery-protocol", "adp-capability-detail")
	for _, path := range others {
		claim := adp.Format().Match(document(golden.Read(t, path)))
		if claim.Level != parse.None || claim.Other && claim.Dialect != "aid" {
			t.Errorf("%s: claim %+v", path, claim)
		}
		if claim.Other {
			t.Logf("%s: %s", path, claim.Dialect)
		}
	}
	t.Logf("%d documents of other formats", len(others))
}
