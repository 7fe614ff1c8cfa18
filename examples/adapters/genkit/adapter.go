// Package genkit gives the tools of a Box to Genkit. Copy it.
//
//	list, err := adapter.Tools(caller, box) // err names the tools that the list lacks
//	genkit.Generate(ctx, g, ai.WithTools(list...), ai.WithSystem(box.Note()), ai.WithPrompt("…"))
//
// The Caller sets credentials, confirmation and limits. The model sees the arguments of a tool
// and the part of the answer that is meant for it.
//
// If call.Options.Confirm is nil or returns call.Later, a call to which a person must agree
// interrupts the generation. The metadata contains the call.Question. [Allow] and [Deny] return
// the part that resumes the generation.
package genkit

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/firebase/genkit/go/ai"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
)

// Tools returns the tools of a Box for Generate. The error names the tools without a definition.
// The list has the others.
func Tools(caller *call.Caller, box *tools.Box) (list []ai.ToolRef, err error) {
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
			Schema      map[string]any `json:"input_schema"`
		}
		if lacks == nil {
			lacks = json.Unmarshal(raw, &def)
		}
		if lacks != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", t.Name, lacks))
			continue
		}
		run := func(ctx *ai.ToolContext, input any) (*ai.MultipartToolResponse, error) {
			return answer(ctx, caller, box, t.Name, input)
		}
		list = append(list, ai.NewMultipartTool(t.Name, def.Description, run, ai.WithInputSchema(def.Schema)))
	}
	return list, err
}

// answer calls a tool. If a person must agree to the request, the generation is interrupted,
// and the metadata contains the ticket. A failure is returned to the model, which can try
// again, and the run continues.
func answer(ctx *ai.ToolContext, caller *call.Caller, box *tools.Box, name string, input any) (*ai.MultipartToolResponse, error) {
	arguments, err := json.Marshal(input)
	if err != nil {
		return nil, err
	}
	if ctx.IsResumed() {
		ticket, _ := ctx.Resumed["ticket"].(string)
		res, _ := caller.CallConfirmed(ctx, box, name, arguments, ticket)
		return told(res), nil
	}
	res, _ := caller.Call(ctx, box, name, arguments)
	if res.Program.Ticket == "" {
		return told(res), nil
	}
	// The question contains the exact request, which the person should see.
	return nil, ctx.Interrupt(&ai.InterruptOptions{Metadata: map[string]any{"ticket": res.Program.Ticket, "question": res.Program.Question}})
}

// told returns the answer for the model: a text, and the images, sounds and documents that the
// models of several vendors accept. The text mentions all parts.
func told(res *call.Result) *ai.MultipartToolResponse {
	told := &ai.MultipartToolResponse{Output: res.Model.Prompt()}
	for _, p := range res.Model.Parts {
		switch p.Media {
		case "image/png", "image/jpeg", "image/gif", "image/webp", "audio/wav", "audio/mpeg", "application/pdf":
			data := "data:" + p.Media + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
			told.Content = append(told.Content, ai.NewMediaPart(p.Media, data))
		}
	}
	return told
}

// Allow returns the part for ai.WithToolRestarts after a person has agreed to an interrupted
// call.
func Allow(list []ai.ToolRef, interrupted *ai.Part) (*ai.Part, error) {
	held, _ := ai.InterruptAs[map[string]any](interrupted)
	for _, t := range list {
		if own, ok := t.(*ai.ToolDef[any, *ai.MultipartToolResponse]); ok && interrupted.IsToolRequest() && own.Name() == interrupted.ToolRequest.Name {
			return own.RestartWith(interrupted, ai.WithResumedMetadata[any](map[string]any{"ticket": held["ticket"]}))
		}
	}
	return nil, errors.New("the part is not a call of these tools")
}

// Deny returns the part for ai.WithToolResponses after a person has refused. The model is
// informed.
func Deny(interrupted *ai.Part) *ai.Part {
	return ai.NewResponseForToolRequest(interrupted, &ai.MultipartToolResponse{Output: call.Denied.Sentence()})
}
