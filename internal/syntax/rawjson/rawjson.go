// Package rawjson writes JSON text. Its results are valid if the values that it is given are.
package rawjson

import (
	"encoding/json"
	"iter"
	"slices"
	"strconv"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// Member is a member of an object that [Obj] writes.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Obj writes a JSON object with its members in the given order. It leaves out members with a
// nil Value and members with a name that came before, so that the result is always valid.
func Obj(members ...Member) json.RawMessage {
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
func Arr(values ...json.RawMessage) json.RawMessage {
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
func Quote(s string) json.RawMessage { return jsonscan.AppendQuote(nil, s) }

// Quotes writes a JSON array of strings.
func Quotes(list []string) json.RawMessage {
	values := make([]json.RawMessage, len(list))
	for i, s := range list {
		values[i] = Quote(s)
	}
	return Arr(values...)
}

// QuoteInt writes a JSON integer.
func QuoteInt(v int64) json.RawMessage { return strconv.AppendInt(nil, v, 10) }

// QuoteBool writes true or false.
func QuoteBool(v bool) json.RawMessage { return strconv.AppendBool(nil, v) }

// Some is like [Obj], but returns nil if no member has a value.
func Some(members []Member) json.RawMessage {
	if !slices.ContainsFunc(members, func(m Member) bool { return m.Value != nil }) {
		return nil
	}
	return Obj(members...)
}

// Copies returns copies of the members that a document contains.
func Copies[N interface{ Copy() json.RawMessage }](members iter.Seq2[string, N]) []Member {
	var list []Member
	for name, value := range members {
		list = append(list, Member{Name: name, Value: value.Copy()})
	}
	return list
}
