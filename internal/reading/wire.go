package reading

import (
	"bytes"
	"strings"

	"github.com/wayfindhq/wayfind/internal/jsonscan"
)

// The modes of cleaning that note a change: of a name or a value in a request,
// and of the schema of a request.
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

// schemaPart is a part of a schema, by what of it a call sends.
type schemaPart int

const (
	subschema  schemaPart = iota
	properties            // schemas by the names that are sent
	defined               // schemas by other names
	sent                  // names and values
	unsent                // texts for readers, and examples
)

// partOf is the part of a schema that a keyword has.
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
		return before.Text() != after.Text()
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
