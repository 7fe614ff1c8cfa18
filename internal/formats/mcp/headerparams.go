package mcp

import (
	"errors"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/parse"
)

// maxSchemaNodes is the number of schemas of a tool that are searched for x-mcp-header, which
// is on parameters near the top.
const maxSchemaNodes = 10_000

// headerMember marks a parameter that is sent as a header field.
const headerMember = "x-mcp-header"

// headerParams looks for parameters that are sent as header fields, and returns the first that
// cannot be. Clients must drop a tool with such a parameter ([mcpera.Modern], Streamable HTTP):
// each must be reachable by properties alone, and be a string, an integer or a boolean.
func headerParams(schema parse.Node) (name string, err error) {
	w := &headerWalk{seen: map[string]bool{}, left: maxSchemaNodes}
	w.properties(schema)
	return w.name, w.err
}

// headerWalk is a walk through one schema.
type headerWalk struct {
	seen map[string]bool
	left int
	name string
	err  error
}

// properties checks the properties of a schema, and all other places in it.
func (w *headerWalk) properties(schema parse.Node) {
	for member, p := range schema.Get("properties").Members() {
		if w.left--; w.left < 0 || w.err != nil {
			return
		}
		if mark := p.Get(headerMember); mark.Exists() {
			w.name, w.err = member, w.check(mark, p)
		}
		if w.err == nil {
			w.properties(p)
		}
	}
	w.elsewhere(schema)
}

// check returns the reason why a parameter cannot be sent as a header field.
func (w *headerWalk) check(mark, p parse.Node) error {
	text, _ := mark.Str()
	kind, _ := p.Get("type").Str()
	lower := strings.ToLower(text)
	switch {
	case !fieldname.IsToken(text):
		return errors.New("it is no token")
	case w.seen[lower]:
		return errors.New("another parameter has the same")
	case kind != "string" && kind != "integer" && kind != "boolean":
		return errors.New("the parameter is no string, integer or boolean")
	}
	w.seen[lower] = true
	return nil
}

// elsewhere checks the schemas within a schema that are not its properties: a mark there is on
// a value that may be absent or occur several times.
func (w *headerWalk) elsewhere(schema parse.Node) {
	for member, n := range schema.Members() {
		switch {
		case slices.Contains([]string{"items", "additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "contains", "propertyNames", "not", "if", "then", "else"}, member):
			w.foreign(member, n)
		case slices.Contains([]string{"allOf", "anyOf", "oneOf", "prefixItems"}, member):
			for _, item := range n.Items() {
				w.foreign(member, item)
			}
		case slices.Contains([]string{"$defs", "definitions", "patternProperties", "dependentSchemas"}, member):
			for _, item := range n.Members() {
				w.foreign(member, item)
			}
		}
	}
}

// foreign checks a schema under a keyword.
func (w *headerWalk) foreign(under string, schema parse.Node) {
	if w.left--; w.left < 0 || w.err != nil {
		return
	}
	if schema.Get(headerMember).Exists() {
		w.name, w.err = under, errors.New("it is not reachable by properties alone")
		return
	}
	for _, p := range schema.Get("properties").Members() {
		w.foreign(under, p)
	}
	w.elsewhere(schema)
}
