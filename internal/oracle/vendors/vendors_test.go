package vendors

import (
	"encoding/json"
	"reflect"
	"testing"
	"testing/synctest"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

const plugin = `{"schema_version": "v1", "name_for_human": "Shop", "name_for_model": "shop", "description_for_human": "A shop.",
	"description_for_model": "Use it.", "auth": {"type": "none"}, "api": {"type": "openapi", "url": "https://shop.example/openapi.json"},
	"logo_url": "https://shop.example/logo.png", "contact_email": "a@shop.example", "legal_info_url": "https://shop.example/legal"}`

const api = `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, "servers": [{"url": "https://shop.example"}], "paths": {
	"/orders/{id}": {
		"get": {"operationId": "getOrder", "description": "One order.", "responses": {"200": {"description": "ok"}},
			"parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string", "pattern": "^[a-z]+$", "minLength": 2}},
				{"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "exclusiveMaximum": 50}},
				{"name": "state", "in": "query", "schema": {"type": "string", "enum": ["open", "closed"]}}]},
		"post": {"operationId": "refund", "description": "Money back.", "responses": {"200": {"description": "ok"}},
			"requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {
				"lines": {"type": "array", "minItems": 1, "items": {"type": "object", "properties": {"sku": {"type": "string"}, "n": {"type": ["integer", "null"]}}, "required": ["sku"]}},
				"to": {"oneOf": [{"type": "string"}, {"type": "object", "properties": {"iban": {"type": "string"}}}]}}}}}}}}}}`

// shop is a Box of that.
func shop(t *testing.T) (box *tools.Box) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		n.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": api})
		var err error
		if box, err = tools.Load(t.Context(), n.Client(), []string{"shop.example"}, nil); err != nil {
			t.Fatal(err)
		}
	})
	return box
}

// rendered are the definitions for a vendor.
func rendered(t *testing.T, v tools.Vendor, strict bool) (list []json.RawMessage) {
	t.Helper()
	d := shop(t).Render(v, &tools.RenderOptions{Strict: strict})
	if err := json.Unmarshal(d.Tools, &list); err != nil || len(d.Names) != 2 {
		t.Fatalf("%v: %s", err, d.Tools)
	}
	return list
}

// kept: a definition that was read into an SDK's type and written again says the
// same.
func kept(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	again, err := json.Marshal(into)
	if err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	var a, b any
	if json.Unmarshal(raw, &a) != nil || json.Unmarshal(again, &b) != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("%s comes back as %s", raw, again)
	}
}

func TestOpenAI(t *testing.T) {
	for _, strict := range []bool{false, true} {
		for _, raw := range rendered(t, tools.OpenAIResponses, strict) {
			kept(t, raw, &responses.ToolUnionParam{})
		}
		for _, raw := range rendered(t, tools.OpenAIChat, strict) {
			kept(t, raw, &openai.ChatCompletionToolUnionParam{})
		}
	}
}

func TestAnthropic(t *testing.T) {
	for _, strict := range []bool{false, true} {
		for _, raw := range rendered(t, tools.AnthropicMessages, strict) {
			kept(t, raw, &anthropic.ToolUnionParam{})
		}
	}
}

func TestGemini(t *testing.T) {
	for _, v := range []tools.Vendor{tools.Gemini, tools.GeminiJSON} {
		var list []json.RawMessage
		if err := json.Unmarshal(shop(t).Render(v, nil).Tools, &list); err != nil {
			t.Fatal(err)
		}
		for _, raw := range list {
			kept(t, raw, &genai.Tool{})
		}
	}
}

func TestMCP(t *testing.T) {
	for _, raw := range rendered(t, tools.MCP, false) {
		var tool mcp.Tool
		if err := json.Unmarshal(raw, &tool); err != nil {
			t.Fatalf("%v: %s", err, raw)
		}
		server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		server.AddTool(&tool, nil) // panics where the schema is none
		again, err := json.Marshal(&tool)
		if err != nil {
			t.Fatal(err)
		}
		var a, b map[string]any
		if json.Unmarshal(raw, &a) != nil || json.Unmarshal(again, &b) != nil || !reflect.DeepEqual(a["inputSchema"], b["inputSchema"]) || a["name"] != b["name"] {
			t.Errorf("%s comes back as %s", raw, again)
		}
	}
}

// TestBedrock fills the SDK's types, which have no JSON of their own.
func TestBedrock(t *testing.T) {
	for _, raw := range rendered(t, tools.Bedrock, false) {
		var d struct {
			ToolSpec struct {
				Name, Description string
				InputSchema       struct{ JSON map[string]any }
			}
		}
		if err := json.Unmarshal(raw, &d); err != nil {
			t.Fatal(err)
		}
		spec := &types.ToolMemberToolSpec{Value: types.ToolSpecification{Name: &d.ToolSpec.Name, Description: &d.ToolSpec.Description,
			InputSchema: &types.ToolInputSchemaMemberJson{Value: document.NewLazyDocument(d.ToolSpec.InputSchema.JSON)}}}
		schema, ok := spec.Value.InputSchema.(*types.ToolInputSchemaMemberJson)
		if !ok {
			t.Fatalf("%T", spec.Value.InputSchema)
		}
		text, err := schema.Value.MarshalSmithyDocument()
		var again map[string]any
		if err != nil || json.Unmarshal(text, &again) != nil || !reflect.DeepEqual(again, d.ToolSpec.InputSchema.JSON) {
			t.Errorf("%v: %s comes back as %s", err, raw, text)
		}
	}
}
