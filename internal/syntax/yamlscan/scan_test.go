package yamlscan_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/yamlscan"
)

// scan reads text as front matter that begins on line 2 of its document.
func scan(text string) (yamlscan.Node, error) {
	return yamlscan.Scan(text, 2, yamlscan.FrontMatter())
}

// codeOf scans text and returns the code of the error, or "". It checks the form of the error:
// one type, a line of the text, a short reason.
func codeOf(t testing.TB, text string) wayfind.Code {
	t.Helper()
	root, err := scan(text)
	if err == nil {
		return ""
	}
	var e *wayfind.Error
	var cause *yamlscan.SyntaxError
	if !errors.As(err, &e) || !errors.As(err, &cause) {
		t.Fatalf("%.40q: error %v of type %T", text, err, err)
	}
	if e.Op != "parse" || e.Kind != wayfind.ErrInvalid || root != (yamlscan.Node{}) {
		t.Errorf("%.40q: error %+v beside %+v", text, e, root)
	}
	if last := 2 + strings.Count(text, "\n"); cause.Line < 2 || cause.Line > last || len(cause.Reason) > 256 || len(err.Error()) > 512 {
		t.Errorf("%.40q: line %d of 2 to %d, %d bytes of reason, %d of text", text, cause.Line, last, len(cause.Reason), len(err.Error()))
	}
	return e.Code
}

// Each value has its line and column. A mapping has the place of its first key. An alias has
// its own place, and its value the place where the value is written.
func TestPlaces(t *testing.T) {
	text := "a:\nc:   d\ne: {f: g, i: [1,  2]}\nj:\n  - k: 1\n    l: 2\n  - m\nä: ö\no: |\n  text\np: &x {q: 1}\nr: *x\n"
	root, err := yamlscan.ScanDocument(text, yamlscan.Whole())
	if err != nil {
		t.Fatal(err)
	}
	at := func(n yamlscan.Node, path ...any) string {
		for _, p := range path {
			if i, ok := p.(int); ok {
				n = n.Index(i)
			} else {
				n = n.Get(p.(string))
			}
		}
		return fmt.Sprintf("%d:%d", n.Line(), n.Column())
	}
	for want, path := range map[string][]any{
		"1:1": {}, "1:3": {"a"}, "2:6": {"c"}, "3:4": {"e"}, "3:8": {"e", "f"}, "3:14": {"e", "i"}, "3:19": {"e", "i", 1}, "5:3": {"j"}, "5:5": {"j", 0}, "5:8": {"j", 0, "k"},
		"6:8": {"j", 0, "l"}, "7:5": {"j", 1}, "8:4": {"ä"}, "9:4": {"o"}, "11:4": {"p"}, "12:4": {"r"}, "11:11": {"r", "q"}, "0:0": {"z"},
	} {
		if got := at(root, path...); got != want {
			t.Errorf("%v is at %s, want %s", path, got, want)
		}
	}
	if root, err = scan("a: b\nc: [d]"); err != nil || at(root, "c", 0) != "3:5" {
		t.Errorf("%s, %v", at(root, "c", 0), err)
	}
}

// show writes a value with its lines: {key@2: text@2}, quoted text in quotes.
func show(n yamlscan.Node) string {
	switch n.Kind() {
	case yamlscan.Null:
		return fmt.Sprintf("null@%d", n.Line())
	case yamlscan.Scalar:
		text, _ := n.Str()
		if n.Quoted() {
			text = fmt.Sprintf("%q", text)
		}
		return fmt.Sprintf("%s@%d", text, n.Line())
	case yamlscan.Sequence:
		var items []string
		for i := range n.Len() {
			items = append(items, show(n.Index(i)))
		}
		return "[" + strings.Join(items, " ") + "]"
	case yamlscan.Mapping:
		var items []string
		for key, value := range n.Members() {
			items = append(items, key+": "+show(value))
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	return "missing"
}

func TestScan(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "missing",
		"\n\n":                             "missing",
		"# only a comment\n":               "missing",
		"a: b":                             "{a: b@2}",
		"a: b\r\nc: d\r\n":                 "{a: b@2, c: d@3}",
		"a:\n  b: c\n  d:\n":               "{a: {b: c@3, d: null@4}}",
		"a: [b, 'c', \"d\"]":               `{a: [b@2 "c"@2 "d"@2]}`,
		"a: {b: c, d: [e]}":                "{a: {b: c@2, d: [e@2]}}",
		"- a\n":                            "yaml_forbidden",
		"a:\n- b\n- c: d\n":                "{a: [b@3 {c: d@4}]}",
		"a: b # c\n# d\ne: f":              "{a: b@2, e: f@4}",
		"a: |\n  b\n  c\nd: >-":            "{a: \"b\\nc\\n\"@2, d: \"\"@5}",
		"a: ~\nb: null\nc: ''":             `{a: null@2, b: null@3, c: ""@4}`,
		"a: b\n  c\nd: e":                  "{a: b c@2, d: e@4}",
		"a: https://b.example/c?d=e&f=*g!": "{a: https://b.example/c?d=e&f=*g!@2}",
		"a: Salut ! Ça & là * ici":         "{a: Salut ! Ça & là * ici@2}",
		"a: \"! & * <<\"\nb: '<<: x'":      `{a: "! & * <<"@2, b: "<<: x"@3}`,
		"\"<<\": a":                        "{<<: a@2}",
		"1: a\ntrue: b":                    "{1: a@2, true: b@3}",
		"a: ---\nb: '...'":                 `{a: ---@2, b: "..."@3}`,
		"a: �":                             "{a: �@2}",
		"? a\n: b":                         "{a: b@3}",
	} {
		root, err := scan(text)
		got := show(root)
		if err != nil {
			got = string(codeOf(t, text))
		}
		if got != want {
			t.Errorf("%q: got %s, want %s (%v)", text, got, want, err)
		}
	}
}

func TestNode(t *testing.T) {
	root, err := scan("a: [b]\nc: d")
	if err != nil {
		t.Fatal(err)
	}
	var none yamlscan.Node
	for _, n := range []yamlscan.Node{
		none, root.Get("x"), root.Get("c").Get("x"), root.Get("a").Index(1), root.Get("a").Index(-1), root.Index(0), none.Get("a").Index(0),
	} {
		if _, ok := n.Str(); n != none || n.Kind() != yamlscan.Missing || n.Line() != 0 || n.Len() != 0 || n.Quoted() || ok {
			t.Errorf("%+v is not missing", n)
		}
	}
	if got, ok := root.Get("a").Str(); ok {
		t.Errorf("a sequence has the text %q", got)
	}
}

func TestLine(t *testing.T) {
	for text, want := range map[string]int{
		"a: b\nc: d\nc: e": 4, "a: b\n\tc: d": 3, "a: b\n---": 3, "a: b\nc: [": 3, "a: b\nc: *d": 3, "a: b\x00": 2,
	} {
		_, err := scan(text)
		var cause *yamlscan.SyntaxError
		if !errors.As(err, &cause) || cause.Line != want {
			t.Errorf("%q: %v, want line %d", text, err, want)
		}
	}
}

func TestLimits(t *testing.T) {
	limits := yamlscan.Limits{Bytes: 20, Marks: 4, Depth: 2, Nodes: 5}
	for text, want := range map[string]string{
		"a: b": "{a: b@1}", "a: {b: c}": "{a: {b: c@1}}", "a: [[]]": "limit", "a: {b: [}}": "limit",
		"a: b\nc: d": "{a: b@1, c: d@2}", "a: b\nc: d\ne: f": "limit", "aaaaaaaaaaaaaaaaaaa: b": "limit",
	} {
		root, err := yamlscan.Scan(text, 1, limits)
		got := show(root)
		var e *wayfind.Error
		if errors.As(err, &e) {
			got = string(e.Code)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}
