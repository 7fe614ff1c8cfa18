package awp

import (
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/reftoken"
	"github.com/wayfindhq/wayfind/parse"
)

// maxArrays bounds the depth of nested arrays in a type.
const maxArrays = 8

// typeOf returns the members of the JSON Schema for a word of the type language (§8).
// n is the node of the word. References to entities are added to refs. If refs is nil,
// there are no references, and the word is in x-awp-type instead. Names that the
// language does not define are valid and mean any value.
func (r *reader) typeOf(n parse.Node, word string, refs *references) []rawjson.Member {
	return r.typeWord(n, strings.TrimSpace(word), refs, maxArrays)
}

func (r *reader) typeWord(n parse.Node, word string, refs *references, arrays int) []rawjson.Member {
	if before, inner, ok := strings.Cut(word, "["); ok && strings.HasSuffix(inner, "]") {
		inner = strings.TrimSpace(strings.TrimSuffix(inner, "]"))
		switch kind := strings.ToLower(strings.TrimSpace(before)); {
		case kind == "enum":
			return r.enumOf(n, inner)
		case kind == "array" && inner == "":
			return typed(kind)
		case kind == "array" && arrays == 0:
			return own(word)
		case kind == "array":
			return typed(kind, rawjson.Member{Name: "items", Value: rawjson.Obj(r.element(n, inner, refs, arrays-1)...)})
		case kind == "object" && inner != "":
			return r.entity(n, inner, word, refs)
		}
	}
	if schema, ok := primitive(word); ok {
		return schema
	}
	if _, ok := r.entities.index[word]; ok {
		r.Report(ruleEntityReference, n, "the entity %q is named without object[…]", word)
		return r.entity(n, word, word, refs)
	}
	return r.foreign(n, word)
}

// element reads the type of an array's elements. An entity may be named there without
// object[…]: array[flight].
func (r *reader) element(n parse.Node, word string, refs *references, arrays int) []rawjson.Member {
	if _, ok := r.entities.index[word]; ok {
		if _, ok := primitive(word); !ok {
			return r.entity(n, word, word, refs)
		}
	}
	return r.typeWord(n, word, refs, arrays)
}

// primitive returns the schema of a word of §8 that is a type without brackets.
func primitive(word string) ([]rawjson.Member, bool) {
	switch word {
	case "string", "integer", "boolean", "object", "array":
		return typed(word), true
	case "enum": // the values are in options
		return typed("string"), true
	case "float":
		return typed("number"), true
	case "url":
		return typed("string", rawjson.Member{Name: "format", Value: rawjson.Quote("uri")}), true
	case "ISO8601":
		format := func(name string) parse.Raw {
			return rawjson.Obj(rawjson.Member{Name: "format", Value: rawjson.Quote(name)})
		}
		return typed("string", rawjson.Member{Name: "anyOf", Value: rawjson.Arr(format("date"), format("date-time"))}), true
	}
	return nil, false
}

// foreign reads a word that §8 does not define. If it is the name of a type in other
// languages, it means that type. Any other word is a name that the publisher made up.
func (r *reader) foreign(n parse.Node, word string) []rawjson.Member {
	lower := strings.ToLower(word)
	if lower == "iso8601" {
		lower = "ISO8601"
	}
	schema, ok := primitive(lower)
	if !ok {
		schema, ok = paramspec.TypeSchema(lower)
		for _, m := range schema {
			// "date" and "email" are as likely to be a name as a type.
			ok = ok && m.Name != "format"
		}
	}
	if !ok || len(schema) == 0 {
		return own(word)
	}
	r.Report(ruleTypeWord, n, "the type %q is not one of the language; it was read with its usual meaning", word)
	return schema
}

// own returns the schema of a name that the publisher made up, which means any value.
func own(word string) []rawjson.Member {
	if word == "" {
		return nil
	}
	return []rawjson.Member{{Name: "x-awp-type", Value: rawjson.Quote(word)}}
}

func typed(kind string, more ...rawjson.Member) []rawjson.Member {
	return append([]rawjson.Member{{Name: "type", Value: rawjson.Quote(kind)}}, more...)
}

// enumOf reads the values of "enum[a, b]".
func (r *reader) enumOf(n parse.Node, list string) []rawjson.Member {
	var values []string
	for value := range strings.SplitSeq(list, ",") {
		if value = strings.Trim(strings.TrimSpace(value), `"'`); value != "" {
			values = append(values, value)
		}
	}
	if values == nil {
		r.Report(ruleEnumOptions, n, "the enum has no values")
		return typed("string")
	}
	return typed("string", rawjson.Member{Name: "enum", Value: rawjson.Quotes(values)})
}

// entity returns a reference to an entity.
func (r *reader) entity(n parse.Node, id, word string, refs *references) []rawjson.Member {
	at, ok := r.entities.index[id]
	switch {
	case !ok && strings.EqualFold(id, "object"):
		return typed("object")
	case !ok:
		r.Report(ruleUnknownEntity, n, "no entity is called %q", id)
		return typed("object", own(word)...)
	case refs == nil:
		return typed("object", own(word)...)
	}
	refs.add(at)
	to := "/$defs/" + reftoken.Escape(id)
	return []rawjson.Member{{Name: "$ref", Value: rawjson.Quote((&url.URL{Fragment: to}).String())}}
}

// inputSchema makes the schema of an input.
func (r *reader) inputSchema(n parse.Node, p *wayfind.Param, refs *references) parse.Raw {
	schema := r.typeOf(n, p.Type, refs)
	if p.Type == "enum" {
		if len(p.Enum) == 0 {
			r.Report(ruleEnumOptions.At("§9"), n, "the type is enum, and there are no options")
		}
		for _, option := range p.Enum {
			if option[0] != '"' {
				schema = nil
			}
		}
	}
	return rawjson.Obj(append(schema, paramspec.ParamConstraints(p)...)...)
}

// properties returns the schemas of the properties of an object of names and words:
// outputs (§9) and the fields of an entity (§8). Some publishers write {"type": …}
// instead of the word, as in inputs.
func (r *reader) properties(obj parse.Node, refs *references) []rawjson.Member {
	var list []rawjson.Member
	for name, value := range obj.Members() {
		n, word := value, ""
		var described parse.Raw
		switch value.Kind() {
		case parse.String:
			word, _ = value.Str()
		case parse.Object:
			r.Report(ruleTypeText, value, "an object stands where a word for a type belongs; its type was read")
			word, n = r.String(value, "type", parse.Must, "§8"), value.Get("type")
			if text, ok := value.Get("description").Str(); ok {
				described = rawjson.Quote(text)
			}
		default:
			r.wrongType(value, "§8", parse.String)
		}
		var schema []rawjson.Member
		if word != "" {
			schema = r.typeOf(n, word, refs)
		}
		list = append(list, rawjson.Member{Name: name, Value: rawjson.Obj(append(schema, rawjson.Member{Name: "description", Value: described})...)})
	}
	return list
}

// objectSchema returns the schema of an object with the given properties.
func objectSchema(properties []rawjson.Member) parse.Raw {
	return rawjson.Obj(typed("object", rawjson.Member{Name: "properties", Value: rawjson.Obj(properties...)})...)
}
