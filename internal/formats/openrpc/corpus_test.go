package openrpc_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/internal/formats/openrpc"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

// empty returns the documents of the corpus without callable methods, with the reasons. They
// are found, with the information about themselves.
func empty() map[string]string {
	return map[string]string{
		"open-rpc__examples__2.json":             "its methods are empty",
		"starkware-libs__starknet-specs__3.json": "its methods are empty: it is there for others to refer to",
		"empty.json":                             "its methods are empty",
	}
}

// promised returns the names of methods as a reader without knowledge of the format sees them.
func promised(t *testing.T, body []byte) []string {
	t.Helper()
	var doc struct {
		Methods []struct{ Name string }
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range doc.Methods {
		names = append(names, m.Name)
	}
	return names
}

func TestCorpusDocuments(t *testing.T) {
	usable, methods, lazy, said := 0, 0, 0, map[string]int{}
	paths := golden.Files(t, golden.Corpus(t, "openrpc"), "*")
	for _, path := range paths {
		name, body := filepath.Base(path), golden.Read(t, path)
		in := document(t, body)
		if claim := openrpc.Format().Match(in); claim != (parse.Claim{Level: parse.Exact}) {
			t.Errorf("%s: claim %+v", name, claim)
		}
		r := read(t, in)
		if r.Unusable != "" {
			t.Errorf("%s: unusable %q", name, r.Unusable)
		}
		if (len(r.Services[0].Capabilities) == 0) != (empty()[name] != "") {
			t.Errorf("%s: %d methods, want none: %q", name, len(r.Services[0].Capabilities), empty()[name])
		}
		if r.Unusable == "" {
			usable++
		}
		var names []string
		for _, c := range r.Services[0].Capabilities {
			names = append(names, c.ID)
			if c.Lazy {
				lazy++
			}
			d, err := openrpc.Format().Detail(in, parse.Subject{Capability: &c})
			if err != nil {
				t.Errorf("%s: %s: %v", name, c.ID, err)
				continue
			}
			full := d.Services[0].Capabilities[0]
			if diff := cmp.Diff(c, full); diff != "" && !c.Lazy {
				t.Errorf("%s: %s: the detail says something else (-list +detail):\n%s", name, c.ID, diff)
			}
			if full.Output == nil && full.Extensions["notification"] == nil {
				t.Errorf("%s: %s: no output", name, c.ID)
			}
		}
		if diff := cmp.Diff(promised(t, body), names); diff != "" {
			t.Errorf("%s: methods (-want +got):\n%s", name, diff)
		}
		for _, d := range r.Diagnostics {
			said[d.Code]++
		}
		methods += len(names)
	}
	t.Logf("%d documents, all recognised, %d usable, %d methods, %d of them lazy, diagnostics %v", len(paths), usable, methods, lazy, said)
}

// No published document of another format is claimed.
func TestCorpusOthers(t *testing.T) {
	golden.Others(t, func(body []byte) parse.Claim { return openrpc.Format().Match(document(t, body)) }, "openrpc")
}
