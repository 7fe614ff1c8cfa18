package bulk

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/crawl"
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
