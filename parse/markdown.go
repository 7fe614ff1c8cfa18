package parse

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/internal/syntax/mdscan"
)

// Markdown is the outline of a text for readers: its front matter, and its sections with their
// content. The text is kept as written, markup included, and is only data. It is immutable and
// safe for concurrent use.
//
// Only lines with number signs ("## Can") outside of lists, quotes, code and markup are
// headings. Underlined headings are paragraphs, and so are quotes; only the title of a text,
// its first paragraph before any heading, may be underlined with "=". Lines end with LF or
// CRLF and are counted from 1.
type Markdown struct {
	doc      *mdscan.Doc
	front    YAML
	frontErr error
	sections []Section
	// read is the number of bytes that were read of a longer body; 0 if the whole body was read.
	read int
}

// Section is a heading and the text below it, up to the next heading of any
// level.
type Section struct {
	// Level is 1 to 6, or 0 for text before the first heading.
	Level int
	// Title is the heading as written, without the signs around it.
	Title string
	// Line is the line of the heading, or the first line for level 0. End is the last line.
	Line, End int
	Blocks    []Block
	// Text is the text below the heading, as written.
	Text string
}

// Block is a piece of a [Section].
type Block struct {
	Kind BlockKind
	// Line and End are the first and the last line.
	Line, End int
	// Depth is the number of list items around the block, itself included: 1 for the items of a
	// list, 2 for the items of a list inside it, 0 outside lists.
	Depth int
	// Text is the text as written. The lines of a paragraph or item are trimmed.
	Text string
	// Info is the text after the opening fence of code: its language.
	Info string
}

// BlockKind is the kind of a [Block].
type BlockKind uint8

// The kinds of blocks.
const (
	// BlockParagraph is text.
	BlockParagraph BlockKind = iota + 1
	// BlockItem is a list item ("-", "*", "+", "1.", "1)") with its first paragraph. The other
	// content of the item follows in separate blocks.
	BlockItem
	// BlockCode is a fenced or indented block.
	BlockCode
	// BlockHTML is a block of markup or a comment.
	BlockHTML
)

// Markdown returns the outline of any body. The body is read once, at the first call.
//
// A body of 256 KiB or more is read up to the last line end before this limit: it may have
// been cut there when it was fetched. [Reader.MarkdownFindings] reports it. A format that must
// not miss the rest checks [Markdown.Whole].
//
// The error is a *wayfind.Error with Op "parse" and the code invalid_utf8. A fault of the
// front matter is not an error of the text: see [Markdown.FrontMatter].
func (in *Input) Markdown() (*Markdown, error) {
	in.markdown.once.Do(func() {
		in.markdown.text, in.markdown.err = readMarkdown(in.Body)
	})
	return in.markdown.text, in.markdown.err
}

func readMarkdown(body []byte) (*Markdown, error) {
	read := 0
	if len(body) >= mdscan.MaxBytes {
		body = wholeLines(body[:mdscan.MaxBytes])
		read = len(body)
	}
	doc, err := mdscan.Scan(body)
	if err != nil {
		return nil, err
	}
	m := &Markdown{doc: doc, sections: make([]Section, len(doc.Sections)), read: read}
	if doc.HasFront {
		m.front, m.frontErr = ParseYAML(doc.Front, doc.FrontLine)
	}
	for i, s := range doc.Sections {
		m.sections[i] = Section{Level: s.Level, Title: s.Title, Line: s.Line, End: s.End, Text: doc.Below(s)}
		blocks := make([]Block, len(s.Blocks))
		for j, b := range s.Blocks {
			blocks[j] = Block{Kind: BlockKind(b.Kind), Line: b.Line, End: b.End, Depth: b.Depth, Text: b.Text, Info: b.Info}
		}
		m.sections[i].Blocks = blocks
	}
	m.title()
	return m, nil
}

// title makes an underlined first paragraph a section of level 1.
func (m *Markdown) title() {
	if len(m.sections) == 0 || m.sections[0].Level != 0 {
		return
	}
	head := m.sections[0]
	i := slices.IndexFunc(head.Blocks, func(b Block) bool { return b.Kind == BlockParagraph && b.Depth == 0 })
	if i < 0 || strings.HasPrefix(head.Blocks[i].Text, ">") {
		return
	}
	first := head.Blocks[i]
	under := first.Line + 1
	for under <= first.End && !underlines(m.doc.Lines(under, under)) {
		under++
	}
	if under > first.End {
		return
	}
	lines := strings.Split(first.Text, "\n")
	above := under - first.Line
	titled := Section{
		Level: 1, Title: strings.Join(lines[:above], " "), Line: first.Line, End: head.End,
		Blocks: slices.Clone(head.Blocks[i+1:]), Text: m.doc.Lines(under+1, head.End),
	}
	if above+1 < len(lines) {
		rest := first
		rest.Line, rest.Text = under+1, strings.Join(lines[above+1:], "\n")
		titled.Blocks = append([]Block{rest}, titled.Blocks...)
	}
	m.sections[0] = titled
	if i > 0 {
		head.End, head.Blocks, head.Text = first.Line-1, head.Blocks[:i], m.doc.Lines(head.Line, first.Line-1)
		m.sections = append([]Section{head}, m.sections...)
	}
}

// underlines reports whether a line makes the paragraph above it a heading of level 1.
func underlines(line string) bool {
	text := strings.TrimLeft(line, " ")
	return len(line)-len(text) <= 3 && strings.HasPrefix(text, "=") && strings.Trim(strings.TrimRight(text, " \t\r"), "=") == ""
}

// wholeLines drops the incomplete last line of a text, or the incomplete last character if the
// text has only one line.
func wholeLines(text []byte) []byte {
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		return text[:i+1]
	}
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) && !utf8.FullRune(last) {
			return text[:len(text)-n]
		}
	}
	return text
}

// FrontMatter returns the YAML between the first line "---" of the text and the next one. It
// is missing if there is no such line or only one. The error is the error of [ParseYAML].
func (m *Markdown) FrontMatter() (YAML, error) { return m.front, m.frontErr }

// FrontText returns the front matter as written, even if it cannot be read.
func (m *Markdown) FrontText() (text string, ok bool) { return m.doc.Front, m.doc.HasFront }

// Sections returns the sections in the order of the text. The slice is shared: do not modify
// it.
func (m *Markdown) Sections() []Section { return m.sections }

// Whole reports whether this is the outline of the whole body.
func (m *Markdown) Whole() bool { return m.read == 0 }

// Lines returns the lines from first to last as written, counted from 1.
func (m *Markdown) Lines(first, last int) string { return m.doc.Lines(first, last) }

// MarkdownFindings reports faults of the form of a text, apart from its content. They are a
// byte order mark as "markdown.bom"; a "---" that opens front matter but is never closed as
// "markdown.front_matter"; lines that were not read because they have more than 16 markers of
// lists and quotes as "markdown.too_deep"; and a text of which only the beginning was read as
// "markdown.cut".
func (r *Reader) MarkdownFindings(m *Markdown) {
	if m.read > 0 {
		r.ReportLine(ruleMarkdownCut, 0, "the text has %d KiB or more; of it the first %d bytes were read", mdscan.MaxBytes>>10, m.read)
	}
	for _, f := range m.doc.Findings {
		switch f.What {
		case mdscan.ByteOrderMark:
			r.ReportLine(ruleMarkdownBOM, f.Line, "a byte order mark stands before the text; it was ignored")
		case mdscan.UnclosedFront:
			r.ReportLine(ruleMarkdownFrontMatter, f.Line, "the text begins with ---, and no other such line ends the front matter; all of it was read as Markdown")
		case mdscan.TooDeep:
			r.ReportLine(ruleMarkdownTooDeep, f.Line, "a line has more than %d markers of lists and quotes; it was not read", mdscan.MaxMarkers)
		}
	}
}
