package jsonscan

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/wayfindhq/wayfind/internal/syntax/reftoken"
)

// Node is one value of a [Doc]. It is small and may be copied. The zero Node is a missing
// value. Every method may be called on it.
type Node struct {
	doc *Doc
	id  uint32
}

// Mark returns the mark of the value that With set, or nil.
func (n Node) Mark() any {
	if n.doc == nil {
		return nil
	}
	return n.doc.mark
}

// With returns the same value with a mark, which all values inside it have too. Readers use it
// to pass their context to other readers. n must not be the zero Node.
func (n Node) With(mark any) Node { return Node{doc: n.doc.with(mark), id: n.id} }

// node returns the entry in the table, or nil for the zero Node.
func (n Node) node() *node {
	if n.doc == nil {
		return nil
	}
	return &n.doc.nodes[n.id]
}

// Kind returns the type of the value, or Missing for the zero Node.
func (n Node) Kind() Kind {
	if e := n.node(); e != nil {
		return e.kind()
	}
	return Missing
}

// Len returns the number of elements or members, or 0 for scalars.
func (n Node) Len() int {
	if e := n.node(); e != nil {
		return e.count()
	}
	return 0
}

// Child returns element or member i in the order of the document, in constant time. It returns
// the zero Node if i is out of range.
func (n Node) Child(i int) Node {
	if i < 0 || i >= n.Len() {
		return Node{}
	}
	return Node{doc: n.doc, id: n.node().first + uint32(i)}
}

// Get returns the member with exactly this name. It returns the zero Node if there is no such
// member or n is not an object. It looks at each member in turn, and only decodes names that
// may match.
func (n Node) Get(name string) Node {
	if n.Kind() != Object {
		return Node{}
	}
	e := n.node()
	for i := range uint32(e.count()) {
		if n.doc.named(&n.doc.nodes[e.first+i], name) {
			return Node{doc: n.doc, id: e.first + i}
		}
	}
	return Node{}
}

// named reports whether a member has this name.
func (d *Doc) named(e *node, name string) bool {
	size := int(e.nameEnd - e.nameStart)
	if e.info&nameEscaped == 0 {
		return size == len(name) && d.text[e.nameStart:e.nameEnd] == name
	}
	// An escape has at most six bytes for each byte of the name.
	return size > len(name) && size <= 6*len(name) && d.name(e) == name
}

// name decodes the name of a member.
func (d *Doc) name(e *node) string {
	if e.info&nameEscaped == 0 {
		return d.text[e.nameStart:e.nameEnd]
	}
	return unquote(d.text[e.nameStart-1 : e.nameEnd+1])
}

// Name returns the name of a member, or "" if the node is not a member.
func (n Node) Name() string {
	if e := n.node(); e != nil && e.nameStart > 0 {
		return n.doc.name(e)
	}
	return ""
}

// Members yields names and values of an object in the order of the document.
func (n Node) Members() iter.Seq2[string, Node] {
	return func(yield func(string, Node) bool) {
		if n.Kind() != Object {
			return
		}
		for i := range n.Len() {
			if c := n.Child(i); !yield(c.Name(), c) {
				return
			}
		}
	}
}

// Str returns the text of a string. A text without escapes is not copied.
func (n Node) Str() (string, bool) {
	e := n.node()
	switch {
	case e == nil || e.kind() != String:
		return "", false
	case e.info&escaped == 0:
		return n.doc.text[e.start+1 : e.end-1], true
	}
	return unquote(n.doc.text[e.start:e.end]), true
}

// Bool returns the value of true or false.
func (n Node) Bool() (value, ok bool) {
	e := n.node()
	if e == nil || e.kind() != Bool {
		return false, false
	}
	return n.doc.text[e.start] == 't', true
}

// Int returns a number that is an integer by value and fits. 1000, 1e3 and 1000.0 are the same
// integer (as in JSON Schema). 1.5 and 2^63 are not ok. It never rounds: 2^53+1 is
// 9007199254740993.
func (n Node) Int() (int64, bool) {
	if n.Kind() != Number {
		return 0, false
	}
	return integer(n.Text())
}

// Float returns the nearest double of a number. It is not ok if the number is outside the range
// of doubles, so the result is never infinite.
func (n Node) Float() (float64, bool) {
	if n.Kind() != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(n.Text(), 64)
	if err != nil {
		return 0, false
	}
	return f, true
}

// Raw returns the value as written, without spaces around it, or nil for the zero Node. It
// aliases the body if the Doc does. To append to the result does not write to the body.
func (n Node) Raw() []byte {
	e := n.node()
	switch {
	case e == nil:
		return nil
	case n.doc.body == nil:
		return []byte(n.doc.text[e.start:e.end])
	}
	return n.doc.body[e.start:e.end:e.end]
}

// Text returns Raw as a string without a copy, or "" for the zero Node.
func (n Node) Text() string {
	if e := n.node(); e != nil {
		return n.doc.text[e.start:e.end]
	}
	return ""
}

// Pointer returns the RFC 6901 pointer of the value, or "" for the top-level value and the zero
// Node. It descends from the top, with a binary search at each level.
func (n Node) Pointer() string {
	if n.doc == nil {
		return ""
	}
	var b strings.Builder
	for at := n.doc.Root(); at.id != n.id; {
		i := at.childAt(n.node().start)
		child := at.Child(i)
		b.WriteByte('/')
		if at.Kind() == Object {
			b.WriteString(reftoken.Escape(child.Name()))
		} else {
			b.WriteString(strconv.Itoa(i))
		}
		at = child
	}
	return b.String()
}

// Line returns the line on which the value begins, from 1, or 0 for the zero Node.
func (n Node) Line() int {
	e := n.node()
	if e == nil {
		return 0
	}
	return 1 + strings.Count(n.doc.text[:e.start], "\n")
}

// NameSpan returns the place of the name of a member in the body, with its quotes, or 0, 0 if
// the node is not a member.
func (n Node) NameSpan() (start, end int) {
	e := n.node()
	if e == nil || e.nameStart == 0 {
		return 0, 0
	}
	return int(e.nameStart) - 1, int(e.nameEnd) + 1
}

// Offset returns the start of the value in the body, in bytes, or -1 for the zero Node.
func (n Node) Offset() int {
	e := n.node()
	if e == nil {
		return -1
	}
	return int(e.start)
}

// childAt returns the index of the child that contains the offset.
func (n Node) childAt(offset uint32) int {
	e := n.node()
	children := n.doc.nodes[e.first : int(e.first)+e.count()]
	i, found := slices.BinarySearchFunc(children, offset, func(c node, at uint32) int {
		return cmp.Compare(c.start, at)
	})
	if found {
		return i
	}
	return i - 1
}

// unquote decodes a string that Scan accepted.
func unquote(quoted string) string {
	text, err := jsontext.AppendUnquote(make([]byte, 0, len(quoted)), quoted)
	if err != nil {
		return ""
	}
	return string(text)
}
