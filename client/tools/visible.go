package tools

import (
	"encoding/json"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// visible returns the schema of the arguments, or of the parameters if there is none, without
// values that the model must not provide: see [httpcall.Operation.Withheld]. If two parameters
// have the same name, the name is kept, because only one of them is of that kind.
func visible(c *wayfind.Capability, op *httpcall.Operation) json.RawMessage {
	var gone []string
	times := make(map[string]int)
	for _, p := range c.Params {
		times[p.Name]++
	}
	for i := range c.Params {
		if name := c.Params[i].Name; times[name] == 1 && !op.Withheld(&c.Params[i]).IsZero() {
			gone = append(gone, name)
		}
	}
	input := json.RawMessage(paramspec.ByName(c))
	input = saysBase64(withoutKey(c, op.Key, input), c.Params, op)
	if gone == nil {
		return input
	}
	input = without(input, "properties", func(list []rawjson.Member) []rawjson.Member {
		return slices.DeleteFunc(list, func(m rawjson.Member) bool { return slices.Contains(gone, m.Name) })
	})
	return withoutNames(input, gone)
}

// withoutKey removes the key of repeated calls from a body that is one argument.
func withoutKey(c *wayfind.Capability, key httpcall.Slot, input json.RawMessage) json.RawMessage {
	at := slices.IndexFunc(c.Params, func(p wayfind.Param) bool { return p.Whole && p.In == "body" })
	if at < 0 || key.In != "body" {
		return input
	}
	return without(input, "properties", func(list []rawjson.Member) []rawjson.Member {
		for i := range list {
			if list[i].Name != c.Params[at].Name {
				continue
			}
			var gone []string
			body := without(json.RawMessage(list[i].Value), "properties", func(members []rawjson.Member) []rawjson.Member {
				return slices.DeleteFunc(members, func(m rawjson.Member) bool {
					if m.Name != key.Name {
						return false
					}
					gone = append(gone, m.Name)
					return true
				})
			})
			if gone != nil {
				list[i].Value = parse.Raw(withoutNames(body, gone))
			}
		}
		return list
	})
}

// membersOf returns the members of an object in their order, or nil for any other value.
func membersOf(raw json.RawMessage) (list []rawjson.Member) {
	root, err := (&parse.Input{Body: raw}).JSONObject()
	if err != nil {
		return nil
	}
	for name, value := range root.Members() {
		list = append(list, rawjson.Member{Name: name, Value: parse.Raw(value.Raw())})
	}
	return list
}

// without changes one member of an object that is an object itself.
func without(raw json.RawMessage, name string, change func([]rawjson.Member) []rawjson.Member) json.RawMessage {
	list := membersOf(raw)
	for i := range list {
		if list[i].Name == name {
			list[i].Value = rawjson.Obj(change(membersOf(list[i].Value))...)
		}
	}
	if list == nil {
		return raw
	}
	return rawjson.Obj(list...)
}

// withoutNames removes names from "required".
func withoutNames(raw json.RawMessage, gone []string) json.RawMessage {
	list := membersOf(raw)
	for i := range list {
		var names []string
		if list[i].Name != "required" || json.Unmarshal(list[i].Value, &names) != nil {
			continue
		}
		list[i].Value = encode(append([]string{}, slices.DeleteFunc(names, func(n string) bool { return slices.Contains(gone, n) })...))
	}
	if list == nil {
		return raw
	}
	return rawjson.Obj(list...)
}
