package lint

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/syntax/textpos"
)

// TestMechanical: which values are mended without a decision.
func TestMechanical(t *testing.T) {
	text := textpos.New([]byte(`{"a": "get", "b": 1, "c": "https://x/", "d": "7", "e": "true", "f": {"g": 2}}`))
	for _, row := range []struct{ code, pointer, message, want string }{
		{"adp.method_case", "/a", "", `"GET"`},
		{"adp.wrong_type", "/b", `member "b" is number where string belongs; it is ignored`, `"1"`},
		{"adp.wrong_type", "/d", `member "d" is string where number belongs; it is ignored`, `7`},
		{"adp.wrong_type", "/e", `member "e" is string where boolean belongs; it is ignored`, `true`},
		{"adp.wrong_type", "/a", `member "a" is string where number belongs; it is ignored`, ""},
		{"adp.base_url_slash", "/c", "", `"https://x"`},
		{"json.bom", "", "", ""},
		{"adp.missing", "/f", `required member "x" is missing`, ""},
		{"adp.wrong_type", "/nowhere", `member "b" is number where string belongs`, ""},
	} {
		f := lintFinding{}
		f.Code, f.Pointer, f.Message = row.code, row.pointer, row.message
		edits := mends(&mended{text, ""}, []lintFinding{f, f})
		if row.want == "" && len(edits) != 0 || row.want != "" && (len(edits) != 1 || edits[0].text != row.want) {
			t.Errorf("%s at %s: %+v, want %q", row.code, row.pointer, edits, row.want)
		}
	}
}

// TestUnified: hunks apart and together, a file without a last line break.
func TestUnified(t *testing.T) {
	before := strings.SplitAfter("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14", "\n")
	after := strings.SplitAfter("1\nx\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\ny", "\n")
	want := "--- f\n+++ f\n@@ -1,5 +1,5 @@\n 1\n-2\n+x\n 3\n 4\n 5\n@@ -11,4 +11,4 @@\n 11\n 12\n 13\n-14\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n"
	if got := unified("f", before, after); got != want {
		t.Errorf("%s", got)
	}
}
