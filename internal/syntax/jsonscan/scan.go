package jsonscan

import (
	"bytes"
	"io"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/wayfindhq/wayfind"
)

// Scan reads a body that contains exactly one JSON value (RFC 8259), which may be a scalar,
// within the limits of this package. One UTF-8 byte order mark before it is removed and
// reported by [Doc.BOM]. UTF-16 and UTF-32 are refused.
//
// The error is a *wayfind.Error with Op "parse", Kind ErrInvalid, one of the codes json_syntax,
// json_duplicate, json_trailing, json_depth, invalid_utf8 and limit, and a [*SyntaxError] as
// its cause. If there is an error, there is no Doc.
func Scan(body []byte) (*Doc, error) {
	if len(body) > MaxBytes {
		limit := wayfind.TooLarge{Of: "bytes of JSON", Size: int64(len(body)), Limit: MaxBytes}
		return nil, wayfind.NewError("parse", "", wayfind.CodeLimit, &SyntaxError{Line: 1, Reason: limit.Error(), Beyond: &limit})
	}
	s := scanner{body: body}
	if bytes.HasPrefix(body, []byte("\xef\xbb\xbf")) {
		s.base = 3
	}
	if err := wideEncoding(body); err != nil {
		return nil, err
	}
	s.reader = borrow(body[s.base:])
	defer s.reader.giveBack(len(body))
	s.end = s.base
	s.nodes = make([]node, min(mostNodes(body), MaxNodes))
	s.high = len(s.nodes)
	if err := s.value(); err != nil {
		return nil, err
	}
	if err := s.trailing(); err != nil {
		return nil, err
	}
	s.settle(1)
	return &Doc{body: body, text: string(body), nodes: clip(s.nodes[:s.low]), bom: s.base > 0}, nil
}

// Own is Scan for a body that the caller may change later, and for a Doc that is kept. The Doc
// contains the text once, and [Node.Raw] returns copies.
func Own(body []byte) (*Doc, error) {
	doc, err := Scan(body)
	if err == nil {
		doc.body = nil
	}
	return doc, err
}

// reader is a decoder of tokens with its input and position.
type reader struct {
	dec   *jsontext.Decoder
	input bytes.Buffer
	open  []frame // open containers
}

// readers contains readers for reuse. A new one costs more than to read a short document.
var readers = sync.Pool{New: func() any {
	r := &reader{}
	r.dec = jsontext.NewDecoder(&r.input)
	return r
}}

func borrow(body []byte) *reader {
	r := readers.Get().(*reader)
	r.input, r.open = *bytes.NewBuffer(body), r.open[:0]
	r.dec.Reset(&r.input)
	return r
}

// maxReused is the maximum length of a document after which a reader is kept. The memory of a
// reader grows with names and depth.
const maxReused = 64 << 10

// giveBack releases the document.
func (r *reader) giveBack(n int) {
	if n > maxReused {
		return
	}
	r.input = bytes.Buffer{}
	r.dec.Reset(&r.input)
	readers.Put(r)
}

// mostNodes returns an upper bound of the number of values in the body. Each value but the
// first follows an opening bracket or a comma. Between two commas there are at most as many
// brackets as the depth allows, and one scalar.
func mostNodes(body []byte) int {
	commas := bytes.Count(body, []byte(","))
	opening := bytes.Count(body, []byte("[")) + bytes.Count(body, []byte("{"))
	return min(1+commas+opening, (1+commas)*(MaxDepth+1))
}

// clip releases a table with much unused room. mostNodes counts commas in text, and counts
// empty lists and objects twice.
func clip(nodes []node) []node {
	if len(nodes) < cap(nodes)-cap(nodes)/8 {
		return slices.Clone(nodes)
	}
	return nodes
}

// wideEncoding returns an error if the body begins with the byte order mark of another
// encoding. Its message is better than "invalid character".
func wideEncoding(body []byte) error {
	if bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff")) {
		return fail(wayfind.CodeJSONSyntax, body, 0, "", "UTF-16 or UTF-32 byte order mark: JSON is UTF-8 (RFC 8259 §8.1)")
	}
	return nil
}

// scanner converts tokens to a table. One allocation contains all nodes. Nodes in closed
// containers fill it from the low end and are final. Nodes in open containers are a stack that
// grows down from the high end.
type scanner struct {
	body []byte
	*reader
	base      int // offset in body of the start of the decoder's input
	end       int // offset in body after the last token
	nodes     []node
	low, high int  // nodes[low:high] is free
	member    node // holds the name of the member that is read
	named     bool // member has a name and no value yet
}

// frame is an open container: its node as far as known, and the number of its children so far.
type frame struct {
	node     node
	children int
}

// value reads tokens until the top-level value is complete.
func (s *scanner) value() error {
	for done := false; !done; {
		token, err := s.dec.ReadToken()
		if err != nil {
			return s.syntax(err)
		}
		start := s.start()
		s.end = s.base + int(s.dec.InputOffset())
		switch kind := token.Kind(); {
		case kind == jsontext.KindEndObject || kind == jsontext.KindEndArray:
			done = s.close()
		case kind == jsontext.KindString && s.isName():
			err = s.name(start)
		case s.high-s.low <= len(s.open):
			// Open containers need a place too.
			err = s.refuse(wayfind.CodeLimit, start, wayfind.TooLarge{Of: "values", Limit: MaxNodes})
		case kind == jsontext.KindBeginObject:
			err = s.begin(Object, start)
		case kind == jsontext.KindBeginArray:
			err = s.begin(Array, start)
		default:
			done = s.scalar(scalarKind(kind), start)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// start returns the first byte of the last token. Between it and the token before there are
// only spaces and at most one colon or comma.
func (s *scanner) start() int {
	i := s.end
	for i < len(s.body) {
		switch s.body[i] {
		case ' ', '\t', '\r', '\n', ':', ',':
			i++
		default:
			return i
		}
	}
	return i
}

// isName reports whether a string is a member name.
func (s *scanner) isName() bool {
	return !s.named && len(s.open) > 0 && s.open[len(s.open)-1].node.kind() == Object
}

// name stores a member name for the next value.
func (s *scanner) name(start int) error {
	if s.end-start-2 > MaxName {
		return s.refuse(wayfind.CodeLimit, start, wayfind.TooLarge{Of: "bytes in a member name", Limit: MaxName})
	}
	s.member = node{nameStart: uint32(start) + 1, nameEnd: uint32(s.end) - 1}
	if bytes.IndexByte(s.body[start:s.end], '\\') >= 0 {
		s.member.info = nameEscaped
	}
	s.named = true
	return nil
}

// take returns a node for a value that begins at start, with the stored member name.
func (s *scanner) take(kind Kind, start int) node {
	n := node{}
	if s.named {
		n = s.member
		s.named = false
	}
	n.start, n.end = uint32(start), uint32(s.end)
	n.info |= uint32(kind)
	return n
}

// scalar adds a value without children and reports whether the document is
// complete.
func (s *scanner) scalar(kind Kind, start int) bool {
	n := s.take(kind, start)
	if kind == String && bytes.IndexByte(s.body[start:s.end], '\\') >= 0 {
		n.info |= escaped
	}
	return s.push(n)
}

// begin opens a container.
func (s *scanner) begin(kind Kind, start int) error {
	if len(s.open) == MaxDepth {
		return s.refuse(wayfind.CodeJSONDepth, start, wayfind.TooLarge{Of: "levels", Limit: MaxDepth})
	}
	s.open = append(s.open, frame{node: s.take(kind, start)})
	return nil
}

// close ends the innermost container and moves its children to their final places in the table.
// It reports whether the document is complete.
func (s *scanner) close() bool {
	f := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	f.node.end = uint32(s.end)
	f.node.first = uint32(s.low)
	f.node.info |= uint32(f.children) << countShift
	s.settle(f.children)
	return s.push(f.node)
}

// push adds a complete value to its container, if it has one, and reports
// whether the document is complete.
func (s *scanner) push(n node) bool {
	s.high--
	s.nodes[s.high] = n
	if len(s.open) == 0 {
		return true
	}
	s.open[len(s.open)-1].children++
	return false
}

// settle moves the last n nodes of the stack into the table, in the order of the document. The
// ranges may overlap.
func (s *scanner) settle(n int) {
	top := s.nodes[s.high : s.high+n]
	slices.Reverse(top)
	copy(s.nodes[s.low:], top)
	s.low += n
	s.high += n
}

// trailing checks that only spaces follow the value.
func (s *scanner) trailing() error {
	if _, err := s.dec.ReadToken(); err == io.EOF {
		return nil
	}
	return fail(wayfind.CodeJSONTrailing, s.body, s.start(), "", "data after the top-level value")
}

func scalarKind(kind jsontext.Kind) Kind {
	switch kind {
	case jsontext.KindNumber:
		return Number
	case jsontext.KindString:
		return String
	case jsontext.KindTrue, jsontext.KindFalse:
		return Bool
	}
	return Null
}
