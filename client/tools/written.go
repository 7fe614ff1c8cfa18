package tools

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security/schema"
)

// limit is the part of the values of an argument that a request can have.
type limit struct {
	shapes schema.Shapes // 0 if there is none
	err    *httpcall.Error
}

// limitsOf returns the limits of the arguments for which the publisher's schema allows values that
// no request can have: see [httpcall.Operation.Written]. It takes steps that are left for all schemas.
func (l *loader) limitsOf(params []wayfind.Param, op *httpcall.Operation, s *schema.Schema) map[string]limit {
	var names []string
	var most []limit
	for i := range params {
		p := &params[i]
		can, why := op.Written(p)
		if can == schema.AnyShape || !op.Withheld(p).IsZero() {
			continue
		}
		names = append(names, cmp.Or(p.Argument, p.Name))
		most = append(most, limit{can, &httpcall.Error{Code: why, In: p.In, Name: p.Name}})
	}
	if names == nil {
		return nil
	}
	shown, taken := s.Shapes(names, l.budget.steps.Load())
	l.budget.steps.Add(-taken)
	var limits map[string]limit
	for i, name := range names {
		can := most[i].shapes
		if known, twice := limits[name]; twice {
			can &= known.shapes
		}
		if shown[i]&^can == 0 {
			continue
		}
		if shown[i]&can == 0 {
			can = 0
		}
		if limits == nil {
			limits = make(map[string]limit)
		}
		limits[name] = limit{can, most[i].err}
	}
	return limits
}

// limited returns the schema of the arguments without the values that no request can have. The
// error is an *httpcall.Error if an argument is required for which there is no other value.
func limited(input json.RawMessage, limits map[string]limit) (json.RawMessage, error) {
	var gone []string
	input = without(input, "properties", func(list []rawjson.Member) []rawjson.Member {
		for i := range list {
			if l, ok := limits[list[i].Name]; ok && l.shapes == 0 {
				gone = append(gone, list[i].Name)
			} else if ok {
				list[i].Value = parse.Raw(shapedAs(json.RawMessage(list[i].Value), l.shapes))
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
				return nil, limits[name].err
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
