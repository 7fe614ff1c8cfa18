package paramspec

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// maxWord is the longest word of a document with a meaning to programs, in bytes: a type, the
// name of a header field or of a parameter. Real ones have less than 40.
const maxWord = 128

// maxArrays bounds the nested arrays of a type: string[][][][].
const maxArrays = 4

// InputSchema returns the JSON Schema of all parameters together: an object with a property
// for each parameter, or nil if there are none. If several parameters take the same argument,
// the first one is used. A parameter of the path is required, even if the document declares
// otherwise: without it there is no URL.
//
// The property is Param.Schema, or [ParamSchema] if that is not set, with the description and
// an example.
func InputSchema(params []wayfind.Param) parse.Raw {
	if len(params) == 0 {
		return nil
	}
	var properties []rawjson.Member
	var required []string
	seen := map[string]bool{}
	for i := range params {
		p := &params[i]
		name := cmp.Or(p.Argument, p.Name)
		if seen[name] {
			continue
		}
		seen[name] = true
		properties = append(properties, rawjson.Member{Name: name, Value: described(p)})
		if p.In == "path" || p.Required != nil && *p.Required {
			required = append(required, name)
		}
	}
	schema := []rawjson.Member{{Name: "type", Value: rawjson.Quote("object")}, {Name: "properties", Value: rawjson.Obj(properties...)}}
	if required != nil {
		schema = append(schema, rawjson.Member{Name: "required", Value: rawjson.Quotes(required)})
	}
	return rawjson.Obj(schema...)
}

// described returns the schema of a parameter with hints for filling it in. An example that is
// an array or object stays in Param.Example: here it would be nested deeper than in the
// document.
func described(p *wayfind.Param) parse.Raw {
	schema := p.Schema
	if schema == nil {
		schema, _ = ParamSchema(p)
	}
	var help []rawjson.Member
	if p.Description != "" {
		help = append(help, rawjson.Member{Name: "description", Value: rawjson.Quote(p.Description)})
	}
	if len(p.Example) > 0 && p.Example[0] != '{' && p.Example[0] != '[' {
		help = append(help, rawjson.Member{Name: "examples", Value: rawjson.Arr(p.Example)})
	}
	if len(help) == 0 || schema[0] != '{' {
		return schema
	}
	added := rawjson.Obj(help...)
	if bytes.Equal(schema, []byte("{}")) {
		return added
	}
	joined := append(bytes.Clone(schema[:len(schema)-1]), ',')
	return append(joined, added[1:]...)
}

// ParamSchema returns the JSON Schema of one parameter, made of its Type, Enum, Minimum,
// Maximum and Default. known is false if Type is a word that [TypeSchema] does not know; the
// schema then does not restrict the type.
func ParamSchema(p *wayfind.Param) (schema parse.Raw, known bool) {
	typed, known := TypeSchema(p.Type)
	return rawjson.Obj(append(typed, ParamConstraints(p)...)...), known
}

// ParamConstraints returns the members of a parameter's schema other than the members of its
// type: enum, minimum, maximum and default.
func ParamConstraints(p *wayfind.Param) []rawjson.Member {
	var list []rawjson.Member
	if len(p.Enum) > 0 {
		list = append(list, rawjson.Member{Name: "enum", Value: rawjson.Arr(p.Enum...)})
	}
	if p.Minimum != nil {
		list = append(list, rawjson.Member{Name: "minimum", Value: quoteFloat(*p.Minimum)})
	}
	if p.Maximum != nil {
		list = append(list, rawjson.Member{Name: "maximum", Value: quoteFloat(*p.Maximum)})
	}
	return append(list, rawjson.Member{Name: "default", Value: p.Default})
}

// TypeSchema returns the members of the JSON Schema for a type word in any case: the types of
// JSON Schema, their names in programming languages, common formats ("date", "email", "url"
// …), lists ("string[]", "array<string>", "array of strings") and unions ("string or array",
// "string|null"). No members mean any value.
//
// ok is false for an unknown word; a caller then accepts any value and reports it.
func TypeSchema(word string) (schema []rawjson.Member, ok bool) {
	if len(word) > maxWord {
		return nil, false
	}
	return typeSchema(strings.ToLower(word), maxArrays)
}

// typeSchema is TypeSchema with a bound on arrays inside arrays.
func typeSchema(word string, arrays int) (schema []rawjson.Member, ok bool) {
	word = strings.TrimSpace(word)
	if choices := union(word); len(choices) > 1 {
		return anyOf(choices, arrays)
	}
	if element, is := elementOf(word); is {
		if arrays == 0 {
			return nil, false
		}
		items, ok := typeSchema(element, arrays-1)
		return []rawjson.Member{{Name: "type", Value: rawjson.Quote("array")}, {Name: "items", Value: rawjson.Obj(items...)}}, ok
	}
	kind, format, ok := simple(word)
	if !ok || kind == "" {
		return nil, ok
	}
	schema = []rawjson.Member{{Name: "type", Value: rawjson.Quote(kind)}}
	if format != "" {
		schema = append(schema, rawjson.Member{Name: "format", Value: rawjson.Quote(format)})
	}
	return schema, true
}

// union splits "string or array" and "string|array".
func union(word string) []string {
	word = strings.ReplaceAll(word, " or ", "|")
	return strings.Split(word, "|")
}

// anyOf makes the schema of a union: a list of types if all of them are words of JSON Schema,
// and a list of schemas otherwise.
func anyOf(choices []string, arrays int) ([]rawjson.Member, bool) {
	kinds := make([]parse.Raw, 0, len(choices))
	schemas := make([]parse.Raw, 0, len(choices))
	seen := map[string]bool{}
	for _, c := range choices {
		schema, ok := typeSchema(c, arrays)
		if !ok || len(schema) == 0 {
			return nil, ok
		}
		text := string(rawjson.Obj(schema...))
		if seen[text] {
			continue
		}
		seen[text] = true
		schemas = append(schemas, parse.Raw(text))
		if len(schema) == 1 {
			kinds = append(kinds, schema[0].Value)
		}
	}
	if len(kinds) == len(schemas) {
		return []rawjson.Member{{Name: "type", Value: rawjson.Arr(kinds...)}}, true
	}
	return []rawjson.Member{{Name: "anyOf", Value: rawjson.Arr(schemas...)}}, true
}

// elementOf returns the type of the elements of "string[]", "array<string>",
// "array of strings" and the like.
func elementOf(word string) (string, bool) {
	if item, ok := strings.CutSuffix(word, "[]"); ok {
		return item, true
	}
	for _, p := range [...]string{"array<", "list<", "array["} {
		item, ok := strings.CutPrefix(word, p)
		if ok && (strings.HasSuffix(item, ">") || strings.HasSuffix(item, "]")) {
			return item[:len(item)-1], true
		}
	}
	for _, p := range [...]string{"array of ", "list of "} {
		if item, ok := strings.CutPrefix(word, p); ok {
			return strings.TrimSuffix(item, "s"), true
		}
	}
	return "", false
}

// simple maps a word to the type and format of JSON Schema. The type "" means any value.
func simple(word string) (kind, format string, ok bool) {
	switch word {
	case "string", "object", "array", "boolean", "number", "integer", "null":
		return word, "", true
	case "str", "text", "enum":
		return "string", "", true
	case "int", "long", "int32", "int64":
		return "integer", "", true
	case "float", "double", "decimal":
		return "number", "", true
	case "bool":
		return "boolean", "", true
	case "map", "dict", "json":
		return "object", "", true
	case "list":
		return "array", "", true
	case "file", "binary":
		return "string", "binary", true
	case "date", "email", "uuid", "uri":
		return "string", word, true
	case "url":
		return "string", "uri", true
	case "datetime", "date-time", "timestamp":
		return "string", "date-time", true
	case "any", "mixed":
		return "", "", true
	}
	return "", "", false
}

// quoteFloat writes a finite number.
func quoteFloat(v float64) parse.Raw { return strconv.AppendFloat(nil, v, 'g', -1, 64) }
