// Package textpos finds the place in the text of a document that a diagnostic names.
package textpos

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/reftoken"
	"github.com/wayfindhq/wayfind/internal/syntax/yamlscan"
	"github.com/wayfindhq/wayfind/parse"
)

// Text is the text of a document.
type Text struct {
	body  []byte
	root  parse.Node // of JSON
	yaml  parse.YAML // of a document in YAML
	front parse.YAML // of a text in Markdown
	wrong int        // the line up to which it is JSON; 0 for all of it
}

// New reads a text that is JSON, YAML, or has YAML at its top; of any other no
// place is found.
func New(body []byte) *Text {
	t, in := &Text{body: body}, &parse.Input{Body: body}
	var err error
	t.root, err = in.JSON()
	t.wrong, _ = parse.SyntaxCause(err)
	if err == nil || !yamlscan.Begins(body) {
		return t
	}
	t.wrong = 0
	if text, err := in.Markdown(); err == nil {
		t.front, _ = text.FrontMatter() // none: no columns
	}
	if !t.front.Exists() {
		t.yaml, _ = in.YAML()
	}
	return t
}

// Body is the text itself.
func (t *Text) Body() []byte { return t.body }

// Lines of the text, each with its end.
func (t *Text) Lines() []string { return slices.Collect(strings.Lines(string(t.body))) }

// Position is where the value of a diagnostic begins, in lines and letters from 1;
// zero where that is not known.
func (t *Text) Position(d wayfind.Diagnostic) (line, column int) {
	switch {
	case d.Line > 0:
		return d.Line, t.columnOf(d.Line)
	case t.yaml.Exists():
		n := t.inYAML(d.Pointer)
		if d.Pointer == "" && n.Kind() != parse.Object && n.Kind() != parse.Array {
			return 0, 0 // almost any text is a scalar of YAML
		}
		return n.Line(), n.Column()
	}
	n := t.At(d.Pointer)
	if strings.HasPrefix(d.Code, "document.json_") {
		return t.wrong, 0
	}
	if !n.Exists() {
		return 0, 0
	}
	before := t.body[:n.Offset()]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}

// columnOf is where the first text or list of the front matter begins that stands on a
// line: a mapping begins where its first key does.
func (t *Text) columnOf(line int) (column int) {
	var look func(y parse.YAML)
	look = func(y parse.YAML) {
		if at := y.Column(); y.Line() == line && y.Kind() != parse.Object && (column == 0 || at < column) {
			column = at
		}
		for _, value := range y.Members() {
			look(value)
		}
		for i := 0; y.Index(i).Exists(); i++ {
			look(y.Index(i))
		}
	}
	look(t.front)
	return column
}

// tokens are those of a pointer (RFC 6901).
func tokens(pointer string) (list []string) {
	if pointer == "" {
		return nil
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		list = append(list, reftoken.Unescape(token))
	}
	return list
}

// inYAML is the value of a pointer in a document in YAML.
func (t *Text) inYAML(pointer string) parse.YAML {
	n := t.yaml
	for _, token := range tokens(pointer) {
		if i, err := strconv.Atoi(token); n.Kind() == parse.Array && err == nil {
			n = n.Index(i)
		} else {
			n = n.Get(token)
		}
	}
	return n
}

// At is the value of a pointer (RFC 6901) in JSON.
func (t *Text) At(pointer string) parse.Node {
	n := t.root
	for _, token := range tokens(pointer) {
		switch i, err := strconv.Atoi(token); {
		case n.Kind() == parse.Object:
			n = n.Get(token)
		case n.Kind() == parse.Array && err == nil && i >= 0 && i < n.Len():
			n = n.Index(i)
		default:
			return parse.Node{}
		}
	}
	return n
}
