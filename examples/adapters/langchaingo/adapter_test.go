package langchaingo

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms/fake"

	"github.com/wayfindhq/wayfind/examples/adapters/internal/shop"
)

// An agent of the framework calls a tool and gets its answer. The model is a script.
func TestAgent(t *testing.T) {
	s := shop.Open(t)
	list, err := Tools(s.Caller, s.Box)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || strings.Contains(list[0].Description(), "X-Key") || strings.Contains(list[0].Description(), "$ref\":\"#/components") {
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
	if s.Calls.Load() != 1 {
		t.Errorf("the shop was called %d times: %v", s.Calls.Load(), out)
	}
	if answer, err := list[0].Call(t.Context(), `{"customer": "x"}`); err != nil || !strings.Contains(answer, "customer: want integer") {
		t.Errorf("wrong arguments: %s, %v", answer, err)
	}
	answer, err := list[0].Call(t.Context(), `{"customer": 7}`)
	if err != nil {
		t.Fatal(err)
	}
	shop.WantMarked(t, answer)
	if picture, err := list[0].Call(t.Context(), `{"customer": 8}`); err != nil || !strings.Contains(picture, "image/png") {
		t.Errorf("an image is not mentioned: %s, %v", picture, err)
	}
}

// A call to which a person must agree ends the run. After a yes it is sent with the publisher's
// names.
func TestAPendingCallIsSentAfterAYes(t *testing.T) {
	s := shop.Open(t)
	list, err := Tools(s.Caller, s.Box)
	if err != nil {
		t.Fatal(err)
	}
	_, shown, found := strings.Cut(list[1].Description(), " of this schema: ")
	if !found {
		t.Fatal(list[1].Description())
	}
	arguments, err := json.Marshal(shop.Said(t, json.RawMessage(shown)))
	if err != nil {
		t.Fatal(err)
	}
	model := fake.NewFakeLLM([]string{"Thought: I remove.\nAction: remove_orders\nAction Input: " + string(arguments)})
	_, err = chains.Call(t.Context(), agents.NewExecutor(agents.NewOneShotAgent(model, list)), map[string]any{"input": "Remove the orders."})
	pending, ok := errors.AsType[*Pending](err)
	if !ok || pending.Question.Request.Method != http.MethodDelete {
		t.Fatal(err)
	}
	s.WantRemoved(t, 0)
	shop.WantMarked(t, pending.CallConfirmed(t.Context()))
	if again := pending.CallConfirmed(t.Context()); strings.Contains(again, "teapot") {
		t.Errorf("a second time: %s", again)
	}
	s.WantRemoved(t, 1)
}
