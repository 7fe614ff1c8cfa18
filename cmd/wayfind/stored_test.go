package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
)

// TestStoredResults: a file of results of another version is neither read nor
// written on, and neither is one of anything else.
func TestStoredResults(t *testing.T) {
	const line = `{"schema":"wayfind/result/1","target":"a.example","line":1}` + "\n"
	for name, row := range map[string]struct{ text, want string }{
		"this one":         {line, ""},
		"newer":            {strings.Replace(line, "/1", "/2", 1), `line 1: the schema is "wayfind/result/2", and this version of wayfind reads "wayfind/result/1"`},
		"older":            {strings.Replace(line, "/1", "/0", 1), `the schema is "wayfind/result/0"`},
		"newer below":      {line + strings.Replace(line, "/1", "/2", 1), `line 2: the schema is "wayfind/result/2"`},
		"newer, cut off":   {`{"schema":"wayfind/result/2","tar`, "line 1: it is no result of a batch"},
		"without a schema": {`{"target":"a.example"}` + "\n", "line 1: it is no result"},
		"another schema":   {strings.Replace(line, "result", "site", 1), "line 1: it is no result"},
		"a number":         {`{"schema":1,"target":"a.example"}` + "\n", "line 1: it is no result"},
		"garbage":          {"\x00\xff\n", "line 1: it is no result"},
	} {
		file := filepath.Join(t.TempDir(), "results")
		if err := os.WriteFile(file, []byte(row.text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := crawl.OpenFile(file, resultsOf(&batchFlags{}))
		if err == nil {
			_ = r.Close()
		}
		checkStored(t, name, err, row.want)
		if after, _ := os.ReadFile(file); string(after) != row.text {
			t.Errorf("%s: the file holds %q", name, after)
		}
	}
}

// TestStoredSite: what diff reads is a Site of the version that it knows, or one
// that a Go program wrote.
func TestStoredSite(t *testing.T) {
	const site = `{"schema":"wayfind/site/1","origin":"https://a.example"}`
	bare, err := json.Marshal(wayfind.Site{Origin: "https://a.example"})
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct{ text, want string }{
		"this one":        {site, ""},
		"of a Go program": {string(bare), ""},
		"newer":           {strings.Replace(site, "/1", "/2", 1), `the schema is "wayfind/site/2", and this version of wayfind reads "wayfind/site/1"`},
		"older":           {strings.Replace(site, "/1", "/0", 1), `the schema is "wayfind/site/0"`},
		"another schema":  {strings.Replace(site, "/site/", "/detail/", 1), "it is no Site"},
		"a failure":       {`{"schema":"wayfind/error/1","error":{}}`, "it is no Site"},
		"a number":        {strings.Replace(site, `"wayfind/site/1"`, "1", 1), "line 1"},
		"two of them":     {site + "\n" + site, "line 2: there is more than one"},
		"garbage":         {"\x00\xff\n", "line 1"},
		"nothing":         {"", "line 1"},
	} {
		file := filepath.Join(t.TempDir(), "site.json")
		if err := os.WriteFile(file, []byte(row.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := document.ReadSite(file)
		checkStored(t, name, err, row.want)
	}
}

// checkStored compares the error of a file with the expected text, "" for no error.
func checkStored(t *testing.T, name string, err error, want string) {
	t.Helper()
	if want == "" && err == nil {
		return
	}
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok || e.Code != wayfind.CodeStored || !errors.Is(err, wayfind.ErrInvalid) || want == "" || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %q", name, err, want)
	}
}
