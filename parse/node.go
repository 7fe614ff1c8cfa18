package parse

import (
	"iter"
	"slices"

	"github.com/wayfindhq/wayfind/internal/jsonscan"
)

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

// String returns the kind in the words of JSON Schema, "nothing" for Missing.
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "boolean"
	case Number:
		return "number"
	case String:
		return "string"
	case Array:
		return "array"
	case Object:
		return "object"
	}
	return "nothing"
}

// Node is one value of a JSON document. It is small and meant to be passed by
// value; it is immutable and safe for concurrent use.
//
// The zero Node stands for a value that is not there. Every method may be
// called on every Node: one that does not apply gives zero values, so that chains
// like doc.Get("info").Get("title").Str() need no checks in between. To have
// the mistakes of a document reported, read through a [Reader].
type Node struct {
	n jsonscan.Node
}

// Exists reports whether there is a value, null included.
func (n Node) Exists() bool { return n.n.Kind() != jsonscan.Missing }

// Kind returns the type of the value, Missing when there is none.
func (n Node) Kind() Kind { return Kind(n.n.Kind()) }

// Get returns the member of an object with exactly that name: member names are
// case-sensitive (RFC 8259 §8.3). The time is linear in the number of members.
func (n Node) Get(name string) Node {
	n.trace().asked(n, name)
	return Node{n.n.Get(name)}
}

// Has reports whether an object has one of the members, null included.
func (n Node) Has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return n.Get(name).Exists() })
}

// HasOnly reports whether an object has no members but these.
func (n Node) HasOnly(names ...string) bool {
	for name := range n.members() {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// Pick returns the first of several names of a member that an object has, and that is
// not null; the first of all if it has none.
func (n Node) Pick(names ...string) string {
	for _, name := range names {
		if kind := n.Get(name).Kind(); kind != Missing && kind != Null {
			return name
		}
	}
	return names[0]
}

// IfSet returns the object to read an optional member of, and nothing if the member is
// null, which is how generators write that there is none.
func (n Node) IfSet(member string) Node {
	if n.Get(member).Kind() == Null {
		return Node{}
	}
	return n
}

// MaxSampled is the number of elements of a list that are looked at to recognise it.
const MaxSampled = 20

// Sampled counts, among the first 20 elements of a list, those that are so.
func (n Node) Sampled(is func(Node) bool) (found int) {
	for i := range min(n.Len(), MaxSampled) {
		if is(n.Index(i)) {
			found++
		}
	}
	return found
}

// Index returns element i of an array in constant time, a Node that is missing
// outside 0 ≤ i < Len.
func (n Node) Index(i int) Node {
	if n.Kind() != Array {
		return Node{}
	}
	return Node{n.n.Child(i)}
}

// Len returns the number of elements of an array or members of an object.
func (n Node) Len() int { return n.n.Len() }

// Left returns the number of elements or members that [Input.JSONThatFits] left
// out of the value.
func (n Node) Left() int { return n.n.Left() }

// Whole reports whether [Input.JSONThatFits] kept the whole value, at every
// depth.
func (n Node) Whole() bool { return n.n.Whole() }

// Members yields the names and values of an object in the order of the
// document. No name comes twice.
func (n Node) Members() iter.Seq2[string, Node] {
	// Inside of the function, so that a loop over it takes no memory.
	return func(yield func(string, Node) bool) {
		n.trace().listed(n)
		for name, value := range n.n.Members() {
			if !yield(name, Node{value}) {
				return
			}
		}
	}
}

// members is Members for those who look for names that they know.
func (n Node) members() iter.Seq2[string, Node] {
	return func(yield func(string, Node) bool) {
		for name, value := range n.n.Members() {
			if !yield(name, Node{value}) {
				return
			}
		}
	}
}

// Items yields the elements of an array with their indexes.
func (n Node) Items() iter.Seq2[int, Node] {
	return func(yield func(int, Node) bool) {
		if n.Kind() != Array {
			return
		}
		for i := range n.Len() {
			if !yield(i, n.Index(i)) {
				return
			}
		}
	}
}

// Pointer returns the JSON pointer of the value (RFC 6901), "" for the whole
// document.
func (n Node) Pointer() string { return n.n.Pointer() }

// Offset returns where the value begins in the JSON text it was read from, in bytes;
// -1 for a value that does not exist. The value ends after its Raw.
func (n Node) Offset() int { return n.n.Offset() }

// NameSpan returns where the name of a member begins and ends in the JSON text it was read
// from, with its quotes; 0, 0 for a value that is no member.
func (n Node) NameSpan() (start, end int) { return n.n.NameSpan() }

// Str returns the text of a string. The text stays valid for ever; a short one
// keeps a copy of its whole document in memory until it is cloned.
func (n Node) Str() (text string, ok bool) { return n.n.Str() }

// Bool returns the value of true and false.
func (n Node) Bool() (value, ok bool) { return n.n.Bool() }

// Int returns a number that is an integer by value and fits into 64 bits. It
// never rounds: 9007199254740993 is exact, and 1000, 1e3 and 1000.0 are one
// integer, as in JSON Schema. 1.5 and 2^63 are not ok.
func (n Node) Int() (value int64, ok bool) { return n.n.Int() }

// Float returns a number as the nearest double. It is not ok beyond their
// range (1e999), so that the result is always finite.
func (n Node) Float() (value float64, ok bool) { return n.n.Float() }

// Raw returns the value as the document writes it, without blanks around it;
// nil when there is none. It aliases [Input].Body: do not write to it, and
// clone values that outlive the Input.
func (n Node) Raw() []byte { return n.n.Raw() }
