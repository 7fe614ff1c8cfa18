package anthropic

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/examples/adapters/internal/shop"
	"github.com/wayfindhq/wayfind/security/prompt"
)

// block is a part of a message.
type block struct {
	Type    string
	ID      string `json:"tool_use_id"`
	Error   bool   `json:"is_error"`
	Content []struct {
		Text   string
		Source struct{ Data string }
	}
}

// request is a request to the API.
type request struct {
	Tools []struct {
		Name   string
		Schema json.RawMessage `json:"input_schema"`
	}
	System   []struct{ Text string }
	Messages []struct{ Content []block }
}

// wish is a call that the model requests.
type wish struct {
	tool      string
	arguments any
}

// api is the API on this machine. Its model requests some calls, then answers "done". answers
// contains the result of each call as the model received it.
func api(t *testing.T, want func(tool string, shown json.RawMessage) []wish) (client sdk.Client, answers map[string]block) {
	t.Helper()
	answers = make(map[string]block)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var got request
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		if len(got.System) != 1 || !strings.Contains(got.System[0].Text, prompt.Explanation) {
			t.Errorf("the model does not get the explanation of the marks: %+v", got.System)
		}
		for _, m := range got.Messages {
			for _, b := range m.Content {
				if b.Type == "tool_result" {
					answers[b.ID] = b
				}
			}
		}
		w.Header().Set("Content-Type", "text/event-stream")
		send(t, w, "message_start", map[string]any{"message": map[string]any{"id": "m", "type": "message", "role": "assistant", "model": "m", "content": []any{}, "usage": map[string]any{"input_tokens": 1, "output_tokens": 1}}})
		if len(answers) > 0 {
			stream(t, w, 0, map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": "do"}, map[string]any{"type": "text_delta", "text": "ne"})
		} else {
			wishes(t, w, got, want)
		}
		send(t, w, "message_stop", map[string]any{})
	}))
	t.Cleanup(server.Close)
	return sdk.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("x"), option.WithMaxRetries(0)), answers
}

// wishes sends the calls that the model requests, each in pieces.
func wishes(t *testing.T, w http.ResponseWriter, got request, want func(tool string, shown json.RawMessage) []wish) {
	n := 0
	for _, def := range got.Tools {
		for _, own := range want(def.Name, def.Schema) {
			raw, err := json.Marshal(own.arguments)
			if err != nil {
				t.Error(err)
			}
			stream(t, w, n, map[string]any{"type": "tool_use", "id": fmt.Sprint("c", n), "name": own.tool, "input": map[string]any{}},
				map[string]any{"type": "input_json_delta", "partial_json": string(raw[:len(raw)/2])}, map[string]any{"type": "input_json_delta", "partial_json": string(raw[len(raw)/2:])})
			n++
		}
	}
}

// stream sends a part of a message in pieces.
func stream(t *testing.T, w http.ResponseWriter, n int, start any, pieces ...any) {
	send(t, w, "content_block_start", map[string]any{"index": n, "content_block": start})
	for _, piece := range pieces {
		send(t, w, "content_block_delta", map[string]any{"index": n, "delta": piece})
	}
	send(t, w, "content_block_stop", map[string]any{"index": n})
}

func send(t *testing.T, w http.ResponseWriter, kind string, event map[string]any) {
	event["type"] = kind
	raw, err := json.Marshal(event)
	if err != nil {
		t.Error(err)
	}
	_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, raw)
}

var params = sdk.MessageNewParams{Model: "m", MaxTokens: 1024, Messages: []sdk.MessageParam{sdk.NewUserMessage(sdk.NewTextBlock("Tidy up."))}}

// A message with several calls gets an answer for each call, in marks. A failure is an error
// that is explained to the model.
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
	agent := &Agent{Client: client, Session: s.Session(t, tools.AnthropicMessages, nil), Text: func(text string) { streamed = append(streamed, text) }}
	answer, err := agent.Run(t.Context(), params)
	if err != nil || answer != "done" || strings.Join(streamed, "|") != "do|ne" || s.Calls.Load() != 1 || len(answers) != 3 {
		t.Fatalf("%q, %q, %v, the shop was called %d times, %+v", answer, streamed, err, s.Calls.Load(), answers)
	}
	shop.WantMarked(t, answers["c0"].Content[0].Text)
	for id, want := range map[string]string{"c0": "The call was made.", "c1": "customer: want integer", "c2": "no tool"} {
		if got := answers[id]; got.Error != (id != "c0") || !strings.Contains(got.Content[0].Text, want) {
			t.Errorf("%s: %+v", id, got)
		}
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
		agent := &Agent{Client: client, Session: s.Session(t, tools.AnthropicMessages, agree)}
		if _, err := agent.Run(t.Context(), params); err != nil {
			t.Fatal(err)
		}
		got := answers["c0"]
		sent := told == "The call was made."
		if len(got.Content) != 1 || !strings.Contains(got.Content[0].Text, told) || got.Error == sent || (s.Removals() > before) != sent {
			t.Fatalf("%d requests, and the model gets %+v, want %q", s.Removals()-before, got, told)
		}
		if sent {
			shop.WantMarked(t, got.Content[0].Text)
		}
	}
	s.WantRemoved(t, 1)
}

// A model gets the image of an answer.
func TestAnImageGoesWithTheAnswer(t *testing.T) {
	s := shop.Open(t)
	client, answers := api(t, func(tool string, _ json.RawMessage) []wish {
		if tool != "list_orders" {
			return nil
		}
		return []wish{{tool, map[string]any{"customer": 8}}}
	})
	agent := &Agent{Client: client, Session: s.Session(t, tools.AnthropicMessages, nil)}
	if _, err := agent.Run(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	if got := answers["c0"]; len(got.Content) != 2 || !strings.Contains(got.Content[0].Text, "image/png") || got.Content[1].Source.Data != shop.Shown {
		t.Errorf("%+v", got)
	}
}
