// Package jsonscan is the one door through which JSON from strangers enters.
//
// [Scan] reads a whole body into a [Doc]: a flat table of nodes over the body,
// strict where encoding/json is lenient. Refused in every mode: a member name
// that comes twice in one object (also in an escaped spelling), bytes that are
// not UTF-8 and lone surrogates (RFC 7493 §2.1), anything after the value,
// nesting deeper than [MaxDepth]. Member names match in their exact case.
//
//	doc, err := jsonscan.Scan(body)
//	if err != nil { … }
//	name, ok := doc.Root().Get("name").Str()
//
// The grammar is that of jsontext; this package is the only one that imports
// it. Reading costs time and memory in proportion to any body: the limits are
// constants of this package and exceeding one is an error, never a silent cut;
// [Fit] reads the part within them.
package jsonscan

import "sync"

// The limits of [Scan]. Bodies are capped long before, when they are fetched.
const (
	// MaxDepth bounds the nesting of arrays and objects: 64 opening brackets
	// inside each other are read, 65 are refused.
	MaxDepth = 64
	// MaxBytes is the largest body; positions are kept in 32 bits.
	MaxBytes = 64 << 20
	// MaxName is the longest member name in bytes as written, quotes not
	// counted. Pointers in messages repeat names once per level.
	MaxName = 4 << 10
	// MaxNodes bounds the values of a body. At 24 bytes each the table stays
	// below 12 MiB; a body of 256 KiB cannot reach it.
	MaxNodes = 512 << 10
)

// Doc is a scanned body. It is immutable and safe for concurrent use. It
// aliases the body, which must not be modified while the Doc is in use, unless
// [Own] made it; strings it gives out stay valid in any case.
type Doc struct {
	body []byte // nil: only text is kept
	// text is a copy of body that strings are cut from.
	text  string
	nodes []node
	bom   bool
	// left and holes say what Fit left out: how many values of a container, by its
	// offset, and where, in order.
	left  map[uint32]int
	holes []uint32
	// indexes are the members of large objects by their names, of those that Find
	// was called on: []uint32 by the id of the object.
	indexes sync.Map
	// mark is what Node.With put there.
	mark any
}

// with returns a Doc of the same values, in the same tables, with a mark.
func (d *Doc) with(mark any) *Doc {
	return &Doc{body: d.body, text: d.text, nodes: d.nodes, bom: d.bom, left: d.left, holes: d.holes, mark: mark}
}

// Root returns the top-level value.
func (d *Doc) Root() Node {
	return Node{doc: d, id: uint32(len(d.nodes) - 1)}
}

// BOM reports whether a UTF-8 byte order mark was dropped before the value.
func (d *Doc) BOM() bool { return d.bom }

// Nodes returns the number of values in the document, containers included.
func (d *Doc) Nodes() int { return len(d.nodes) }

// Kind is the type of a JSON value.
type Kind uint8

// The kinds. The zero Kind is that of a value that is not there.
const (
	Missing Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// node is one value. The children of a container lie side by side in the
// table, in the order of the document and before the container itself.
type node struct {
	start, end         uint32 // of the value in the body
	nameStart, nameEnd uint32 // of the member name, between its quotes
	first              uint32 // index of the first child
	info               uint32 // kind, flags and number of children
}

// The layout of node.info.
const (
	kindMask    = 0x7
	escaped     = 1 << 3 // the string has escapes
	nameEscaped = 1 << 4 // the member name has escapes
	countShift  = 8
)

func (n *node) kind() Kind { return Kind(n.info & kindMask) }
func (n *node) count() int { return int(n.info >> countShift) }
