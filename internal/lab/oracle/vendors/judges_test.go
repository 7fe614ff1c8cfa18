package vendors

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"

	"github.com/wayfindhq/wayfind/client/tools"
)

// reader reads JSON with an SDK, and reports values that the SDK loses.
type reader func(t *testing.T, raw json.RawMessage)

// judge reads the output for a vendor with the vendor's SDK.
type judge struct {
	// definition reads one definition, and element one element of a request's list. If element
	// is nil, they are the same.
	definition, element reader
	// answer reads the answer to a search. It is nil if the answer is our text, which no SDK
	// reads.
	answer reader
}

// judges returns the judges of all vendors. A vendor without a judge fails the test.
func judges(t *testing.T) map[tools.Vendor]judge {
	t.Helper()
	list := map[tools.Vendor]judge{
		tools.OpenAIResponses:   {definition: into[responses.ToolUnionParam], answer: into[responses.ResponseInputItemUnionParam]},
		tools.OpenAIChat:        {definition: into[openai.ChatCompletionToolUnionParam]},
		tools.AnthropicMessages: {definition: into[anthropic.ToolUnionParam], answer: references},
		tools.Gemini:            {definition: proto[genai.FunctionDeclaration], element: proto[genai.Tool]},
		tools.GeminiJSON:        {definition: into[genai.FunctionDeclaration], element: into[genai.Tool]},
		tools.Bedrock:           {definition: bedrock},
		tools.Mistral:           {definition: into[openai.ChatCompletionToolUnionParam]}, // there is no SDK for Go; the form is the form of OpenAI
		tools.MCP:               {definition: served},
	}
	for _, v := range tools.Vendors() {
		j := list[v]
		if j.definition == nil {
			t.Fatalf("no SDK judges the definitions for %s", v)
		}
		if j.element == nil {
			j.element = j.definition
		}
		list[v] = j
	}
	return list
}

// into reads JSON into the type of an SDK.
func into[T any](t *testing.T, raw json.RawMessage) {
	t.Helper()
	kept(t, raw, new(T))
}

// proto checks a definition as into does, if T mirrors a message of Protocol Buffers. There an empty
// map equals an absent one, so the SDK does not write the empty properties of an object.
func proto[T any](t *testing.T, raw json.RawMessage) {
	t.Helper()
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	short, err := json.Marshal(withoutEmptyProperties(tree))
	if err != nil {
		t.Fatal(err)
	}
	into[T](t, short)
}

// withoutEmptyProperties removes the member "properties" of each schema of type OBJECT that has
// none.
func withoutEmptyProperties(tree any) any {
	switch v := tree.(type) {
	case map[string]any:
		if p, ok := v["properties"].(map[string]any); ok && len(p) == 0 && v["type"] == "OBJECT" {
			delete(v, "properties")
		}
		for name := range v {
			v[name] = withoutEmptyProperties(v[name])
		}
	case []any:
		for i := range v {
			v[i] = withoutEmptyProperties(v[i])
		}
	}
	return tree
}

// references reads the content of a tool_result.
func references(t *testing.T, raw json.RawMessage) {
	t.Helper()
	for _, one := range elements(t, raw) {
		into[anthropic.ToolResultBlockParamContentUnion](t, one)
	}
}

// served adds a tool to a server, which panics if the schema is not valid.
func served(t *testing.T, raw json.RawMessage) {
	t.Helper()
	var tool mcp.Tool
	if err := json.Unmarshal(raw, &tool); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	server.AddTool(&tool, nil)
	again, err := json.Marshal(&tool)
	if err != nil {
		t.Fatal(err)
	}
	var a, b map[string]any
	if json.Unmarshal(raw, &a) != nil || json.Unmarshal(again, &b) != nil || !reflect.DeepEqual(a["inputSchema"], b["inputSchema"]) || a["name"] != b["name"] {
		t.Errorf("%s comes back as %s", raw, again)
	}
}

// bedrock fills the types of the SDK, which have no JSON form.
func bedrock(t *testing.T, raw json.RawMessage) {
	t.Helper()
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
