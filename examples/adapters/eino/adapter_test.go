package eino

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

// The framework's node calls a tool for the message of a model.
func TestToolsNode(t *testing.T) {
	caller, box, calls := world(t)
	list := Tools(caller, box)
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
	for arguments, want := range map[string]string{`{"customer": 7}`: "one teapot", `{"customer": "x"}`: "invalid_arguments"} {
		out, err := node.Invoke(t.Context(), schema.AssistantMessage("", []schema.ToolCall{{ID: "1", Function: schema.FunctionCall{Name: info.Name, Arguments: arguments}}}))
		if err != nil || len(out) != 1 || !strings.Contains(out[0].Content, want) {
			t.Errorf("%s: %v, %v", arguments, out, err)
		}
	}
	if calls.Load() != 1 {
		t.Errorf("the shop was called %d times", calls.Load())
	}
}
