// Package genkit gives the tools of a Box to Genkit. Copy it.
//
//	genkit.Generate(ctx, g, ai.WithTools(adapter.Tools(caller, box)...), ai.WithPrompt("…"))
//
// Credentials, confirmation and limits are those of the Caller: the model sees the
// arguments of a tool and the part of the answer that is meant for it.
//
// If call.Options.Confirm is nil or answers call.Later, a call that a person must agree to
// interrupts the generation, with the call.Question in the metadata. [Allow] and [Deny]
// make the part that resumes it.
package genkit

import (
	"encoding/base64"
	"encoding/json"
	"errors"

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
		run := func(ctx *ai.ToolContext, input any) (*ai.MultipartToolResponse, error) {
			return answer(ctx, caller, box, t.Name, input)
		}
		list = append(list, ai.NewMultipartTool(t.Name, def.Description, run, ai.WithInputSchema(def.Schema)))
	}
	return list
}

// answer calls a tool. If a person must agree to the request, the generation is interrupted,
// with the ticket in the metadata. A failure is told to the model, which can do better; the
// run goes on.
func answer(ctx *ai.ToolContext, caller *call.Caller, box *tools.Box, name string, input any) (*ai.MultipartToolResponse, error) {
	arguments, err := json.Marshal(input)
	if err != nil {
		return nil, err
	}
	if ctx.IsResumed() {
		ticket, _ := ctx.Resumed["ticket"].(string)
		res, _ := caller.Redeem(ctx, box, name, arguments, ticket)
		return told(res), nil
	}
	res, _ := caller.Call(ctx, box, name, arguments)
	if res.Program.Ticket == "" {
		return told(res), nil
	}
	// The question has the exact request, which the person should see.
	return nil, ctx.Interrupt(&ai.InterruptOptions{Metadata: map[string]any{"ticket": res.Program.Ticket, "question": res.Program.Question}})
}

// told is what the model sees: a text, and the images, sounds and documents that the models
// of several vendors take. The text mentions all parts.
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

// Allow is the part that an agreement to an interrupted call makes, for ai.WithToolRestarts.
func Allow(list []ai.ToolRef, interrupted *ai.Part) (*ai.Part, error) {
	held, _ := ai.InterruptAs[map[string]any](interrupted)
	for _, t := range list {
		if own, ok := t.(*ai.ToolDef[any, *ai.MultipartToolResponse]); ok && interrupted.IsToolRequest() && own.Name() == interrupted.ToolRequest.Name {
			return own.RestartWith(interrupted, ai.WithResumedMetadata[any](map[string]any{"ticket": held["ticket"]}))
		}
	}
	return nil, errors.New("the part is no call of these tools")
}

// Deny is the part that a no makes, for ai.WithToolResponses. The model is told.
func Deny(interrupted *ai.Part) *ai.Part {
	return ai.NewResponseForToolRequest(interrupted, &ai.MultipartToolResponse{Output: call.Denied.Sentence()})
}
