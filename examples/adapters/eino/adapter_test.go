package eino

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/examples/adapters/internal/shop"
)

// The framework's node calls a tool for the message of a model.
func TestToolsNode(t *testing.T) {
	s := shop.Open(t)
	list, err := Tools(s.Caller, s.Box)
	if err != nil {
		t.Fatal(err)
	}
	info, err := list[0].Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	js, err := info.ToJSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := json.Marshal(js); err != nil || !strings.Contains(string(raw), "customer") || strings.Contains(string(raw), "X-Key") {
		t.Errorf("schema %s, %v", raw, err)
	}
	node, err := compose.NewToolNode(t.Context(), &compose.ToolsNodeConfig{Tools: list})
	if err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string]string{`{"customer": 7}`: "one teapot", `{"customer": "x"}`: "customer: want integer"} {
		out, err := node.Invoke(t.Context(), wants(info.Name, arguments))
		if err != nil || len(out) != 1 || !strings.Contains(out[0].Content, want) {
			t.Errorf("%s: %v, %v", arguments, out, err)
		}
		if want == "one teapot" {
			shop.WantMarked(t, out[0].Content)
		}
	}
	if s.Calls.Load() != 1 {
		t.Errorf("the shop was called %d times", s.Calls.Load())
	}
}

// wants is the message of a model that calls a tool.
func wants(name, arguments string) *schema.Message {
	return schema.AssistantMessage("", []schema.ToolCall{{ID: "1", Function: schema.FunctionCall{Name: name, Arguments: arguments}}})
}

// checkpoints stores checkpoints in memory.
type checkpoints struct{ sync.Map }

func (c *checkpoints) Get(_ context.Context, id string) ([]byte, bool, error) {
	raw, ok := c.Load(id)
	if !ok {
		return nil, false, nil
	}
	return raw.([]byte), true, nil
}

func (c *checkpoints) Set(_ context.Context, id string, raw []byte) error {
	c.Store(id, raw)
	return nil
}

// removal returns a graph with checkpoints, and the message of a model that removes orders with
// the names of its definition.
func removal(t *testing.T, s *shop.Shop) (compose.Runnable[*schema.Message, []*schema.Message], *schema.Message) {
	t.Helper()
	list, err := Tools(s.Caller, s.Box)
	if err != nil {
		t.Fatal(err)
	}
	info, err := list[1].Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	shown, err := info.ToJSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	arguments, err := json.Marshal(shop.Said(t, shown))
	if err != nil {
		t.Fatal(err)
	}
	node, err := compose.NewToolNode(t.Context(), &compose.ToolsNodeConfig{Tools: list})
	if err != nil {
		t.Fatal(err)
	}
	graph, err := compose.NewChain[*schema.Message, []*schema.Message]().AppendToolsNode(node).Compile(t.Context(), compose.WithCheckPointStore(new(checkpoints)))
	if err != nil {
		t.Fatal(err)
	}
	return graph, wants(info.Name, string(arguments))
}

// A call to which a person must agree interrupts the graph. After a yes it is sent with the
// publisher's names.
func TestAnInterruptedCallIsSentAfterAYes(t *testing.T) {
	s := shop.Open(t)
	graph, message := removal(t, s)
	for id, yes := range map[string]bool{"yes": true, "no": false} {
		before := s.Removals()
		_, err := graph.Invoke(t.Context(), message, compose.WithCheckPointID(id))
		interrupted, ok := compose.ExtractInterruptInfo(err)
		if !ok || len(interrupted.InterruptContexts) != 1 || s.Removals() != before {
			t.Fatal(err)
		}
		at := interrupted.InterruptContexts[0]
		if question, _ := at.Info.(string); !strings.Contains(question, "DELETE") {
			t.Errorf("the person is asked: %v", at.Info)
		}
		out, err := graph.Invoke(compose.ResumeWithData(t.Context(), at.ID, yes), nil, compose.WithCheckPointID(id))
		if err != nil || len(out) != 1 {
			t.Fatal(out, err)
		}
		if yes {
			shop.WantMarked(t, out[0].Content)
		} else if !strings.Contains(out[0].Content, "refused") {
			t.Errorf("the model gets %q", out[0].Content)
		}
	}
	s.WantRemoved(t, 1)
}

// If two calls wait, a yes for one call sends only that call, and the other one still waits.
func TestAYesIsForOneCall(t *testing.T) {
	s := shop.Open(t)
	graph, both := removal(t, s)
	both.ToolCalls = append(both.ToolCalls, both.ToolCalls[0])
	both.ToolCalls[1].ID = "2"
	_, err := graph.Invoke(t.Context(), both, compose.WithCheckPointID("both"))
	for sent := range 2 {
		interrupted, ok := compose.ExtractInterruptInfo(err)
		if !ok || len(interrupted.InterruptContexts) != 2-sent {
			t.Fatal(err)
		}
		s.WantRemoved(t, sent)
		_, err = graph.Invoke(compose.ResumeWithData(t.Context(), interrupted.InterruptContexts[0].ID, true), nil, compose.WithCheckPointID("both"))
	}
	if err != nil {
		t.Fatal(err)
	}
	s.WantRemoved(t, 2)
}

// A chat model gets the image of an answer in addition to the marked text.
func TestAnImageGoesWithTheAnswer(t *testing.T) {
	s := shop.Open(t)
	list, err := PartTools(s.Caller, s.Box)
	if err != nil {
		t.Fatal(err)
	}
	info, err := list[0].Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	node, err := compose.NewToolNode(t.Context(), &compose.ToolsNodeConfig{Tools: list})
	if err != nil {
		t.Fatal(err)
	}
	for arguments, parts := range map[string]int{`{"customer": 7}`: 1, `{"customer": 8}`: 2} {
		out, err := node.Invoke(t.Context(), wants(info.Name, arguments))
		if err != nil || len(out) != 1 || len(out[0].UserInputMultiContent) != parts {
			t.Fatalf("%s: %v, %v", arguments, out, err)
		}
		if got := out[0].UserInputMultiContent; parts == 1 {
			shop.WantMarked(t, got[0].Text)
		} else if image := got[1].Image; image == nil || image.MIMEType != "image/png" || *image.Base64Data != shop.Shown {
			t.Errorf("%+v", got[1])
		}
	}
}

// A part that is neither an image nor a sound is a file.
func TestPartsHaveTheirKinds(t *testing.T) {
	for media, kind := range map[string]schema.ToolPartType{"image/png": schema.ToolPartTypeImage, "audio/wav": schema.ToolPartTypeAudio, "application/pdf": schema.ToolPartTypeFile} {
		if got := outputOf(call.Part{Media: media}); got.Type != kind {
			t.Errorf("%s is %s", media, got.Type)
		}
	}
}
