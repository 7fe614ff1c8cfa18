package jsonscan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

func TestRewriteStrings(t *testing.T) {
	noZ := func(s string) string { return strings.ReplaceAll(s, "z", "") }
	for raw, want := range map[string]string{
		`"a"`:                             `"a"`,
		` "az" `:                          ` "a" `,
		`{"n": 1e3, "s":"\u007a\n\/z"}`:   `{"n": 1e3, "s":"\n/"}`,
		`{"keep":"\u0061"}`:               `{"keep":"\u0061"}`,
		`{"az":1,"a":2,"azz":3,"za":"z"}`: `{"a~2":1,"a":2,"a~3":3,"a~4":""}`,
		`{"z":1,"zz":2,"zzz":{"z":3}}`:    `{"":1,"~2":2,"~3":{"":3}}`,
		`{"za":1,"a":2,"a~2":3,"az":4}`:   `{"a~3":1,"a":2,"a~2":3,"a~4":4}`,
		`{"za~2":1,"za":2,"a":3,"az":4}`:  `{"a~2":1,"a~3":2,"a":3,"a~4":4}`,
		`[["z",[{"\u007a":["z"]}]],"b"]`:  `[["",[{"":[""]}]],"b"]`,
		"\ufeff{\"z\":1}":                 "\ufeff{\"\":1}",
	} {
		got, err := jsonscan.RewriteStrings([]byte(raw), noZ)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", raw, diff)
		}
	}
}

func TestRewriteStringsLeavesAlone(t *testing.T) {
	raw := []byte(` {"a" : "\u0061", "b":[ ]}`)
	got, err := jsonscan.RewriteStrings(raw, func(s string) string { return s })
	if err != nil || &got[0] != &raw[0] || len(got) != len(raw) {
		t.Errorf("unchanged text is not the same slice: %q, %v", got, err)
	}
	if _, err := jsonscan.RewriteStrings([]byte(`{"a":1,"a":2}`), strings.ToUpper); err == nil {
		t.Error("a value that Scan refuses was rewritten")
	}
}

// TestRewriteStringsBadText checks that each result of f is made valid.
func TestRewriteStringsBadText(t *testing.T) {
	got, err := jsonscan.RewriteStrings([]byte(`{"a":"b"}`), func(string) string { return "\xff\x00\"" })
	if diff := cmp.Diff("{\"\ufffd\\u0000\\\"\":\"\ufffd\\u0000\\\"\"}", string(got)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if code := codeOf(t, string(got)); code != wayfind.Code("") {
		t.Errorf("the result is refused: %s", code)
	}
}

// TestRewriteStringsCollisions checks that many names that become equal remain different, at a
// cost that grows with their number instead of its square.
func TestRewriteStringsCollisions(t *testing.T) {
	const n = 20_000
	got, err := jsonscan.RewriteStrings([]byte(manyMembers(n)), func(string) string { return "k" })
	if err != nil {
		t.Fatal(err)
	}
	doc := scan(t, string(got))
	if root := doc.Root(); root.Len() != n || root.Child(0).Name() != "k" || root.Child(n-1).Name() != "k~20000" {
		t.Errorf("%d members, first %q, last %q", root.Len(), root.Child(0).Name(), root.Child(root.Len()-1).Name())
	}
}
