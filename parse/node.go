package parse

import (
	"iter"
	"slices"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// Kind is the type of a JSON value.
type Kind uint8

// The kinds. The zero Kind is the kind of a missing value.
const (
	Missing Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// String returns the kind in the words of JSON Schema, or "nothing" for Missing.
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

// Node is one value of a JSON document. It is small and meant to be passed by value; it is
// immutable and safe for concurrent use.
//
// The zero Node is a missing value. Every method may be called on every Node: a method that
// does not apply returns zero values, so that chains like doc.Get("info").Get("title").Str()
// need no checks in between. Use a [Reader] to report the mistakes of a document.
type Node struct {
	n jsonscan.Node
}

// Exists reports whether there is a value. Null is a value.
func (n Node) Exists() bool { return n.n.Kind() != jsonscan.Missing }

// Kind returns the type of the value, or Missing if there is none.
func (n Node) Kind() Kind { return Kind(n.n.Kind()) }

// Get returns the member of an object with exactly this name: member names are case-sensitive
// (RFC 8259 §8.3). The time is linear in the number of members.
func (n Node) Get(name string) Node {
	n.trace().asked(n, name)
	return Node{n.n.Get(name)}
}

// Has reports whether an object has one of the members. A member that is null is included.
func (n Node) Has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return n.Get(name).Exists() })
}

// HasOnly reports whether an object has no other members than these.
func (n Node) HasOnly(names ...string) bool {
	for name := range n.members() {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// Pick returns the first of several names for which the object has a member that is not null.
// It returns the first name if there is no such member.
func (n Node) Pick(names ...string) string {
	for _, name := range names {
		if kind := n.Get(name).Kind(); kind != Missing && kind != Null {
			return name
		}
	}
	return names[0]
}

// IfSet returns the object to read an optional member of. It returns a missing Node if the
// member is null, because generators write null for an absent value.
func (n Node) IfSet(member string) Node {
	if n.Get(member).Kind() == Null {
		return Node{}
	}
	return n
}

// MaxSampled is the number of elements of a list that are checked to recognise it.
const MaxSampled = 20

// Sampled returns the number of elements, among the first 20 of a list, for which the
// function is returns true.
func (n Node) Sampled(is func(Node) bool) (found int) {
	for i := range min(n.Len(), MaxSampled) {
		if is(n.Index(i)) {
			found++
		}
	}
	return found
}

// Index returns element i of an array in constant time. It returns a missing Node if i is out
// of range.
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

// Whole reports whether [Input.JSONThatFits] kept the whole value, at every depth.
func (n Node) Whole() bool { return n.n.Whole() }

// Members yields the names and values of an object in the order of the document. Names are
// unique.
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

// members is Members for callers that look for known names.
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

// Pointer returns the JSON pointer of the value (RFC 6901), which is "" for the whole
// document.
func (n Node) Pointer() string { return n.n.Pointer() }

// Offset returns the byte offset of the value in the JSON text that it was read from, or -1
// for a missing value. The value is as long as its Raw.
func (n Node) Offset() int { return n.n.Offset() }

// NameSpan returns the byte offsets at which the name of a member begins and ends in the JSON
// text that it was read from, with its quotes. It returns 0, 0 for a value that is not a
// member.
func (n Node) NameSpan() (start, end int) { return n.n.NameSpan() }

// Str returns the text of a string. The text stays valid forever; a short one keeps a copy of
// its whole document in memory until it is cloned.
func (n Node) Str() (text string, ok bool) { return n.n.Str() }

// Bool returns the value of true and false.
func (n Node) Bool() (value, ok bool) { return n.n.Bool() }

// Int returns a number that is an integer by value and fits into 64 bits. It never rounds:
// 9007199254740993 is exact, and 1000, 1e3 and 1000.0 are the same integer, as in JSON Schema.
// For 1.5 and 2^63, ok is false.
func (n Node) Int() (value int64, ok bool) { return n.n.Int() }

// Float returns a number as the nearest double. For numbers beyond the range of doubles
// (1e999) ok is false, so that the result is always finite.
func (n Node) Float() (value float64, ok bool) { return n.n.Float() }

// Raw returns the value as the document writes it, without white space around it, or nil if
// there is none. It aliases [Input].Body: do not modify it, and clone values that outlive the
// Input.
func (n Node) Raw() []byte { return n.n.Raw() }
