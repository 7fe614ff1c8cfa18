// Package langchaingo gives the tools of a Box to agents of langchaingo. Copy it.
//
//	list, err := langchaingo.Tools(caller, box) // err names the tools that the list lacks
//	agent := agents.NewOneShotAgent(llm, list)
//
// The Caller sets credentials, confirmation and limits. The model sees the arguments of a tool
// and the part of the answer that is meant for it.
//
// If call.Options.Confirm is nil or returns call.Later, a call to which a person must agree
// ends the run with a [*Pending], which errors.As finds.
//
// A tool of the framework returns a text, so a model gets no images, sounds and files of an
// answer. The text mentions them.
package langchaingo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	lc "github.com/tmc/langchaingo/tools"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
)

// Tools returns the tools of a Box for agents. The error names the tools without a definition. The
// list has the others.
func Tools(caller *call.Caller, box *tools.Box) (list []lc.Tool, err error) {
	// The form converts arguments back to the publisher's names, which may differ from the
	// names in the definitions.
	caller = caller.With(tools.Form{Vendor: tools.AnthropicMessages})
	for _, t := range box.Tools() {
		// AnthropicMessages is only the form of the definition and does not select a model: a
		// name, a description and plain JSON Schema, which the framework converts for its
		// model.
		raw, _, lacks := box.Define(tools.AnthropicMessages, t.Name, false)
		var def struct {
			Description string
			Schema      json.RawMessage `json:"input_schema"`
		}
		if lacks == nil {
			lacks = json.Unmarshal(raw, &def)
		}
		if lacks != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", t.Name, lacks))
			continue
		}
		// Agents that write text need the schema of the arguments in the description.
		list = append(list, &tool{caller, box, t.Name, def.Description + " The input is JSON of this schema: " + string(def.Schema)})
	}
	return list, err
}

// tool implements the framework's interface.
type tool struct {
	caller            *call.Caller
	box               *tools.Box
	name, description string
}

// Name implements tools.Tool.
func (t *tool) Name() string { return t.name }

// Description implements tools.Tool.
func (t *tool) Description() string { return t.description }

// Call implements tools.Tool. If a person must agree to the request, the error is a [*Pending].
// Other failures are returned to the model, which can try again, and the run continues.
func (t *tool) Call(ctx context.Context, input string) (string, error) {
	input = strings.TrimSpace(input)
	res, _ := t.caller.Call(ctx, t.box, t.name, []byte(input))
	if res.Program.Ticket != "" {
		return "", &Pending{Question: res.Program.Question, ticket: res.Program.Ticket, input: input, tool: t}
	}
	return res.Model.Prompt(), nil
}

// Pending is a call that waits for a person. It ends the run of an agent, because the framework
// cannot interrupt a run.
type Pending struct {
	// Question contains the exact request, which the person should see.
	Question *call.Question

	ticket, input string
	tool          *tool
}

// Error implements error.
func (p *Pending) Error() string { return p.tool.name + ": " + call.ConfirmationRequired.Sentence() }

// CallConfirmed sends the request after the person has agreed, and returns the answer for the next run
// of the agent.
func (p *Pending) CallConfirmed(ctx context.Context) string {
	res, _ := p.tool.caller.CallConfirmed(ctx, p.tool.box, p.tool.name, []byte(p.input), p.ticket)
	return res.Model.Prompt()
}
