// Package golden finds files for tests and compares results with them: test data that many
// packages share (vectors, a corpus of documents, API descriptions), and golden files next to the
// tests. Only tests import it.
//
// What other people publish lies outside of the module, in the shared folders. Tests at their full
// size read it. In their short form, and in a clone with nothing beside it, they read the samples,
// which are written for this module, have the same layout, and contain a few valid and broken rows
// and documents of each kind. A rule applies to both. A number of documents, or a table of results, belongs to the
// published data alone: see [Published] and [Least].
//
// If the samples have no such file, the test is skipped and names it. If a shared folder exists but
// the requested files do not, the test fails, so that no test passes with an empty set.
package golden

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// Module is the module path in the go.mod that [Root] looks for.
const Module = "github.com/wayfindhq/wayfind"

// These environment variables set the folders of shared test data. A relative path begins at
// the module root.
const (
	EnvVectors = "WAYFIND_VECTORS" // default ../shared/vectors
	EnvCorpus  = "WAYFIND_CORPUS"  // default ../shared/corpus
	EnvAPIs    = "WAYFIND_APIS"    // default ../shared/apis
	EnvField   = "WAYFIND_FIELD"   // default ../shared/field
	EnvWeb     = "WAYFIND_WEB"     // default ../shared/web
)

var update = flag.Bool("update", false, "rewrite the golden files instead of comparing with them")

// Updating reports whether the tests run with -update.
func Updating() bool { return *update }

// Vectors returns the path of a file or folder in the shared vectors, or in the samples of them.
func Vectors(t testing.TB, elem ...string) string {
	t.Helper()
	return shared(t, EnvVectors, elem)
}

// Corpus returns the path of a file or folder in the shared corpus of documents, or in the samples
// of it.
func Corpus(t testing.TB, elem ...string) string {
	t.Helper()
	return shared(t, EnvCorpus, elem)
}

// APIs returns the path of an API description in the shared folder, or of one that [SampleAPIs] names.
func APIs(t testing.TB, elem ...string) string {
	t.Helper()
	return shared(t, EnvAPIs, elem)
}

// Field returns the path of a file or folder in the shared collection of what sites publish beside
// the corpus, or in the samples of it.
func Field(t testing.TB, elem ...string) string {
	t.Helper()
	return shared(t, EnvField, elem)
}

// Web returns the path of a file or folder in the shared set-ups of hosting, or in the samples of
// them.
func Web(t testing.TB, elem ...string) string {
	t.Helper()
	return shared(t, EnvWeb, elem)
}

// Published reports whether tests read the folder of a variable: if it is there, and they run at
// their full size ([testkit.RunLong]). If not, they read the samples. The set-ups of hosting have one
// size: their folder is read if it is there.
func Published(t testing.TB, env string) bool {
	t.Helper()
	if env != EnvWeb && !slices.Contains([]string{"1", testkit.Everything}, os.Getenv(testkit.RunLong)) {
		return false
	}
	_, err := os.Stat(folder(t, env))
	return !errors.Is(err, fs.ErrNotExist)
}

// Least returns a number of documents or rows that the published data has at least. The samples
// have at least one.
func Least(t testing.TB, env string, n int) int {
	t.Helper()
	if Published(t, env) {
		return n
	}
	return 1
}

// name returns the name of the folder of a variable.
func name(env string) string {
	return map[string]string{EnvVectors: "vectors", EnvCorpus: "corpus", EnvAPIs: "apis", EnvField: "field", EnvWeb: "web"}[env]
}

func folder(t testing.TB, env string) string {
	t.Helper()
	dir := cmp.Or(os.Getenv(env), filepath.Join("..", "shared", name(env)))
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(Root(t), dir)
	}
	return dir
}

func shared(t testing.TB, env string, elem []string) string {
	t.Helper()
	dir, published := folder(t, env), Published(t, env)
	if !published {
		dir = samples(t, env)
	}
	path := filepath.Join(append([]string{dir}, elem...)...)
	info, err := os.Stat(path)
	switch {
	case err != nil && !published:
		t.Skipf("neither %s nor a sample of %s (set %s)", folder(t, env), filepath.Join(append([]string{name(env)}, elem...)...), env)
	case err != nil:
		t.Fatalf("shared test data incomplete: %v", err)
	case info.IsDir() && len(entries(t, path)) == 0:
		t.Fatalf("shared test data incomplete: folder %s is empty", path)
	}
	return path
}

// samples returns the folder of the samples of a variable. Those of API descriptions are written
// once for each test, because they are large.
func samples(t testing.TB, env string) string {
	t.Helper()
	if env == EnvAPIs {
		return writtenAPIs(t)
	}
	return filepath.Join(Root(t), "internal", "lab", "golden", "samples", name(env))
}

func entries(t testing.TB, dir string) []os.DirEntry {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatalf("cannot read test data: %v", err)
	}
	return list
}

// Files returns the paths of all files below dir, at any depth and in lexical order, whose base
// name matches pattern ([filepath.Match]). It fails the test if there are none.
func Files(t testing.TB, dir, pattern string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		ok, err := filepath.Match(pattern, d.Name())
		if ok {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatalf("looking for %s in %s: %v", pattern, dir, err)
	}
	if len(found) == 0 {
		t.Fatalf("no file %s in %s", pattern, dir)
	}
	return found
}

// Read returns the content of a file, or fails the test.
func Read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("cannot read test data: %v", err)
	}
	return b
}

// Compare compares got with the golden file at path, which is relative to the package under
// test, and reports a difference as an error of the test. With -update it writes got to the
// file instead.
func Compare(t testing.TB, got []byte, path string) {
	t.Helper()
	if *update {
		write(t, got, path)
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("no golden file (run the test with -update to write it): %v", err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs (-want +got; -update rewrites it):\n%s", path, Diff(want, got))
	}
}

// Diff returns the lines in which two texts differ, or "" if they are equal.
func Diff(want, got []byte) string {
	if bytes.Equal(want, got) {
		return ""
	}
	return gocmp.Diff(strings.SplitAfter(string(want), "\n"), strings.SplitAfter(string(got), "\n"))
}

func write(t testing.TB, got []byte, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatalf("cannot update a golden file: %v", err)
	}
	if err := os.WriteFile(path, got, 0o644); err != nil {
		t.Fatalf("cannot update a golden file: %v", err)
	}
	t.Logf("wrote %s", path)
}

// Root returns the absolute path of the module root: the nearest folder at or above the working
// directory with a go.mod for [Module]. It skips nested modules, such as the examples.
func Root(t testing.TB) string {
	t.Helper()
	start, err := os.Getwd()
	if err != nil {
		t.Fatalf("looking for the module root: %v", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if isRoot(dir) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatalf("no go.mod of %s at or above %s", Module, start)
		}
	}
}

func isRoot(dir string) bool {
	b, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(b)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			return strings.Trim(strings.TrimSpace(name), `"`) == Module
		}
	}
	return false
}

// Documents returns the paths of the documents in the corpus, except in the given folders. The
// folder is the parent of a document. It fails the test if there are no documents.
func Documents(t testing.TB, without ...string) []string {
	t.Helper()
	root := Corpus(t)
	var paths []string
	for _, path := range Files(t, root, "*") {
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		if folder != "." && !slices.Contains(without, folder) {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		t.Fatalf("%s has no documents outside %q", root, without)
	}
	return paths
}

// Known returns the base names of the files that a list explains, in order.
func Known(list map[string]string, paths []string) []string {
	var found []string
	for _, path := range paths {
		if _, ok := list[filepath.Base(path)]; ok {
			found = append(found, filepath.Base(path))
		}
	}
	return found
}

// Others fails the test for each document of the corpus that a format claims, except in the
// format's own folders. A claim is any value other than zero.
func Others[C comparable](t testing.TB, claim func(body []byte) C, own ...string) {
	t.Helper()
	paths := Documents(t, own...)
	for _, path := range paths {
		if c := claim(Read(t, path)); c != *new(C) {
			t.Errorf("%s: claim %+v", path, c)
		}
	}
	t.Logf("%d documents of other formats", len(paths))
}
