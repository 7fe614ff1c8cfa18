// Package eino gives the tools of a Box to graphs of eino. Copy it.
//
//	list, err := eino.Tools(caller, box) // err names the tools that the list lacks
//	node, err := compose.NewToolNode(ctx, &compose.ToolsNodeConfig{Tools: list})
//
// The Caller sets credentials, confirmation and limits. The model sees the arguments of a tool
// and the part of the answer that is meant for it.
//
// If call.Options.Confirm is nil or returns call.Later, a call to which a person must agree
// interrupts the graph. The information of the interrupt is the JSON text of the call.Question.
// compose.ResumeWithData(ctx, id, true) sends the request. With false the model is informed
// that the person refused.
package eino

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	einotool "github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"
	"github.com/eino-contrib/jsonschema"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
)

// Tools returns the tools of a Box for a ToolsNode and for chat models. The error names the tools
// without a definition. The list has the others.
func Tools(caller *call.Caller, box *tools.Box) (list []einotool.BaseTool, err error) {
	// The form converts arguments back to the publisher's names, which may differ from the
	// names in the definitions.
	caller = caller.With(tools.Form{Vendor: tools.AnthropicMessages})
	for _, t := range box.Tools() {
		info, lacks := infoOf(box, t.Name)
		if lacks != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", t.Name, lacks))
			continue
		}
		list = append(list, &tool{caller, box, info})
	}
	return list, err
}

// PartTools returns the tools of a Box with answers that contain images, sounds and files in
// addition to their text, for chat models that read UserInputMultiContent of a tool's message. The
// error is the error of Tools.
func PartTools(caller *call.Caller, box *tools.Box) (list []einotool.BaseTool, err error) {
	plain, err := Tools(caller, box)
	for _, t := range plain {
		list = append(list, &partTool{t.(*tool)})
	}
	return list, err
}

// infoOf returns the definition of a tool.
func infoOf(box *tools.Box, name string) (*schema.ToolInfo, error) {
	// AnthropicMessages is only the form of the definition and does not select a model: a name,
	// a description and plain JSON Schema, which the framework converts for its model.
	raw, _, err := box.Define(tools.AnthropicMessages, name, false)
	if err != nil {
		return nil, err
	}
	var def struct {
		Description string
		Schema      *jsonschema.Schema `json:"input_schema"`
	}
	if err := json.Unmarshal(raw, &def); err != nil {
		return nil, err
	}
	return &schema.ToolInfo{Name: name, Desc: def.Description, ParamsOneOf: schema.NewParamsOneOfByJSONSchema(def.Schema)}, nil
}

// tool implements the framework's interface.
type tool struct {
	caller *call.Caller
	box    *tools.Box
	info   *schema.ToolInfo
}

// partTool is a tool whose answers have parts.
type partTool struct{ *tool }

var (
	_ einotool.InvokableTool         = (*tool)(nil)
	_ einotool.EnhancedInvokableTool = (*partTool)(nil)
)

// Info implements tool.BaseTool.
func (t *tool) Info(context.Context) (*schema.ToolInfo, error) { return t.info, nil }

// InvokableRun implements tool.InvokableTool.
func (t *tool) InvokableRun(ctx context.Context, arguments string, _ ...einotool.Option) (string, error) {
	text, _, err := t.run(ctx, arguments)
	return text, err
}

// InvokableRun implements tool.EnhancedInvokableTool.
func (t *partTool) InvokableRun(ctx context.Context, arguments *schema.ToolArgument, _ ...einotool.Option) (*schema.ToolResult, error) {
	text, parts, err := t.run(ctx, arguments.Text)
	if err != nil {
		return nil, err
	}
	list := []schema.ToolOutputPart{{Type: schema.ToolPartTypeText, Text: text}}
	for _, p := range parts {
		list = append(list, outputOf(p))
	}
	return &schema.ToolResult{Parts: list}, nil
}

// outputOf returns a part of an answer in the form of the framework.
func outputOf(p call.Part) schema.ToolOutputPart {
	data := base64.StdEncoding.EncodeToString(p.Data)
	common := schema.MessagePartCommon{Base64Data: &data, MIMEType: p.Media}
	switch {
	case p.Image():
		return schema.ToolOutputPart{Type: schema.ToolPartTypeImage, Image: &schema.ToolOutputImage{MessagePartCommon: common}}
	case p.Audio():
		return schema.ToolOutputPart{Type: schema.ToolPartTypeAudio, Audio: &schema.ToolOutputAudio{MessagePartCommon: common}}
	}
	return schema.ToolOutputPart{Type: schema.ToolPartTypeFile, File: &schema.ToolOutputFile{MessagePartCommon: common}}
}

// run calls the tool. If a person must agree to the request, the graph is interrupted, and its
// checkpoint contains the ticket. A failure is returned to the model, which can try again, and
// the run continues.
func (t *tool) run(ctx context.Context, arguments string) (text string, parts []call.Part, err error) {
	_, _, ticket := einotool.GetInterruptState[string](ctx)
	// If a tool waits while another tool is resumed, it is called again and interrupts again.
	asked, _, yes := einotool.GetResumeContext[bool](ctx)
	switch {
	case asked && !yes:
		return call.Denied.Sentence(), nil, nil
	case asked:
		res, _ := t.caller.CallConfirmed(ctx, t.box, t.info.Name, []byte(arguments), ticket)
		return res.Model.Prompt(), res.Model.Parts, nil
	}
	res, _ := t.caller.Call(ctx, t.box, t.info.Name, []byte(arguments))
	if res.Program.Ticket == "" {
		return res.Model.Prompt(), res.Model.Parts, nil
	}
	// The question contains the exact request, which the person should see. A checkpoint keeps
	// text.
	question, err := json.Marshal(res.Program.Question)
	if err != nil {
		return "", nil, err
	}
	return "", nil, einotool.StatefulInterrupt(ctx, string(question), res.Program.Ticket)
}
