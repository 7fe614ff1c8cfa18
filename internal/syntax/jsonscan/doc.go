// Package jsonscan reads all JSON from strangers.
//
// [Scan] reads a whole body into a [Doc], which is a flat table of nodes over the body. It is
// strict where encoding/json is lenient. In every mode it refuses a duplicate member name in an
// object (also if the spellings differ by escapes), bytes that are not UTF-8 and lone
// surrogates (RFC 7493 §2.1), anything after the value, and nesting deeper than [MaxDepth].
// Member names match in their exact case.
//
//	doc, err := jsonscan.Scan(body)
//	if err != nil { … }
//	name, ok := doc.Root().Get("name").Str()
//
// The package uses the grammar of jsontext, and is the only package that imports it. The time
// and memory to read a body are proportional to its size. The limits are constants of this
// package. If a body exceeds a limit, the result is an error, never a silent cut. [Fit] reads
// the part within the limits.
package jsonscan

import "sync"

// These are the limits of [Scan]. The size of a body is limited before, when it is fetched.
const (
	// MaxDepth is the maximum nesting of arrays and objects: 64 open brackets are read, 65 are
	// refused.
	MaxDepth = 64
	// MaxBytes is the maximum size of a body. Positions are stored in 32 bits.
	MaxBytes = 64 << 20
	// MaxName is the maximum length of a member name in bytes as written, without quotes.
	// Pointers in messages repeat names once per level.
	MaxName = 4 << 10
	// MaxNodes is the maximum number of values in a body. At 24 bytes each the table stays
	// below 12 MiB. A body of 256 KiB cannot reach it.
	MaxNodes = 512 << 10
)

// Doc is a scanned body. It is immutable and safe for concurrent use. It aliases the body,
// which must not be modified while the Doc is in use, unless [Own] returned the Doc. Strings
// from it always remain valid.
type Doc struct {
	body []byte // nil: only text is kept
	// text is a copy of body. Strings are cut from it.
	text  string
	nodes []node
	bom   bool
	// left contains the number of values that Fit omitted in a container, by the container's
	// offset. holes contains their places, in order.
	left  map[uint32]int
	holes []uint32
	// indexes contains the sorted members of large objects for which Find was called: a
	// []uint32 by the id of the object.
	indexes sync.Map
	// mark is the mark that Node.With set.
	mark any
}

// with returns a Doc with the same tables and a mark.
func (d *Doc) with(mark any) *Doc {
	return &Doc{body: d.body, text: d.text, nodes: d.nodes, bom: d.bom, left: d.left, holes: d.holes, mark: mark}
}

// Root returns the top-level value.
func (d *Doc) Root() Node {
	return Node{doc: d, id: uint32(len(d.nodes) - 1)}
}

// BOM reports whether a UTF-8 byte order mark was removed before the value.
func (d *Doc) BOM() bool { return d.bom }

// Nodes returns the number of values in the document, including containers.
func (d *Doc) Nodes() int { return len(d.nodes) }

// Kind is the type of a JSON value.
type Kind uint8

// These are the kinds. The zero Kind is the kind of a missing value.
const (
	Missing Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// node is one value. The children of a container are adjacent in the table, in the order of the
// document, before the container itself.
type node struct {
	start, end         uint32 // the value in the body
	nameStart, nameEnd uint32 // the member name, without its quotes
	first              uint32 // index of the first child
	info               uint32 // kind, flags and number of children
}

// These constants are the layout of node.info.
const (
	kindMask    = 0x7
	escaped     = 1 << 3 // the string has escapes
	nameEscaped = 1 << 4 // the member name has escapes
	countShift  = 8
)

func (n *node) kind() Kind { return Kind(n.info & kindMask) }
func (n *node) count() int { return int(n.info >> countShift) }
