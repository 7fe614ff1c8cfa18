package openapi

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/internal/formats/openapi"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

// ours returns the IDs that this module reads, sorted.
func ours(t *testing.T, body []byte) (ids []string, err error) {
	t.Helper()
	u := &url.URL{Scheme: "https", Host: "shop.example", Path: "/openapi"}
	r, err := openapi.Format().Parse(&parse.Input{URL: u, FinalURL: u, Body: body})
	if err != nil {
		return nil, err
	}
	for _, c := range r.Services[0].Capabilities {
		ids = append(ids, c.ID)
	}
	slices.Sort(ids)
	return ids, nil
}

// theirs returns the IDs that kin-openapi reads. It follows no reference out of the document.
func theirs(body []byte) (ids []string, err error) {
	loader := openapi3.NewLoader()
	loader.IsExternalRefsAllowed = false
	var doc *openapi3.T
	var version struct {
		Swagger string `json:"swagger"`
	}
	if json.Unmarshal(body, &version) == nil && version.Swagger != "" {
		var old openapi2.T
		if err := json.Unmarshal(body, &old); err != nil {
			return nil, err
		}
		doc, err = openapi2conv.ToV3(&old)
	} else {
		doc, err = loader.LoadFromData(body)
	}
	if err != nil {
		return nil, err
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if op.OperationID != "" {
				ids = append(ids, op.OperationID)
			} else {
				ids = append(ids, method+" "+path)
			}
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// onlyOurs returns the documents of the corpus that kin-openapi does not read, with the
// reasons.
func onlyOurs() map[string]string {
	const (
		external = "it refers to another document"
		required = "a schema has a boolean required, as drafts before 4 had it"
	)
	return map[string]string{
		"110kc3__seo__1.yaml":                                 external,
		"Universal-Commerce-Protocol__ucp__1.json":            external,
		"Universal-Commerce-Protocol__ucp__2.json":            external,
		"logankilpatrick__ChatGPT-Plugins-Collection__1.yaml": required,
		"microsoft__semantic-kernel__20.json":                 required,
		"openai__plugins-quickstart__1.yaml":                  required,
	}
}

// If kin-openapi reads a document of the corpus, both find the same operations. It reads no
// document that we do not read.
func TestSameOperations(t *testing.T) {
	both, alone := 0, 0
	for _, path := range golden.Files(t, golden.Corpus(t, "openapi"), "*") {
		name, body := filepath.Base(path), golden.Read(t, path)
		a, err := ours(t, body)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b, err := theirs(body)
		if (err != nil) != (onlyOurs()[name] != "") {
			t.Errorf("%s: kin-openapi says %.200v, want %q", name, err, onlyOurs()[name])
		}
		if err != nil {
			alone++
			continue
		}
		both++
		if diff := cmp.Diff(b, a); diff != "" {
			t.Errorf("%s (-kin-openapi +wayfind):\n%s", name, diff)
		}
	}
	t.Logf("%d documents read alike, %d by wayfind alone", both, alone)
	if both == 0 {
		t.Error("nothing was compared")
	}
}

// BenchmarkParse reads the largest document of the corpus.
func BenchmarkParse(b *testing.B) {
	var body []byte
	for _, path := range golden.Files(b, golden.Corpus(b, "openapi"), "*.json") {
		if text := golden.Read(b, path); len(text) > len(body) {
			body = text
		}
	}
	u := &url.URL{Scheme: "https", Host: "shop.example", Path: "/openapi"}
	for name, read := range map[string]func() error{
		"wayfind": func() error {
			_, err := openapi.Format().Parse(&parse.Input{URL: u, FinalURL: u, Body: body})
			return err
		},
		"encoding-json": func() error { var v any; return json.Unmarshal(body, &v) },
		"kin-openapi":   func() error { _, err := openapi3.NewLoader().LoadFromData(body); return err },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if err := read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
