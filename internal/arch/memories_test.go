package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// memories are stored by host or origin. docs/SECURITY.md names the parties that may write
// each, and the test that shows that another site cannot.
var memories = []string{
	"pauses", "pauses of led requests", "back-off", "pauses of formats", "absences that must be kept", "stored answers",
	"the canary's answer", "stored answers, cut", "failures", "`robots.txt`", "live answers", "rates in a batch",
	"rates and turns of a crawl", "HTTP version", "client certificates",
}

func TestEachHostMemoryNamesATestThatExists(t *testing.T) {
	page, err := os.ReadFile("../../docs/SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, ok := strings.Cut(string(page), "## Who may write the memory of a host\n")
	if !ok {
		t.Fatal("docs/SECURITY.md has no table of memories")
	}
	part, _, _ = strings.Cut(part, "\n## ")
	tests := namesOfTests(t)
	var rows []string
	for _, row := range regexp.MustCompile(`(?m)^\| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$`).FindAllStringSubmatch(part, -1)[1:] {
		if strings.HasPrefix(row[1], "-") {
			continue
		}
		rows = append(rows, row[1])
		named := regexp.MustCompile("Test[A-Za-z0-9_]+").FindAllString(row[4], -1)
		if len(named) == 0 && !strings.HasPrefix(row[4], "no test yet") {
			t.Errorf("%s: no test", row[1])
		}
		for _, name := range named {
			if !tests[name] {
				t.Errorf("%s: there is no %s", row[1], name)
			}
		}
	}
	if !slices.Equal(rows, memories) {
		t.Errorf("rows %q, want %q", rows, memories)
	}
}

// namesOfTests returns the names of all tests of the module.
func namesOfTests(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	test := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	err := filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range test.FindAllSubmatch(text, -1) {
			names[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
