package reading

import (
	"bytes"
	"maps"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// The modes of cleaning that record a change: of a name or a value in a request, and of the schema
// of a request.
const (
	modeWire   = "wire"
	modeSchema = "schema"
)

// altered reports whether cleaning changed a name or a value that a call sends.
func altered(raw, clean []byte, mode string) bool {
	if mode != modeWire && mode != modeSchema || bytes.Equal(raw, clean) {
		return false
	}
	before, err := jsonscan.Scan(raw)
	if err != nil {
		return true
	}
	after, err := jsonscan.Scan(clean)
	if err != nil {
		return true
	}
	part := sent
	if mode == modeSchema {
		part = subschema
	}
	return part.differ(before.Root(), after.Root())
}

// schemaPart is a kind of part of a schema, by the role of its strings in a call.
type schemaPart int

const (
	subschema  schemaPart = iota
	properties            // schemas by the names that are sent
	defined               // schemas by other names
	sent                  // names and values
	unsent                // texts for readers, and examples
)

// partOf returns the part of a schema that is the value of a keyword.
func partOf(keyword string) schemaPart {
	switch keyword {
	case "properties", "patternProperties", "dependentSchemas":
		return properties
	case "$defs", "definitions":
		return defined
	case "enum", "const", "required", "dependentRequired":
		return sent
	case "title", "description", "$comment", "default", "example", "examples", "externalDocs":
		return unsent
	}
	if strings.HasPrefix(keyword, "x-") {
		return unsent
	}
	return subschema
}

// differ compares a part with the cleaned one, which has the same members in the same order.
func (p schemaPart) differ(before, after jsonscan.Node) bool {
	switch {
	case p == unsent:
		return false
	case before.Kind() != after.Kind() || before.Len() != after.Len():
		return true
	case p == sent && before.Kind() == jsonscan.String:
		a, _ := before.Str()
		b, _ := after.Str()
		return a != b
	}
	for i := range before.Len() {
		a, b := before.Child(i), after.Child(i)
		below := p
		switch {
		case before.Kind() != jsonscan.Object:
		case (p == properties || p == sent) && a.Name() != b.Name():
			return true
		case p == properties || p == defined:
			below = subschema
		case p == subschema:
			below = partOf(a.Name())
		}
		if below.differ(a, b) {
			return true
		}
	}
	return false
}

// keepBlanks restores the values of an enum, or a constant, if cleaning changed only blanks in
// them. They are sent unchanged, and package schema shows them to a model with plain blanks. clean
// is raw after cleaning.
func keepBlanks(raw, clean []byte, mode string) []byte {
	if mode != modeWire && mode != modeSchema || bytes.Equal(raw, clean) {
		return clean
	}
	doc, err := jsonscan.Scan(raw)
	if err != nil {
		return clean
	}
	f := found{values: make(map[string]bool), names: make(map[string]bool)}
	f.look(doc.Root(), mode == modeWire)
	maps.DeleteFunc(f.values, func(s string, _ bool) bool { return f.names[s] })
	if len(f.values) == 0 {
		return clean
	}
	kept, err := text.RewriteJSON(raw, func(s string) string {
		if !f.values[s] {
			s, _ = text.Clean(s, true, 0)
		}
		return s
	})
	if err != nil {
		return clean
	}
	return kept
}

// found contains strings of a schema: values that a call sends in which cleaning changes only
// blanks, and names.
type found struct{ values, names map[string]bool }

func (f *found) look(n jsonscan.Node, value bool) {
	if s, ok := n.Str(); ok {
		if clean, _ := text.Clean(s, true, 0); value && clean != s && clean == text.Blanks(s) {
			f.values[s] = true
		}
		return
	}
	for i := range n.Len() {
		c := n.Child(i)
		if n.Kind() != jsonscan.Object {
			f.look(c, value)
			continue
		}
		f.names[c.Name()] = true
		if c.Name() == "required" || c.Name() == "dependentRequired" {
			f.listed(c)
		}
		f.look(c, value || c.Name() == "enum" || c.Name() == "const")
	}
}

// listed records the names in a list of required members.
func (f *found) listed(n jsonscan.Node) {
	if s, ok := n.Str(); ok {
		f.names[s] = true
	}
	for i := range n.Len() {
		f.listed(n.Child(i))
	}
}
