// Package text makes foreign text safe to keep and to show. [Clean] and [CleanJSON] remove
// characters that a reader cannot see. [Printable] and [EscapeJSON] escape characters that a
// terminal or a log must not receive.
//
// No function panics on any input. Cleaning is idempotent and never increases the number of
// code points.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxMarks is the maximum number of marks on one base. Living scripts need four. A larger stack
// covers the lines around it.
const maxMarks = 8

// Clean returns s as a reader sees it, in normal form C, and counts of the
// removed characters. Removed are controls, format characters and all others
// that do not show: bidirectional controls, tags, variation selectors, fillers,
// noncharacters, private use, bytes that are not UTF-8, and marks beyond eight
// on one base. All blanks become U+0020, and so does a filler between two words.
//
// With multiline, every kind of line break becomes "\n" and a tab a blank;
// without, a run of them becomes one blank. A positive max is the number of
// code points that may stay: the rest is cut, never inside an extended grapheme
// cluster (UAX 29 §3). 0 is no limit.
//
// It is idempotent and the result never has more code points than s: where
// normal form C would spell one letter as several (the composition exclusions
// of UAX 15), the letter stays. One U+FE0F behind a character that has an emoji
// presentation stays (UTS 51). Emoji that are sequences lose their joiners: a
// family becomes its members; Persian and Indic text loses joiners. Text that is clean already is returned as is,
// without an allocation.
func Clean(s string, multiline bool, max int) (string, Removed) {
	var removed Removed
	if !cleanASCII(s, multiline) {
		s, removed = cleanUnicode(s, multiline)
	}
	if max > 0 && len(s) > max {
		s, removed.Cut = cut(s, max)
	}
	return s, removed
}

// Blanks returns s with U+0020 in the place of every other blank of one line, such as a
// no-break space. A reader sees no difference.
func Blanks(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Zs, r) {
			return ' '
		}
		return r
	}, s)
}

func cleanUnicode(s string, multiline bool) (string, Removed) {
	c := cleaner{multiline: multiline}
	s = compose(c.sweep(s))
	if tooManyMarks(s) {
		// Composing gave marks another base.
		last := cleaner{multiline: true}
		s = last.sweep(s)
		c.removed.Add(last.removed)
	}
	return s, c.removed
}

// cleanASCII is the short way for most text.
func cleanASCII(s string, multiline bool) bool {
	for i := range len(s) {
		if b := s[i]; (b < ' ' || b >= 0x7F) && (b != '\n' || !multiline) {
			return false
		}
	}
	return true
}

// cleaner removes code points. It copies only from the first change on.
type cleaner struct {
	multiline bool
	removed   Removed
	out       strings.Builder
	copying   bool
	blank     bool // the last written character replaces line breaks or tabs
	marks     int  // the number of marks on the current base
	last      rune // the last written character, 0 for a space
	filler    bool // a character was removed that looks like a space
}

func (c *cleaner) sweep(s string) string {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		next, ok := c.replace(r, size, s[i:])
		if !c.copying && (!ok || next != r) {
			c.copying = true
			c.out.Grow(len(s))
			c.out.WriteString(s[:i])
		}
		if c.copying && ok {
			c.separate(next)
			c.out.WriteRune(next)
		}
		i += size
	}
	if !c.copying {
		return s
	}
	return c.out.String()
}

// replace returns the replacement of a code point, or false if it has no replacement.
func (c *cleaner) replace(r rune, size int, rest string) (rune, bool) {
	if r == utf8.RuneError && size == 1 {
		c.removed.Invalid++
		return 0, false
	}
	class := classOf(r)
	switch class {
	case keep:
		c.blank = false
		ok := c.countMark(r)
		if ok {
			c.last = r
		}
		return r, ok
	case lineBreak, tabulator:
		return c.layout(class, rest)
	case space:
		c.blank, c.marks, c.last = false, 0, 0
		return ' ', true
	}
	if base := c.last; r == selector && presented(base, rest) {
		c.last = r
		return r, c.countMark(r)
	}
	c.removed.count(class)
	c.filler = c.filler || fills(r)
	return 0, false
}

// separate writes a space instead of fillers between two words, which a reader sees as separate
// words.
func (c *cleaner) separate(next rune) {
	before := c.out.String()
	if c.filler && next != ' ' && next != '\n' && !unicode.Is(unicode.M, next) && before != "" && strings.IndexByte(" \n", before[len(before)-1]) < 0 {
		c.out.WriteByte(' ')
	}
	c.filler = false
}

// layout writes line breaks and tabs. CR LF is one line break.
func (c *cleaner) layout(class class, rest string) (rune, bool) {
	c.marks, c.last = 0, 0
	switch {
	case c.multiline && class == tabulator:
		return ' ', true
	case c.multiline:
		return '\n', !strings.HasPrefix(rest, "\r\n")
	case c.blank:
		return 0, false
	}
	c.blank = true
	return ' ', true
}

// countMark keeps the first marks of a base. It runs before normal form C, which would divide
// longer runs with characters of its own.
func (c *cleaner) countMark(r rune) bool {
	if r < 0x300 || !unicode.Is(unicode.M, r) {
		c.marks = 0
		return true
	}
	if c.marks == maxMarks {
		c.removed.Marks++
		return false
	}
	c.marks++
	return true
}

// compose returns normal form C, except for segments that would grow.
func compose(s string) string {
	n := norm.NFC.QuickSpanString(s)
	if n == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		n := norm.NFC.NextBoundaryInString(s, true)
		if n <= 0 {
			n = len(s)
		}
		segment := s[:n]
		composed := norm.NFC.String(segment)
		if utf8.RuneCountInString(composed) > utf8.RuneCountInString(segment) {
			composed = segment
		}
		b.WriteString(composed)
		s = s[n:]
	}
	return b.String()
}

func tooManyMarks(s string) bool {
	var c cleaner
	for _, r := range s {
		if !c.countMark(r) {
			return true
		}
	}
	return false
}

// cut keeps at most max code points, and only whole letters. It returns the number of removed
// code points.
func cut(s string, max int) (string, int) {
	count := 0
	for i := range s {
		if count == max {
			end := letterStart(s, i)
			return s[:end], utf8.RuneCountInString(s[end:])
		}
		count++
	}
	return s, 0
}

// letterStart returns the start of the letter that contains an offset.
func letterStart(s string, end int) int {
	for end > 0 && joined(s[:end], s[end:]) {
		_, size := utf8.DecodeLastRuneInString(s[:end])
		end -= size
	}
	return end
}
