package main

import (
	"bytes"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// parseNamed reads the document of a file. Where the content does not decide the
// format, the name of the file counts as its place.
func parseNamed(ctx context.Context, name string, body []byte, o client.ParseOptions) (*client.ParseResult, error) {
	result, err := client.Parse(ctx, body, &o)
	if err != nil || result.Format != "" || o.Format != "" || o.URL != "" {
		return result, err
	}
	place := placeOf(name, o.Formats)
	if place == "" {
		return result, nil
	}
	o.Path = place
	if there, err := client.Parse(ctx, body, &o); err == nil && there.Format != "" {
		return there, nil
	}
	return result, nil
}

// placeOf is the place where a format is looked for that ends as the name of a file
// does: /.well-known/agent-card.json of "shop/agent-card.json". The place that shares
// most with the name counts. It is empty for a name that tells nothing.
func placeOf(name string, list []*parse.Format) string {
	place, _ := placeAndFormat(name, list)
	return place
}

// namedFormat is the name of the format that is looked for under the name of a file.
func namedFormat(name string, list []*parse.Format) string {
	_, format := placeAndFormat(name, list)
	return format
}

func placeAndFormat(name string, list []*parse.Format) (place, format string) {
	if list == nil {
		list = formats.All()
	}
	file := "/" + filepath.ToSlash(name)
	best := 0
	for _, f := range list {
		for _, l := range f.Locations {
			if path.Base(l.Path) != path.Base(file) || path.Ext(l.Path) == "" {
				continue
			}
			if n := commonEnd(l.Path, file); n > best {
				best, place, format = n, l.Path, f.Name
			}
		}
	}
	return place, format
}

// commonEnd counts the last segments that two paths have in common.
func commonEnd(a, b string) int {
	n := 0
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	for n < len(x) && n < len(y) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}

// docText is the text of a document, to find the places that diagnostics name.
type docText struct {
	body []byte
	root parse.Node
}

// newDocText reads a text that is JSON; of any other no place is found.
func newDocText(body []byte) *docText {
	root, err := (&parse.Input{Body: body}).JSON()
	if err != nil {
		return &docText{body: body}
	}
	return &docText{body, root}
}

// position is where the value of a diagnostic begins, in lines and letters from 1;
// zero where it has a line already, or is not about JSON.
func (t *docText) position(d wayfind.Diagnostic) (line, column int) {
	if d.Line > 0 {
		return 0, 0
	}
	n := t.at(d.Pointer)
	if !n.Exists() {
		return 0, 0
	}
	before := t.body[:n.Offset()]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}

// at is the value of a pointer (RFC 6901).
func (t *docText) at(pointer string) parse.Node {
	n := t.root
	if pointer == "" {
		return n
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
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

// lines of the text, each with its end.
func (t *docText) lines() []string {
	return slices.Collect(strings.Lines(string(t.body)))
}
