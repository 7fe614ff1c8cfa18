// Package mdscan reads all Markdown from strangers.
//
// [Scan] splits a body into its front matter and a flat list of sections. A section has a
// heading and the paragraphs, list items and code below it, with their lines. Scan reads the
// outline of a text and not its markup: text is returned as written, including links, emphasis
// and backticks.
//
//	doc, err := mdscan.Scan(body)
//	if err != nil { … }
//	for _, s := range doc.Sections { … }
//
// The package uses the CommonMark grammar of goldmark, and is the only package that imports it.
// It only uses the parsers that an outline needs: ATX headings, lists, fenced and indented
// code, HTML blocks, thematic breaks and paragraphs. Without HTML blocks and thematic breaks,
// text in a comment would be a heading, and a ruler a list. There are no inline parsers,
// references, block quotes and underlined headings: these are paragraphs.
//
// goldmark takes quadratic time for some texts and cannot be stopped, so a scan in linear time
// runs first: see [MaxMarkers], [MaxIndent] and the joining of blank lines. After that scan
// time and memory are proportional to the size of the body.
package mdscan

import "strings"

// These are the limits of [Scan].
const (
	// MaxBytes is the maximum size of a body. Formats have smaller limits.
	MaxBytes = 256 << 10
	// MaxMarkers is the maximum number of markers of lists and quotes at the beginning of a
	// line. A line with more is not read.
	MaxMarkers = 16
	// MaxIndent is the maximum number of columns of indentation. A line with more is treated as
	// a line with that many.
	MaxIndent = 64
)

// Doc is a scanned body. It is immutable, does not alias the body, and is safe
// for concurrent use.
type Doc struct {
	// Front is the text between the "---" lines at the top, if HasFront is true. It may be
	// empty.
	Front    string
	HasFront bool
	// FrontLine is the line on which Front begins.
	FrontLine int
	// Sections are in the order of the text. Text before the first heading is a section of
	// level 0.
	Sections []Section
	// Findings are about the text as a whole, in order of their lines.
	Findings []Finding

	lines lineTable
}

// Section is a heading and the text below it, up to the next heading of any
// level.
type Section struct {
	// Level is 1 to 6, or 0 for text before the first heading.
	Level int
	// Title is the title as written, without the marks around it.
	Title string
	// Line is the line of the heading, or the first line for level 0. End is the last line.
	Line, End int
	Blocks    []Block
}

// Block is a part of a section.
type Block struct {
	Kind Kind
	// Line and End are the first and the last line.
	Line, End int
	// Depth is the number of list items that contain the block, including itself: 1 for the
	// items of a list, 2 for the items of a nested list, 0 outside lists.
	Depth int
	// Text is the text as written. Lines of a paragraph or item are trimmed. Lines of code are
	// not, and the fences are not included.
	Text string
	// Info is the text after an opening fence.
	Info string
}

// Kind is the kind of a block.
type Kind uint8

// These are the kinds.
const (
	// Paragraph is text. A heading inside a list item is a paragraph.
	Paragraph Kind = iota + 1
	// Item is a list item, with its first paragraph as text. Other content of the item follows
	// as separate blocks.
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

// What distinguishes the kinds of findings.
type What uint8

// These are the kinds of findings.
const (
	// ByteOrderMark means that a byte order mark before the text was removed.
	ByteOrderMark What = iota + 1
	// UnclosedFront means that the first line is "---", but no other line is. The whole text is
	// Markdown.
	UnclosedFront
	// TooDeep means that a line has more than MaxMarkers markers and was not read.
	TooDeep
)

// Lines returns the lines from first to last of the body, as written. The first line is 1.
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

// Below returns the text below the heading of a section, as written.
func (d *Doc) Below(s Section) string {
	first := s.Line
	if s.Level > 0 {
		first++
	}
	return d.Lines(first, s.End)
}

// lineTable is a text with the offsets of its lines.
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
