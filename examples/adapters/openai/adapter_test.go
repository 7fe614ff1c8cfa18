package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/examples/adapters/internal/shop"
	"github.com/wayfindhq/wayfind/security/prompt"
)

// request is a request to the API.
type request struct {
	Tools []struct {
		Function struct {
			Name       string
			Parameters json.RawMessage
		}
	}
	Messages []struct {
		Role    string
		Content content
		ID      string `json:"tool_call_id"`
	}
}

// content is a text, or the JSON text of parts.
type content string

func (c *content) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, (*string)(c)) != nil {
		*c = content(raw)
	}
	return nil
}

// wish is a call that the model requests.
type wish struct {
	tool      string
	arguments any
}

// api is the API on this machine. Its model requests some calls, then answers "done". answers
// contains the result of each call as the model received it.
func api(t *testing.T, want func(tool string, shown json.RawMessage) []wish) (client sdk.Client, answers map[string]string) {
	t.Helper()
	answers = make(map[string]string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var got request
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		defer func() { _, _ = fmt.Fprint(w, "data: [DONE]\n\n") }()
		if first := got.Messages[0]; first.Role != "system" || !strings.Contains(string(first.Content), prompt.Explanation) {
			t.Errorf("the model does not get the explanation of the marks: %+v", first)
		}
		for _, m := range got.Messages {
			switch {
			case m.Role == "tool":
				answers[m.ID] = string(m.Content)
			case strings.HasPrefix(string(m.Content), "["):
				answers["parts"] = string(m.Content)
			}
		}
		if len(answers) > 0 {
			send(t, w, map[string]any{"role": "assistant", "content": "do"}, "")
			send(t, w, map[string]any{"content": "ne"}, "stop")
			return
		}
		n := 0
		for _, def := range got.Tools {
			for _, own := range want(def.Function.Name, def.Function.Parameters) {
				stream(t, w, n, own)
				n++
			}
		}
		send(t, w, map[string]any{}, "tool_calls")
	}))
	t.Cleanup(server.Close)
	return sdk.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("x"), option.WithMaxRetries(0)), answers
}

// stream sends a call in pieces.
func stream(t *testing.T, w http.ResponseWriter, n int, own wish) {
	raw, err := json.Marshal(own.arguments)
	if err != nil {
		t.Error(err)
	}
	send(t, w, map[string]any{"tool_calls": []any{map[string]any{"index": n, "id": fmt.Sprint("c", n), "type": "function", "function": map[string]any{"name": own.tool, "arguments": ""}}}}, "")
	for _, piece := range []string{string(raw[:len(raw)/2]), string(raw[len(raw)/2:])} {
		send(t, w, map[string]any{"tool_calls": []any{map[string]any{"index": n, "function": map[string]any{"arguments": piece}}}}, "")
	}
}

func send(t *testing.T, w http.ResponseWriter, delta any, finish string) {
	choice := map[string]any{"index": 0, "delta": delta}
	if finish != "" {
		choice["finish_reason"] = finish
	}
	raw, err := json.Marshal(map[string]any{"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []any{choice}})
	if err != nil {
		t.Error(err)
	}
	_, _ = fmt.Fprintf(w, "data: %s\n\n", raw)
}

var params = sdk.ChatCompletionNewParams{Model: "m", Messages: []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage("Tidy up.")}}

// A message with several calls gets an answer for each call, in marks. A failure is explained
// to the model.
func TestParallelCallsAreAnswered(t *testing.T) {
	s := shop.Open(t)
	client, answers := api(t, func(tool string, shown json.RawMessage) []wish {
		if tool != "list_orders" {
			return []wish{{"no_such_tool", map[string]any{}}}
		}
		if !strings.Contains(string(shown), "customer") || strings.Contains(string(shown), "X-Key") {
			t.Errorf("schema %s", shown)
		}
		return []wish{{tool, map[string]any{"customer": 7}}, {tool, map[string]any{"customer": "x"}}}
	})
	var streamed []string
	agent := &Agent{Client: client, Session: s.Session(t, tools.OpenAIChat, nil), Text: func(text string) { streamed = append(streamed, text) }}
	answer, err := agent.Run(t.Context(), params)
	if err != nil || answer != "done" || strings.Join(streamed, "|") != "do|ne" || s.Calls.Load() != 1 {
		t.Fatalf("%q, %q, %v, the shop was called %d times", answer, streamed, err, s.Calls.Load())
	}
	shop.WantMarked(t, answers["c0"])
	if len(answers) != 3 || !strings.Contains(answers["c1"], "customer: want integer") || !strings.Contains(answers["c2"], "no tool") {
		t.Errorf("%q", answers)
	}
}

// A call to which a person must agree is only sent after a yes, with the publisher's names.
func TestACallIsSentAfterAYes(t *testing.T) {
	s := shop.Open(t)
	for told, agree := range map[string]func(context.Context, *call.Question) bool{
		"A person has refused this call":     func(context.Context, *call.Question) bool { return false },
		"The call was made.":                 func(_ context.Context, q *call.Question) bool { return q.Request.Method == http.MethodDelete },
		call.ConfirmationRequired.Sentence(): nil,
	} {
		before := s.Removals()
		client, answers := api(t, func(tool string, shown json.RawMessage) []wish {
			if tool != "remove_orders" {
				return nil
			}
			return []wish{{tool, shop.Said(t, shown)}}
		})
		agent := &Agent{Client: client, Session: s.Session(t, tools.OpenAIChat, agree)}
		if _, err := agent.Run(t.Context(), params); err != nil {
			t.Fatal(err)
		}
		sent := told == "The call was made."
		if !strings.Contains(answers["c0"], told) || (s.Removals() > before) != sent {
			t.Errorf("%d requests, and the model gets %q, want %q", s.Removals()-before, answers["c0"], told)
		}
		if sent {
			shop.WantMarked(t, answers["c0"])
		}
	}
	s.WantRemoved(t, 1)
}

// The image of an answer is in a message after the answers.
func TestAnImageGoesWithTheAnswers(t *testing.T) {
	s := shop.Open(t)
	client, answers := api(t, func(tool string, _ json.RawMessage) []wish {
		if tool != "list_orders" {
			return nil
		}
		return []wish{{tool, map[string]any{"customer": 8}}, {tool, map[string]any{"customer": 7}}}
	})
	agent := &Agent{Client: client, Session: s.Session(t, tools.OpenAIChat, nil)}
	if answer, err := agent.Run(t.Context(), params); err != nil || answer != "done" {
		t.Fatal(answer, err)
	}
	shop.WantMarked(t, answers["c1"])
	if !strings.Contains(answers["c0"], "image/png") || !strings.Contains(answers["parts"], "the call c0") || !strings.Contains(answers["parts"], `{"url":"data:image/png;base64,`+shop.Shown+`"}`) {
		t.Errorf("%q", answers)
	}
}

// A part that the API would refuse is only mentioned in the text.
func TestPartsThatModelsRefuseAreLeftOut(t *testing.T) {
	if list := parts("c0", []call.Part{{Media: "audio/wav"}, {Media: "image/bmp"}}); list != nil {
		t.Errorf("%v", list)
	}
	if list := parts("c0", []call.Part{{Media: "application/pdf"}}); len(list) != 2 || list[1].OfFile == nil {
		t.Errorf("%v", list)
	}
}
