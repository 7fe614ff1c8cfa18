// Package anthropic lets a model of Anthropic's API call the tools of a Box. Copy it.
//
//	agent := &anthropic.Agent{Client: sdk.NewClient(), Caller: caller, Box: box, Agree: ask}
//	answer, err := agent.Run(ctx, sdk.MessageNewParams{Model: model, MaxTokens: 4096, Messages: messages})
//
// The Caller sets credentials and limits. The model sees the arguments of a tool and the part
// of the answer that is meant for it, with the text of sites between marks.
package anthropic

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	sdk "github.com/anthropics/anthropic-sdk-go"

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
func (a *Agent) Run(ctx context.Context, params sdk.MessageNewParams) (string, error) {
	defs := a.Box.Render(tools.AnthropicMessages, nil)
	if err := json.Unmarshal(defs.Tools, &params.Tools); err != nil {
		return "", err
	}
	params.Messages = slices.Clone(params.Messages)
	// The marks around foreign text are explained once, instead of in each answer.
	params.System = append(slices.Clone(params.System), sdk.TextBlockParam{Text: prompt.Explanation + defs.Note})
	// The form converts arguments back to the publisher's names, which differ from the names in
	// the definitions.
	caller := a.Caller.With(defs.Form)
	for range MaxTurns {
		msg, err := a.ask(ctx, params)
		if err != nil {
			return "", err
		}
		text, wanted := parts(msg)
		if len(wanted) == 0 {
			return text, nil
		}
		params.Messages = append(params.Messages, msg.ToParam(), sdk.NewUserMessage(a.calls(ctx, caller, wanted)...))
	}
	return "", errors.New("the model requests tools without end")
}

// ask streams one message of the model.
func (a *Agent) ask(ctx context.Context, params sdk.MessageNewParams) (msg sdk.Message, err error) {
	stream := a.Client.Messages.NewStreaming(ctx, params)
	defer func() { _ = stream.Close() }()
	for stream.Next() {
		event := stream.Current()
		if err := msg.Accumulate(event); err != nil {
			return msg, err
		}
		if event.Type == "content_block_delta" && event.Delta.Type == "text_delta" && a.Text != nil {
			a.Text(event.Delta.Text)
		}
	}
	return msg, stream.Err()
}

// parts returns the text of a message and the calls that it requests.
func parts(msg sdk.Message) (text string, wanted []sdk.ToolUseBlock) {
	for _, block := range msg.Content {
		switch b := block.AsAny().(type) {
		case sdk.TextBlock:
			text += b.Text
		case sdk.ToolUseBlock:
			wanted = append(wanted, b)
		}
	}
	return text, wanted
}

// calls makes the calls of a message at the same time. Then it asks a person about the calls
// that require an agreement, one after another. It returns the block of each call.
func (a *Agent) calls(ctx context.Context, caller *call.Caller, wanted []sdk.ToolUseBlock) []sdk.ContentBlockParamUnion {
	results, failed := make([]*call.Result, len(wanted)), make([]error, len(wanted))
	var wg sync.WaitGroup
	for i, w := range wanted {
		wg.Go(func() { results[i], failed[i] = caller.Call(ctx, a.Box, w.Name, w.Input) })
	}
	wg.Wait()
	blocks := make([]sdk.ContentBlockParamUnion, len(wanted))
	for i, w := range wanted {
		p := results[i].Program
		switch {
		case p.Ticket == "" || a.Agree == nil:
		case a.Agree(ctx, p.Question):
			results[i], failed[i] = caller.CallConfirmed(ctx, a.Box, w.Name, w.Input, p.Ticket)
		default:
			results[i].Model = call.ModelResult{Code: call.Denied, Text: call.Denied.Sentence()}
		}
		blocks[i] = sdk.NewToolResultBlock(w.ID, results[i].Model.Marked(), failed[i] != nil) // is_error
		blocks[i].OfToolResult.Content = append(blocks[i].OfToolResult.Content, images(results[i].Model.Parts)...)
	}
	return blocks
}

// images returns the parts of an answer that the API accepts. The text mentions all parts.
func images(parts []call.Part) (list []sdk.ToolResultBlockParamContentUnion) {
	for _, p := range parts {
		switch media := sdk.Base64ImageSourceMediaType(p.Media); media {
		case sdk.Base64ImageSourceMediaTypeImageJPEG, sdk.Base64ImageSourceMediaTypeImagePNG, sdk.Base64ImageSourceMediaTypeImageGIF, sdk.Base64ImageSourceMediaTypeImageWebP:
			source := &sdk.Base64ImageSourceParam{Data: base64.StdEncoding.EncodeToString(p.Data), MediaType: media}
			list = append(list, sdk.ToolResultBlockParamContentUnion{OfImage: &sdk.ImageBlockParam{Source: sdk.ImageBlockParamSourceUnion{OfBase64: source}}})
		}
	}
	return list
}
