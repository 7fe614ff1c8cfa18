package stdio

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWordsAreReadWithoutAShell(t *testing.T) {
	for text, want := range map[string][]string{
		`a=ls`:                           {"ls"},
		`a=ls  -l	x`:                     {"ls", "-l", "x"},
		`a=ls 'one two' "three four"`:    {"ls", "one two", "three four"},
		`a=ls '$HOME' "a|b" "*" ''`:      {"ls", "$HOME", "a|b", "*", ""},
		`a=ls one\ two \"x\" \\ "a\"b"`:  {"ls", "one two", `"x"`, `\`, `a"b`},
		`a=C:\Programs\node.exe a\b`:     {`C:\Programs\node.exe`, `a\b`},
		`a=ls --x=y=z 'a'b"c"`:           {"ls", "--x=y=z", "abc"},
		`a=ls 'C:\x\' "it's"`:            {"ls", `C:\x\`, "it's"},
		`a-1=npx -y @scope/server@1.2.3`: {"npx", "-y", "@scope/server@1.2.3"},
	} {
		spec, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, spec.Command); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
		again, err := Parse(spec.Elsewhere())
		if err != nil || !cmp.Equal(again.Command, spec.Command) {
			t.Errorf("%s is written as %s: %v", text, spec.Elsewhere(), err)
		}
	}
}

func TestWhatAShellWouldDoIsRefused(t *testing.T) {
	for word := range strings.SplitSeq("a|b a;b a&b a>b a<b $A `a` (a) a* a? [a] {a} ~/a #a !a", " ") {
		if _, err := Parse("a=ls " + word); err == nil {
			t.Errorf("%s is read", word)
		}
	}
	for _, text := range []string{"", "a", "=ls", "A=ls", "a b=ls", "-a=ls", "a-=ls", "a=", "a=''", `a=ls "x`, "a=ls\nx", strings.Repeat("a", 40) + "=ls"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}
