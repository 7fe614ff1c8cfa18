package golden_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// recorder is a testing.TB that records how it was ended instead of ending the test, so that
// Fatal, Skip and Error of the tested code can be checked.
type recorder struct {
	testing.TB
	ended string
}

type end struct{}

func (r *recorder) Helper()             {}
func (r *recorder) Logf(string, ...any) {}
func (r *recorder) Fatalf(f string, a ...any) {
	r.ended = "fatal"
	panic(end{})
}
func (r *recorder) Skipf(f string, a ...any) {
	r.ended = "skip"
	panic(end{})
}
func (r *recorder) Errorf(f string, a ...any) { r.ended = "error" }

// outcome runs f and returns how it ended, or "" if it returned without a message.
func outcome(t *testing.T, f func(testing.TB)) string {
	t.Helper()
	r := &recorder{TB: t}
	func() {
		defer func() {
			if v := recover(); v != nil && v != any(end{}) {
				panic(fmt.Sprint("unexpected: ", v))
			}
		}()
		f(r)
	}()
	return r.ended
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestSharedData(t *testing.T) {
	t.Setenv(testkit.RunLong, "1")
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "json", "a.json"), "{}")
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, folder string
		elem         []string
		want         string
	}{
		{"file", dir, []string{"json", "a.json"}, ""},
		{"folder", dir, []string{"json"}, ""},
		{"missing file", dir, []string{"json", "b.json"}, "fatal"},
		{"empty folder", dir, []string{"empty"}, "fatal"},
		{"absent", filepath.Join(dir, "absent"), []string{"no such sample"}, "skip"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(golden.EnvVectors, tt.folder)
			t.Setenv(golden.EnvCorpus, tt.folder)
			for _, find := range []func(testing.TB, ...string) string{golden.Vectors, golden.Corpus} {
				var path string
				if got := outcome(t, func(tb testing.TB) { path = find(tb, tt.elem...) }); got != tt.want {
					t.Errorf("ended %q, want %q", got, tt.want)
				}
				if want := filepath.Join(append([]string{tt.folder}, tt.elem...)...); tt.want == "" && path != want {
					t.Errorf("path %s, want %s", path, want)
				}
			}
		})
	}
}

func TestSharedDataRelativeToModuleRoot(t *testing.T) {
	t.Setenv(testkit.RunLong, "1")
	t.Setenv(golden.EnvVectors, filepath.Join("internal", "lab", "golden"))
	want := filepath.Join(golden.Root(t), "internal", "lab", "golden", "golden.go")
	if got := golden.Vectors(t, "golden.go"); got != want {
		t.Errorf("Vectors = %s, want %s", got, want)
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.json", "a.json", "sub/c.json", "d.txt"} {
		writeFile(t, filepath.Join(dir, name), "x")
	}
	want := []string{filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json"), filepath.Join(dir, "sub", "c.json")}
	if diff := cmp.Diff(want, golden.Files(t, dir, "*.json")); diff != "" {
		t.Errorf("Files (-want +got):\n%s", diff)
	}
	for name, f := range map[string]func(testing.TB){
		"none":        func(tb testing.TB) { golden.Files(tb, dir, "*.yaml") },
		"no folder":   func(tb testing.TB) { golden.Files(tb, filepath.Join(dir, "absent"), "*") },
		"bad pattern": func(tb testing.TB) { golden.Files(tb, dir, "[") },
		"no file":     func(tb testing.TB) { golden.Read(tb, filepath.Join(dir, "absent")) },
	} {
		if got := outcome(t, f); got != "fatal" {
			t.Errorf("%s: ended %q, want fatal", name, got)
		}
	}
}

func TestCompare(t *testing.T) {
	if golden.Updating() {
		t.Skip("holds the comparison, which -update turns off")
	}
	path := filepath.Join(t.TempDir(), "x.golden")
	writeFile(t, path, "one\ntwo\n")
	for _, tt := range []struct{ got, path, want string }{
		{"one\ntwo\n", path, ""},
		{"one\nthree\n", path, "error"},
		{"one\n", path + ".absent", "fatal"},
	} {
		if got := outcome(t, func(tb testing.TB) { golden.Compare(tb, []byte(tt.got), tt.path) }); got != tt.want {
			t.Errorf("Compare(%q): ended %q, want %q", tt.got, got, tt.want)
		}
	}
}

func TestRoot(t *testing.T) {
	root := golden.Root(t)
	if _, err := os.Stat(filepath.Join(root, "internal", "lab", "golden", "golden.go")); err != nil {
		t.Errorf("Root = %s, which does not hold this package: %v", root, err)
	}
	nested := filepath.Join(t.TempDir(), "examples", "one")
	writeFile(t, filepath.Join(nested, "go.mod"), "module example.com/one\n")
	writeFile(t, filepath.Join(nested, "..", "..", "go.mod"), "module \""+golden.Module+"\"\n\ngo 1.26\n")
	t.Chdir(nested)
	want, err := filepath.EvalSymlinks(filepath.Join(nested, "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if got := golden.Root(t); got != want {
		t.Errorf("Root = %s, want %s", got, want)
	}
	t.Chdir(t.TempDir())
	if got := outcome(t, func(tb testing.TB) { golden.Root(tb) }); got != "fatal" {
		t.Errorf("outside of the module: ended %q, want fatal", got)
	}
}

func TestOthers(t *testing.T) {
	t.Setenv(testkit.RunLong, "1")
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a", "1.json"), "mine")
	writeFile(t, filepath.Join(dir, "b", "2.json"), "theirs")
	t.Setenv(golden.EnvCorpus, dir)
	for claimed, want := range map[string]string{"theirs": "error", "mine": ""} {
		if got := outcome(t, func(tb testing.TB) {
			golden.Others(tb, func(body []byte) bool { return string(body) == claimed }, "a")
		}); got != want {
			t.Errorf("%q is claimed: ended %q, want %q", claimed, got, want)
		}
	}
}

func TestArchivesInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, filepath.Join("testdata", "a.txtar"), "-- x.json --\n{}\n-- x.json.want --\n1\n")
	writeFile(t, filepath.Join("testdata", "b.txtar"), "note\n-- y --\ny\n")
	var names []string
	for _, f := range golden.Inputs(t) {
		names = append(names, f.Name+" "+string(f.Data))
	}
	if diff := cmp.Diff([]string{"a.txtar/x.json {}\n", "b.txtar/y y\n"}, names); diff != "" {
		t.Errorf("inputs (-want +got):\n%s", diff)
	}
	if got, want := string(golden.Text(t)), "-- x.json --\n{}\n-- x.json.want --\n1\nnote\n-- y --\ny\n"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}

func TestObject(t *testing.T) {
	type inner struct {
		A int    `json:"a"`
		B string `json:"b,omitempty"`
	}
	got := string(golden.Object(t, "z", "<1>", "none", nil, "text", "", "n", 0, "off", false, "list", []int{}, "nil", []int(nil), "map", map[string]int{},
		"a", []inner{{A: 0}}, "pointer", &inner{1, "x"}))
	want := `{
  "z": "<1>",
  "a": [
    {
      "a": 0
    }
  ],
  "pointer": {
    "a": 1,
    "b": "x"
  }
}
`
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := string(golden.Object(t)); got != "{}\n" {
		t.Errorf("nothing is %q", got)
	}
}

// Where a folder is absent, its samples take its place, and a file that they lack is named.
func TestSamplesTakeThePlaceOfAnAbsentFolder(t *testing.T) {
	t.Setenv(testkit.RunLong, "1")
	for _, env := range []string{golden.EnvVectors, golden.EnvCorpus, golden.EnvAPIs, golden.EnvWeb} {
		t.Setenv(env, filepath.Join(t.TempDir(), "absent"))
		if golden.Published(t, env) || golden.Least(t, env, 500) != 1 {
			t.Errorf("%s: an absent folder is taken for a published one", env)
		}
	}
	for name, find := range map[string]func(testing.TB) string{
		"tools/names.jsonl": func(tb testing.TB) string { return golden.Vectors(tb, "tools", "names.jsonl") },
		"openapi":           func(tb testing.TB) string { return golden.Corpus(tb, "openapi") },
		"setups.json":       func(tb testing.TB) string { return golden.Web(tb, "setups.json") },
		"orders.json":       func(tb testing.TB) string { return golden.APIs(tb, "orders.json") },
	} {
		var path string
		if got := outcome(t, func(tb testing.TB) { path = find(tb) }); got != "" {
			t.Fatalf("%s: ended %q", name, got)
		}
		if info, err := os.Stat(path); err != nil || !info.IsDir() && info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := outcome(t, func(tb testing.TB) { golden.Corpus(tb, "no-such-format") }); got != "skip" {
		t.Errorf("no such sample: ended %q, want skip", got)
	}
}

// In the short form the samples take the place of a folder that is there.
func TestTheShortFormReadsSamples(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "openapi", "theirs.json"), "{}")
	t.Setenv(golden.EnvCorpus, dir)
	for long, want := range map[string]bool{"1": true, "all": true, "": false} {
		t.Setenv(testkit.RunLong, long)
		if got := golden.Published(t, golden.EnvCorpus); got != want || want != strings.HasPrefix(golden.Corpus(t, "openapi"), dir) {
			t.Errorf("%s=%q: published %t, %s", testkit.RunLong, long, got, golden.Corpus(t, "openapi"))
		}
	}
}

func TestADescriptionHasAsManyOperationsAsAskedFor(t *testing.T) {
	for n := range 20 {
		got := 0
		for _, item := range golden.Description(n)["paths"].(map[string]any) {
			got += len(item.(map[string]any))
		}
		if got != n {
			t.Errorf("%d operations, want %d", got, n)
		}
	}
}
