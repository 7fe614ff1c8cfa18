// Package mdscan is the one door through which Markdown from strangers enters.
//
// [Scan] splits a body into its front matter and a flat list of sections, each
// with a heading and the paragraphs, list items and code below it, all with
// their lines. It reads the outline of a text, not its markup: text is given as
// it is written, with links, emphasis and backticks in it.
//
//	doc, err := mdscan.Scan(body)
//	if err != nil { … }
//	for _, s := range doc.Sections { … }
//
// The grammar is that of CommonMark as goldmark reads it; this package is the
// only one that imports it. Of its parsers only those are used that an outline
// needs: ATX headings, lists, fenced and indented code, HTML blocks and
// thematic breaks (without which text in a comment would be a heading, and a
// ruler a list), paragraphs. There are no inline parsers, no references, no
// block quotes and no underlined headings: those are paragraphs.
//
// goldmark takes quadratic time for some texts and cannot be stopped, so a scan
// in linear time stands before it: see [MaxMarkers], [MaxIndent] and the
// joining of blank lines. Behind it time and memory are in proportion to the
// body.
package mdscan

import "strings"

// The limits of [Scan].
const (
	// MaxBytes is the largest body. Formats have smaller limits of their own.
	MaxBytes = 256 << 10
	// MaxMarkers is how many markers of lists and quotes may stand at the
	// beginning of a line. A line with more is not read.
	MaxMarkers = 16
	// MaxIndent is the number of columns of indentation that count. A line with
	// more is treated as one with that many.
	MaxIndent = 64
)

// Doc is a scanned body. It is immutable, does not alias the body, and is safe
// for concurrent use.
type Doc struct {
	// Front is the text between the "---" lines at the top, valid when
	// HasFront. It may be empty.
	Front    string
	HasFront bool
	// FrontLine is the line on which Front begins.
	FrontLine int
	// Sections in the order of the text. Text before the first heading is a
	// section of level 0.
	Sections []Section
	// Findings about the text as a whole, in order of their lines.
	Findings []Finding

	lines lineTable
}

// Section is a heading and the text below it, up to the next heading of any
// level.
type Section struct {
	// Level is 1 to 6, or 0 for text before the first heading.
	Level int
	// Title as written, without the marks around it.
	Title string
	// Line of the heading, or the first line for level 0, and End, the last
	// line.
	Line, End int
	Blocks    []Block
}

// Block is a piece of a section.
type Block struct {
	Kind Kind
	// Line and End are the first and the last line.
	Line, End int
	// Depth is how many list items the block lies in, itself included: 1 for
	// the items of a list, 2 for those of a list in it, 0 outside of lists.
	Depth int
	// Text as written. Lines of a paragraph or item are trimmed; those of code
	// are not, and the fences are not among them.
	Text string
	// Info is the text behind an opening fence.
	Info string
}

// Kind is the kind of a block.
type Kind uint8

// The kinds.
const (
	// Paragraph is text. A heading inside a list item is one.
	Paragraph Kind = iota + 1
	// Item is a list item, with the first paragraph in it as text. Other
	// content of the item follows as blocks of its own.
	Item
	// Code is a fenced or indented block.
	Code
	// HTML is a block of markup or a comment.
	HTML
)

// Finding is a remark about the text as a whole.
type Finding struct {
	What What
	Line int
}

// Kinds of findings.
type What uint8

// The findings.
const (
	// ByteOrderMark stood before the text; it was dropped.
	ByteOrderMark What = iota + 1
	// UnclosedFront: the first line is "---", and no other line is. All of it
	// is Markdown.
	UnclosedFront
	// TooDeep: a line has more than MaxMarkers markers and was not read.
	TooDeep
)

// Lines returns the lines from first to last of the body, which count from 1,
// as they are written.
func (d *Doc) Lines(first, last int) string {
	first, last = max(first, 1), min(last, len(d.lines.starts))
	if first > last {
		return ""
	}
	end := len(d.lines.text)
	if last < len(d.lines.starts) {
		end = d.lines.starts[last]
	}
	return strings.TrimRight(d.lines.text[d.lines.starts[first-1]:end], "\r\n")
}

// Below returns the text below the heading of a section, as it is written.
func (d *Doc) Below(s Section) string {
	first := s.Line
	if s.Level > 0 {
		first++
	}
	return d.Lines(first, s.End)
}

// lineTable is a text with the offsets at which its lines begin.
type lineTable struct {
	text   string
	starts []int
}

func newLineTable(text string) lineTable {
	t := lineTable{text: text, starts: make([]int, 1, 1+strings.Count(text, "\n"))}
	for i := range len(text) {
		if text[i] == '\n' {
			t.starts = append(t.starts, i+1)
		}
	}
	return t
}
