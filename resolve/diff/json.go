package diff

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/fuel"
)

// values compares values by their meaning, and counts its steps. A document's
// authentication is repeated with each of its operations, so each value is
// looked at once.
type values struct {
	work  *fuel.Counter
	auths map[*wayfind.Auth]*authWord
}

func newValues(w *fuel.Counter) *values {
	return &values{work: w, auths: map[*wayfind.Auth]*authWord{}}
}

// mostAtOnce is the number of bytes that are counted between two checks of the
// context.
const mostAtOnce = 1 << 20

// text counts a text that a library reads or writes. The longest are those of
// many alternatives to authenticate, some times as long as their document.
func (x *values) text(bytes int) {
	for ; bytes > mostAtOnce; bytes -= mostAtOnce {
		x.work.Text(mostAtOnce)
	}
	x.work.Text(bytes)
}

// meaning writes a value as JSON in one way for each meaning: members sorted,
// numbers in one notation, and nothing for null, "" and an empty list.
func (x *values) meaning(v any) string {
	text, err := json.Marshal(v)
	x.text(len(text))
	if err != nil {
		return "not JSON: " + err.Error() // of a Site that was not made by us
	}
	switch string(text) {
	case "null", `""`, "[]":
		return ""
	}
	text, err = json.Marshal(plainNumbers(x.decode(text)))
	if err != nil {
		return "not JSON: " + err.Error()
	}
	return string(text)
}

// shown is a value as a Change holds it, nil for none.
func (x *values) shown(v any) json.RawMessage {
	if a, ok := v.(*wayfind.Auth); ok && a != nil {
		word := x.auth(a)
		if word.shown == nil {
			word.shown = x.encoded(a)
		}
		return word.shown
	}
	if x.meaning(v) == "" {
		return nil
	}
	return x.encoded(v)
}

func (x *values) encoded(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil
	}
	x.text(b.Len())
	return bytes.TrimRight(b.Bytes(), "\n")
}

// decode reads JSON without rounding numbers, nil when it is none.
func (x *values) decode(text []byte) any {
	x.text(len(text))
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil
	}
	return v
}

// plainNumbers writes all numbers in one notation.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		return json.Number(plainNumber(v.String()))
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plainNumbers(v[k])
		}
	}
	return v
}

// plainNumber writes a number as digits without zeros around them and an
// exponent: 1, 1.0 and 10e-1 are "1e0". Nothing is rounded.
func plainNumber(s string) string {
	digits, negative := strings.CutPrefix(s, "-")
	exponent := int64(0)
	if i := strings.IndexAny(digits, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.ParseInt(digits[i+1:], 10, 32); err != nil {
			return s
		}
		digits = digits[:i]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	exponent -= int64(len(fraction))
	digits = strings.TrimLeft(whole+fraction, "0")
	short := strings.TrimRight(digits, "0")
	if short == "" {
		return "0"
	}
	exponent += int64(len(digits) - len(short))
	if negative {
		short = "-" + short
	}
	return short + "e" + strconv.FormatInt(exponent, 10)
}

// set returns values in an order that does not depend on theirs, each once;
// nil for none.
func set[T any](x *values, list []T) any {
	texts := make([]string, len(list))
	by := make(map[string]T, len(list))
	for i, v := range list {
		texts[i] = x.meaning(v)
		by[texts[i]] = v
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	if len(texts) == 0 {
		return nil
	}
	values := make([]T, len(texts))
	for i, t := range texts {
		values[i] = by[t]
	}
	return values
}

func sorted(list []string) []string {
	s := slices.Clone(list)
	slices.Sort(s)
	return s
}

// schemaView looks at a JSON Schema. The order of required, enum and type does
// not count, and titles, descriptions and examples are texts.
func (x *values) schemaView(raw json.RawMessage) view {
	if len(raw) == 0 {
		return view{}
	}
	return view{raw, x.meaning(x.schema(x.decode(raw), true)), x.meaning(x.schema(x.decode(raw), false))}
}

// schema sorts the sets in a schema and in the schemas inside it, and drops the
// texts. A member that is no keyword for schemas is left as it is: a default
// may have a member "description" too.
func (x *values) schema(v any, texts bool) any {
	switch v := v.(type) {
	case []any:
		x.work.Add(len(v))
		for i := range v {
			v[i] = x.schema(v[i], texts)
		}
	case map[string]any:
		x.work.Add(len(v))
		for k, member := range v {
			switch k {
			case "title", "description", "$comment", "example", "examples":
				if !texts {
					delete(v, k)
				}
			case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions":
				if named, ok := member.(map[string]any); ok {
					x.work.Add(len(named))
					for name := range named {
						named[name] = x.schema(named[name], texts)
					}
				}
			case "items", "prefixItems", "additionalProperties", "additionalItems", "contains", "propertyNames",
				"unevaluatedItems", "unevaluatedProperties", "not", "if", "then", "else", "allOf", "anyOf", "oneOf":
				v[k] = x.schema(member, texts)
			case "required", "enum", "type":
				if list, ok := member.([]any); ok {
					v[k] = set(x, list)
				}
			}
		}
	}
	return v
}
