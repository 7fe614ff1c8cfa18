package callresult

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// htmlText returns the text of a page that a reader sees, in lines. It leaves out scripts,
// styles and hidden elements, and the targets of links. It makes one pass over tokens and
// builds no tree, so that the cost of nesting is proportional to its length.
func htmlText(body []byte) string {
	z := html.NewTokenizer(bytes.NewReader(body))
	w := &pageWriter{}
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) {
				w.line()
			}
			return strings.TrimSpace(w.out.String())
		case html.TextToken:
			w.text(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			w.start(&token)
		case html.EndTagToken:
			name, _ := z.TagName()
			w.end(atom.Lookup(name), string(name))
		}
	}
}

// pageWriter writes the text of a page.
type pageWriter struct {
	out strings.Builder
	// hidden is the name of the element that hides the text. depth is the number of open
	// elements with that name.
	hidden string
	depth  int
	blank  bool // write a blank before the next word
	fresh  bool // the line is empty
}

func (w *pageWriter) start(t *html.Token) {
	if w.hidden != "" {
		if t.Data == w.hidden && t.Type == html.StartTagToken {
			w.depth++
		}
		return
	}
	if hides(t) {
		if t.Type == html.StartTagToken && !void(t.DataAtom) {
			w.hidden, w.depth = t.Data, 1
		}
		return
	}
	switch {
	case t.DataAtom == atom.Br || block(t.DataAtom):
		w.line()
	case t.DataAtom == atom.Td || t.DataAtom == atom.Th:
		w.blank = true
	case t.DataAtom == atom.Img:
		for _, a := range t.Attr {
			if a.Key == "alt" {
				w.text(" " + a.Val + " ")
			}
		}
	}
	if t.DataAtom == atom.Li {
		w.text("- ")
	}
}

func (w *pageWriter) end(a atom.Atom, name string) {
	switch {
	case w.hidden != "":
		if name == w.hidden {
			if w.depth--; w.depth == 0 {
				w.hidden = ""
			}
		}
	case block(a) || a == atom.Title:
		w.line()
	}
}

// text writes words, separated by single blanks.
func (w *pageWriter) text(s string) {
	if w.hidden != "" {
		return
	}
	for s != "" {
		end := strings.IndexAny(s, " \t\n\r\f")
		if end == 0 {
			w.blank, s = true, s[1:]
			continue
		}
		if end < 0 {
			end = len(s)
		}
		if w.blank && !w.fresh {
			w.out.WriteByte(' ')
		}
		w.out.WriteString(s[:end])
		w.blank, w.fresh, s = false, false, s[end:]
	}
}

func (w *pageWriter) line() {
	if w.hidden == "" && !w.fresh {
		w.out.WriteByte('\n')
		w.fresh = true
	}
	w.blank = false
}

// hides reports whether a reader does not see the text of an element.
func hides(t *html.Token) bool {
	switch t.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Math, atom.Iframe, atom.Object, atom.Textarea, atom.Select, atom.Dialog:
		return true
	}
	for _, a := range t.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			if strings.EqualFold(a.Val, "true") {
				return true
			}
		case "style":
			style := strings.ToLower(strings.Join(strings.Fields(a.Val), ""))
			for _, how := range [...]string{"display:none", "visibility:hidden", "font-size:0;", "font-size:0px", "opacity:0;"} {
				if strings.Contains(style+";", how) {
					return true
				}
			}
		}
	}
	return false
}

// void reports whether an element has no end tag (WHATWG HTML §13.1.2).
func void(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Source, atom.Track, atom.Wbr:
		return true
	}
	return false
}

// block reports whether an element starts and ends a line.
func block(a atom.Atom) bool {
	switch a {
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Main, atom.Nav, atom.Aside, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6,
		atom.Ul, atom.Ol, atom.Li, atom.Dl, atom.Dt, atom.Dd, atom.Table, atom.Tr, atom.Thead, atom.Tbody, atom.Pre, atom.Blockquote, atom.Form, atom.Fieldset, atom.Hr,
		atom.Figure, atom.Figcaption, atom.Address, atom.Details, atom.Summary, atom.Head, atom.Body:
		return true
	}
	return false
}
