// Package textpos finds the place in the text of a document that a diagnostic names.
package textpos

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/internal/yamlscan"
	"github.com/wayfindhq/wayfind/parse"
)

// Text is the text of a document.
type Text struct {
	body []byte
	root parse.Node
	yaml yamlscan.Node // where it is no JSON
}

// New reads a text. Of one that is neither JSON nor YAML no place is found.
func New(body []byte) *Text {
	t := &Text{body: body}
	root, err := (&parse.Input{Body: body}).JSON()
	if err == nil {
		t.root = root
		return t
	}
	if yaml, err := yamlscan.ScanDocument(string(body), yamlscan.Whole()); err == nil {
		t.yaml = yaml
	}
	return t
}

// Body is the text itself.
func (t *Text) Body() []byte { return t.body }

// Lines of the text, each with its end.
func (t *Text) Lines() []string { return slices.Collect(strings.Lines(string(t.body))) }

// Position is where the value of a pointer begins, in lines and letters from 1. column
// is 0 where the text is YAML, and both are where there is no such value.
func (t *Text) Position(pointer string) (line, column int) {
	n := t.At(pointer)
	if !n.Exists() {
		return t.lineOfYAML(pointer), 0
	}
	before := t.body[:n.Offset()]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
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

func (t *Text) lineOfYAML(pointer string) int {
	if pointer == "" {
		return 0 // almost any text is a scalar of YAML
	}
	n := t.yaml
	for _, token := range tokens(pointer) {
		switch i, err := strconv.Atoi(token); {
		case n.Kind() == yamlscan.Mapping:
			n = n.Get(token)
		case n.Kind() == yamlscan.Sequence && err == nil && i >= 0 && i < n.Len():
			n = n.Index(i)
		default:
			return 0
		}
	}
	return n.Line()
}

func tokens(pointer string) (list []string) {
	if pointer == "" {
		return nil
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		list = append(list, strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~"))
	}
	return list
}
