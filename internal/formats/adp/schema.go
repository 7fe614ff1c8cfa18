package adp

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// paramType reads the type of a parameter and makes its schema.
func (r reader) paramType(entry parse.Node, p *wayfind.Param) {
	n := entry.Get("type")
	switch n.Kind() {
	case parse.Array: // JSON Schema writes a union as an array
		p.Type = strings.Join(r.Strings(entry, "type", parse.Should, "§5"), "|")
	default:
		p.Type = r.String(entry, "type", parse.Should, "§5")
	}
	var known bool
	if p.Schema, known = paramspec.ParamSchema(p); !known && p.Type != "" {
		r.Report(ruleParameterType, n, "the type %q is not known; any value is taken", p.Type)
	}
}

// schema returns the JSON Schema of all parameters together, nil if the document has
// no list. An empty list means that there are no inputs.
func (l *parameters) schema() parse.Raw {
	if l.listed && len(l.params) == 0 {
		return rawjson.Obj(rawjson.Member{Name: "type", Value: rawjson.Quote("object")}, rawjson.Member{Name: "properties", Value: rawjson.Obj()})
	}
	return paramspec.InputSchema(l.params)
}
