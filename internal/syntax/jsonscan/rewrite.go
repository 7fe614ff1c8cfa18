package jsonscan

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/wayfindhq/wayfind/internal/syntax/uniqname"
)

// AppendQuote appends s as a JSON string in its shortest spelling (RFC 8785
// §3.2.2.2). Bytes that are not UTF-8 become U+FFFD.
func AppendQuote(dst []byte, s string) []byte {
	// The error says that bytes were replaced; the result is sound.
	quoted, _ := jsontext.AppendQuote(dst, s)
	return quoted
}

// RewriteStrings passes every string and every member name of a JSON value
// through f and returns the value with the results in their places. All other
// bytes stay as they are, and so do strings that f does not change; when it
// changes none, raw itself is returned.
//
// Where a changed name meets another name of its object it gets "~2", "~3" and
// so on: names that f leaves alone keep their spelling, the others follow in
// the order of the document. The value must be one that [Scan] accepts; the
// error is Scan's.
func RewriteStrings(raw []byte, f func(string) string) ([]byte, error) {
	doc, err := Scan(raw)
	if err != nil {
		return nil, err
	}
	w := rewriter{doc: doc, f: f}
	w.value(doc.Root())
	if w.copied == 0 {
		return raw, nil
	}
	return append(w.out, raw[w.copied:]...), nil
}

// rewriter copies a document and replaces parts of it.
type rewriter struct {
	doc    *Doc
	f      func(string) string
	out    []byte
	copied int // the offset in the body up to which out is complete
}

// replace writes s instead of the quoted string [start, end) of the body.
func (w *rewriter) replace(start, end uint32, s string) {
	w.out = append(w.out, w.doc.body[w.copied:start]...)
	w.out = AppendQuote(w.out, s)
	w.copied = int(end)
}

// value rewrites in the order of the document. It is as deeply nested as the document: at most
// MaxDepth.
func (w *rewriter) value(n Node) {
	switch n.Kind() {
	case String:
		old, _ := n.Str()
		if s := w.f(old); s != old {
			e := n.node()
			w.replace(e.start, e.end, s)
		}
	case Array:
		for i := range n.Len() {
			w.value(n.Child(i))
		}
	case Object:
		w.object(n)
	}
}

func (w *rewriter) object(n Node) {
	names := w.names(n)
	for i := range n.Len() {
		c := n.Child(i)
		if name, changed := names[i]; changed {
			e := c.node()
			w.replace(e.nameStart-1, e.nameEnd+1, name)
		}
		w.value(c)
	}
}

// names returns the new names of an object's members by index, without names that do not
// change.
func (w *rewriter) names(n Node) map[int]string {
	var changed map[int]string
	for i := range n.Len() {
		old := n.Child(i).Name()
		if s := w.f(old); s != old {
			if changed == nil {
				changed = make(map[int]string)
			}
			changed[i] = s
		}
	}
	if changed != nil {
		separate(n, changed)
	}
	return changed
}

// separate makes the changed names of an object differ from all others.
func separate(n Node, changed map[int]string) {
	used := make(uniqname.Taken, n.Len())
	for i := range n.Len() {
		if _, ok := changed[i]; !ok {
			used[n.Child(i).Name()] = 1
		}
	}
	for i := range n.Len() {
		if s, ok := changed[i]; ok {
			changed[i] = used.Free(s)
		}
	}
}
