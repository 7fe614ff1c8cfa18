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

// Archives runs the archives in testdata/*.txtar. An archive contains documents and, after
// each, the result of read in "<name>.want". -update rewrites the results.
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
					t.Errorf("%s: the result differs (-want +got; -update rewrites it):\n%s", f.Name, diff)
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

// Inputs returns the documents of the archives in testdata/*.txtar, without the results. The
// name of a document begins with the name of its archive.
func Inputs(t testing.TB) []txtar.File {
	t.Helper()
	var list []txtar.File
	for _, path := range Files(t, "testdata", "*.txtar") {
		for _, f := range txtar.Parse(Read(t, path)).Files {
			if !strings.HasSuffix(f.Name, ".want") {
				list = append(list, txtar.File{Name: filepath.Base(path) + "/" + f.Name, Data: f.Data})
			}
		}
	}
	return list
}

// Text returns the archives in testdata/*.txtar, concatenated.
func Text(t testing.TB) []byte {
	t.Helper()
	var text []byte
	for _, path := range Files(t, "testdata", "*.txtar") {
		text = append(text, Read(t, path)...)
	}
	return text
}

// Object returns a JSON object for a golden file. members alternates names and values. Empty
// values (nil, "", 0, false, empty lists and objects) are omitted.
func Object(t testing.TB, members ...any) []byte {
	t.Helper()
	b := []byte("{")
	for i := 0; i < len(members); i += 2 {
		switch value := bytes.TrimSpace(JSON(t, members[i+1])); string(value) {
		case "null", `""`, "0", "false", "[]", "{}":
		default:
			if len(b) > 1 {
				b = append(b, ',')
			}
			b = append(append(append(b, JSON(t, members[i])...), ':'), value...)
		}
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, append(b, '}'), "", "  "); err != nil {
		t.Fatal(err)
	}
	return append(indented.Bytes(), '\n')
}

// JSON returns a value for a golden file: indented, without escapes for < and >.
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
