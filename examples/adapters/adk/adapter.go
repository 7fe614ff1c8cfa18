// Package adk gives the tools of a Box to agents of the Agent Development Kit. Copy it.
//
//	llmagent.New(llmagent.Config{Model: model, Toolsets: []tool.Toolset{adk.New(caller, box)}})
//
// References in schemas are resolved and answers are bounded. Credentials go into
// requests below everything that the kit or its model sees, by call.Options.Credentials.
package adk

import (
	"encoding/json"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/toolutils"
	"google.golang.org/genai"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
)

// New is a Toolset of a Box.
func New(caller *call.Caller, box *tools.Box) tool.Toolset {
	// The form of the definitions turns arguments back, which may have other names there.
	return &set{caller.With(tools.Form{Vendor: tools.GeminiJSON}), box}
}

type set struct {
	caller *call.Caller
	box    *tools.Box
}

// Name implements tool.Toolset.
func (s *set) Name() string { return "wayfind" }

// Tools implements tool.Toolset. A tool that the model cannot be told of is left out.
func (s *set) Tools(agent.ReadonlyContext) (list []tool.Tool, err error) {
	for _, t := range s.box.Tools() {
		raw, _, err := s.box.Define(tools.GeminiJSON, t.Name, false)
		if err != nil {
			continue
		}
		own := &one{set: s, def: new(genai.FunctionDeclaration)}
		if err := json.Unmarshal(raw, own.def); err != nil {
			return nil, err
		}
		list = append(list, own)
	}
	return list, nil
}

// one implements tool.Tool, and what the kit's flows want of a function.
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

// Declaration is what the model is told.
func (t *one) Declaration() *genai.FunctionDeclaration { return t.def }

// ProcessRequest puts the tool into a request to the model.
func (t *one) ProcessRequest(_ agent.Context, req *model.LLMRequest) error {
	return toolutils.PackTool(req, t)
}

// Run calls the tool. A failure is told to the model, which can do better; the run goes
// on.
func (t *one) Run(ctx agent.Context, args any) (map[string]any, error) {
	arguments, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	res, _ := t.caller.Call(ctx, t.box, t.def.Name, arguments)
	raw, err := json.Marshal(res.Model)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	return out, json.Unmarshal(raw, &out)
}
