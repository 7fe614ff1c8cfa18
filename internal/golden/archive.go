package golden

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Archives runs the archives in testdata/*.txtar. Each holds documents and,
// behind each, in "<name>.want", what read makes of it. -update rewrites the
// latter.
func Archives(t *testing.T, read func(t *testing.T, archive *txtar.Archive, f txtar.File) []byte) {
	t.Helper()
	for _, path := range Files(t, "testdata", "*.txtar") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive := txtar.Parse(Read(t, path))
			want := map[string][]byte{}
			for _, f := range archive.Files {
				want[f.Name] = f.Data
			}
			updated := &txtar.Archive{Comment: archive.Comment}
			for _, f := range archive.Files {
				if strings.HasSuffix(f.Name, ".want") {
					continue
				}
				got := read(t, archive, f)
				updated.Files = append(updated.Files, f, txtar.File{Name: f.Name + ".want", Data: got})
				if diff := Diff(want[f.Name+".want"], got); diff != "" && !Updating() {
					t.Errorf("%s: reading differs (-want +got; -update rewrites it):\n%s", f.Name, diff)
				}
			}
			if Updating() {
				if err := os.WriteFile(path, txtar.Format(updated), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// JSON is a value as golden files show it: indented, with < and > as they are.
func JSON(t testing.TB, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
