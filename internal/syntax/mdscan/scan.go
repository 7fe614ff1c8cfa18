package mdscan

import (
	"bytes"
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/wayfindhq/wayfind"
)

// Scan reads a body. The error is a *wayfind.Error with Op "parse" and one of
// the codes invalid_utf8 and limit (Kind ErrInvalid), and panic (Kind
// ErrInternal).
func Scan(body []byte) (*Doc, error) {
	switch {
	case len(body) > MaxBytes:
		return nil, fail(wayfind.CodeLimit, &wayfind.TooLarge{Of: "bytes of Markdown", Size: int64(len(body)), Limit: MaxBytes})
	case !utf8.Valid(body):
		return nil, fail(wayfind.CodeInvalidUTF8, errors.New("bytes that are not UTF-8"))
	}
	d := &Doc{}
	content, marked := bytes.CutPrefix(body, []byte("\ufeff"))
	if marked {
		d.find(ByteOrderMark, 1)
	}
	d.lines = newLineTable(string(content))
	first := d.front()
	p := d.prepare(first)
	root, err := tree(text.NewReader(p.text))
	if err != nil {
		return nil, err
	}
	c := collector{prepared: p, doc: d, section: Section{Line: first}}
	c.top(root)
	return d, nil
}

func fail(code wayfind.Code, err error) error {
	return wayfind.NewError("parse", "", code, err)
}

// outline is goldmark with the parsers that an outline needs. It is safe for
// concurrent use.
var outline = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(parser.NewListParser(), 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	), parser.WithInlineParsers(util.Prioritized(lines{}, 100)))
})

// lines reads a block as one node. goldmark would otherwise make a node of each line, but only
// the lines of blocks are used.
type lines struct{}

// Trigger returns the first bytes of a block. The space represents letters.
func (lines) Trigger() []byte { return []byte(" !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") }

// Parse steps over the block.
func (lines) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	for line, _ := block.PeekLine(); line != nil; line, _ = block.PeekLine() {
		block.AdvanceLine()
	}
	return ast.NewText()
}

// tree runs goldmark.
func tree(r text.Reader) (root ast.Node, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = wayfind.NewError("parse", "", wayfind.CodePanic, fmt.Errorf("reading Markdown: %v", v))
		}
	}()
	return outline().Parse(r), nil
}

// line returns the line of the body for an offset in the text.
func (p *prepared) line(offset int) int {
	i := sort.SearchInts(p.starts, offset+1) - 1
	return p.origin[min(max(i, 0), len(p.origin)-1)]
}

// collector converts a tree to sections.
type collector struct {
	*prepared
	doc     *Doc
	section Section
}

// top collects blocks outside lists. Only their headings begin sections.
func (c *collector) top(root ast.Node) {
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		heading, ok := n.(*ast.Heading)
		if !ok {
			c.block(n, 0)
			continue
		}
		title, _, _ := c.content(n)
		line := c.line(n.Pos())
		c.finish(line - 1)
		c.section = Section{Level: heading.Level, Title: title, Line: line}
	}
	c.finish(len(c.doc.lines.starts))
}

// finish adds the section that was collected, with its last line.
func (c *collector) finish(last int) {
	if c.section.End = last; c.section.Level > 0 || c.section.Blocks != nil {
		c.doc.Sections = append(c.doc.Sections, c.section)
	}
}

// block adds a block inside depth items, with its content.
func (c *collector) block(n ast.Node, depth int) {
	b := Block{Depth: depth}
	switch n := n.(type) {
	case *ast.List:
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			c.item(item, depth+1)
		}
		return
	case *ast.FencedCodeBlock:
		b.Kind = Code
		if n.Info != nil {
			b.Info = string(n.Info.Value(c.text))
		}
	case *ast.CodeBlock:
		b.Kind = Code
	case *ast.HTMLBlock:
		b.Kind = HTML
	case *ast.Paragraph, *ast.TextBlock, *ast.Heading:
		b.Kind = Paragraph
	default:
		return
	}
	b.Text, b.Line, b.End = c.content(n)
	c.section.Blocks = append(c.section.Blocks, b)
}

// item adds a list item and its content.
func (c *collector) item(n ast.Node, depth int) {
	b := Block{Kind: Item, Depth: depth, Line: c.line(n.Pos())}
	b.End = b.Line
	child := n.FirstChild()
	switch child.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		b.Text, b.Line, b.End = c.content(child)
		child = child.NextSibling()
	}
	c.section.Blocks = append(c.section.Blocks, b)
	for ; child != nil; child = child.NextSibling() {
		c.block(child, depth)
	}
}

// content returns the text of a node and its lines. Code is taken from the body, where it is
// unchanged.
func (c *collector) content(n ast.Node) (content string, first, last int) {
	lines := n.Lines()
	if lines.Len() == 0 {
		line := c.line(n.Pos())
		return "", line, line
	}
	first, last = c.line(lines.At(0).Start), c.line(lines.At(lines.Len()-1).Start)
	switch n.(type) {
	case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock:
		if html, ok := n.(*ast.HTMLBlock); ok && html.HasClosure() {
			last = c.line(html.ClosureLine.Start)
		}
		return c.doc.Lines(first, last), first, last
	}
	var b strings.Builder
	for i := range lines.Len() {
		segment := lines.At(i)
		if i > 0 {
			b.WriteByte('\n')
		}
		b.Write(bytes.TrimSpace(segment.Value(c.text)))
	}
	return b.String(), first, last
}
