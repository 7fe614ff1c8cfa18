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
	"google.golang.org/adk/v2/tool/toolconfirmation"
	"google.golang.org/genai"

	"github.com/wayfindhq/wayfind/examples/adapters/internal/shop"
)

// script is a model that calls the tool and repeats its answer.
type script struct {
	t         *testing.T
	tool      string
	arguments func(shown any) map[string]any
}

func (script) Name() string { return "script" }

func (s script) GenerateContent(_ context.Context, req *model.LLMRequest, _ bool) iter.Seq2[*model.LLMResponse, error] {
	return func(yield func(*model.LLMResponse, error) bool) {
		var last *genai.Part
		images := ""
		for _, content := range req.Contents {
			for _, p := range content.Parts {
				if p.FunctionResponse != nil || p.Text != "" && last == nil {
					last = p
				}
				if p.InlineData != nil {
					images += "\n" + p.InlineData.MIMEType + " " + string(p.InlineData.Data)
				}
			}
		}
		part := &genai.Part{FunctionCall: &genai.FunctionCall{ID: "1", Name: s.tool}}
		raw, err := json.Marshal(req.Config.Tools)
		if err != nil || !strings.Contains(string(raw), "customer") || strings.Contains(string(raw), "X-Key") || strings.Contains(string(raw), "#/components") {
			s.t.Errorf("tools %s, %v", raw, err)
		}
		for _, def := range req.Config.Tools[0].FunctionDeclarations {
			if def.Name == s.tool {
				part.FunctionCall.Args = s.arguments(def.ParametersJsonSchema)
			}
		}
		if answer := last.FunctionResponse; answer != nil {
			text, _ := answer.Response["output"].(string)
			failed, _ := answer.Response["error"].(string)
			part = &genai.Part{Text: text + failed + images}
		}
		yield(&model.LLMResponse{Content: &genai.Content{Role: "model", Parts: []*genai.Part{part}}}, nil)
	}
}

// desk runs an agent of the kit with a script as its model.
func desk(t *testing.T, s *shop.Shop, model script) *runner.Runner {
	t.Helper()
	set, err := New(s.Caller, s.Box)
	if err != nil {
		t.Fatal(err)
	}
	a, err := llmagent.New(llmagent.Config{Name: "desk", Model: model, Toolsets: []tool.Toolset{set}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := runner.NewInMemory("desk", a)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// turn sends a message to an agent, and returns the last text and the question for a person.
func turn(t *testing.T, r *runner.Runner, session string, message *genai.Content) (said string, asked *genai.FunctionCall) {
	t.Helper()
	for event, err := range r.Run(t.Context(), "user", session, message, agent.RunConfig{}) {
		if err != nil {
			t.Fatal(err)
		}
		if event.Content == nil {
			continue
		}
		for _, part := range event.Content.Parts {
			if part.Text != "" {
				said = part.Text
			}
			if part.FunctionCall != nil && part.FunctionCall.Name == toolconfirmation.FunctionCallName {
				asked = part.FunctionCall
			}
		}
	}
	return said, asked
}

// An agent of the kit calls a tool through its runner.
func TestAgent(t *testing.T) {
	s := shop.Open(t)
	r := desk(t, s, script{t, "list_orders", func(any) map[string]any { return map[string]any{"customer": 7} }})
	answer, _ := turn(t, r, "session", genai.NewContentFromText("What did customer 7 order?", "user"))
	shop.WantMarked(t, answer)
	if s.Calls.Load() != 1 {
		t.Errorf("%q, and the shop was called %d times", answer, s.Calls.Load())
	}
}

// A call to which a person must agree waits for the kit's confirmation. After the confirmation
// it is sent with the publisher's names.
func TestAConfirmedCallIsSentAfterAYes(t *testing.T) {
	s := shop.Open(t)
	r := desk(t, s, script{t, "remove_orders", func(shown any) map[string]any { return shop.Said(t, shown) }})
	for i, yes := range []bool{false, true} {
		session := []string{"no", "yes"}[i]
		_, asked := turn(t, r, session, genai.NewContentFromText("Remove the orders.", "user"))
		if asked == nil {
			t.Fatal("nobody was asked")
		}
		if raw, err := json.Marshal(asked.Args); err != nil || !strings.Contains(string(raw), "DELETE") {
			t.Errorf("the person is asked %s, %v", raw, err)
		}
		s.WantRemoved(t, 0)
		confirmed := &genai.FunctionResponse{ID: asked.ID, Name: asked.Name, Response: map[string]any{"confirmed": yes}}
		answer, _ := turn(t, r, session, &genai.Content{Role: "user", Parts: []*genai.Part{{FunctionResponse: confirmed}}})
		if yes {
			shop.WantMarked(t, answer)
		} else if !strings.Contains(answer, "refused") {
			t.Errorf("the model gets %q", answer)
		}
	}
	s.WantRemoved(t, 1)
}

// A model gets the image of an answer as an artifact of the session.
func TestAnImageGoesWithTheAnswer(t *testing.T) {
	s := shop.Open(t)
	r := desk(t, s, script{t, "list_orders", func(any) map[string]any { return map[string]any{"customer": 8} }})
	answer, _ := turn(t, r, "session", genai.NewContentFromText("What did customer 8 order?", "user"))
	if !strings.HasSuffix(answer, "\nimage/png "+shop.Picture) {
		t.Errorf("%q", answer)
	}
}
