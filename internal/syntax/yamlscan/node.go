package yamlscan

import "iter"

// Kind is the type of a value.
type Kind uint8

// These are the kinds. The zero Kind is the kind of a missing value.
const (
	Missing Kind = iota
	Null         // nothing, "~" or "null", without quotes
	Scalar
	Sequence
	Mapping
)

// node is one value. The values of a mapping contain their keys.
type node struct {
	kind     Kind
	quoted   bool
	line     int
	column   int
	key      string
	text     string
	children []*node
	// size is the size of the value without aliases, if aliases are read.
	size int
}

// Node is one value of a text. It is small, immutable and safe for concurrent use. The zero
// Node is a missing value. Every method may be called on it.
type Node struct{ n *node }

// Kind returns the type of the value.
func (n Node) Kind() Kind {
	if n.n == nil {
		return Missing
	}
	return n.n.kind
}

// Line returns the line of the document on which the value begins, or 0 if it is missing.
func (n Node) Line() int {
	if n.n == nil {
		return 0
	}
	return n.n.line
}

// Column returns the character of that line at which the value begins, from 1, or 0 if it is
// missing.
func (n Node) Column() int {
	if n.n == nil {
		return 0
	}
	return n.n.column
}

// Get returns the value of exactly this key of a mapping.
func (n Node) Get(key string) Node {
	for name, value := range n.Members() {
		if name == key {
			return value
		}
	}
	return Node{}
}

// Index returns element i of a sequence, or a missing Node if i is out of range.
func (n Node) Index(i int) Node {
	if n.Kind() != Sequence || i < 0 || i >= len(n.n.children) {
		return Node{}
	}
	return Node{n.n.children[i]}
}

// Len returns the number of elements of a sequence or keys of a mapping.
func (n Node) Len() int {
	if n.n == nil {
		return 0
	}
	return len(n.n.children)
}

// Members yields the keys and values of a mapping in the order of the text.
func (n Node) Members() iter.Seq2[string, Node] {
	return func(yield func(string, Node) bool) {
		if n.Kind() != Mapping {
			return
		}
		for _, c := range n.n.children {
			if !yield(c.key, Node{c}) {
				return
			}
		}
	}
}

// Str returns the text of a scalar: as written if it has no quotes, else decoded. Null has no
// text.
func (n Node) Str() (text string, ok bool) {
	if n.Kind() != Scalar {
		return "", false
	}
	return n.n.text, true
}

// Quoted reports whether a scalar is in quotes or is a block of text, so that all readers of
// YAML take it for a string.
func (n Node) Quoted() bool { return n.n != nil && n.n.quoted }
