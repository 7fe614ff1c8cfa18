package adp

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// maxArrays is how many arrays a type may nest: string[][][][].
const maxArrays = 4

// paramType reads the type of a parameter and makes its schema.
func (r reader) paramType(entry parse.Node, p *wayfind.Param) {
	n := entry.Get("type")
	switch n.Kind() {
	case parse.Array: // as JSON Schema writes a union
		p.Type = strings.Join(r.Strings(entry, "type", parse.Should, "§5"), "|")
	default:
		p.Type = r.String(entry, "type", parse.Should, "§5")
	}
	typed, ok := schemaOf(p.Type)
	if !ok && p.Type != "" {
		r.doubt("parameter_type", n, "§5", "the type %q is not known; any value is taken", p.Type)
	}
	p.Schema = parse.Obj(append(typed, constraints(p)...)...)
}

// constraints are the members of a schema beside those of the type.
func constraints(p *wayfind.Param) []parse.Member {
	var list []parse.Member
	if len(p.Enum) > 0 {
		list = append(list, parse.Member{Name: "enum", Value: parse.Arr(p.Enum...)})
	}
	if p.Minimum != nil {
		list = append(list, parse.Member{Name: "minimum", Value: number(*p.Minimum)})
	}
	if p.Maximum != nil {
		list = append(list, parse.Member{Name: "maximum", Value: number(*p.Maximum)})
	}
	return append(list, parse.Member{Name: "default", Value: p.Default})
}

func number(f float64) parse.Raw { return strconv.AppendFloat(nil, f, 'g', -1, 64) }

// schemaOf makes a JSON Schema of a word for a type: those of §5 and those
// that publishers use beside them. Not ok means that the word is not known.
func schemaOf(word string) (schema []parse.Member, ok bool) {
	if len(word) > maxField {
		return nil, false
	}
	return nested(strings.ToLower(word), maxArrays)
}

// nested is schemaOf with a bound on arrays inside arrays.
func nested(word string, arrays int) (schema []parse.Member, ok bool) {
	word = strings.TrimSpace(word)
	if choices := union(word); len(choices) > 1 {
		return anyOf(choices, arrays)
	}
	if element, is := elementOf(word); is {
		if arrays == 0 {
			return nil, false
		}
		items, ok := nested(element, arrays-1)
		return []parse.Member{
			{Name: "type", Value: parse.Quote("array")}, {Name: "items", Value: parse.Obj(items...)},
		}, ok
	}
	kind, format, ok := simple(word)
	if !ok || kind == "" {
		return nil, ok
	}
	schema = []parse.Member{{Name: "type", Value: parse.Quote(kind)}}
	if format != "" {
		schema = append(schema, parse.Member{Name: "format", Value: parse.Quote(format)})
	}
	return schema, true
}

// union takes "string or array" and "string|array" apart.
func union(word string) []string {
	word = strings.ReplaceAll(word, " or ", "|")
	return strings.Split(word, "|")
}

// anyOf makes the schema of a union: a list of types where all of them are
// words of JSON Schema, else a list of schemas.
func anyOf(choices []string, arrays int) ([]parse.Member, bool) {
	kinds := make([]parse.Raw, 0, len(choices))
	schemas := make([]parse.Raw, 0, len(choices))
	seen := map[string]bool{}
	for _, c := range choices {
		schema, ok := nested(c, arrays)
		if !ok || len(schema) == 0 {
			return nil, ok
		}
		text := string(parse.Obj(schema...))
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
		return []parse.Member{{Name: "type", Value: parse.Arr(kinds...)}}, true
	}
	return []parse.Member{{Name: "anyOf", Value: parse.Arr(schemas...)}}, true
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

// simple maps a word to the type and format of JSON Schema. Any value is the
// type "".
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

// schema is the JSON Schema of all parameters together, nil when the document
// has no list. Where a name stands for parameters in two places, the first
// counts. What goes into the path is required, whatever the document says.
func (l *parameters) schema() parse.Raw {
	if !l.listed && len(l.params) == 0 {
		return nil
	}
	var properties []parse.Member
	var required []string
	seen := map[string]bool{}
	for i := range l.params {
		p := &l.params[i]
		if seen[p.Name] {
			continue
		}
		seen[p.Name] = true
		properties = append(properties, parse.Member{Name: p.Name, Value: described(p)})
		if p.In == "path" || p.Required != nil && *p.Required {
			required = append(required, p.Name)
		}
	}
	schema := []parse.Member{
		{Name: "type", Value: parse.Quote("object")},
		{Name: "properties", Value: parse.Obj(properties...)},
	}
	if required != nil {
		schema = append(schema, parse.Member{Name: "required", Value: parse.Quotes(required)})
	}
	return parse.Obj(schema...)
}

// described is the schema of a parameter with what helps to fill it in. An
// example that is an array or object stays in Param.Example: here it would be
// nested deeper than in the document.
func described(p *wayfind.Param) parse.Raw {
	var help []parse.Member
	if p.Description != "" {
		help = append(help, parse.Member{Name: "description", Value: parse.Quote(p.Description)})
	}
	if p.Example != nil && p.Example[0] != '{' && p.Example[0] != '[' {
		help = append(help, parse.Member{Name: "examples", Value: parse.Arr(p.Example)})
	}
	if len(help) == 0 {
		return p.Schema
	}
	added := parse.Obj(help...)
	if bytes.Equal(p.Schema, []byte("{}")) {
		return added
	}
	joined := append(bytes.Clone(p.Schema[:len(p.Schema)-1]), ',')
	return append(joined, added[1:]...)
}
