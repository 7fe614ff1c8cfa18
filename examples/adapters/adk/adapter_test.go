package adk

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/genai"
)

// script is a model that calls the tool and repeats its answer.
type script struct{ t *testing.T }

func (script) Name() string { return "script" }

func (s script) GenerateContent(_ context.Context, req *model.LLMRequest, _ bool) iter.Seq2[*model.LLMResponse, error] {
	return func(yield func(*model.LLMResponse, error) bool) {
		last := req.Contents[len(req.Contents)-1].Parts[0]
		part := &genai.Part{FunctionCall: &genai.FunctionCall{ID: "1", Name: "list_orders", Args: map[string]any{"customer": 7}}}
		if last.FunctionResponse != nil {
			raw, err := json.Marshal(last.FunctionResponse.Response)
			if err != nil {
				s.t.Error(err)
			}
			part = &genai.Part{Text: string(raw)}
		} else if raw, err := json.Marshal(req.Config.Tools); err != nil || !strings.Contains(string(raw), "customer") || strings.Contains(string(raw), "X-Key") || strings.Contains(string(raw), "#/components") {
			s.t.Errorf("tools %s, %v", raw, err)
		}
		yield(&model.LLMResponse{Content: &genai.Content{Role: "model", Parts: []*genai.Part{part}}}, nil)
	}
}

// An agent of the kit calls a tool through its runner.
func TestAgent(t *testing.T) {
	caller, box, calls := world(t)
	a, err := llmagent.New(llmagent.Config{Name: "desk", Model: script{t}, Toolsets: []tool.Toolset{New(caller, box)}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := runner.NewInMemory("desk", a)
	if err != nil {
		t.Fatal(err)
	}
	var said string
	for event, err := range r.Run(t.Context(), "user", "session", genai.NewContentFromText("What did customer 7 order?", "user"), agent.RunConfig{}) {
		if err != nil {
			t.Fatal(err)
		}
		if event.Content != nil && event.Content.Parts[0].Text != "" {
			said = event.Content.Parts[0].Text
		}
	}
	if !strings.Contains(said, "one teapot") || calls.Load() != 1 {
		t.Errorf("%q, and the shop was called %d times", said, calls.Load())
	}
}
