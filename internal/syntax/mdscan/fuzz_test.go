package mdscan_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/syntax/mdscan"
)

// FuzzScan checks that no text causes a panic, that the result is deterministic, that lines are
// within the text and in order, that a heading is a line that begins like a heading, and that
// text is part of its lines.
func FuzzScan(f *testing.F) {
	for _, body := range []string{
		"", "# a\n\n- b\n  - c\n\n      d\n", "---\na: b\n---\n## Can\n1. x\n", "```\n# a\n```\n<!--\n# b\n-->\n# c", "\ufeff---\n", "- - - -\n\n\n- a",
		"\t- a\n\t\tb", "> # a", "a\r\n\r\n## b\r\n", "-\n\n  a\n- # b\n  ```\n  c",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		testkit.BoundAllocs(t, len(body), 600, 64<<10, func() { _, _ = mdscan.Scan([]byte(body)) })
		d, err := mdscan.Scan([]byte(body))
		if err != nil {
			if d != nil || utf8.ValidString(body) && len(body) <= mdscan.MaxBytes {
				t.Fatalf("%v beside %v", err, d)
			}
			return
		}
		again := scan(t, body)
		if diff := cmp.Diff(show(d), show(again)); diff != "" {
			t.Fatalf("not the same twice:\n%s", diff)
		}
		last := 1
		for _, s := range d.Sections {
			if s.Line < last || s.End < s.Line && s.Level > 0 {
				t.Fatalf("section %+v begins before line %d", s, last)
			}
			last = s.Line
			if s.Level > 0 && !strings.HasPrefix(strings.TrimLeft(d.Lines(s.Line, s.Line), " \t"), strings.Repeat("#", s.Level)) {
				t.Fatalf("line %d of %q is no heading", s.Line, body)
			}
			for _, b := range s.Blocks {
				checkBlock(t, d, s, b)
			}
		}
	})
}

func checkBlock(t *testing.T, d *mdscan.Doc, s mdscan.Section, b mdscan.Block) {
	t.Helper()
	if b.Line < s.Line || b.End < b.Line || b.End > s.End {
		t.Fatalf("block %+v outside of section %d-%d", b, s.Line, s.End)
	}
	if b.Depth < 0 || (b.Kind == mdscan.Item) && b.Depth == 0 {
		t.Fatalf("block %+v at depth %d", b, b.Depth)
	}
	written := d.Lines(b.Line, b.End)
	for line := range strings.SplitSeq(b.Text, "\n") {
		if !strings.Contains(written, strings.TrimSpace(line)) {
			t.Fatalf("%q is not on lines %d to %d: %q", line, b.Line, b.End, written)
		}
	}
}
