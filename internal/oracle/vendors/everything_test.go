package vendors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/golden"
)

// perSite is how many tools stand in one document.
const perSite = 60

// cards are MCP server cards with all schemas of the shared vectors: those made to be
// hard, and those of the sets for ranking.
func cards(t *testing.T) (list []string) {
	t.Helper()
	var tools []json.RawMessage
	for _, file := range []string{"schemas.jsonl", "ranking/livemcp.tools.jsonl", "ranking/bfcl.tools.jsonl"} {
		for line := range bytes.Lines(golden.Read(t, golden.Vectors(t, "tools", file))) {
			var row struct {
				Description string
				Schema      json.RawMessage
			}
			if err := json.Unmarshal(line, &row); err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(row.Description)
			if err != nil {
				t.Fatal(err)
			}
			tools = append(tools, fmt.Appendf(nil, `{"name": "tool %d", "description": %s, "inputSchema": %s}`, len(tools), text, row.Schema))
		}
	}
	for len(tools) > 0 {
		n := min(perSite, len(tools))
		host := fmt.Sprintf("s%d.example", len(list))
		list = append(list, fmt.Sprintf(`{"name": "example.%[1]s/all", "version": "1.0.0", "description": "All.", "remotes": [{"type": "streamable-http", "url": "https://%[1]s/mcp"}], "tools": [%[2]s]}`,
			host, bytes.Join(rawOf(tools[:n]), []byte(","))))
		tools = tools[n:]
	}
	return list
}

func rawOf(list []json.RawMessage) (out [][]byte) {
	for _, raw := range list {
		out = append(out, raw)
	}
	return out
}

// everything is a Box of those.
func everything(t *testing.T) (box *tools.Box) {
	t.Helper()
	list := cards(t)
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		var domains []string
		for i, card := range list {
			host := fmt.Sprintf("s%d.example", i)
			n.Host(host, clienttest.Pages{"/.well-known/mcp/server-card.json": card})
			domains = append(domains, host)
		}
		var err error
		if box, err = tools.Load(t.Context(), n.Client(), domains, nil); err != nil {
			t.Fatal(err)
		}
	})
	if box.Len() < 700 {
		t.Fatalf("%d tools", box.Len())
	}
	return box
}

// definitions are those for a vendor, one by one, whatever number a request may have.
// Strict leaves those out that are not.
func definitions(t *testing.T, box *tools.Box, v tools.Vendor, strict bool) (list []json.RawMessage) {
	t.Helper()
	for _, tool := range box.Tools() {
		raw, p, err := box.Define(v, tool.Name, strict)
		if err == nil && (!strict || p.Strict) {
			list = append(list, raw)
		}
	}
	return list
}

// TestEverything reads all definitions into the SDKs' types and writes them again.
func TestEverything(t *testing.T) {
	box := everything(t)
	for _, sdk := range []struct {
		vendor tools.Vendor
		strict bool
		into   func() any
	}{
		{tools.OpenAIResponses, false, func() any { return &responses.ToolUnionParam{} }},
		{tools.OpenAIResponses, true, func() any { return &responses.ToolUnionParam{} }},
		{tools.OpenAIChat, true, func() any { return &openai.ChatCompletionToolUnionParam{} }},
		{tools.AnthropicMessages, false, func() any { return &anthropic.ToolUnionParam{} }},
		{tools.AnthropicMessages, true, func() any { return &anthropic.ToolUnionParam{} }},
		{tools.Gemini, false, func() any { return &genai.FunctionDeclaration{} }},
		{tools.GeminiJSON, false, func() any { return &genai.FunctionDeclaration{} }},
	} {
		t.Run(fmt.Sprint(sdk.vendor, sdk.strict), func(t *testing.T) {
			for _, raw := range definitions(t, box, sdk.vendor, sdk.strict) {
				kept(t, raw, sdk.into())
			}
		})
	}
}

// TestDeferred reads what takes the place of definitions, and the answers to a search.
func TestDeferred(t *testing.T) {
	box := shop(t)
	each := func(v tools.Vendor, raw json.RawMessage, into func() any) {
		t.Helper()
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil || len(list) == 0 {
			t.Fatalf("%s: %v: %s", v, err, raw)
		}
		for _, one := range list {
			kept(t, one, into())
		}
	}
	meta := func(v tools.Vendor) json.RawMessage {
		t.Helper()
		raw, err := box.MetaTools(v)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	openaiTool := func() any { return &responses.ToolUnionParam{} }
	anthropicTool := func() any { return &anthropic.ToolUnionParam{} }
	each(tools.OpenAIResponses, box.Deferred(tools.OpenAIResponses, true).Tools, openaiTool)
	each(tools.OpenAIResponses, meta(tools.OpenAIResponses), openaiTool)
	each(tools.OpenAIChat, meta(tools.OpenAIChat), func() any { return &openai.ChatCompletionToolUnionParam{} })
	each(tools.AnthropicMessages, box.Deferred(tools.AnthropicMessages, true).Tools, anthropicTool)
	each(tools.AnthropicMessages, meta(tools.AnthropicMessages), anthropicTool)
	each(tools.Gemini, meta(tools.Gemini), func() any { return &genai.Tool{} })
	each(tools.GeminiJSON, meta(tools.GeminiJSON), func() any { return &genai.Tool{} })

	asked := []byte(`{"query":"one order"}`)
	answer, err := box.Answer(tools.OpenAIResponses, "call_1", asked, true)
	if err != nil {
		t.Fatal(err)
	}
	kept(t, answer, &responses.ResponseInputItemUnionParam{})
	if answer, err = box.Answer(tools.AnthropicMessages, "call_1", asked, true); err != nil {
		t.Fatal(err)
	}
	each(tools.AnthropicMessages, answer, func() any { return &anthropic.ToolResultBlockParamContentUnion{} })
}
