package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// skipList has a reason for all runs, and two sections.
const skipList = `# words
no server here
== bare
no data
	./a TestData ./b TestSample
	./a TestMore/sub ./b TestSample
== no programs
redis is not installed
`

func skipFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "skips")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestSkipsOfASection(t *testing.T) {
	event := func(pkg, test, action, reason string) string {
		head := `{"Package":"` + module + "/" + pkg + `","Test":"` + test + `","Action":"`
		return head + `output","Output":"x_test.go:1: ` + reason + `\n"}` + "\n" + head + action + `"}` + "\n"
	}
	stated := event("b", "TestSample", "pass", "")
	ends := `{"Action":"pass","Package":"` + module + `/a"}` + "\n" + `{"Action":"pass","Package":"` + module + `/b"}` + "\n"
	data := event("a", "TestData", "skip", "no data")
	for _, tt := range []struct {
		name, in, sections string
		most               int
		err, out           string
	}{
		{"outside of it", data + stated, "", 9, "1 tests were skipped that must run here", "/a TestData: x_test.go:1: no data"},
		{"listed", data + stated, "bare", 9, "", ""},
		{"a subtest that is listed", event("a", "TestMore/sub", "skip", "no data") + stated, "bare", 9, "", ""},
		{"not listed", event("a", "TestOther", "skip", "no data") + stated, "bare", 9, "1 tests were skipped that must", "/a TestOther"},
		{"a subtest of a listed one", event("a", "TestData/x", "skip", "no data") + stated, "bare", 9, "1 tests were skipped that must", "/a TestData/x"},
		{"another reason", event("a", "TestData", "skip", "tired") + stated, "bare", 9, "1 tests were skipped that must", "tired"},
		{"the other test did not run", data + event("a", "TestX", "pass", ""), "bare", 9, "the rules of 1 skipped tests were not stated", "/a TestData was skipped, and " + module + "/b TestSample, which"},
		{"the other test was skipped", data + event("b", "TestSample", "skip", "no server here") + event("a", "TestX", "pass", ""), "bare", 9, "the rules of 1", "has not passed"},
		{"a program of another section", event("a", "TestX", "skip", "redis is not installed") + stated, "bare", 9, "1 tests were skipped that must", "redis"},
		{"a program", event("a", "TestX", "skip", "redis is not installed") + data + stated, "bare,no programs", 9, "", ""},
		{"for all runs", event("a", "TestX", "skip", "no server here") + stated, "bare", 1, "", ""},
		{"too many", event("a", "TestX", "skip", "no server here") + data + stated, "bare", 1, "2 tests were skipped, at most 1 may be", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			err := run(strings.NewReader(tt.in+ends), &out, skipFile(t, skipList), strings.Split(tt.sections, ","), tt.most, "")
			if got := message(err); !strings.Contains(got, tt.err) || (tt.err == "") != (err == nil) {
				t.Errorf("error %q, want %q", got, tt.err)
			}
			if !strings.Contains(out.String(), tt.out) {
				t.Errorf("printed:\n%s\nwant %q in it", out.String(), tt.out)
			}
		})
	}
}

func TestBrokenListsOfSkipsAreRefused(t *testing.T) {
	for list, want := range map[string]string{
		"(":                                 "missing closing )",
		"\t./a TestA ./b TestB\n":           "a test before the first reason",
		"no data\n\t./a TestA\n":            "is not a test and another test of its rule",
		"no data\n\t./a TestA b TestB\n":    "is not a package such as ./cache and a test",
		"no data\n\t./a Test A ./b TestB\n": "is not a test and another test of its rule",
	} {
		if _, err := readAllowed(skipFile(t, list)); !strings.Contains(message(err), want) {
			t.Errorf("%q: %v, want %q", list, err, want)
		}
	}
}

// The list names tests that exist: a test that was renamed or moved is found at once.
func TestTheListOfSkipsNamesTestsThatExist(t *testing.T) {
	root := filepath.Join("..", "..")
	list, err := readAllowed(filepath.Join(root, ".ci", "allowed-skips"), "bare", "no programs")
	if err != nil {
		t.Fatal(err)
	}
	declared := declares(t, root)
	for _, a := range list {
		for skipped, instead := range a.tests {
			for _, p := range []proof{skipped, instead} {
				if !declared(p) {
					t.Errorf("no test %s in .%s", p.test, strings.TrimPrefix(p.pkg, module))
				}
			}
		}
	}
}
