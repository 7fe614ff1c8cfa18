package check

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/show/sitecheck"
)

// mostJudged bounds the JSON of all definitions whose quality is judged together: a schema that many
// operations share is in each of their definitions.
const mostJudged = 8 << 20

// quality judges the definitions of the tools of a site.
func quality(ctx context.Context, box *tools.Box) *sitecheck.Quality {
	var list []sitecheck.Described
	room, left := mostJudged, 0
	for _, short := range box.Tools() {
		if room < 0 || ctx.Err() != nil {
			left++
			continue
		}
		t, err := box.Tool(short.Name)
		if err != nil {
			left++
			continue
		}
		d, size := described(t)
		room -= size
		list = append(list, d)
	}
	return sitecheck.JudgeQuality(list, left)
}

// described returns what a model reads of a tool, and the size of its definition.
func described(t *tools.Tool) (d sitecheck.Described, size int) {
	d = sitecheck.Described{Tool: t.Name, Key: t.Key}
	if len(t.Sources) > 0 {
		d.Source, d.Pointer = t.Sources[0].Source, t.Sources[0].Pointer
	}
	if t.Agent {
		d.Name, d.Description = t.Service.Name, t.Service.Description
	} else if c := t.Capability; c != nil {
		d.Name, d.Description = c.Name, cmp.Or(c.Description, c.Title) // as in the definition
	}
	var schema []byte
	if t.Schema != nil {
		schema, _ = t.Schema.JSON() // without a schema no argument is judged
	}
	if !t.Agent { // an agent takes a message, whose argument this module describes
		d.Arguments = arguments(schema)
	}
	d.Tokens = tools.EstimateTokens(t.Name) + tools.EstimateTokens(t.Description()) + tools.EstimateTokens(string(schema))
	return d, len(schema) + len(d.Description)
}

// argument is what the quality of an argument depends on.
type argument struct {
	Ref         string            `json:"$ref"`
	Type        json.RawMessage   `json:"type"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Enum        []json.RawMessage `json:"enum"`
	Const       json.RawMessage   `json:"const"`
	Format      string            `json:"format"`
	Pattern     string            `json:"pattern"`
	Default     json.RawMessage   `json:"default"`
	Examples    json.RawMessage   `json:"examples"`
	AnyOf       []argument        `json:"anyOf"`
}

// arguments reads the properties of a schema.
func arguments(schema []byte) (list []sitecheck.Argument) {
	var root struct {
		Properties map[string]argument `json:"properties"`
		Required   []string            `json:"required"`
		Defs       map[string]argument `json:"$defs"`
	}
	if json.Unmarshal(schema, &root) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(root.Properties)) {
		a := root.Properties[name]
		if def, ok := root.Defs[strings.TrimPrefix(a.Ref, "#/$defs/")]; ok {
			about := a.Description
			if a = def; about != "" {
				a.Description = about
			}
		}
		list = append(list, sitecheck.Argument{Name: name, Description: a.Description, Required: slices.Contains(root.Required, name),
			Closed: a.closed(), Shown: len(a.Default)+len(a.Examples)+len(a.Format)+len(a.Pattern) > 0, Text: string(a.Type) == `"string"`})
	}
	return list
}

// closed reports whether the schema states the values.
func (a *argument) closed() bool {
	if len(a.AnyOf) > 0 && !slices.ContainsFunc(a.AnyOf, func(o argument) bool { return string(o.Type) != `"null"` && !o.closed() }) {
		return true
	}
	return len(a.Enum)+len(a.Const) > 0 || string(a.Type) == `"boolean"`
}
