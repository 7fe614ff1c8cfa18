package cache

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// How the list of directives is read. rfc9111_*_test.go tests their meaning.
func TestMembers(t *testing.T) {
	name := func(names ...string) (ds []directive) {
		for _, n := range names {
			ds = append(ds, directive{name: n})
		}
		return ds
	}
	arg := func(n, a string) directive { return directive{name: n, arg: a, hasArg: true} }
	tests := []struct {
		rule  string
		lines []string
		want  []directive
	}{
		{"RFC 9111 §5.2: none", nil, nil},
		{"RFC 9111 §5.2: names have no case", []string{"No-Store, pUBLIC"}, name("no-store", "public")},
		{"RFC 9111 §5.2: arguments have", []string{"x=Ab"}, []directive{arg("x", "Ab")}},
		{"RFC 9110 §5.3: all lines", []string{"public", "no-cache"}, name("public", "no-cache")},
		{"RFC 9110 §5.6.1: empty members", []string{" , ,a,,\tb ", "", ","}, name("a", "b")},
		{"RFC 9111 §5.2: token form", []string{"a=1, b=2"}, []directive{arg("a", "1"), arg("b", "2")}},
		{"RFC 9111 §5.2: quoted-string form", []string{`a="1", b="2"`}, []directive{arg("a", "1"), arg("b", "2")}},
		{"RFC 9111 §5.2: an empty argument is not none", []string{`a=, b="", c`}, []directive{arg("a", ""), arg("b", ""), {name: "c"}}},
		{"RFC 9110 §5.6.4: quoted comma", []string{`a="x, y", b`}, []directive{arg("a", "x, y"), {name: "b"}}},
		{"RFC 9110 §5.6.4: quoted pair", []string{`a="x\", y", b="\1"`}, []directive{arg("a", `x", y`), arg("b", "1")}},
		{"RFC 9110 §5.6.4: quotes that do not close separate again", []string{`a="x, no-store`, "b"}, []directive{arg("a", `"x`), {name: "no-store"}, {name: "b"}}},
		{"RFC 9110 §5.6.4: an escape at the end", []string{`a="x\`}, []directive{arg("a", `"x\`)}},
		{"RFC 9111 §5.2: text behind the quotes is no argument of ours", []string{`a="1"0, b`}, []directive{arg("a", `"`), {name: "b"}}},
		{"RFC 9110 §5.6.3: blanks around members", []string{" a=1 , b=2\t,c"}, []directive{arg("a", "1"), arg("b", "2"), {name: "c"}}},
		{"RFC 9111 §5.2: blanks around the equals sign make no argument of ours", []string{`a =1, b= 1, c ="x, y", d`}, []directive{arg("a", `"`), arg("b", " 1"), arg("c", `"`), {name: "d"}}},
		{"RFC 9111 §5.2: a second equals sign", []string{`a=b="c,d"`}, []directive{arg("a", `b="c`), {name: `d"`}}},
		{"RFC 9111 §5.2: no name", []string{"=1, a"}, name("a")},
	}
	for _, tt := range tests {
		got := slices.Collect(members(tt.lines))
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(directive{})); diff != "" {
			t.Errorf("%s: %q (-want +got):\n%s", tt.rule, tt.lines, diff)
		}
	}
}

// A line costs no more than its length: a server may send a long one.
func TestMembersAreReadInPlace(t *testing.T) {
	const size = 64 << 10
	for _, unit := range []string{"a =,", `a="x`, `a="x",`, `a="\",`, "a=b,"} {
		line := strings.Repeat(unit, size/len(unit))
		if n := testkit.Allocated(func() { parseResponse([]string{line}) }); n > 16*size {
			t.Errorf("%q, %d bytes long: %.0f bytes were allocated", unit+"…", len(line), n)
		}
	}
}
