package httpcall

import (
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// The styles of OpenAPI do not define nested values. Servers read them by the names of fields:
//
//	filter[price][gt]=5   a member of a member
//	tags[]=a&tags[]=b     texts in a list
//	rows[0][k]=v          arrays and objects in a list, whose members belong together
//
// PHP, Rack and the parser qs of Node.js read all three. An index in the publisher's example, such
// as tags[0], means that all lists have indices.

// nestedFields returns the fields of a value that begin with a name.
func (p *placer) nestedFields(list []entry, name string, v jsonscan.Node, in string, indexed bool) []entry {
	switch v.Kind() {
	case jsonscan.Missing, jsonscan.Null:
		return list
	case jsonscan.Object:
		for key, c := range v.Members() {
			if c.Kind() != jsonscan.Null { // a long name is not written for each of many nulls
				list = p.innerFields(list, bracket(name, checked(key, in, name)), c, in, indexed)
			}
		}
		return list
	case jsonscan.Array:
		numbered, item := indexed || hasDelimited(v), bracket(name, "")
		for i := range v.Len() {
			if numbered {
				item = bracket(name, strconv.Itoa(i))
			}
			list = p.innerFields(list, item, v.Child(i), in, indexed)
		}
		return list
	}
	return append(list, p.one(name, v, in, name))
}

// innerFields is nestedFields for a value inside another. It refuses one that has no field, such as
// an empty list: without it, the request would have another meaning.
func (p *placer) innerFields(list []entry, name string, v jsonscan.Node, in string, indexed bool) []entry {
	more := p.nestedFields(list, name, v, in, indexed)
	if len(more) == len(list) {
		refuse(CodeNested, in, name)
	}
	return more
}

// bracket returns the name of a member. A name that ends with brackets already names a list.
func bracket(name, key string) string { return strings.TrimSuffix(name, "[]") + "[" + key + "]" }

// hasDelimited reports whether an item of an array has parts.
func hasDelimited(v jsonscan.Node) bool {
	for i := range v.Len() {
		if delimited(v.Child(i)) {
			return true
		}
	}
	return false
}

// explodedFields returns the fields of a value in the style form: each member of an object and each
// item of an array is a field of its own (RFC 6570 §3.2.8), and a nested value has brackets.
func (p *placer) explodedFields(name string, v jsonscan.Node, in string, indexed bool) (list []entry) {
	switch v.Kind() {
	case jsonscan.Object:
		for key, c := range v.Members() {
			key = checked(key, in, name)
			switch {
			case c.Kind() == jsonscan.Array && c.Len() > 0:
				list = append(list, p.explodedFields(key, c, in, indexed)...)
			case c.Kind() != jsonscan.Null:
				list = p.innerFields(list, key, c, in, indexed)
			}
		}
		return list
	case jsonscan.Array:
		if !hasDelimited(v) {
			for i := range v.Len() {
				list = p.innerFields(list, name, v.Child(i), in, false)
			}
			return list
		}
	}
	return p.nestedFields(list, name, v, in, indexed)
}

// indexes reports whether an example has an index after the name.
func indexes(example []byte, name string) bool {
	return strings.Contains(string(example), strings.TrimSuffix(name, "[]")+"[0]")
}
