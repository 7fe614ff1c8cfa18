package tools

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// visible is the schema of the arguments, which are the parameters where it says no
// more, without what is not the model's to give:
// the parameters of security schemes, and the key that a call is known again by. A
// name that two parameters have stays, because only one of them is meant.
func visible(c *wayfind.Capability, auth *wayfind.Auth) json.RawMessage {
	var gone []string
	times := make(map[string]int)
	for _, p := range c.Params {
		times[p.Name]++
	}
	for _, p := range c.Params {
		if times[p.Name] == 1 && isHidden(c, auth, p) {
			gone = append(gone, p.Name)
		}
	}
	input := byName(c)
	if len(input) == 0 {
		input = json.RawMessage(parse.InputSchema(c.Params))
	}
	if gone == nil {
		return input
	}
	input = without(input, "properties", func(list []member) []member {
		return slices.DeleteFunc(list, func(m member) bool { return slices.Contains(gone, m.name) })
	})
	return withoutNames(input, gone)
}

// byName is the schema of the arguments as an object. Where a method of JSON-RPC takes
// them by their places, they get the names of its parameters: models give objects, and
// package call puts them back in their places.
func byName(c *wayfind.Capability) json.RawMessage {
	list := membersOf(c.Input)
	at := slices.IndexFunc(list, func(m member) bool { return m.name == "prefixItems" })
	var items []json.RawMessage
	if at < 0 || string(c.Extensions["paramStructure"]) != `"by-position"` || json.Unmarshal(list[at].value, &items) != nil || len(items) != len(c.Params) {
		return c.Input
	}
	var properties []member
	required := []string{}
	for i, p := range c.Params {
		properties = append(properties, member{p.Name, items[i]})
		if p.Required != nil && *p.Required {
			required = append(required, p.Name)
		}
	}
	own := []member{{"type", encode("object")}, {"properties", object(properties)}, {"required", encode(required)}, {"additionalProperties", encode(false)}}
	for _, m := range list {
		if !slices.Contains([]string{"type", "prefixItems", "minItems", "maxItems"}, m.name) {
			own = append(own, m)
		}
	}
	return object(own)
}

// isHidden reports whether a parameter is a security scheme's, or the key of
// repetitions.
func isHidden(c *wayfind.Capability, auth *wayfind.Auth, p wayfind.Param) bool {
	key := "Idempotency-Key"
	if c.Effects != nil && c.Effects.IdempotencyKey != "" {
		key = c.Effects.IdempotencyKey
	}
	if p.Name == key || p.In == "header" && strings.EqualFold(p.Name, key) {
		return p.In != "path"
	}
	if auth == nil {
		return false
	}
	for _, s := range auth.Schemes {
		if s.Kind == wayfind.SchemeAPIKey && s.In == p.In && (s.Name == p.Name || p.In == "header" && strings.EqualFold(s.Name, p.Name)) {
			return true
		}
		if p.In == "header" && strings.EqualFold(p.Name, "Authorization") {
			return true
		}
	}
	return false
}

// member is one member of an object.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf are the members of an object in their order; nil for what is none.
func membersOf(raw json.RawMessage) (list []member) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for dec.More() {
		t, err := dec.Token()
		name, ok := t.(string)
		var m member
		if err != nil || !ok || dec.Decode(&m.value) != nil {
			return nil
		}
		m.name = name
		list = append(list, m)
	}
	return list
}

// object writes members.
func object(list []member) json.RawMessage {
	out := json.RawMessage{'{'}
	for i, m := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, encode(m.name)...), ':'), m.value...)
	}
	return append(out, '}')
}

// without changes one member of an object that is an object itself.
func without(raw json.RawMessage, name string, change func([]member) []member) json.RawMessage {
	list := membersOf(raw)
	for i := range list {
		if list[i].name == name {
			list[i].value = object(change(membersOf(list[i].value)))
		}
	}
	if list == nil {
		return raw
	}
	return object(list)
}

// withoutNames takes names out of "required".
func withoutNames(raw json.RawMessage, gone []string) json.RawMessage {
	list := membersOf(raw)
	for i := range list {
		var names []string
		if list[i].name != "required" || json.Unmarshal(list[i].value, &names) != nil {
			continue
		}
		list[i].value = encode(append([]string{}, slices.DeleteFunc(names, func(n string) bool { return slices.Contains(gone, n) })...))
	}
	if list == nil {
		return raw
	}
	return object(list)
}
