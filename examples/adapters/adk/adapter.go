// Package adk gives the tools of a Box to agents of the Agent Development Kit. Copy it.
//
//	set, err := adk.New(caller, box) // err names the tools that the set lacks
//	llmagent.New(llmagent.Config{Model: model, Toolsets: []tool.Toolset{set}, Instruction: box.Note()})
//
// References in schemas are resolved and answers have a limited size. call.Options.Credentials
// adds credentials to requests, so the kit and its model never see them.
//
// If call.Options.Confirm is nil or returns call.Later, the kit asks for the confirmation
// (package toolconfirmation) with the request as its payload. The call continues when the
// client confirms.
//
// The images, sounds and documents of an answer become artifacts of the session, and the next
// request to the model contains them. If the runner has no service for artifacts, the text of
// the answer mentions them.
package adk

import (
	"encoding/json"
	"errors"
	"fmt"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/toolutils"
	"google.golang.org/genai"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
)

// New returns the Toolset of a Box. The error names the tools without a definition that Gemini
// accepts. The Toolset has the others.
func New(caller *call.Caller, box *tools.Box) (tool.Toolset, error) {
	// The form converts arguments back to the publisher's names, which may differ from the
	// names in the definitions.
	s := &set{caller: caller.With(tools.Form{Vendor: tools.GeminiJSON}), box: box}
	var lacks []error
	for _, t := range box.Tools() {
		own := &one{set: s, def: new(genai.FunctionDeclaration)}
		raw, _, err := box.Define(tools.GeminiJSON, t.Name, false)
		if err == nil {
			err = json.Unmarshal(raw, own.def)
		}
		if err != nil {
			lacks = append(lacks, fmt.Errorf("%s: %w", t.Name, err))
			continue
		}
		s.list = append(s.list, own)
	}
	return s, errors.Join(lacks...)
}

type set struct {
	caller *call.Caller
	box    *tools.Box
	list   []tool.Tool
}

// Name implements tool.Toolset.
func (s *set) Name() string { return "wayfind" }

// Tools implements tool.Toolset.
func (s *set) Tools(agent.ReadonlyContext) ([]tool.Tool, error) { return s.list, nil }

// one implements tool.Tool, and the further methods that the kit calls.
type one struct {
	*set
	def *genai.FunctionDeclaration
}

// Name implements tool.Tool.
func (t *one) Name() string { return t.def.Name }

// Description implements tool.Tool.
func (t *one) Description() string { return t.def.Description }

// IsLongRunning implements tool.Tool.
func (t *one) IsLongRunning() bool { return false }

// Declaration returns the definition for the model.
func (t *one) Declaration() *genai.FunctionDeclaration { return t.def }

// ProcessRequest adds the tool, and the parts of its last answers, to a request to the model.
func (t *one) ProcessRequest(ctx agent.Context, req *model.LLMRequest) error {
	if err := toolutils.PackTool(req, t); err != nil {
		return err
	}
	for i := len(req.Contents) - 1; i >= 0 && req.Contents[i].Role != genai.RoleModel; i-- {
		for _, part := range req.Contents[i].Parts {
			if r := part.FunctionResponse; r != nil && r.Name == t.def.Name {
				if err := addParts(ctx, req, r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Run calls the tool. If a person must agree to the request, the kit asks for the confirmation,
// and the ticket is stored in the session. A failure is returned to the model, which can try
// again, and the run continues.
func (t *one) Run(ctx agent.Context, args any) (map[string]any, error) {
	arguments, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	if said := ctx.ToolConfirmation(); said != nil {
		return t.confirmed(ctx, arguments, said.Confirmed)
	}
	res, failed := t.caller.Call(ctx, t.box, t.def.Name, arguments)
	if res.Program.Ticket == "" {
		return answer(ctx, res, failed), nil
	}
	if err := ctx.State().Set(ticketKey+ctx.FunctionCallID(), res.Program.Ticket); err != nil {
		return nil, err
	}
	// The payload is the exact request, which the person should see.
	if err := ctx.RequestConfirmation(res.Model.Text, res.Program.Question); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("tool %q: %w", t.def.Name, tool.ErrConfirmationRequired)
}

// ticketKey is the prefix of the keys in the session for the tickets of function calls.
const ticketKey = "wayfind_ticket_"

// confirmed sends the request to which a person agreed, once.
func (t *one) confirmed(ctx agent.Context, arguments []byte, yes bool) (map[string]any, error) {
	if !yes {
		return map[string]any{"error": call.Denied.Sentence()}, nil
	}
	kept, err := ctx.State().Get(ticketKey + ctx.FunctionCallID())
	if err != nil {
		return nil, err
	}
	ticket, _ := kept.(string)
	res, failed := t.caller.CallConfirmed(ctx, t.box, t.def.Name, arguments, ticket)
	return answer(ctx, res, failed), nil
}

// answer returns the answer for the model, with the text of the site between marks.
func answer(ctx agent.Context, res *call.Result, failed error) map[string]any {
	if failed != nil {
		return map[string]any{"error": res.Model.Prompt()}
	}
	told := map[string]any{"output": res.Model.Prompt()}
	switch names, err := kept(ctx, res.Model.Parts); {
	case err != nil:
		told["note"] = "The parts of the answer could not be kept: " + err.Error()
	case names != nil:
		told[artifactsKey] = names
	}
	return told
}

// artifactsKey is the member of an answer with the names of its parts.
const artifactsKey = "artifacts"

// kept stores the parts of an answer that Gemini accepts as artifacts, and returns their names.
func kept(ctx agent.Context, parts []call.Part) (names []string, err error) {
	if ctx.Artifacts() == nil {
		return nil, nil
	}
	for i, p := range parts {
		switch p.Media {
		case "image/png", "image/jpeg", "image/webp", "audio/wav", "audio/mpeg", "audio/ogg", "audio/flac", "video/mp4", "application/pdf":
			name := fmt.Sprintf("wayfind_%s_%d", ctx.FunctionCallID(), i)
			if _, err := ctx.Artifacts().Save(ctx, name, genai.NewPartFromBytes(p.Data, p.Media)); err != nil {
				return nil, err
			}
			names = append(names, name)
		}
	}
	return names, nil
}

// addParts adds the parts of an answer after it.
func addParts(ctx agent.Context, req *model.LLMRequest, r *genai.FunctionResponse) error {
	raw, err := json.Marshal(r.Response[artifactsKey]) // a stored session has other types
	if err != nil {
		return err
	}
	var names []string
	if err := json.Unmarshal(raw, &names); err != nil || len(names) == 0 {
		return err
	}
	parts := []*genai.Part{genai.NewPartFromText("Data of a site, from the answer to the call " + r.ID + ":")}
	for _, name := range names {
		loaded, err := ctx.Artifacts().Load(ctx, name)
		if err != nil {
			return err
		}
		parts = append(parts, loaded.Part)
	}
	req.Contents = append(req.Contents, genai.NewContentFromParts(parts, genai.RoleUser))
	return nil
}
