package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The lists fit the code: each text that an entry replaces occurs once, and each test exists.
// Otherwise an entry would only be noticed as broken in the long run that tries all of them.
func TestTheListsFitTheCode(t *testing.T) {
	t.Chdir("../..")
	files, err := filepath.Glob(".ci/mutants/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d lists: %v", len(files), err)
	}
	all, err := readLists(files, regexp.MustCompile(""))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{} // the test files of a package
	for _, m := range all {
		if _, err := m.apply(); err != nil {
			t.Errorf("%s: %q: %v", m.place, m.name, err)
		}
		dir := filepath.Join(m.module, m.pkg)
		if _, known := tests[dir]; !known {
			tests[dir] = testFiles(t, dir)
		}
		name, _, _ := strings.Cut(strings.Trim(m.tests, "^$"), "/")
		if !regexp.MustCompile(`(?m)^func ` + strings.Trim(name, "^$") + `\b`).MatchString(tests[dir]) {
			t.Errorf("%s: %q: there is no test %s in %s", m.place, m.name, m.tests, dir)
		}
	}
}

func testFiles(t *testing.T, dir string) string {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	var all strings.Builder
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}
