package yamlscan

import "iter"

// Kind is the type of a value.
type Kind uint8

// The kinds. The zero Kind is that of a value that is not there.
const (
	Missing Kind = iota
	Null         // nothing, "~" or "null", without quotes
	Scalar
	Sequence
	Mapping
)

// node is one value. The values of a mapping carry their keys.
type node struct {
	kind     Kind
	quoted   bool
	line     int
	column   int
	key      string
	text     string
	children []*node
	// size is that of the value written out, where aliases are read.
	size int
}

// Node is one value of a text: small, immutable, safe for concurrent use. The
// zero Node stands for a value that is not there; every method may be called on
// it.
type Node struct{ n *node }

// Kind returns the type of the value.
func (n Node) Kind() Kind {
	if n.n == nil {
		return Missing
	}
	return n.n.kind
}

// Line returns the line of the document on which the value begins, 0 when there
// is none.
func (n Node) Line() int {
	if n.n == nil {
		return 0
	}
	return n.n.line
}

// Column returns the character of that line at which the value begins, from 1; 0 when
// there is none.
func (n Node) Column() int {
	if n.n == nil {
		return 0
	}
	return n.n.column
}

// Get returns the value of a mapping under exactly that key.
func (n Node) Get(key string) Node {
	for name, value := range n.Members() {
		if name == key {
			return value
		}
	}
	return Node{}
}

// Index returns element i of a sequence, a Node that is missing outside of it.
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

// Str returns the text of a scalar: as written when it stands without quotes,
// decoded when it has some. Null is no text.
func (n Node) Str() (text string, ok bool) {
	if n.Kind() != Scalar {
		return "", false
	}
	return n.n.text, true
}

// Quoted reports whether a scalar stands in quotes or is a block of text, so
// that every reader of YAML takes it for a string.
func (n Node) Quoted() bool { return n.n != nil && n.n.quoted }
