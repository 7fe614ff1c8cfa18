package openrpc

import (
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/schemawriter"
	"github.com/wayfindhq/wayfind/parse"
)

// perSubschema is the cost of a subschema in addition to its keywords: braces, a reference.
const perSubschema = 16

const schemaSection = "Schema Object"

// writer writes schemas of the document as self-contained JSON Schema 2020-12.
type writer struct {
	*reader
	*schemawriter.Writer
}

func (r *reader) writer(budget *schemawriter.Budget) *writer {
	w := &writer{reader: r}
	w.Writer = schemawriter.New(&r.Refs, budget, w)
	return w
}

// budget returns the budget of one schema, or of several together.
func (r *reader) budget() *schemawriter.Budget {
	return &schemawriter.Budget{Overhead: perSubschema, Shared: r.left}
}

// Reference writes a schema that is a reference. Draft-07 ignores members next to it (§8.3); a
// text does no harm.
func (w *writer) Reference(n parse.Node) parse.Raw {
	var beside []rawjson.Member
	for member, value := range n.Members() {
		switch member {
		case "$ref":
		case "title", "description":
			if value.Kind() == parse.String {
				beside = append(beside, rawjson.Member{Name: member, Value: w.Copied(value, value.Copy())})
			}
		case "summary", "examples", "$comment":
		default:
			if !strings.HasPrefix(member, "x-") {
				w.Report(ruleRefSiblings, value, "%q stands beside $ref; it is ignored", member)
			}
		}
	}
	ref, _ := n.Get("$ref").Str()
	written, ok := w.Ref(n.Get("$ref"), ref)
	if !ok {
		return rawjson.Obj(beside...)
	}
	return schemawriter.Extend(written, beside...)
}

// Body writes a schema without regard to references.
func (w *writer) Body(n parse.Node) parse.Raw {
	switch n.Kind() {
	case parse.Object:
		return rawjson.Obj(w.Keywords(n, 1)...)
	case parse.Bool:
		return n.Copy()
	}
	return w.NoSchema(n)
}
