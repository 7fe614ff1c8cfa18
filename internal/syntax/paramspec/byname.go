package paramspec

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// ByName returns the schema of the arguments of a capability as an object. If a method of JSON-RPC
// expects them by position, they get the names of its parameters: models return objects, and package
// call converts them back to positions. Without a schema of the arguments, it is that of the parameters.
func ByName(c *wayfind.Capability) parse.Raw {
	if len(c.Input) == 0 {
		return InputSchema(c.Params)
	}
	if string(c.Extensions["paramStructure"]) != `"by-position"` {
		return parse.Raw(c.Input)
	}
	root, err := (&parse.Input{Body: c.Input}).JSONObject()
	items := root.Get("prefixItems")
	if err != nil || items.Len() != len(c.Params) {
		return parse.Raw(c.Input)
	}
	var properties []rawjson.Member
	required := []string{}
	for i, item := range items.Items() {
		p := &c.Params[i]
		properties = append(properties, rawjson.Member{Name: p.Name, Value: parse.Raw(item.Raw())})
		if p.Required != nil && *p.Required {
			required = append(required, p.Name)
		}
	}
	own := []rawjson.Member{
		{Name: "type", Value: rawjson.Quote("object")}, {Name: "properties", Value: rawjson.Obj(properties...)},
		{Name: "required", Value: rawjson.Quotes(required)}, {Name: "additionalProperties", Value: parse.Raw("false")},
	}
	for name, value := range root.Members() {
		if !slices.Contains([]string{"type", "prefixItems", "minItems", "maxItems"}, name) {
			own = append(own, rawjson.Member{Name: name, Value: parse.Raw(value.Raw())})
		}
	}
	return rawjson.Obj(own...)
}
