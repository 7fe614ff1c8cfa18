package aiplugin_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/aiplugin"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

// unusable returns the documents of the corpus that are unusable, with the reasons.
func unusable() map[string]string {
	const placeholder = "api.url is a placeholder that nobody filled in"
	return map[string]string{
		"110kc3__seo__2.json":                                  placeholder,
		"ARC-Affiliates__codexo__1.json":                       "it has no api.url",
		"CBoon99__world-a__1.json":                             "it has no api",
		"logankilpatrick__ChatGPT-Plugins-Collection__1.json":  placeholder,
		"logankilpatrick__ChatGPT-Plugins-Collection__10.json": placeholder,
		"logankilpatrick__ChatGPT-Plugins-Collection__4.json":  placeholder,
		"Azure-Samples__openai-plugin-fastapi__1.json":         placeholder,
		"logankilpatrick__ChatGPT-Plugins-Collection__7.json":  placeholder,
		"logankilpatrick__ChatGPT-Plugins-Collection__9.json":  placeholder,
		"microsoft__semantic-kernel__4.json":                   "api.url is a file",
		"placeholder.json":                                     placeholder,
	}
}

func TestCorpusDocuments(t *testing.T) {
	found, usable, diagnostics := 0, 0, map[string]int{}
	paths := golden.Files(t, golden.Corpus(t, "ai-plugin"), "*.json")
	for _, path := range paths {
		name, body := filepath.Base(path), golden.Read(t, path)
		in := document(t, body)
		claim := aiplugin.Format().Match(in)
		var doc map[string]any
		sound := json.Unmarshal(body, &doc) == nil && doc["schema_version"] != nil && (doc["name_for_human"] != nil || doc["api"] != nil)
		if (claim.Level > parse.None) != sound || claim.Other {
			t.Errorf("%s: claim %+v, want %t", name, claim, sound)
		}
		if claim.Level == parse.None {
			t.Logf("%s: not a manifest", name)
			continue
		}
		found++
		r := read(t, in)
		for _, d := range r.Diagnostics {
			diagnostics[d.Code]++
		}
		if (r.Unusable != "") != (unusable()[name] != "") {
			t.Errorf("%s: unusable %q, want %q; %v", name, r.Unusable, unusable()[name], codes(r.Diagnostics))
		}
		if r.Unusable == "" {
			usable++
		}
	}
	t.Logf("%d documents, %d recognised, %d usable, diagnostics %v", len(paths), found, usable, diagnostics)
	if usable == 0 {
		t.Error("no usable document")
	}
}

// No published document of another format is claimed.
func TestCorpusOthers(t *testing.T) {
	golden.Others(t, func(body []byte) parse.Claim { return aiplugin.Format().Match(document(t, body)) }, "ai-plugin")
}
