package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// catalogued writes a catalogue with this content.
func catalogued(t *testing.T, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestEachSentenceNeedsTestsThatPass(t *testing.T) {
	line := func(test, action string) string {
		return `{"Action":"` + action + `","Package":"` + module + `/a","Test":"` + test + `"}` + "\n"
	}
	const list = "# words\n\n== part\n\nOne holds.\n\t./a TestOne\n\t./a TestMore/sub\n\nTwo holds.\n\t./a TestTwo\n\t./a TestOne\n"
	sound := line("TestOne", "pass") + line("TestMore/sub", "pass") + line("TestTwo", "pass")
	for _, row := range []struct{ name, in, err, out string }{
		{"all", sound, "", "2 of 2 sentences are proved, by 3 tests\n"},
		{"failed", sound + line("TestTwo", "fail"), "1 sentences are not proved", "list:9: TestTwo of ./a failed\n  Two holds.\n1 of 2"},
		{"failed for two", sound + line("TestOne", "fail"), "2 sentences are not", "0 of 2"},
		{"failed, then passed", line("TestOne", "fail") + sound, "2 sentences are not", "TestOne of ./a failed"},
		{"a subtest failed", sound + line("TestMore/sub", "fail"), "1 sentences are not", "TestMore/sub of ./a failed"},
		{"skipped, then passed", line("TestOne", "skip") + sound, "", "2 of 2"},
		{"passed, then skipped", sound + line("TestOne", "skip"), "", "2 of 2"},
		{"skipped", line("TestTwo", "skip") + strings.TrimSuffix(sound, line("TestTwo", "pass")), "1 sentences are not", "TestTwo of ./a was skipped"},
		{"missing", line("TestOne", "pass") + line("TestTwo", "pass"), "1 sentences are not", "TestMore/sub of ./a did not run\n  One holds."},
		{"of another package", strings.ReplaceAll(sound, module+"/a", module+"/b/a"), "2 sentences are not", "did not run"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out strings.Builder
			err := runCatalogue(strings.NewReader(row.in), &out, catalogued(t, list))
			if got := message(err); !strings.Contains(got, row.err) || (row.err == "") != (err == nil) {
				t.Errorf("error %q, want %q", got, row.err)
			}
			if !strings.Contains(out.String(), row.out) {
				t.Errorf("printed:\n%s\nwant %q in it", out.String(), row.out)
			}
		})
	}
}

func TestBrokenCataloguesAreRefused(t *testing.T) {
	for name, row := range map[string]struct{ list, err string }{
		"no test":          {"One holds.\n\nTwo holds.\n\t./a TestTwo\n", `list:1: no test for "One holds."`},
		"nothing":          {"# words\n", "has no sentence"},
		"no sentence":      {"\t./a TestOne\nOne holds.\n\t./a TestOne\n", "list:1: a test before the first sentence"},
		"no package":       {"One holds.\n\tTestOne\n", `"TestOne" is not a package such as ./cache and a test`},
		"another module":   {"One holds.\n\ta TestOne\n", "is not a package such as"},
		"no name":          {"One holds.\n\t./a\n", "is not a package such as"},
		"a sentence again": {"One holds.\n\t./a TestOne\nOne holds.\n\t./a TestOne\n", "list:3: the sentence of "},
	} {
		t.Run(name, func(t *testing.T) {
			err := runCatalogue(strings.NewReader(""), &strings.Builder{}, catalogued(t, row.list))
			if got := message(err); !strings.Contains(got, row.err) {
				t.Errorf("error %q, want %q", got, row.err)
			}
		})
	}
}

// TestTheCatalogueNamesTestsThatExist tells at once what the step "catalogue" tells after
// all tests: a test was renamed or moved.
func TestTheCatalogueNamesTestsThatExist(t *testing.T) {
	root := filepath.Join("..", "..")
	c, err := readCatalogue(filepath.Join(root, ".ci", "catalogue"))
	if err != nil {
		t.Fatal(err)
	}
	declared := declares(t, root)
	for _, s := range c.sentences {
		for _, p := range s.proofs {
			if !declared(p) {
				t.Errorf("%s: no test %s in .%s", s.place, p.test, strings.TrimPrefix(p.pkg, module))
			}
		}
	}
}

// declares returns a function that reports whether a package has a test. Of a subtest it looks for
// the test.
func declares(t *testing.T, root string) func(proof) bool {
	tests := map[string]map[string]bool{} // by package
	function := regexp.MustCompile(`(?m)^func (Test\w*)\(`)
	return func(p proof) bool {
		if tests[p.pkg] == nil {
			tests[p.pkg] = map[string]bool{}
			for _, text := range testFiles(t, filepath.Join(root, strings.TrimPrefix(p.pkg, module))) {
				for _, name := range function.FindAllSubmatch(text, -1) {
					tests[p.pkg][string(name[1])] = true
				}
			}
		}
		name, _, _ := strings.Cut(p.test, "/")
		return tests[p.pkg][name]
	}
}

func testFiles(t *testing.T, dir string) (texts [][]byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	return texts
}
