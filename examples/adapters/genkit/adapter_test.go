package genkit

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"
)

// Generate calls a tool and gives its answer to the model, which is a script.
func TestGenerate(t *testing.T) {
	caller, box, calls := world(t)
	g := genkit.Init(t.Context())
	model := genkit.DefineModel(g, "test/script", &ai.ModelOptions{Supports: &ai.ModelSupports{Multiturn: true, Tools: true}},
		func(_ context.Context, req *ai.ModelRequest, _ ai.ModelStreamCallback) (*ai.ModelResponse, error) {
			last := req.Messages[len(req.Messages)-1]
			part := ai.NewToolRequestPart(&ai.ToolRequest{Name: req.Tools[0].Name, Input: map[string]any{"customer": 7}})
			if last.Role == ai.RoleTool {
				raw, err := json.Marshal(last.Content[0].ToolResponse.Output)
				if err != nil {
					return nil, err
				}
				part = ai.NewTextPart(string(raw))
			} else if raw, err := json.Marshal(req.Tools[0].InputSchema); err != nil || !strings.Contains(string(raw), "customer") || strings.Contains(string(raw), "X-Key") {
				t.Errorf("schema %s, %v", raw, err)
			}
			return &ai.ModelResponse{Request: req, Message: &ai.Message{Role: ai.RoleModel, Content: []*ai.Part{part}}, FinishReason: ai.FinishReasonStop}, nil
		})
	resp, err := genkit.Generate(t.Context(), g, ai.WithModel(model), ai.WithPrompt("What did customer 7 order?"), ai.WithTools(Tools(caller, box)...))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(resp.Text(), "one teapot") || calls.Load() != 1 {
		t.Errorf("%q, and the shop was called %d times", resp.Text(), calls.Load())
	}
}
