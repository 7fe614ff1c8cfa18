package document

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
)

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
		_, err := ReadSite(file)
		e, ok := errors.AsType[*wayfind.Error](err)
		if refused := ok && e.Code == wayfind.CodeStored && errors.Is(err, wayfind.ErrInvalid); row.want == "" && err != nil ||
			row.want != "" && (!refused || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
}
