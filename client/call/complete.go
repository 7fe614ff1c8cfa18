package call

import (
	"errors"
	"maps"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
)

// Completion is a request for possible values of one argument of a prompt, or of one variable
// of a resource template.
type Completion struct {
	// Argument is the name of the argument, and Value is the beginning of its value, as a
	// person has typed it.
	Argument, Value string
	// Given contains the known values of other arguments, by name.
	Given map[string]string
}

var errNoCompletion = errors.New("the Completion is nil")

// completionOf returns the request for a completion (MCP 2025-11-25, Utilities, Completion).
func completionOf(c *wayfind.Capability, ask *Completion) *mcpOperation {
	text := func(name, value string) rawjson.Member {
		return rawjson.Member{Name: name, Value: rawjson.Quote(value)}
	}
	ref := rawjson.Obj(text("type", "ref/prompt"), text("name", c.Invocation.Operation))
	if c.Kind == wayfind.KindResource {
		ref = rawjson.Obj(text("type", "ref/resource"), text("uri", c.Invocation.Operation))
	}
	params := []rawjson.Member{{Name: "ref", Value: ref}, {Name: "argument", Value: rawjson.Obj(text("name", ask.Argument), text("value", ask.Value))}}
	if len(ask.Given) > 0 {
		var given []rawjson.Member
		for _, name := range slices.Sorted(maps.Keys(ask.Given)) {
			given = append(given, text(name, ask.Given[name]))
		}
		params = append(params, rawjson.Member{Name: "context", Value: rawjson.Obj(rawjson.Member{Name: "arguments", Value: rawjson.Obj(given...)})})
	}
	return &mcpOperation{method: mcpComplete, params: params}
}
