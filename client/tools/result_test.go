package tools_test

import (
	"testing"

	"github.com/wayfindhq/wayfind/client/tools"
)

// The answer to a call has the form that each API documents, with its word for a failure. A vendor that
// takes images in an answer gets those that models see.
func TestAResultHasTheFormOfTheVendor(t *testing.T) {
	for v, want := range map[tools.Vendor][2]string{
		tools.OpenAIResponses:   {`{"type":"function_call_output","call_id":"i","output":"a"}`, `{"type":"function_call_output","call_id":"i","output":"b"}`},
		tools.OpenAIChat:        {`{"role":"tool","tool_call_id":"i","content":"a"}`, `{"role":"tool","tool_call_id":"i","content":"b"}`},
		tools.Mistral:           {`{"role":"tool","tool_call_id":"i","content":"a","name":"n"}`, `{"role":"tool","tool_call_id":"i","content":"b","name":"n"}`},
		tools.AnthropicMessages: {`{"type":"tool_result","tool_use_id":"i","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AQ=="}}]}`, `{"type":"tool_result","tool_use_id":"i","content":[{"type":"text","text":"b"}],"is_error":true}`},
		tools.Gemini:            {`{"functionResponse":{"id":"i","name":"n","response":{"output":"a"}}}`, `{"functionResponse":{"id":"i","name":"n","response":{"error":"b"}}}`},
		tools.GeminiJSON:        {`{"functionResponse":{"id":"i","name":"n","response":{"output":"a"}}}`, `{"functionResponse":{"id":"i","name":"n","response":{"error":"b"}}}`},
		tools.Bedrock:           {`{"toolResult":{"toolUseId":"i","content":[{"text":"a"},{"image":{"format":"png","source":{"bytes":"AQ=="}}}],"status":"success"}}`, `{"toolResult":{"toolUseId":"i","content":[{"text":"b"}],"status":"error"}}`},
		tools.MCP:               {`{"content":[{"type":"text","text":"a"},{"type":"image","data":"AQ==","mimeType":"image/png"}]}`, `{"content":[{"type":"text","text":"b"}],"isError":true}`},
	} {
		for i, r := range []tools.CallResult{
			{ID: "i", Name: "n", Text: "a", Images: []tools.Image{{Media: "image/png", Data: []byte{1}}, {Media: "image/tiff", Data: []byte{2}}}},
			{ID: "i", Name: "n", Text: "b", Failed: true},
		} {
			if got, err := v.Result(&r); err != nil || string(got) != want[i] {
				t.Errorf("%s: %s, %v\nwant %s", v, got, err, want[i])
			}
		}
	}
	if _, err := (tools.Vendor{}).Result(&tools.CallResult{}); err == nil {
		t.Error("the zero Vendor has a form")
	}
}
