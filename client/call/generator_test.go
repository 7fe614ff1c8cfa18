package call_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// generator creates values that a shown schema allows. Each variant chooses other texts, other
// alternatives, and other lengths of lists.
type generator struct {
	root    map[string]any
	variant int
	// plain is true if texts have only the characters of a header field.
	plain bool
}

// resolved follows references and merges the parts of allOf.
func (g *generator) resolved(schema any, hops int) map[string]any {
	s, _ := schema.(map[string]any)
	if s == nil || hops > 20 {
		return s
	}
	s = maps.Clone(s)
	ref, _ := s["$ref"].(string)
	parts, _ := s["allOf"].([]any)
	delete(s, "$ref")
	delete(s, "allOf")
	if ref != "" {
		parts = append([]any{g.at(ref)}, parts...)
	}
	for _, part := range parts {
		s = both(s, g.resolved(part, hops+1))
	}
	return s
}

func (g *generator) at(ref string) any {
	var at any = g.root
	for step := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		members, _ := at.(map[string]any)
		at = members[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
	}
	return at
}

// both returns a schema with the keywords of two.
func both(a, b map[string]any) map[string]any {
	for keyword, value := range b {
		had, twice := a[keyword]
		list, _ := value.([]any)
		members, _ := value.(map[string]any)
		switch known := had.(type) {
		case []any:
			if keyword == "required" {
				a[keyword] = append(slices.Clone(known), list...)
			} else if keyword == "type" {
				a[keyword] = slices.DeleteFunc(slices.Clone(known), func(t any) bool { return t != value && !slices.Contains(list, t) })
			}
		case map[string]any:
			known = maps.Clone(known)
			switch keyword {
			case "properties":
				for name, schema := range members {
					if other, ok := known[name]; ok {
						schema = map[string]any{"allOf": []any{other, schema}}
					}
					known[name] = schema
				}
				a[keyword] = known
			case "items", "additionalProperties":
				a[keyword] = map[string]any{"allOf": []any{had, value}}
			}
		default:
			if !twice || had == true {
				a[keyword] = value
			}
		}
	}
	return a
}

// value returns a value of a schema. ok is false if the generator finds none.
func (g *generator) value(schema any, depth int) (v any, ok bool) {
	s := g.resolved(schema, 0)
	if s == nil || depth > 6 {
		return "x", schema == true || s != nil && s["type"] == nil
	}
	if c, ok := s["const"]; ok {
		return c, true
	}
	if list, _ := s["enum"].([]any); len(list) > 0 {
		return list[g.variant%len(list)], true
	}
	for _, word := range []string{"oneOf", "anyOf"} {
		list, _ := s[word].([]any)
		for i := range list {
			rest := maps.Clone(s)
			delete(rest, word)
			if v, ok := g.value(map[string]any{"allOf": []any{rest, list[(i+g.variant)%len(list)]}}, depth+1); ok && v != nil {
				return v, true
			}
		}
	}
	switch g.kind(s) {
	case "object":
		return g.object(s, depth)
	case "array":
		return g.array(s, depth)
	case "integer":
		return g.number(s), true
	case "number":
		return g.number(s), true
	case "boolean":
		return g.variant%2 == 0, true
	case "null":
		return nil, true
	}
	return g.text(s), true
}

func (g *generator) kind(s map[string]any) string {
	list, _ := s["type"].([]any)
	if one, ok := s["type"].(string); ok {
		list = []any{one}
	}
	list = slices.DeleteFunc(slices.Clone(list), func(t any) bool { return t == "null" })
	switch {
	case len(list) > 0:
		return list[g.variant%len(list)].(string)
	case s["type"] != nil:
		return "null"
	case s["properties"] != nil:
		return "object"
	case s["items"] != nil:
		return "array"
	}
	return []string{"string", "object", "array", "boolean"}[g.variant%4]
}

func (g *generator) object(s map[string]any, depth int) (any, bool) {
	required, _ := s["required"].([]any)
	properties, _ := s["properties"].(map[string]any)
	out := make(map[string]any)
	for i, name := range slices.Sorted(maps.Keys(properties)) {
		must := slices.Contains(required, any(name))
		if !must && (depth > 3 || (i+g.variant)%3 == 0 && g.variant > 0) {
			continue
		}
		v, ok := g.value(properties[name], depth+1)
		if ok {
			out[name] = v
		} else if must {
			return nil, false
		}
	}
	if more := s["additionalProperties"]; len(properties) == 0 && more != false && depth < 4 {
		if more == nil {
			more = true
		}
		if v, ok := g.value(more, depth+1); ok {
			out["kéy x"] = v
			if g.plain {
				out = map[string]any{"key": v}
			}
		}
	}
	return out, true
}

func (g *generator) array(s map[string]any, depth int) (any, bool) {
	least, _ := s["minItems"].(json.Number)
	n, _ := least.Int64()
	items := s["items"]
	if items == nil {
		items = map[string]any{}
	}
	out := []any{}
	for range max(int(n), 1+g.variant%2) {
		v, ok := g.value(items, depth+1)
		if !ok {
			break
		}
		out = append(out, v)
		g.variant++
	}
	return out, len(out) >= int(n)
}

func (g *generator) number(s map[string]any) any {
	for _, limit := range []string{"minimum", "maximum"} {
		if n, ok := s[limit].(json.Number); ok {
			return n
		}
	}
	return json.Number([]string{"5", "7", "12"}[g.variant%3])
}

func (g *generator) text(s map[string]any) string {
	list := []string{"two words", "grüße", "a&b=c", "[x]", "<a>&\"'", "50% off?", "日本", "1,2"}
	if g.plain {
		list = []string{"plain", "two words", "x=1"}
	}
	switch s["format"] {
	case "date-time":
		return "2025-06-07T08:09:10Z"
	case "date":
		return "2025-06-07"
	case "uri":
		return "https://x.example/a?b=c&d=1"
	case "uuid":
		return "123e4567-e89b-42d3-a456-426614174000"
	case "binary", "byte":
		return "aGVsbG8="
	}
	if s["contentEncoding"] == "base64" {
		return "aGVsbG8="
	}
	return list[g.variant%len(list)]
}
