package genkit

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"

	"github.com/wayfindhq/wayfind/examples/adapters/internal/shop"
)

// scripted is a model that calls a tool once and repeats the answer. arguments returns the
// arguments for the tool's schema.
func scripted(t *testing.T, g *genkit.Genkit, tool string, arguments func(schema map[string]any) map[string]any) ai.Model {
	return genkit.DefineModel(g, "test/"+tool, &ai.ModelOptions{Supports: &ai.ModelSupports{Multiturn: true, Tools: true}},
		func(_ context.Context, req *ai.ModelRequest, _ ai.ModelStreamCallback) (*ai.ModelResponse, error) {
			last := req.Messages[len(req.Messages)-1]
			var part *ai.Part
			if last.Role == ai.RoleTool {
				text, ok := last.Content[0].ToolResponse.Output.(string)
				if !ok { // a refusal, in the form of an answer with parts
					raw, err := json.Marshal(last.Content[0].ToolResponse.Output)
					if err != nil {
						t.Error(err)
					}
					text = string(raw)
				}
				for _, more := range last.Content[0].ToolResponse.Content {
					text += "\n" + more.ContentType + " " + more.Text
				}
				part = ai.NewTextPart(text)
			}
			for _, def := range req.Tools {
				if def.Name == tool && part == nil {
					part = ai.NewToolRequestPart(&ai.ToolRequest{Name: tool, Input: arguments(def.InputSchema)})
				}
			}
			return &ai.ModelResponse{Request: req, Message: &ai.Message{Role: ai.RoleModel, Content: []*ai.Part{part}}, FinishReason: ai.FinishReasonStop}, nil
		})
}

// Generate calls a tool and passes its answer to the model, which is a script.
func TestGenerate(t *testing.T) {
	s := shop.Open(t)
	list, err := Tools(s.Caller, s.Box)
	if err != nil {
		t.Fatal(err)
	}
	g := genkit.Init(t.Context())
	model := scripted(t, g, "list_orders", func(schema map[string]any) map[string]any {
		if raw, err := json.Marshal(schema); err != nil || !strings.Contains(string(raw), "customer") || strings.Contains(string(raw), "X-Key") {
			t.Errorf("schema %s, %v", raw, err)
		}
		return map[string]any{"customer": 7}
	})
	resp, err := genkit.Generate(t.Context(), g, ai.WithModel(model), ai.WithPrompt("What did customer 7 order?"), ai.WithTools(list...))
	if err != nil {
		t.Fatal(err)
	}
	shop.WantMarked(t, resp.Text())
	if s.Calls.Load() != 1 {
		t.Errorf("%q, and the shop was called %d times", resp.Text(), s.Calls.Load())
	}
}

// A call to which a person must agree interrupts the generation. After a yes it is sent with
// the publisher's names.
func TestAnInterruptedCallIsSentAfterAYes(t *testing.T) {
	s := shop.Open(t)
	g := genkit.Init(t.Context())
	list, err := Tools(s.Caller, s.Box)
	if err != nil {
		t.Fatal(err)
	}
	model := scripted(t, g, "remove_orders", func(schema map[string]any) map[string]any { return shop.Said(t, schema) })
	resp, err := genkit.Generate(t.Context(), g, ai.WithModel(model), ai.WithPrompt("Remove the orders."), ai.WithTools(list...))
	if err != nil {
		t.Fatal(err)
	}
	waiting := resp.Interrupts()
	if len(waiting) != 1 {
		t.Fatalf("%d interrupts: %s", len(waiting), resp.Text())
	}
	s.WantRemoved(t, 0)
	allow, err := Allow(list, waiting[0])
	if err != nil {
		t.Fatal(err)
	}
	no, err := genkit.Generate(t.Context(), g, ai.WithModel(model), ai.WithMessages(resp.History()...), ai.WithTools(list...), ai.WithToolResponses(Deny(waiting[0])))
	if err != nil || !strings.Contains(no.Text(), "refused") {
		t.Fatal(no, err)
	}
	s.WantRemoved(t, 0)
	yes, err := genkit.Generate(t.Context(), g, ai.WithModel(model), ai.WithMessages(resp.History()...), ai.WithTools(list...), ai.WithToolRestarts(allow))
	if err != nil {
		t.Fatal(err)
	}
	shop.WantMarked(t, yes.Text())
	s.WantRemoved(t, 1)
}

// A model gets the image of an answer.
func TestAnImageGoesWithTheAnswer(t *testing.T) {
	s := shop.Open(t)
	list, err := Tools(s.Caller, s.Box)
	if err != nil {
		t.Fatal(err)
	}
	g := genkit.Init(t.Context())
	model := scripted(t, g, "list_orders", func(map[string]any) map[string]any { return map[string]any{"customer": 8} })
	resp, err := genkit.Generate(t.Context(), g, ai.WithModel(model), ai.WithPrompt("What did customer 8 order?"), ai.WithTools(list...))
	if err != nil || !strings.HasSuffix(resp.Text(), "\nimage/png data:image/png;base64,"+shop.Shown) {
		t.Errorf("%s, %v", resp.Text(), err)
	}
}
