package diff

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
)

// values compares values by their meaning, and counts its steps. A document's authentication is
// repeated in each of its operations, so each value is converted only once.
type values struct {
	work  *fuel.Counter
	auths map[*wayfind.Auth]*authWord
}

func newValues(w *fuel.Counter) *values {
	return &values{work: w, auths: map[*wayfind.Auth]*authWord{}}
}

// mostAtOnce is the maximum number of bytes that are counted between two checks of the context.
const mostAtOnce = 1 << 20

// text counts a text that a library reads or writes. The longest texts are from Auths with many
// alternatives; they may be several times as long as their document.
func (x *values) text(bytes int) {
	for ; bytes > mostAtOnce; bytes -= mostAtOnce {
		x.work.Text(mostAtOnce)
	}
	x.work.Text(bytes)
}

// meaning returns the JSON of a value in a unique form for each meaning: members are sorted,
// numbers have one notation, and null, "" and an empty list return "".
func (x *values) meaning(v any) string {
	text, err := json.Marshal(v)
	x.text(len(text))
	if err != nil {
		return "not JSON: " + err.Error() // the Site was not made by us
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

// shown returns a value in the form for a Change, or nil if there is none.
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

// decode reads JSON without rounding numbers. It returns nil if the text is not JSON.
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

// plainNumbers converts all numbers to one notation.
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

// plainNumber returns a number as digits without leading and trailing zeros, and an exponent:
// 1, 1.0 and 10e-1 become "1e0". Nothing is rounded.
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

// set returns the values without duplicates, in an order that does not depend on the order of
// the list. It returns nil if there are none.
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

// schemaView returns the view of a JSON Schema. The order of required, enum and type is
// ignored, and titles, descriptions and examples are texts.
func (x *values) schemaView(raw json.RawMessage) view {
	if len(raw) == 0 {
		return view{}
	}
	return view{raw, x.meaning(x.schema(x.decode(raw), true)), x.meaning(x.schema(x.decode(raw), false))}
}

// schema sorts the sets in a schema and in its subschemas, and removes the texts. A member that
// is not a schema keyword is not changed: a default may also have a member "description".
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
