package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// module is a module with a package, and a module of its own that imports it.
var module = map[string]string{
	"go.mod": "module fake\n\ngo 1.26\n",
	"limit/limit.go": `package limit

// Max is a limit.
const Max = 3

// Allow says whether n is allowed.
func Allow(n int) bool {
	if n > Max {
		return false
	}
	return n > 0
}
`,
	"limit/limit_test.go": `package limit

import "testing"

func TestFour(t *testing.T) {
	if Allow(4) {
		t.Error("four is allowed")
	}
}

func TestThree(t *testing.T) {
	t.Run("allowed", func(t *testing.T) {
		if !Allow(3) {
			t.Error("three is not allowed")
		}
	})
}

func TestFails(t *testing.T) { t.Error("always") }

func TestSkips(t *testing.T) { t.Skip("no server here") }

func TestHangs(t *testing.T) {
	for Allow(4) {
	}
}
`,
	"none/none.go": "package none\n",
	"own/go.mod":   "module own\n\ngo 1.26\n\nrequire fake v0.0.0\n\nreplace fake => ..\n",
	"own/own_test.go": `package own

import (
	"testing"

	"fake/limit"
)

func TestOwn(t *testing.T) {
	if limit.Allow(4) {
		t.Error("four is allowed")
	}
}
`,
}

// fakeModule changes to that module.
func fakeModule(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("GOFLAGS", "-buildvcs=false -vet=off")
	for name, text := range module {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const (
	head = "# words\n\n== first: a limit\nfile limit/limit.go\n"
	four = head + "test ./limit ^TestFour$\n"
	more = "- n > Max\n+ n > Max+1\n"
)

func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a test binary for each row")
	}
	fakeModule(t)
	survivor := head + "test ./limit ^TestThree$\n" + more
	tests := []struct{ name, list, err, out string }{
		{"killed", four + more, "", "1 killed, 0 survived, 0 broken\n"},
		{"several lines", four + "- \tif n > Max {\n- \t\treturn false\n- \t}\n+ \t_ = Max\n", "", "1 killed"},
		{"a text that is removed", four + "- \tif n > Max {\n- \t\treturn false\n- \t}\n+\n", "", "1 killed"},
		{"two changes", head + "test ./limit ^TestThree$/^allowed$\n- = 3\n+ = 2\n- n > 0\n+ n > 2\n", "", "1 killed"},
		{"a module of its own", head + "test -C own . ^TestOwn$\n" + more, "", "1 killed"},
		{"survives", survivor, "1 of 1 entries", "0 killed, 1 survived, 0 broken\n"},
		{"survives among others", strings.Replace(survivor, "first:", "second:", 1) + "\n" + four + more, "1 of 2 entries", "SURVIVED second: a limit"},
		{"text that is not there", four + "- n > Min\n+ false\n", "1 of 1 entries", `list:3: 0 places in limit/limit.go contain the text "n > Min"`},
		{"text that is there twice", four + "- Max\n+ Min\n", "1 of 1 entries", `places in limit/limit.go contain the text "Max", want one`},
		{"a file that is not there", "== first:\nfile limit/none.go\ntest ./limit ^TestFour$\n" + more, "1 of 1 entries", "none.go"},
		{"code that does not compile", four + "- n > Max\n+ n > Min\n", "1 of 1 entries", "undefined: Min"},
		{"a test that is not there", head + "test ./limit ^TestFive$\n" + more, "1 of 1 entries", "no test with this name runs and passes"},
		{"a subtest that is not there", head + "test ./limit ^TestThree$/^denied$\n" + more, "1 of 1 entries", "no test with this name runs and passes"},
		{"a test that is skipped", head + "test ./limit ^TestSkips$\n" + more, "1 of 1 entries", "no test with this name runs and passes"},
		{"a test that always fails", head + "test ./limit ^TestFails$\n" + more, "1 of 1 entries", "the test does not pass without the fault"},
		{"a test that hangs", head + "test ./limit ^TestHangs$\n" + more, "1 of 1 entries", "the test does not fail"},
		{"a package without tests", head + "test ./none ^TestFour$\n" + more, "1 of 1 entries", "./none has no tests"},
		{"a package that is not there", head + "test ./nowhere ^TestFour$\n" + more, "1 of 1 entries", "./nowhere does not build"},
		{"nothing", "# words\n", "there is no entry to try", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { check(t, tt.list, tt.err, tt.out) })
	}
}

// TestBrokenLists: no entry of such a list is tried.
func TestBrokenLists(t *testing.T) {
	fakeModule(t)
	tests := []struct{ name, list, err string }{
		{"the same name twice", four + more + "\n" + four + more, `list:11: "first: a limit" is also in list:3`},
		{"no test", head + more, `list:3: "first: a limit" has no test`},
		{"no change", four, "has no change"},
		{"no file", "== first:\ntest ./limit ^TestFour$\n" + more, "has a change without a file"},
		{"no old text", four + "- \n+ x\n", "without a text that changes"},
		{"the same text", four + "- n > Max\n+ n > Max\n", "without a text that changes"},
		{"new text without an old one", four + "+ n > Max\n", `list:6: "+ n > Max" is not allowed here`},
		{"an unknown word", four + "why because\n", `"why because" is not allowed here`},
		{"no entry", "file limit/limit.go\n", "comes before the first entry"},
		{"no pattern", head + "test ./limit\n", `"./limit" is not a package such as ./cache and a pattern`},
		{"no package", head + "test limit ^TestFour$\n", "is not a package such as ./cache and a pattern"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { check(t, tt.list, tt.err, "") })
	}
}

// check runs a list and compares the error and a part of the output.
func check(t *testing.T, list, wantError, want string) {
	t.Helper()
	if err := os.WriteFile("list", []byte(list), 0o644); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err := run(t.Context(), &out, []string{"list"}, options{only: regexp.MustCompile(""), time: 2 * time.Second, atOnce: 2})
	got := ""
	if err != nil {
		got = err.Error()
	}
	if !strings.Contains(got, wantError) || (wantError == "") != (err == nil) {
		t.Errorf("error %q, want %q\n%s", got, wantError, out.String())
	}
	if !strings.Contains(out.String(), want) {
		t.Errorf("printed:\n%s\nwant %q in it", out.String(), want)
	}
}

func TestOnlyMatchingNamesAreTried(t *testing.T) {
	fakeModule(t)
	broken := strings.Replace(head, "first:", "second:", 1) + "test ./limit ^TestFails$\n" + more
	if err := os.WriteFile("list", []byte(four+more+broken), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := start("^first:", []string{"list"}, options{time: time.Minute, atOnce: 1}); err != nil {
		t.Error(err)
	}
}
