// Package jsonschema contains the types of JSON Schema, and the limits that the packages which
// read, write and check schemas have in common.
package jsonschema

import "slices"

const (
	// MaxBytes is the maximum size of a schema, in bytes. A tool with a hundredth of this is
	// already more than a model reads.
	MaxBytes = 512 << 10
	// MaxSubschemas is the maximum number of subschemas of a schema.
	MaxSubschemas = 10_000
	// MaxNesting is the maximum depth of a schema that is written, in levels of JSON, and of the
	// subschemas whose keywords are checked. Together with the levels of the document around it,
	// a written schema stays below the 64 levels of the JSON reader.
	MaxNesting = 48
	// MaxSteps is the maximum number of steps for the work on one schema or value.
	MaxSteps = 1_000_000
	// MaxValue is the maximum size of a value that is validated, in bytes.
	MaxValue = 1 << 20
)

// Types returns the values of the keyword "type" (JSON Schema Validation 2020-12 §6.1.1).
func Types() []string {
	return []string{"string", "number", "integer", "boolean", "object", "array", "null"}
}

// IsType reports whether a word is a value of the keyword "type".
func IsType(word string) bool { return slices.Contains(Types(), word) }
