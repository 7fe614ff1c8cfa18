package text

import (
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

func TestCleanText(t *testing.T) {
	marks := strings.Repeat("\u0327", 3) + strings.Repeat("\u0301", 40)
	for _, c := range []struct {
		name, in  string
		multiline bool
		max       int
		want      string
		removed   Removed
	}{
		{"plain", "plain text", false, 0, "plain text", Removed{}},
		{"empty", "", true, 5, "", Removed{}},
		{"line breaks", "a\r\nb\rc\nd\u2028e\u0085f\vg", true, 0, "a\nb\nc\nd\ne\nf\ng", Removed{}},
		{"one line", "a\r\n\t b\rc\n\nd\u2029e", false, 0, "a  b c d e", Removed{}},
		{"tabs", "a\tb\t\tc", true, 0, "a b  c", Removed{}},
		{"blanks", "a\u00a0b\u3000c\u2003d", false, 0, "a b c d", Removed{}},
		{"escape", "ok\x1b[2J\x07", false, 0, "ok[2J", Removed{Controls: 2}},
		{"bidi", "Reads \u202etxt.exe\u202c \u2066x\u2069", false, 0, "Reads txt.exe x", Removed{Bidi: 4}},
		{"tags", "a\U000E0041\U000E007F", false, 0, "a", Removed{Tags: 2}},
		{"variations", "☀\uFE0F\U000E0159", false, 0, "☀\uFE0F", Removed{Variations: 1}},
		{"selectors", "❤\uFE0F\uFE0F a\uFE0F \uFE0F ❤ \uFE0F", false, 0, "❤\uFE0F a  ❤ ", Removed{Variations: 4}},
		{"keycaps", "1\uFE0F\u20E3 2\uFE0F #\uFE0F", false, 0, "1\uFE0F\u20E3 2 #", Removed{Variations: 2}},
		{"selector behind something hidden", "❤\u200b\uFE0F", false, 0, "❤\uFE0F", Removed{Format: 1}},
		{"cut at a selector", "a❤\uFE0Fb", false, 2, "a", Removed{Cut: 3}},
		{"format", "pass\u00adword\ufeff\u200b\u2060", false, 0, "password", Removed{Format: 4}},
		{"ignorable", "name\u3164\u115f\u034f\u17b4", false, 0, "name", Removed{Ignorable: 4}},
		{"fillers between words", "pay\u3164all \u3164now\uffa0", false, 0, "pay all now", Removed{Ignorable: 3}},
		{"a pattern without dots", "pay\u2800all", false, 0, "pay all", Removed{}},
		{"private", "a\ue000\U000F0001b\U00100000", false, 0, "ab", Removed{Private: 3}},
		{"noncharacters", "a\uffff\ufdd0b\U0010FFFF", false, 0, "ab", Removed{Noncharacters: 3}},
		{"invalid", "a\xffb\xc0\xafc\xed\xa0\x80", false, 0, "abc", Removed{Invalid: 6}},
		{"replacement", "a\ufffdb", false, 0, "a\ufffdb", Removed{}},
		{"composed", "Cafe\u0301 \u1100\u1161\u11a8", false, 0, "Café 각", Removed{}},
		{"hidden between marks", "e\u034f\u0301", false, 0, "é", Removed{Ignorable: 1}},
		{"marks", "a" + marks + "b", false, 0, "\u00e1\u0327\u0327\u0327\u0301\u0301\u0301\u0301b", Removed{Marks: 35}},
		{"exclusion", "\u095c\u0958", false, 0, "\u095c\u0958", Removed{}},
		{"family", "👩\u200d👩\u200d👧 ❤\ufe0f", false, 0, "👩👩👧 ❤\ufe0f", Removed{Format: 2}},
		{"cut", "abcdef", false, 4, "abcd", Removed{Cut: 2}},
		{"not cut", "äöü", false, 3, "äöü", Removed{}},
		{"cut letters", "äöüß", false, 3, "äöü", Removed{Cut: 1}},
		{"cut before a marked letter", "ax\u0332\u0333c", false, 3, "a", Removed{Cut: 4}},
		{"cut all", "a\u0331\u0332", false, 2, "", Removed{Cut: 3}},
		{"cut skin tone", "a👍🏽b", false, 2, "a", Removed{Cut: 3}},
		{"cut flag", "🇩🇪🇫🇷", false, 3, "🇩🇪", Removed{Cut: 2}},
		{"cut between flags", "🇩🇪🇫🇷x", false, 4, "🇩🇪🇫🇷", Removed{Cut: 1}},
	} {
		got, removed := Clean(c.in, c.multiline, c.max)
		if diff := cmp.Diff(c.want, got) + cmp.Diff(c.removed, removed); diff != "" {
			t.Errorf("%s: CleanText(%+q) = %+q (-want +got):\n%s", c.name, c.in, got, diff)
		}
	}
}

func TestCleanTextDoesNotAllocate(t *testing.T) {
	for _, s := range []string{strings.Repeat("Sends an email. ", 50), "Grüße, 世界: café", "two\nlines"} {
		if n := testing.AllocsPerRun(100, func() { Clean(s, true, 16<<10) }); n != 0 {
			t.Errorf("%q: %v allocations", s, n)
		}
	}
}

// TestHostileStringsAreClean checks that dangerous characters are removed and ordinary text is
// kept.
func TestHostileStringsAreClean(t *testing.T) {
	rows := golden.VectorJSON[[]struct{ ID, Text string }](t, "naughty", "hostile_strings_own.json")
	plain := 0
	for _, row := range rows {
		one, removed := Clean(row.Text, false, 0)
		if strings.ContainsAny(one, "\r\n\t") {
			t.Errorf("%s: a line break stays in %+q", row.ID, one)
		}
		checkClean(t, row.Text, one)
		many, _ := Clean(row.Text, true, 0)
		checkClean(t, row.Text, many)
		if !removed.Any() {
			plain++
			if !strings.ContainsAny(row.Text, "\r\n\u2028\u0085") && norm.NFC.String(row.Text) != one {
				t.Errorf("%s: changed without a count: %+q", row.ID, one)
			}
		}
	}
	t.Logf("%d strings, %d with nothing to remove", len(rows), plain)
	if len(rows) < golden.Least(t, golden.EnvVectors, 45) || plain > len(rows)/2 {
		t.Errorf("%d strings, %d with nothing to remove", len(rows), plain)
	}
}

func TestNaughtyStringsAreClean(t *testing.T) {
	rows := golden.VectorJSON[[]string](t, "naughty", "blns.json")
	for _, s := range rows {
		for _, multiline := range []bool{false, true} {
			got, _ := Clean(s, multiline, 0)
			checkClean(t, s, got)
		}
	}
	t.Logf("%d strings", len(rows))
	if len(rows) < golden.Least(t, golden.EnvVectors, 500) {
		t.Errorf("%d strings", len(rows))
	}
}

// TestDangerousCodePointsAreTakenOut checks that each of them is removed from a text, alone and
// between letters, and that removed characters other than layout are counted.
func TestDangerousCodePointsAreTakenOut(t *testing.T) {
	rows := golden.VectorRows(t, "unicode", "dangerous_codepoints.tsv")
	counted := 0
	for _, row := range rows {
		n, err := strconv.ParseUint(strings.TrimPrefix(row[0], "U+"), 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		r := rune(n)
		for _, multiline := range []bool{false, true} {
			got, removed := Clean("a"+string(r)+"b", multiline, 0)
			layout := strings.Contains(row[1], "White_Space")
			if strings.ContainsRune(got, r) && (!multiline || r != '\n') || removed.Any() == layout {
				t.Errorf("%s (%s): %+q, removed %s", row[0], row[1], got, removed)
			}
			if removed.Any() {
				counted++
			}
		}
		if unicode.In(r, unicode.Co) {
			t.Errorf("%s is private", row[0])
		}
		if shown := Printable("a" + string(r) + "b"); strings.ContainsRune(shown, r) {
			t.Errorf("Printable leaves %s", row[0])
		}
	}
	t.Logf("%d code points, %d removals counted", len(rows), counted)
	if len(rows) < golden.Least(t, golden.EnvVectors, 4300) {
		t.Errorf("%d code points", len(rows))
	}
}

// TestEveryCodePoint checks the laws for all of Unicode except most ideographs and syllables of
// Hangul, each with a mark.
func TestEveryCodePoint(t *testing.T) {
	for r := rune(0); r <= 0xE1000; r++ {
		switch r {
		case 0x3500:
			r = 0xA000
		case 0xAD00:
			r = 0xE000 // also omits surrogates
		case 0x20000:
			r = 0x2F800 // compatibility ideographs
		case 0x30000:
			r = 0xE0000
		}
		s := "a" + string(r) + "\u0301"
		got, _ := Clean(s, false, 0)
		if !holds(s, got) {
			t.Fatalf("%U: %+q", r, got)
		}
	}
}

// holds checks the laws of cleaning, except the laws that only fuzzing can check.
func holds(in, out string) bool {
	var last rune
	for i, r := range out {
		if r != '\n' && classOf(r) != keep && !(r == selector && presented(last, out[i:])) {
			return false
		}
		last = r
	}
	again, removed := Clean(out, true, 0)
	return again == out && !removed.Any() && utf8.ValidString(out) &&
		utf8.RuneCountInString(out) <= utf8.RuneCountInString(in)
}

func checkClean(t *testing.T, in, out string) {
	t.Helper()
	if !holds(in, out) {
		t.Errorf("%+q: %+q breaks a law", in, out)
	}
	marks := 0
	for _, r := range out {
		if !unicode.Is(unicode.M, r) {
			marks = 0
		} else if marks++; marks > maxMarks {
			t.Errorf("%+q: %+q has a pile of marks", in, out)
			return
		}
	}
}

func TestRemoved(t *testing.T) {
	var sum Removed
	if sum.Any() || sum.Hidden() || sum.String() != "nothing" {
		t.Errorf("zero: %v", sum)
	}
	all := Removed{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	sum.Add(all)
	sum.Add(all)
	if diff := cmp.Diff(Removed{2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22}, sum); diff != "" {
		t.Error(diff)
	}
	if only := (Removed{Cut: 3}); !only.Any() || only.Hidden() || only.String() != "3 characters beyond the limit" {
		t.Errorf("cut: %v", only)
	}
	if got, want := (Removed{Tags: 93, Controls: 2}).String(), "93 tags, 2 controls"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzCleanText(f *testing.F) {
	for _, row := range golden.VectorJSON[[]struct{ ID, Text string }](f, "naughty", "hostile_strings_own.json") {
		f.Add(row.Text, false, 40)
	}
	for _, s := range golden.VectorJSON[[]string](f, "naughty", "blns.json") {
		f.Add(s, true, 0)
	}
	f.Add("\u0344\u0958\u0f73\U0001D160\u1100\u1161\u11a8\u0344", true, 3)
	f.Fuzz(func(t *testing.T, s string, multiline bool, max int) {
		got, removed := Clean(s, multiline, max)
		again, more := Clean(got, multiline, max)
		if again != got || more.Any() {
			t.Fatalf("%+q: %+q, then %+q (%s)", s, got, again, more)
		}
		if n := utf8.RuneCountInString(got); n > utf8.RuneCountInString(s) || max > 0 && n > max {
			t.Fatalf("%+q: %d code points in %+q", s, n, got)
		}
		if !multiline && strings.Contains(got, "\n") {
			t.Fatalf("%+q: %+q has a line break", s, got)
		}
		if removed.Cut > 0 && max <= 0 {
			t.Fatalf("%+q: cut without a limit", s)
		}
		checkClean(t, s, got)
		testkit.BoundAllocs(t, len(s), 16, 16<<10, func() { Clean(s, multiline, max) })
	})
}
