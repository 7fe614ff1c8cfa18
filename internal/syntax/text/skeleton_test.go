package text

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// The table equals the table in the shared vectors.
func TestTheTableOfConfusablesIsThePublishedOne(t *testing.T) {
	table, rows := confusables(), 0
	for line := range strings.Lines(string(golden.Read(t, golden.Vectors(t, "unicode", "confusables.txt")))) {
		line, _, _ = strings.Cut(strings.TrimPrefix(line, "\ufeff"), "#")
		fields := strings.Split(line, ";")
		if len(fields) < 2 {
			continue
		}
		rows++
		var from rune
		if _, err := fmt.Sscanf(strings.TrimSpace(fields[0]), "%X", &from); err != nil {
			t.Fatal(err)
		}
		var to strings.Builder
		for word := range strings.FieldsSeq(fields[1]) {
			var r rune
			if _, err := fmt.Sscanf(word, "%X", &r); err != nil {
				t.Fatal(err)
			}
			to.WriteRune(r)
		}
		if table[from] != to.String() {
			t.Errorf("%U: %+q, want %+q", from, table[from], to.String())
		}
	}
	if rows == 0 || golden.Published(t, golden.EnvVectors) && (rows != len(table) || rows < 6_000) {
		t.Errorf("%d entries, want %d", len(table), rows)
	}
}

func TestNamesThatLookAlikeAreGrouped(t *testing.T) {
	names := []string{"pay", "refund", "p\u0430y", "pay", "pay ", "p\u200bay", "Pay", "modern", "modem", "p\u00e4y", "pa\u0308y", "\uff50ay", "get all", "get  all", ""}
	want := [][]string{{"pay", "p\u0430y", "pay ", "p\u200bay", "\uff50ay"}, {"modern", "modem"}, {"p\u00e4y", "pa\u0308y"}, {"get all", "get  all"}}
	if diff := cmp.Diff(want, Alike(names)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	tell := Telling([]string{"pay", "p\u0430y", "refund", " x"})
	for name, want := range map[string]string{"pay": `"pay"`, "p\u0430y": `"p\u0430y"`, "refund": "refund", " x": `" x"`} {
		if got := tell(name); got != want {
			t.Errorf("%q is written %s, want %s", name, got, want)
		}
	}
}

// A name in ASCII has the skeleton of the long way, on which another character sends it.
func TestSkeletonsOfASCII(t *testing.T) {
	for b := range rune(0x7f) {
		for _, name := range []string{string(b), "a" + string(b), " a  " + string(b) + " m ", string(b) + " " + string(b)} {
			want := strings.TrimSuffix(Skeleton(name+" é"), Skeleton(" é"))
			if got := Skeleton(name); strings.TrimSpace(want) != got {
				t.Errorf("%q: %q, the long way %q", name, got, want)
			}
		}
	}
}
