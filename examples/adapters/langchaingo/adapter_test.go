package langchaingo

import (
	"strings"
	"testing"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms/fake"
)

// An agent of the framework calls a tool, and gets its answer. The model is a script.
func TestAgent(t *testing.T) {
	caller, box, calls := world(t)
	list := Tools(caller, box)
	if len(list) != 1 || strings.Contains(list[0].Description(), "X-Key") || strings.Contains(list[0].Description(), "$ref\":\"#/components") {
		t.Fatalf("%d tools: %s", len(list), list[0].Description())
	}
	model := fake.NewFakeLLM([]string{
		"Thought: I look.\nAction: list_orders\nAction Input: {\"customer\": 7}",
		"Thought: I know.\nFinal Answer: one teapot",
	})
	agent := agents.NewExecutor(agents.NewOneShotAgent(model, list), agents.WithReturnIntermediateSteps())
	out, err := chains.Call(t.Context(), agent, map[string]any{"input": "What did customer 7 order?"})
	if err != nil {
		t.Fatal(err)
	}
	if calls.Load() != 1 {
		t.Errorf("the shop was called %d times: %v", calls.Load(), out)
	}
	if answer, err := list[0].Call(t.Context(), `{"customer": "x"}`); err != nil || !strings.Contains(answer, "invalid_arguments") {
		t.Errorf("wrong arguments: %s, %v", answer, err)
	}
}
