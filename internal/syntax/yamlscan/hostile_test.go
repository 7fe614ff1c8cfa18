package yamlscan_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/syntax/yamlscan"
)

// allocated scans text and returns the number of allocated bytes.
func allocated(text string) float64 {
	return testkit.Allocated(func() { _, _ = scan(text) })
}

// refused checks that each text is refused with the code.
func refused(t *testing.T, want wayfind.Code, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if got := codeOf(t, text); got != want {
			t.Errorf("%.60q: code %q, want %q", text, got, want)
		}
	}
}

// The memory for duplicate keys is proportional to the text, and a text beyond the limit costs
// nothing.
func TestDuplicateKeysAreCheap(t *testing.T) {
	for _, size := range []int{2 << 10, 16 << 10, 32 << 10, 250 << 10} {
		text := "{" + strings.Repeat("a,", (size-2)/2) + "}"
		if codeOf(t, text) == "" {
			t.Errorf("%d bytes are read", size)
		}
		if got := allocated(text); got > 2<<20 {
			t.Errorf("%d bytes: %.0f bytes allocated", size, got)
		}
	}
	past := "{" + strings.Repeat("a,", 125<<10) + "}"
	if got := allocated(past); got > 16<<10 {
		t.Errorf("past the cap: %.0f bytes allocated", got)
	}
}

func TestManyKeysAreRefused(t *testing.T) {
	var keys strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&keys, "k%d: v\n", i)
	}
	refused(t, wayfind.CodeLimit, keys.String())
	few := keys.String()[:strings.Index(keys.String(), "k499:")]
	if root, err := scan(few); err != nil || root.Len() != 499 {
		t.Errorf("499 keys: %d, %v", root.Len(), err)
	}
	many := strings.ReplaceAll(keys.String()[:strings.Index(keys.String(), "k500:")], " v", "")
	refused(t, wayfind.CodeLimit, many)
}

func TestAnchorsAliasesAndMergeKeysAreRefused(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString("a: &a [x, x]\n")
	for i := range 9 {
		c := string(rune('a' + i))
		fmt.Fprintf(&laughs, "%c: &%c [%s]\n", 'b'+i, 'b'+i, strings.TrimSuffix(strings.Repeat("*"+c+",", 9), ","))
	}
	refused(t, wayfind.CodeYAMLForbidden, laughs.String(),
		"a: &a [*a]", "a: &a b", "a: *b", "&a a: b", "a: &a\nb: *a", "a: &a {b: c}\nd:\n  <<: *a", "a:\n  <<: {b: c}",
		"<<: {a: b}", "a: &a b\nc: *a", "a: &"+strings.Repeat("x", 7000)+" b", "*a : b", "? &a a\n: b", "- &a b",
		"1: x\n<<: {[a]: b}\n", "a: [&a b]", "{a: &a b, c: *a}", "&a {a: b}", "&a\na: b")
}

func TestTagsAndDirectivesAreRefused(t *testing.T) {
	refused(t, wayfind.CodeYAMLForbidden,
		"a: !!binary aGk=", "a: !!python/object/apply:os.system [id]", "a: !x 1", "a: !!str 1.0", "a: !<tag:yaml.org,2002:str> b",
		"%YAML 1.2\n---\na: b", "%TAG ! tag:x,2000:\n---\na: !b c", "a: b\n%YAML 1.2", "---\na: b", "a: b\n...\n", "a: b\n--- c",
		"a: ! b", "a: ! 1.0", "a: !", "! a: b", "! {a: b}", "a: [ ! b]", "a: [b, !]", "a: {b: ! c}", "!!map {a: b}", "!!map\na: b", "a:\n- ! b",
		"é: ! b", "a: é\nb: ! c", strings.Repeat("!", 1900), "a: !!null ~")
}

func TestDuplicateKeysAreRefused(t *testing.T) {
	refused(t, wayfind.CodeYAMLDuplicate,
		"a: b\na: c", "a: b\n'a': c", "a: b\n\"a\": c", "a: b\n\"\\x61\": c", "x: {a: b, \"\\u0061\": c}", "x:\n  a:\n  b:\n  a:",
		"x:\n- {a: b, a: c}", "? a\n: b\na: c", "a: b\nc: {}\na: {}", "{a, a}")
	if got := codeOf(t, "a: b\nA: c\n'a ': d"); got != "" {
		t.Errorf("keys that differ: %q", got)
	}
}

// Scalars are not converted.
func TestScalarsStayAsWritten(t *testing.T) {
	for _, text := range []string{
		"no", "off", "NONE", "No", "yes", "true", "1.10", "1.0", "0o17", "017", "0x1F", "1e3", ".inf", ".nan", "190:20:30", "2001-12-14t21:59:43.10-05:00",
		"1_000", "-0", "+1", strings.Repeat("9", 4000), "=", "<", "a#b",
	} {
		for _, layout := range []string{"v: %s", "v: %s # comment", "{v: %s}", "'v': %s", "v:\n  %s\n"} {
			root, err := scan(fmt.Sprintf(layout, text))
			if got, _ := root.Get("v").Str(); got != text || root.Get("v").Quoted() {
				t.Errorf("%.40q in %q: got %.40q, %v", text, layout, got, err)
			}
		}
	}
	for _, text := range []string{"~", "null", "Null", "NULL", ""} {
		root, err := scan("v: " + text)
		if got := root.Get("v").Kind(); got != yamlscan.Null {
			t.Errorf("%q: kind %d, %v", text, got, err)
		}
	}
}

// yaml.v3 never receives characters that it takes for the end of a line or for another
// encoding.
func TestCharactersThatEndLinesElsewhereAreRefused(t *testing.T) {
	refused(t, wayfind.CodeYAMLForbidden,
		"a: b\u0085c: d", "a: b\u2028c: d", "a: b\u2029c: d", "a: b\rc: d", "a: b\r\r\nc: d", "a: b\r", "\ufeffa: b", "a: \ufeffb", "a: b\x00", "a: \x1b[31m", "a: \x7f",
		"a: \u009b31m", "a: \"b\\0c\"", "a: \"b\\Nc\"", "a: \"b\\Lc\"", "a: \"\\x1b\"", "\"a\\0\": b", "a: \"b\\u0085\"")
	refused(t, wayfind.CodeInvalidUTF8,
		"a: \xff", "\xff\xfea\x00:\x00 \x00b\x00", "\xfe\xff\x00a\x00:\x00 \x00b", "a: \xc0\x80", "a: \xed\xa0\x80", "a: b\xe2\x80")
	if root, err := scan("a: b\r\nc: \"d\\te\\r\\n\"\r\n"); err != nil || root.Len() != 2 {
		t.Errorf("CRLF, tab and line feed: %s, %v", show(root), err)
	}
}

func TestSizeDepthAndTokensAreLimited(t *testing.T) {
	nest := func(n int) string { return "a: " + strings.Repeat("[", n) + strings.Repeat("]", n) }
	if got := codeOf(t, nest(7)); got != "" {
		t.Errorf("depth 8: %q", got)
	}
	refused(t, wayfind.CodeLimit,
		nest(8), nest(900), "a: "+strings.Repeat("x", 17<<10), "# "+strings.Repeat("x", 9<<10), strings.Repeat("[", 50_000),
		strings.Repeat("- ", 60_000)+"a", strings.Repeat("a: ", 60_000), "["+strings.Repeat(",", 100_000)+"]",
		"a: ["+strings.Repeat(",", 2000)+"]", strings.Repeat("{a: ", 9)+"b"+strings.Repeat("}", 9), strings.Repeat("'", 2001), strings.Repeat("#\n", 2001))
	refused(t, wayfind.CodeYAMLSyntax, "a: b: c", "a: [", "a: [,,,]", "{{{{", "a:\n\tb: c", "a: 'b", "a: b\n c: d", "@", "a: `b`", strings.Repeat("a: ", 900))
}

// hostile returns texts of about n bytes that try to cost more.
func hostile(n int) map[string]string {
	unique := func(each, layout string) string {
		var b strings.Builder
		for i := 0; b.Len() < n-20; i++ {
			b.WriteString(strings.ReplaceAll(each, "N", strconv.Itoa(i)))
		}
		return strings.Replace(layout, "…", b.String(), 1)
	}
	fill := func(s string) string { return strings.Repeat(s, n/len(s)) }
	return map[string]string{
		"duplicates":     "{" + fill("a,") + "}",
		"keys":           unique("kN: v\n", "…"),
		"flow keys":      unique("kN: v, ", "{…}"),
		"long keys":      unique(strings.Repeat("k", 100)+"N: v\n", "…"),
		"items":          "a:\n" + fill("- b\n"),
		"flow items":     "a: [" + fill("b,") + "]",
		"brackets":       fill("["),
		"braces":         fill("{"),
		"braces and key": fill("{a: "),
		"dashes":         fill("- "),
		"question marks": fill("? "),
		"pairs":          fill("a: "),
		"commas":         "[" + fill(",") + "]",
		"bangs":          fill("!"),
		"tags":           "a: " + fill("!x "),
		"anchors":        unique("&aN ", "a: …"),
		"aliases":        "a: &a b\nc: [" + fill("*a,") + "]",
		"comments":       "a: b\n" + fill("# c\n"),
		"blank comments": "a: b\n" + fill("#\n\n"),
		"tail comments":  unique("kN: v # c\n  # d\n", "…"),
		"digits":         "a: " + fill("9"),
		"word":           "a: " + fill("x"),
		"words":          "a: " + fill("x "),
		"lines":          "a: b\n" + fill("  x\n"),
		"blank lines":    "a: b" + fill("\n"),
		"blanks":         "a:" + fill(" ") + "b",
		"tabs":           "a:" + fill("\t") + "b",
		"quotes":         "a: '" + fill("''") + "'",
		"escapes":        "a: \"" + fill("\\x41") + "\"",
		"open quote":     "a: \"" + fill("x\n  "),
		"block":          "a: |\n" + fill("  x\n"),
		"folded":         "a: >\n" + fill("  x\n\n"),
		"deep block":     deep(n),
	}
}

func deep(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// TestGrowth checks that memory grows in proportion to the text up to the limit, and that a
// longer text costs nothing. It does not measure time: the number of marks limits the quadratic
// parts of yaml.v3.
func TestGrowth(t *testing.T) {
	const small, large = 1 << 10, 8 << 10
	bodies := hostile(small)
	for name, big := range hostile(large - 200) {
		t.Run(name, func(t *testing.T) {
			codeOf(t, big)
			low, high := allocated(bodies[name]), allocated(big)
			growth := math.Log(high/low) / math.Log(float64(len(big))/float64(len(bodies[name])))
			if growth > 1.2 && high > 100<<10 {
				t.Errorf("%.0f bytes for %d, %.0f for %d: exponent %.2f", low, len(bodies[name]), high, len(big), growth)
			}
			if high > 2<<20 {
				t.Errorf("%.0f bytes for %d", high, len(big))
			}
		})
	}
	for name, past := range hostile(256 << 10) {
		if got := codeOf(t, past); got != wayfind.CodeLimit {
			t.Errorf("%s past the cap: code %q", name, got)
		}
		if got := allocated(past); got > 16<<10 {
			t.Errorf("%s past the cap: %.0f bytes allocated", name, got)
		}
	}
}
