// Package anthropic lets a model of Anthropic's API call the tools of a Box. Copy it.
//
//	agent := &anthropic.Agent{Client: sdk.NewClient(), Caller: caller, Box: box, Agree: ask}
//	answer, err := agent.Run(ctx, sdk.MessageNewParams{Model: model, MaxTokens: 4096, Messages: messages})
//
// Credentials and limits are those of the Caller: the model sees the arguments of a tool
// and the part of the answer that is meant for it, with the words of sites between marks.
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

// MaxTurns is how often a model may ask for tools before a run ends with an error.
const MaxTurns = 16

// Agent is a model with tools.
type Agent struct {
	Client sdk.Client
	Caller *call.Caller
	Box    *tools.Box
	// Agree is asked about each call that a person must agree to, one at a time, if
	// call.Options.Confirm is nil or answers call.Later. Nil: the model is told that a
	// person must agree.
	Agree func(context.Context, *call.Question) bool
	// Text gets the words of the model as they arrive. Nil: they are in the answer only.
	Text func(string)
}

// Run asks the model, makes the calls that it wants, and asks again with their outcomes,
// until the model wants no more. It returns the last answer.
func (a *Agent) Run(ctx context.Context, params sdk.MessageNewParams) (string, error) {
	defs := a.Box.Render(tools.AnthropicMessages, nil)
	if err := json.Unmarshal(defs.Tools, &params.Tools); err != nil {
		return "", err
	}
	params.Messages = slices.Clone(params.Messages)
	// The marks around foreign text are explained once, and not by each answer.
	params.System = append(slices.Clone(params.System), sdk.TextBlockParam{Text: prompt.Explanation + defs.Note})
	// The form of the definitions turns arguments back, which have other names there.
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
	return "", errors.New("the model asks for tools without end")
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

// parts are the words of a message and the calls that it wants.
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

// calls makes the calls of a message at the same time. Then a person is asked about those
// that need an agreement, one after the other. It returns the block of each call.
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
			results[i], failed[i] = caller.Redeem(ctx, a.Box, w.Name, w.Input, p.Ticket)
		default:
			results[i].Model = call.ModelResult{Code: call.Denied, Text: call.Denied.Sentence()}
		}
		blocks[i] = sdk.NewToolResultBlock(w.ID, results[i].Model.Marked(), failed[i] != nil) // is_error
		blocks[i].OfToolResult.Content = append(blocks[i].OfToolResult.Content, images(results[i].Model.Parts)...)
	}
	return blocks
}

// images are the parts of an answer that the API takes. The text mentions all.
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
