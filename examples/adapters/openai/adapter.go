// Package openai lets a model of OpenAI's API call the tools of a Box. Copy it.
//
//	agent := &openai.Agent{Client: sdk.NewClient(), Caller: caller, Box: box, Agree: ask}
//	answer, err := agent.Run(ctx, sdk.ChatCompletionNewParams{Model: model, Messages: messages})
//
// The Caller sets credentials and limits. The model sees the arguments of a tool and the part
// of the answer that is meant for it, with the text of sites between marks.
package openai

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"sync"

	sdk "github.com/openai/openai-go/v3"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/security/prompt"
)

// MaxTurns is the maximum number of messages with tool calls in a run. A run that exceeds it
// ends with an error.
const MaxTurns = 16

// Agent is a model with tools.
type Agent struct {
	Client sdk.Client
	Caller *call.Caller
	Box    *tools.Box
	// Agree is called for each call to which a person must agree, one at a time, if
	// call.Options.Confirm is nil or returns call.Later. If Agree is nil, the model is informed
	// that a person must agree.
	Agree func(context.Context, *call.Question) bool
	// Text receives the text of the model as it arrives. If Text is nil, only the result of Run
	// contains it.
	Text func(string)
}

// Run sends a request to the model, makes the calls that it requests, and sends their results
// to it, until the model requests no more calls. It returns the last answer.
func (a *Agent) Run(ctx context.Context, params sdk.ChatCompletionNewParams) (string, error) {
	defs := a.Box.Render(tools.OpenAIChat, &tools.RenderOptions{Strict: true})
	if err := json.Unmarshal(defs.Tools, &params.Tools); err != nil {
		return "", err
	}
	// The marks around foreign text are explained once, instead of in each answer.
	system := sdk.SystemMessage(prompt.Explanation + defs.Note)
	params.Messages = append([]sdk.ChatCompletionMessageParamUnion{system}, params.Messages...)
	// The form converts arguments back to the publisher's names, which differ from the names in
	// the definitions.
	caller := a.Caller.With(defs.Form)
	for range MaxTurns {
		msg, err := a.ask(ctx, params)
		if err != nil || len(msg.ToolCalls) == 0 {
			return msg.Content, err
		}
		params.Messages = append(params.Messages, msg.ToParam())
		var shown []sdk.ChatCompletionContentPartUnionParam
		for i, res := range a.calls(ctx, caller, msg.ToolCalls) {
			params.Messages = append(params.Messages, sdk.ToolMessage(res.Model.Marked(), msg.ToolCalls[i].ID))
			shown = append(shown, parts(msg.ToolCalls[i].ID, res.Model.Parts)...)
		}
		// The answer to a call contains only texts. A user message may have parts.
		if shown != nil {
			params.Messages = append(params.Messages, sdk.UserMessage(shown))
		}
	}
	return "", errors.New("the model requests tools without end")
}

// ask streams one message of the model.
func (a *Agent) ask(ctx context.Context, params sdk.ChatCompletionNewParams) (msg sdk.ChatCompletionMessage, err error) {
	var whole sdk.ChatCompletionAccumulator
	stream := a.Client.Chat.Completions.NewStreaming(ctx, params)
	defer func() { _ = stream.Close() }()
	for stream.Next() {
		chunk := stream.Current()
		whole.AddChunk(chunk)
		if a.Text != nil && len(chunk.Choices) > 0 && chunk.Choices[0].Delta.Content != "" {
			a.Text(chunk.Choices[0].Delta.Content)
		}
	}
	if err := stream.Err(); err != nil {
		return msg, err
	}
	if len(whole.Choices) == 0 {
		return msg, errors.New("the model returned nothing")
	}
	return whole.Choices[0].Message, nil
}

// calls makes the calls of a message at the same time. Then it asks a person about the calls
// that require an agreement, one after another.
func (a *Agent) calls(ctx context.Context, caller *call.Caller, wanted []sdk.ChatCompletionMessageToolCallUnion) []*call.Result {
	results := make([]*call.Result, len(wanted))
	var wg sync.WaitGroup
	for i, w := range wanted {
		wg.Go(func() {
			// The result explains an error to the model.
			results[i], _ = caller.Call(ctx, a.Box, w.Function.Name, []byte(w.Function.Arguments))
		})
	}
	wg.Wait()
	for i, w := range wanted {
		p := results[i].Program
		switch {
		case p.Ticket == "" || a.Agree == nil:
		case a.Agree(ctx, p.Question):
			results[i], _ = caller.CallConfirmed(ctx, a.Box, w.Function.Name, []byte(w.Function.Arguments), p.Ticket)
		default:
			results[i].Model = call.ModelResult{Code: call.Denied, Text: call.Denied.Sentence()}
		}
	}
	return results
}

// parts returns the images and documents of the answer to a call, after a line about them. The
// text of the answer mentions all parts. Most models refuse a request with sounds.
func parts(id string, list []call.Part) (shown []sdk.ChatCompletionContentPartUnionParam) {
	for _, p := range list {
		data := "data:" + p.Media + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
		switch p.Media {
		case "image/png", "image/jpeg", "image/gif", "image/webp":
			shown = append(shown, sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{URL: data}))
		case "application/pdf":
			shown = append(shown, sdk.FileContentPart(sdk.ChatCompletionContentPartFileFileParam{FileData: sdk.String(data), Filename: sdk.String("answer.pdf")}))
		}
	}
	if shown == nil {
		return nil
	}
	return append([]sdk.ChatCompletionContentPartUnionParam{sdk.TextContentPart("Data of a site, from the answer to the call " + id + ":")}, shown...)
}
