package schemawriter

import (
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"github.com/wayfindhq/wayfind/parse"
)

// maxCopied is the maximum depth of a value that is copied into a schema, in levels of JSON.
const maxCopied = 8

// Budget bounds the output of one schema, or of several together, to
// [jsonschema.MaxSubschemas] and [jsonschema.MaxBytes]. A subschema beyond them is replaced by
// one that accepts any value. The zero value has spent nothing.
type Budget struct {
	// Overhead is the cost of a subschema in addition to its keywords, in bytes.
	Overhead int
	// Shared is the number of bytes that several budgets may still spend together, or nil if only
	// their own bounds apply. It is below zero when it is used up.
	Shared *int

	subschemas, bytes int
	told              bool
}

// count spends bytes.
func (b *Budget) count(bytes int) {
	b.bytes += bytes
	if b.Shared != nil {
		*b.Shared -= bytes
	}
}

// spent reports whether the budget is used up.
func (b *Budget) spent() bool {
	return b.bytes > jsonschema.MaxBytes || b.Shared != nil && *b.Shared < 0
}

// Enum returns copies of the values that a schema lists in "enum", up to [parse.DefaultItems] and as
// long as there are bytes left. It leaves out values that are not [IsData].
func (b *Budget) Enum(schema parse.Node) []parse.Raw {
	var list []parse.Raw
	for i, value := range schema.Get("enum").Items() {
		if b.count(len(value.Raw())); i == parse.DefaultItems || b.spent() {
			break
		}
		if IsData(value) {
			list = append(list, value.Copy())
		}
	}
	return list
}

// IsData reports whether a value may be copied into a schema as it is: it has at most 8 levels
// and no member "$ref", so that readers that look for references everywhere find only ours.
func IsData(n parse.Node) bool { return isData(n, maxCopied) }

func isData(n parse.Node, levels int) bool {
	if n.Len() > 0 && levels == 0 {
		return false
	}
	for _, item := range n.Items() {
		if !isData(item, levels-1) {
			return false
		}
	}
	for name, value := range n.Members() {
		if name == "$ref" || !isData(value, levels-1) {
			return false
		}
	}
	return true
}
