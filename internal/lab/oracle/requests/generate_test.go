package requests

import (
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// generator creates values that are valid by a schema. It uses an example of the document if
// there is one.
type generator struct {
	root   map[string]any
	random *rand.Rand
	// full is true if most optional members are created.
	full bool
	// empty is true if about half of the lists, objects and texts are empty, where the schema allows
	// that, and examples of the document are not used.
	empty bool
	// plain is true if strings only contain characters that a header field allows.
	plain bool
}

// deepest is the maximum nesting of a value.
const deepest = 12

// value returns a value of a schema. ok is false if the generator finds none.
func (g *generator) value(schema any, depth int) (v any, ok bool) {
	s := g.resolved(schema, 0)
	if s == nil || depth > deepest {
		return nil, schema == true
	}
	if v, ok := g.said(s); ok {
		return v, true
	}
	for _, word := range []string{"oneOf", "anyOf"} {
		if list, _ := s[word].([]any); len(list) > 0 {
			return g.alternative(s, word, list, depth)
		}
	}
	switch g.kind(s) {
	case "object":
		return g.object(s, depth)
	case "array":
		return g.array(s, depth)
	case "integer", "number":
		return g.number(s), true
	case "boolean":
		return g.random.IntN(2) == 0, true
	case "null":
		return nil, true
	}
	return g.text(s), true
}

// resolved follows references and merges the members of allOf.
func (g *generator) resolved(schema any, hops int) map[string]any {
	s, ok := schema.(map[string]any)
	if !ok || hops > 20 {
		return nil
	}
	if ref, ok := s["$ref"].(string); ok {
		rest := maps.Clone(s)
		delete(rest, "$ref")
		return merged(rest, g.resolved(g.at(ref), hops+1))
	}
	if list, ok := s["allOf"].([]any); ok {
		rest := maps.Clone(s)
		delete(rest, "allOf")
		for _, one := range list {
			rest = merged(rest, g.resolved(one, hops+1))
		}
		return rest
	}
	return s
}

// at returns the target of a reference within the schema.
func (g *generator) at(ref string) any {
	var at any = g.root
	for step := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(ref, "#"), "/"), "/") {
		if step == "" {
			continue
		}
		m, _ := at.(map[string]any)
		at = m[unescape(step)]
	}
	return at
}

// unescape returns a step of a JSON pointer.
func unescape(step string) string { return strings.NewReplacer("~1", "/", "~0", "~").Replace(step) }

// merged returns a schema with the members of both.
func merged(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	for name, v := range b {
		had, both := out[name]
		switch {
		case !both:
			out[name] = v
		case name == "required":
			out[name] = append(slices.Clone(had.([]any)), v.([]any)...)
		case name == "properties":
			props := maps.Clone(had.(map[string]any))
			maps.Copy(props, v.(map[string]any))
			out[name] = props
		}
	}
	return out
}

// said returns a value that the schema itself contains.
func (g *generator) said(s map[string]any) (v any, ok bool) {
	if v, ok = s["const"]; ok {
		return v, true
	}
	if v, ok = s["example"]; ok && !g.empty {
		return v, true
	}
	for _, word := range []string{"examples", "enum"} {
		if word == "examples" && g.empty {
			continue
		}
		if list, _ := s[word].([]any); len(list) > 0 {
			return list[g.random.IntN(len(list))], true
		}
	}
	return nil, false
}

func (g *generator) alternative(s map[string]any, word string, list []any, depth int) (v any, ok bool) {
	rest := maps.Clone(s)
	delete(rest, word)
	for _, i := range g.random.Perm(len(list)) {
		one := g.resolved(list[i], 0)
		if one == nil || one["type"] == "null" && len(list) > 1 {
			continue
		}
		if v, ok = g.value(merged(one, rest), depth+1); ok {
			return v, true
		}
	}
	return nil, false
}

// kind returns the type of the value to create.
func (g *generator) kind(s map[string]any) string {
	switch t := s["type"].(type) {
	case string:
		return t
	case []any:
		for _, one := range t {
			if one != "null" {
				return one.(string)
			}
		}
		return "null"
	}
	switch {
	case s["properties"] != nil:
		return "object"
	case s["items"] != nil:
		return "array"
	case s["minimum"] != nil:
		return "integer"
	}
	return "string"
}

func (g *generator) object(s map[string]any, depth int) (any, bool) {
	required, _ := s["required"].([]any)
	props, _ := s["properties"].(map[string]any)
	out := make(map[string]any)
	if g.empty && len(required) == 0 && g.random.IntN(2) == 0 {
		return out, true
	}
	for _, name := range slices.Sorted(maps.Keys(props)) {
		must := slices.Contains(required, any(name))
		if !must && (!g.full || depth > 3 || g.random.IntN(10) > 6) {
			continue
		}
		v, ok := g.value(props[name], depth+1)
		if ok {
			out[name] = v
		} else if must {
			return nil, false
		}
	}
	for _, name := range required {
		if _, ok := out[name.(string)]; !ok {
			out[name.(string)] = "x"
		}
	}
	if more, ok := s["additionalProperties"].(map[string]any); ok && len(props) == 0 && depth < 4 {
		if v, ok := g.value(more, depth+1); ok {
			out["key"] = v
		}
	}
	return out, true
}

func (g *generator) array(s map[string]any, depth int) (any, bool) {
	n := max(1, int(number(s["minItems"], 0)))
	if g.empty && s["minItems"] == nil && g.random.IntN(2) == 0 {
		return []any{}, true
	}
	if g.full {
		n = max(n, 2)
	}
	n = min(n, int(number(s["maxItems"], 1000)))
	out := []any{}
	items, ok := s["items"]
	if !ok {
		items = map[string]any{"type": "string"}
	}
	for range 4 * n {
		v, ok := g.value(items, depth+1)
		if !ok || len(out) == n {
			break
		}
		if s["uniqueItems"] == true && slices.ContainsFunc(out, func(had any) bool { return reflect.DeepEqual(had, v) }) {
			continue
		}
		out = append(out, v)
	}
	return out, len(out) >= int(number(s["minItems"], 0))
}

func (g *generator) number(s map[string]any) any {
	low := number(s["minimum"], number(s["exclusiveMinimum"], -1)+1)
	high := max(low, number(s["maximum"], number(s["exclusiveMaximum"], low+101)-1))
	n := math.Ceil(low) + math.Floor(g.random.Float64()*min(high-low, 1e6))
	if of := number(s["multipleOf"], 0); of >= 1 {
		n = math.Ceil(n/of) * of
	}
	if s["type"] == "number" && s["multipleOf"] == nil && n+.5 <= high && g.random.IntN(3) == 0 {
		n += .5
	}
	return n
}

func number(v any, otherwise float64) float64 {
	if n, ok := v.(json.Number); ok {
		if f, err := n.Float64(); err == nil {
			return f
		}
	}
	return otherwise
}

// text returns a string. If any string is valid, it has a meaning in a URL or a form.
func (g *generator) text(s map[string]any) string {
	format, _ := s["format"].(string)
	if v, ok := formats()[format]; ok {
		return v
	}
	if pattern, ok := s["pattern"].(string); ok {
		for _, v := range []string{"a1", "1", "A1B2", "12345", "abc", "abcdefgh", "US", "USD", "en-US", "2025-01-02", "+15550100", "#aabbcc", "/a", "https://x.example/a", "80351110224678912"} {
			if matches(pattern, v) && within(s, v) {
				return v
			}
		}
	}
	if g.empty && !g.plain && number(s["minLength"], 0) == 0 && g.random.IntN(2) == 0 {
		return ""
	}
	list := []string{"plain", "two words", "a&b=c", "50% off?", "grüße", "x+y", "a/b", "q#1", "1,2", `"q"`, "it's", "日本", "a;b", "{x}", "a|b", "~t_-.", "a:b@c", "[x]"}
	if g.plain {
		list = []string{"plain", "two words", "x=1"}
	}
	v := list[g.random.IntN(len(list))]
	for utf8.RuneCountInString(v) < int(number(s["minLength"], 0)) {
		v += "x"
	}
	if most := int(number(s["maxLength"], 1e6)); utf8.RuneCountInString(v) > most {
		v = string([]rune(v)[:most])
	}
	return v
}

func within(s map[string]any, v string) bool {
	return len(v) >= int(number(s["minLength"], 0)) && len(v) <= int(number(s["maxLength"], 1e6))
}

// formats returns strings for formats.
func formats() map[string]string {
	return map[string]string{
		"date-time": "2025-06-07T08:09:10Z", "date": "2025-06-07", "time": "08:09:10Z", "email": "a@b.example", "uri": "https://x.example/a?b=c&d=1",
		"url": "https://x.example/a?b=c&d=1", "uuid": "123e4567-e89b-42d3-a456-426614174000", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "byte": "aGVsbG8=",
		"binary": "aGVsbG8=", "snowflake": "80351110224678912", "hostname": "x.example", "uri-reference": "/a",
	}
}
