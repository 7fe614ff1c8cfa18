package tools

import (
	"encoding/json"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security/schema"
)

// limitsOf returns the limits of the arguments: see [httpcall.Operation.Limits]. It takes steps that are
// left for all schemas.
func (l *loader) limitsOf(params []wayfind.Param, op *httpcall.Operation, s *schema.Schema) map[string]httpcall.Limit {
	limits, taken := op.Limits(params, s, l.budget.steps.Load())
	l.budget.steps.Add(-taken)
	return limits
}

// limited returns the schema of the arguments without the values that no request can have. The
// error is an *httpcall.Error if an argument is required for which there is no other value.
func limited(input json.RawMessage, limits map[string]httpcall.Limit) (json.RawMessage, error) {
	var gone []string
	input = without(input, "properties", func(list []rawjson.Member) []rawjson.Member {
		for i := range list {
			if l, ok := limits[list[i].Name]; ok && l.Shapes == 0 {
				gone = append(gone, list[i].Name)
			} else if ok {
				list[i].Value = parse.Raw(shapedAs(json.RawMessage(list[i].Value), l.Shapes))
			}
		}
		return slices.DeleteFunc(list, func(m rawjson.Member) bool { return slices.Contains(gone, m.Name) })
	})
	for _, m := range membersOf(input) {
		var names []string
		if m.Name != "required" || json.Unmarshal(m.Value, &names) != nil {
			continue
		}
		for _, name := range names {
			if slices.Contains(gone, name) {
				return nil, limits[name].Err
			}
		}
	}
	return input, nil
}

// shapedAs returns a schema that also requires one of some shapes.
func shapedAs(value json.RawMessage, shapes schema.Shapes) json.RawMessage {
	list := membersOf(value)
	if list == nil {
		return shapes.JSON()
	}
	rule := parse.Raw(shapes.JSON())
	if slices.ContainsFunc(list, func(m rawjson.Member) bool { return m.Name == "allOf" }) {
		return rawjson.Obj(rawjson.Member{Name: "allOf", Value: rawjson.Arr(parse.Raw(value), rule)})
	}
	return rawjson.Obj(append(list, rawjson.Member{Name: "allOf", Value: rawjson.Arr(rule)})...)
}
