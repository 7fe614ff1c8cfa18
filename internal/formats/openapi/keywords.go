package openapi

import (
	"slices"

	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// The keywords of this file had another meaning before OpenAPI 3.1, which uses JSON Schema
// 2020-12.

// kind writes the type. The type "file" of version 2.0 is a string of bytes.
func (w *writer) kind(value parse.Node) parse.Raw {
	if text, ok := value.Str(); ok && text == "file" {
		return rawjson.Quote("string")
	}
	if value.Kind() != parse.String && value.Kind() != parse.Array {
		w.Report(ruleWrongType.At(schemaSection).AsWarning(), value, "the type is %v where string belongs; it is ignored", value.Kind())
		return nil
	}
	return w.Copied(value, value.Copy())
}

// bound writes a limit of a number: a boolean exclusiveMinimum means that minimum itself is
// not in the range.
func (w *writer) bound(n parse.Node, keyword string, value parse.Node) rawjson.Member {
	exclusive := map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}[keyword]
	switch {
	case value.Kind() == parse.Bool: // written with the limit
		return rawjson.Member{}
	case value.Kind() != parse.Number:
		w.Report(ruleWrongType.At(schemaSection).AsWarning(), value, "%s is %v where number belongs; it is ignored", keyword, value.Kind())
		return rawjson.Member{}
	}
	if set, _ := n.Get(exclusive).Bool(); exclusive != "" && set {
		keyword = exclusive
	}
	return rawjson.Member{Name: keyword, Value: w.Copied(value, value.Copy())}
}

// isNullable reports whether a schema has the keyword of version 3.0, or its extension in 2.0.
func isNullable(n parse.Node) bool {
	said, _ := n.Get("nullable").Bool()
	older, _ := n.Get("x-nullable").Bool()
	return said || older
}

// nullable returns a schema that accepts null as well.
func nullable(members []rawjson.Member) parse.Raw {
	null := rawjson.Quote("null")
	i := slices.IndexFunc(members, func(m rawjson.Member) bool { return m.Name == "type" })
	switch {
	case i >= 0 && members[i].Value[0] == '"':
		members[i].Value = rawjson.Arr(members[i].Value, null)
	case i < 0 && len(members) > 0:
		either := rawjson.Arr(rawjson.Obj(members...), rawjson.Obj(rawjson.Member{Name: "type", Value: null}))
		return rawjson.Obj(rawjson.Member{Name: "anyOf", Value: either})
	}
	return rawjson.Obj(members...)
}
