package awp_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/awp"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

// promised reports whether a document names the format and lists actions, for a reader without
// knowledge of the format.
func promised(body []byte) (actions int, ok bool) {
	var doc struct {
		Version string            `json:"awp_version"`
		Actions []json.RawMessage `json:"actions"`
	}
	err := json.Unmarshal(body, &doc)
	return len(doc.Actions), err == nil && doc.Version != ""
}

func TestCorpusDocuments(t *testing.T) {
	found, usable, diagnostics := 0, 0, 0
	paths := golden.Files(t, golden.Corpus(t, "agent-web-protocol"), "*.json")
	for _, path := range paths {
		body := golden.Read(t, path)
		in := document(t, body)
		claim := awp.Format().Match(in)
		actions, want := promised(body)
		if (claim.Level == parse.Exact) != want {
			t.Errorf("%s: claim %+v, want exact %t", path, claim, want)
		}
		if claim.Level == parse.None {
			t.Logf("%s: not a document of the protocol", filepath.Base(path))
			continue
		}
		found++
		r := read(t, in)
		diagnostics += len(r.Diagnostics)
		t.Logf("%s: %v", filepath.Base(path), lines(r.Diagnostics))
		if r.Unusable != "" || len(formattest.IDs(r)) != actions {
			t.Errorf("%s: unusable %q, %d of %d actions", path, r.Unusable, len(formattest.IDs(r)), actions)
			continue
		}
		usable++
		for i := range r.Services[0].Capabilities {
			if c := &r.Services[0].Capabilities[i]; c.Check() != nil || c.Effects == nil {
				t.Errorf("%s: %s: %v", path, c.ID, c.Check())
			}
		}
	}
	t.Logf("%d documents, %d recognised, %d usable, %d diagnostics", len(paths), found, usable, diagnostics)
	if usable == 0 {
		t.Error("no usable document")
	}
}

// No document of another format is claimed. Cards of agents are recognised as cards, and
// nothing else is.
func TestCorpusOthers(t *testing.T) {
	others, cards := golden.Documents(t, "agent-web-protocol"), map[string]int{}
	for _, path := range others {
		folder := filepath.Base(filepath.Dir(path))
		claim := awp.Format().Match(document(t, golden.Read(t, path)))
		if claim.Level != parse.None || claim.Other && (claim.Dialect != "a2a" || folder != "a2a-agent-card") {
			t.Errorf("%s: claim %+v", path, claim)
		}
		if claim.Other {
			cards[folder]++
		}
	}
	if cards["a2a-agent-card"] == 0 {
		t.Errorf("%d documents of other formats, cards %v", len(others), cards)
	}
	t.Logf("%d documents of other formats, recognised as another kind: %v", len(others), cards)
}
