package main

import (
	"bytes"
	"cmp"
	"context"
	"maps"
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
	body  []byte
	root  parse.Node // of JSON
	yaml  parse.YAML // of a document in YAML
	front parse.YAML // of a text in Markdown
	wrong int        // the line at which the JSON ends to be some; 0 where it is
	host  string     // of a document that is served over https; may be empty
}

// newDocText reads a text that is JSON, YAML, or has YAML at its top; of any other no
// place is found.
func newDocText(body []byte) *docText {
	t, in := &docText{body: body}, &parse.Input{Body: body}
	var err error
	t.root, err = in.JSON()
	t.wrong, _ = parse.SyntaxCause(err)
	if text := bytes.TrimLeft(body, byteOrderMark+" \t\r\n"); err == nil || bytes.HasPrefix(text, []byte("{")) || bytes.HasPrefix(text, []byte("[")) {
		return t
	}
	if text, err := in.Markdown(); err == nil {
		t.front, _ = text.FrontMatter() // none: no columns
	}
	if !t.front.Exists() {
		t.yaml, _ = in.YAML()
	}
	return t
}

// position is where the value of a diagnostic begins, in lines and letters from 1;
// zero where that is not known.
func (t *docText) position(d wayfind.Diagnostic) (line, column int) {
	switch {
	case d.Line > 0:
		return d.Line, t.columnOf(d.Line)
	case t.yaml.Exists():
		n := t.inYAML(d.Pointer)
		return n.Line(), n.Column()
	}
	n := t.at(d.Pointer)
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
func (t *docText) columnOf(line int) (column int) {
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

// pointerTokens are those of a pointer (RFC 6901).
func pointerTokens(pointer string) (list []string) {
	if pointer == "" {
		return nil
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		list = append(list, strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~"))
	}
	return list
}

// inYAML is the value of a pointer in a document in YAML.
func (t *docText) inYAML(pointer string) parse.YAML {
	n := t.yaml
	for _, token := range pointerTokens(pointer) {
		if i, err := strconv.Atoi(token); n.Kind() == parse.Array && err == nil {
			n = n.Index(i)
		} else {
			n = n.Get(token)
		}
	}
	return n
}

// at is the value of a pointer in JSON.
func (t *docText) at(pointer string) parse.Node {
	n := t.root
	for _, token := range pointerTokens(pointer) {
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

// comparePointers puts JSON pointers in order: the whole before its parts, and
// elements of arrays by number.
func comparePointers(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "/"), strings.Split(b, "/"), func(a, b string) int {
		m, notA := strconv.Atoi(a)
		n, notB := strconv.Atoi(b)
		if notA == nil && notB == nil {
			return cmp.Compare(m, n)
		}
		return strings.Compare(a, b)
	})
}

// lines of the text, each with its end.
func (t *docText) lines() []string {
	return slices.Collect(strings.Lines(string(t.body)))
}

// mostAlike is how many findings of one code are shown: a page of notes on the same
// thing hides what else there is.
const mostAlike = 5

// printFindings shows the findings, of many with one code the first.
func (l *linter) printFindings(r *lintReport) {
	shown, more := map[string]int{}, map[string]int{}
	for i := range r.Diagnostics {
		f := &r.Diagnostics[i]
		if shown[f.Code] == mostAlike && !l.network.verbose {
			more[f.Code]++
			continue
		}
		shown[f.Code]++
		l.printFinding(r.Name, f)
	}
	for _, code := range slices.Sorted(maps.Keys(more)) {
		l.line("  and %d more of %s; --verbose shows them", more[code], show(code))
	}
}
