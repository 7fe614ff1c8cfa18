// Package genkit gives the tools of a Box to Genkit. Copy it.
//
//	genkit.Generate(ctx, g, ai.WithTools(adapter.Tools(caller, box)...), ai.WithPrompt("…"))
//
// Credentials, confirmation and limits are those of the Caller: the model sees the
// arguments of a tool and the part of the answer that is meant for it.
package genkit

import (
	"encoding/json"

	"github.com/firebase/genkit/go/ai"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
)

// Tools are the tools of a Box for Generate. One that has no definition is left out.
func Tools(caller *call.Caller, box *tools.Box) (list []ai.ToolRef) {
	// The form of the definitions turns arguments back, which may have other names there.
	caller = caller.With(tools.Form{Vendor: tools.AnthropicMessages})
	for _, t := range box.Tools() {
		// The form of a definition, and no choice of a model: a name, a description and plain
		// JSON Schema, of which the framework makes what its model takes.
		raw, _, err := box.Define(tools.AnthropicMessages, t.Name, false)
		if err != nil {
			continue
		}
		var def struct {
			Description string
			Schema      map[string]any `json:"input_schema"`
		}
		if err := json.Unmarshal(raw, &def); err != nil {
			continue
		}
		// A failure is told to the model, which can do better; the run goes on.
		run := func(ctx *ai.ToolContext, input any) (call.ModelResult, error) {
			arguments, err := json.Marshal(input)
			if err != nil {
				return call.ModelResult{}, err
			}
			res, _ := caller.Call(ctx, box, t.Name, arguments)
			return res.Model, nil
		}
		list = append(list, ai.NewTool(t.Name, def.Description, run, ai.WithInputSchema(def.Schema)))
	}
	return list
}
