package testkit

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// RunExpected is the environment variable that, with the value "1", runs the listed tests. The
// CI step "expected" sets it.
const RunExpected = "WAYFIND_EXPECTED"

// ExpectedFailure marks a test that shows a known fault. It skips a test that is listed in
// .ci/expected-failures, and names the issue that will resolve the fault. A test that is not
// listed runs, and so does each test if [RunExpected] is "1". Call it first in a top-level
// test.
func ExpectedFailure(t *testing.T) {
	t.Helper()
	if os.Getenv(RunExpected) == "1" {
		return
	}
	name, _, _ := strings.Cut(t.Name(), "/")
	if issue, listed := expectedFailures(t)[name]; listed {
		t.Skipf("expected to fail until issue %s", issue)
	}
}

// expectedFailures returns the issues of the listed tests by the name of the test.
func expectedFailures(t *testing.T) map[string]string {
	t.Helper()
	path := expectedList(t)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	issues := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(b))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) != 3 {
			t.Fatalf("%s: %q is not a name, an issue and a package", path, line)
		}
		issues[fields[0]] = fields[1]
	}
	return issues
}

// expectedList returns the path of the list below the module root.
func expectedList(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		path := filepath.Join(dir, ".ci", "expected-failures")
		if _, err := os.Stat(path); err == nil {
			return path
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("there is no .ci/expected-failures above this package")
		}
		dir = parent
	}
}
