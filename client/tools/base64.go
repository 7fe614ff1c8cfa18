package tools

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// inBase64Word ends the description of an argument that a model writes in base64. Models do not know
// what "format": "binary" asks of them.
const inBase64Word = "Write it in base64."

// saysBase64 returns the schema of the arguments with that word in the descriptions of bytes.
func saysBase64(input json.RawMessage, params []wayfind.Param, op *httpcall.Operation) json.RawMessage {
	for i := range params {
		all, members := op.Base64(&params[i])
		if !all && members == nil {
			continue
		}
		name := cmp.Or(params[i].Argument, params[i].Name)
		input = without(input, "properties", func(list []rawjson.Member) []rawjson.Member {
			return changed(list, []string{name}, func(value json.RawMessage) json.RawMessage {
				if all {
					return withWord(value)
				}
				return without(value, "properties", func(list []rawjson.Member) []rawjson.Member { return changed(list, members, withWord) })
			})
		})
	}
	return input
}

// changed changes the members with some names.
func changed(list []rawjson.Member, names []string, change func(json.RawMessage) json.RawMessage) []rawjson.Member {
	for i := range list {
		if slices.Contains(names, list[i].Name) {
			list[i].Value = parse.Raw(change(json.RawMessage(list[i].Value)))
		}
	}
	return list
}

// withWord adds the word to the description of a schema, which may be true.
func withWord(value json.RawMessage) json.RawMessage {
	list := membersOf(value)
	i := slices.IndexFunc(list, func(m rawjson.Member) bool { return m.Name == "description" })
	if i < 0 {
		return rawjson.Obj(append(list, rawjson.Member{Name: "description", Value: encode(inBase64Word)})...)
	}
	var text string
	if json.Unmarshal(list[i].Value, &text) == nil && text != "" {
		list[i].Value = encode(text + " " + inBase64Word)
	} else {
		list[i].Value = encode(inBase64Word)
	}
	return rawjson.Obj(list...)
}
