package parse

import (
	"encoding/json"
	"strconv"

	"github.com/wayfindhq/wayfind/internal/jsonscan"
)

// Raw is JSON text, the type of the model's schemas, examples and extensions. It is an alias
// so that formats can name the model's type without importing encoding/json: no document may
// reach the decoders of that package.
type Raw = json.RawMessage

// Member is a member of an object that [Obj] writes.
type Member struct {
	Name  string
	Value Raw
}

// Obj writes a JSON object with its members in the given order. It leaves out members with a
// nil Value and members with a name that came before, so that the result is always valid.
func Obj(members ...Member) Raw {
	out := []byte{'{'}
	seen := make(map[string]bool, len(members))
	for _, m := range members {
		if m.Value == nil || seen[m.Name] {
			continue
		}
		if len(seen) > 0 {
			out = append(out, ',')
		}
		seen[m.Name] = true
		out = append(jsonscan.AppendQuote(out, m.Name), ':')
		out = append(out, m.Value...)
	}
	return append(out, '}')
}

// Arr writes a JSON array. Nil values are left out.
func Arr(values ...Raw) Raw {
	out := []byte{'['}
	for _, v := range values {
		if v == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}

// Quote writes a JSON string. Bytes that are not UTF-8 become U+FFFD.
func Quote(s string) Raw { return jsonscan.AppendQuote(nil, s) }

// Quotes writes a JSON array of strings.
func Quotes(list []string) Raw {
	values := make([]Raw, len(list))
	for i, s := range list {
		values[i] = Quote(s)
	}
	return Arr(values...)
}

// QuoteInt writes a JSON integer.
func QuoteInt(v int64) Raw { return strconv.AppendInt(nil, v, 10) }

// QuoteBool writes true or false.
func QuoteBool(v bool) Raw { return strconv.AppendBool(nil, v) }
