package openapi_test

import (
	"path/filepath"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/openapi"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

// empty returns the documents of the corpus without operations, with the reasons. They are
// found, with the information about themselves.
func empty() map[string]string {
	return map[string]string{"HennyMoneyAfric__hennymoneyafrica-__1.json": "its paths are empty", "empty.json": "its paths are empty"}
}

// likely returns the documents that are read although they do not name the format, with the
// reasons.
func likely() map[string]string {
	return map[string]string{"logankilpatrick__ChatGPT-Plugins-Collection__12.yaml": "it lacks its version", "versionless.yaml": "it lacks its version"}
}

func TestCorpusDocuments(t *testing.T) {
	found, usable, operations, diagnostics := 0, 0, 0, map[string]int{}
	paths := golden.Files(t, golden.Corpus(t, "openapi"), "*")
	for _, path := range paths {
		name := filepath.Base(path)
		in := document(t, golden.Read(t, path))
		claim := openapi.Format().Match(in)
		if want := likely()[name] == ""; (claim.Level == parse.Exact) != want || claim.Level == parse.None {
			t.Errorf("%s: claim %+v", name, claim)
		}
		found++
		r := read(t, in)
		count(diagnostics, r.Diagnostics)
		if r.Unusable != "" {
			t.Errorf("%s: unusable %q", name, r.Unusable)
			continue
		}
		if (len(r.Services[0].Capabilities) == 0) != (empty()[name] != "") {
			t.Errorf("%s: %d operations, want none: %q", name, len(r.Services[0].Capabilities), empty()[name])
		}
		usable++
		for _, c := range r.Services[0].Capabilities {
			d, err := openapi.Format().Detail(in, parse.Subject{Capability: &c})
			if err != nil {
				t.Errorf("%s: %s: %v", name, c.ID, err)
				continue
			}
			operations++
			count(diagnostics, d.Diagnostics)
			if got := d.Services[0].Capabilities[0]; got.Check() != nil {
				t.Errorf("%s: %s: %v", name, c.ID, got.Check())
			}
		}
	}
	t.Logf("%d documents, %d recognised, %d usable, %d operations read in full, diagnostics %v", len(paths), found, usable, operations, diagnostics)
	if usable == 0 {
		t.Error("no usable document")
	}
}

func count(into map[string]int, diags []wayfind.Diagnostic) {
	for _, d := range diags {
		into[d.Code]++
	}
}

// No published document of another format is claimed.
func TestCorpusOthers(t *testing.T) {
	golden.Others(t, func(body []byte) parse.Claim { return openapi.Format().Match(document(t, body)) }, "openapi")
}
