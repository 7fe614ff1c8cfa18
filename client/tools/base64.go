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
	parts := map[string]map[string]bool{} // the members that are bytes, by argument; nil if the argument itself is
	for i := range params {
		all, members := op.Base64(&params[i])
		if !all && members == nil {
			continue
		}
		var set map[string]bool
		for _, name := range members {
			if set == nil {
				set = make(map[string]bool, len(members))
			}
			set[name] = true
		}
		parts[cmp.Or(params[i].Argument, params[i].Name)] = set
	}
	if len(parts) == 0 {
		return input
	}
	return without(input, "properties", func(list []rawjson.Member) []rawjson.Member {
		for i := range list {
			members, is := parts[list[i].Name]
			switch {
			case !is:
			case members == nil:
				list[i].Value = parse.Raw(withWord(json.RawMessage(list[i].Value)))
			default:
				list[i].Value = parse.Raw(without(json.RawMessage(list[i].Value), "properties", func(inner []rawjson.Member) []rawjson.Member {
					for j := range inner {
						if members[inner[j].Name] {
							inner[j].Value = parse.Raw(withWord(json.RawMessage(inner[j].Value)))
						}
					}
					return inner
				}))
			}
		}
		return list
	})
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
