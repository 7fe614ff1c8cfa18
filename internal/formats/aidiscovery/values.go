package aidiscovery

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// maxMarks is the largest number of brackets and braces in a default. The default
// becomes part of schemas, which must not be nested deeper than documents.
const maxMarks = 16

// constrain sets the default, bounds and choices of a parameter, as JSON of its type.
// A value that does not fit the type is only in Param.Raw.
func (n *notation) constrain(p *wayfind.Param) {
	kind := basic(n.kind)
	if n.standard != "" {
		p.Default = jsonOf(kind, n.standard)
	}
	p.Minimum, p.Maximum = float(n.least), float(n.most)
	if kind == "array" {
		kind = "string"
	}
	for _, c := range n.choices {
		v := jsonOf(kind, c)
		if v == nil {
			p.Enum = nil
			break
		}
		p.Enum = append(p.Enum, v)
	}
	p.Schema = schemaOf(p)
}

// basic returns the type of JSON Schema for a word, "" if it is not a single type.
func basic(word string) string {
	members, _ := paramspec.TypeSchema(word)
	for _, m := range members {
		if m.Name == "type" {
			return strings.Trim(string(m.Value), `"`)
		}
	}
	return ""
}

// jsonOf returns a value of a type, nil if the text is not such a value.
func jsonOf(kind, text string) parse.Raw {
	n := literal(text)
	switch kind {
	case "integer":
		if _, ok := n.Int(); !ok {
			return nil
		}
		return n.Copy()
	case "number":
		if _, ok := n.Float(); !ok {
			return nil
		}
		return n.Copy()
	case "boolean":
		n = literal(strings.ToLower(text))
		if n.Kind() != parse.Bool {
			return nil
		}
		return n.Copy()
	case "array", "object":
		if n.Kind().String() != kind {
			return nil
		}
		return n.Copy()
	case "null":
		return nil
	case "string":
		return rawjson.Quote(unquote(text))
	}
	if k := n.Kind(); k == parse.Number || k == parse.Bool {
		return n.Copy()
	}
	return rawjson.Quote(unquote(text))
}

// literal reads text as a JSON value. It returns a missing Node if the text is not
// JSON.
func literal(text string) parse.Node {
	if strings.Count(text, "[")+strings.Count(text, "{") > maxMarks {
		return parse.Node{}
	}
	n, err := (&parse.Input{Body: []byte(text)}).JSON()
	if err != nil {
		return parse.Node{}
	}
	return n
}

func isNumber(text string) bool {
	_, ok := literal(text).Float()
	return ok
}

// float reads a bound, nil if there is none.
func float(text string) *float64 {
	if v, ok := literal(text).Float(); ok {
		return &v
	}
	return nil
}

// schemaOf returns the JSON Schema of a parameter. The bounds of a string apply to its
// length, the bounds of a list to its number of elements, and the choices of a list to
// its elements.
func schemaOf(p *wayfind.Param) parse.Raw {
	typed, _ := paramspec.TypeSchema(p.Type)
	plain := *p
	var list []rawjson.Member
	switch basic(p.Type) {
	case "string":
		list = append(list, sizes(&plain, "Length")...)
	case "array":
		list = append(list, sizes(&plain, "Items")...)
		if len(p.Enum) > 0 && !slices.ContainsFunc(typed, func(m rawjson.Member) bool { return m.Name == "items" }) {
			item := rawjson.Obj(rawjson.Member{Name: "type", Value: rawjson.Quote("string")}, rawjson.Member{Name: "enum", Value: rawjson.Arr(p.Enum...)})
			list = append(list, rawjson.Member{Name: "items", Value: item})
		}
		plain.Enum = nil
	}
	return rawjson.Obj(slices.Concat(typed, list, paramspec.ParamConstraints(&plain))...)
}

// sizes returns minLength and maxLength, or minItems and maxItems, for the bounds, and
// removes the bounds.
func sizes(p *wayfind.Param, of string) []rawjson.Member {
	var list []rawjson.Member
	for _, bound := range [...]struct {
		name  string
		value *float64
	}{{"min" + of, p.Minimum}, {"max" + of, p.Maximum}} {
		if v := bound.value; v != nil && *v >= 0 && *v <= 1<<31 && *v == float64(int64(*v)) {
			list = append(list, rawjson.Member{Name: bound.name, Value: rawjson.QuoteInt(int64(*v))})
		}
	}
	p.Minimum, p.Maximum = nil, nil
	return list
}
