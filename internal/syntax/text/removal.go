package text

import (
	"fmt"
	"strings"
)

// Removed contains the numbers of code points that were removed from a text, by reason. Line
// breaks, tabs and spaces that were only replaced are not included.
type Removed struct {
	Controls      int // Cc: escape sequences, backspaces, NUL
	Bidi          int // bidirectional controls (Trojan Source)
	Tags          int // U+E0000 to U+E007F: invisible ASCII
	Variations    int // variation selectors: invisible bytes
	Noncharacters int
	Private       int // private use
	Format        int // other Cf: zero width, soft hyphen
	Ignorable     int // other default-ignorable code points: fillers
	Invalid       int // bytes that are not UTF-8
	Marks         int // marks after the eighth on one base
	Cut           int // code points after the limit
}

// Any reports whether anything was removed, including text that was cut.
func (r Removed) Any() bool { return r != Removed{} }

// Hidden reports whether anything was removed that a reader could not see, which is everything
// but Cut.
func (r Removed) Hidden() bool {
	r.Cut = 0
	return r.Any()
}

// Add adds the counts of another text.
func (r *Removed) Add(o Removed) {
	r.Controls += o.Controls
	r.Bidi += o.Bidi
	r.Tags += o.Tags
	r.Variations += o.Variations
	r.Noncharacters += o.Noncharacters
	r.Private += o.Private
	r.Format += o.Format
	r.Ignorable += o.Ignorable
	r.Invalid += o.Invalid
	r.Marks += o.Marks
	r.Cut += o.Cut
}

// String lists the numbers that are not zero: "93 tags, 2 controls", or "nothing" if all are
// zero.
func (r Removed) String() string {
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{
		{r.Tags, "tags"}, {r.Variations, "variation selectors"},
		{r.Bidi, "bidirectional controls"}, {r.Controls, "controls"},
		{r.Format, "format characters"}, {r.Ignorable, "ignorable characters"},
		{r.Private, "private-use characters"}, {r.Noncharacters, "noncharacters"},
		{r.Marks, "stacked marks"}, {r.Invalid, "bytes that are not UTF-8"},
		{r.Cut, "characters beyond the limit"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

func (r *Removed) count(c class) {
	switch c {
	case control:
		r.Controls++
	case bidi:
		r.Bidi++
	case tag:
		r.Tags++
	case variation:
		r.Variations++
	case noncharacter:
		r.Noncharacters++
	case private:
		r.Private++
	case format:
		r.Format++
	case ignorable:
		r.Ignorable++
	}
}
