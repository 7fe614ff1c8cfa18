package tools

import (
	"encoding/json"

	"github.com/wayfindhq/wayfind/security/schema"
)

// vendorRow contains all facts about a vendor.
type vendorRow struct {
	name string
	// also are other words for the vendor, such as models and companies, in lower case.
	also []string
	// plain and strict are the targets of its schemas. If a vendor has no strict mode, strict
	// is the zero value.
	plain, strict schema.Target
	// define returns the form of a definition. titled is true if it contains the title of the
	// tool.
	define func(d definition) object
	titled bool
	// envelope is the member that contains all definitions, or empty if there is none.
	envelope string
	// later returns the tools of a request while definitions are not loaded, and answer returns
	// the answer that loads them. Both are nil for a vendor that cannot load definitions later:
	// it gets [Box.MetaTools].
	later  func(b *Box, v Vendor, d *Definitions) []json.RawMessage
	answer func(b *Box, v Vendor, callID string, f *finding, strict bool) json.RawMessage
	// text is the maximum length of the description of a tool, in bytes, or zero if the vendor
	// has none.
	text int
	// most are the limits of a request.
	most request
	// call returns a call as the models of the vendor write it.
	call func(name string, arguments json.RawMessage) object
	// result returns the answer to a call as the API takes it.
	result func(r *CallResult) object
}

// definition is the description of a tool for a model.
type definition struct {
	name, title, text string
	input             json.RawMessage
	strict            bool
	hints             annotations
}

// vendors is the table of vendors, in the order in which they are listed.
var vendors = [...]vendorRow{
	{
		name: "openai", also: []string{"gpt", "responses"}, plain: schema.OpenAI, strict: schema.OpenAIStrict,
		define: func(d definition) object {
			return object{{"type", "function"}, {"name", d.name}, {"description", d.text}, {"parameters", d.input}, {"strict", d.strict}}
		},
		later: (*Box).toolSearch, answer: (*Box).namespaces,
		text: openAIText, most: request{tools: 128},
		call: func(name string, arguments json.RawMessage) object {
			return object{{"type", "function_call"}, {"call_id", "call_1"}, {"name", name}, {"arguments", string(arguments)}}
		},
		result: responsesResult,
	},
	{
		name: "openai-chat", also: []string{"chat"}, plain: schema.OpenAI, strict: schema.OpenAIStrict,
		define: func(d definition) object {
			return object{{"type", "function"}, {"function", append(function(d), member{"strict", d.strict})}}
		},
		text: openAIText, most: request{tools: 128},
		call:   chatCall,
		result: chatResult,
	},
	{
		name: "anthropic", also: []string{"claude"}, plain: schema.Anthropic, strict: schema.AnthropicStrict,
		define: func(d definition) object {
			return object{{"name", d.name}, {"description", d.text}, {"input_schema", d.input}, {"strict", given(d.strict)}}
		},
		later: (*Box).loadedLater, answer: (*Box).references,
		most: request{strict: 20, optional: 24, unions: 16},
		call: func(name string, arguments json.RawMessage) object {
			return object{{"type", "tool_use"}, {"id", "toolu_1"}, {"name", name}, {"input", arguments}}
		},
		result: anthropicResult,
	},
	{
		name: "gemini", also: []string{"google", "vertex"}, plain: schema.Gemini, define: function, envelope: "functionDeclarations", call: geminiCall,
		result: geminiResult,
	},
	{
		name: "gemini-json", plain: schema.GeminiJSON,
		define: func(d definition) object {
			return object{{"name", d.name}, {"description", d.text}, {"parametersJsonSchema", d.input}}
		},
		envelope: "functionDeclarations", call: geminiCall,
		result: geminiResult,
	},
	{
		name: "bedrock", also: []string{"aws", "amazon"}, plain: schema.Bedrock,
		define: func(d definition) object {
			return object{{"toolSpec", object{{"name", d.name}, {"description", d.text}, {"inputSchema", object{{"json", d.input}}}}}}
		},
		call: func(name string, arguments json.RawMessage) object {
			return object{{"toolUse", object{{"toolUseId", "tooluse_1"}, {"name", name}, {"input", arguments}}}}
		},
		result: bedrockResult,
	},
	{
		name: "mistral", plain: schema.OpenAI,
		define: func(d definition) object { return object{{"type", "function"}, {"function", function(d)}} },
		call:   chatCall,
		result: namedResult,
	},
	{
		name: "mcp", plain: schema.MCP, titled: true, text: openAIText,
		define: func(d definition) object {
			return object{{"name", d.name}, {"title", given(d.title)}, {"description", d.text}, {"inputSchema", d.input}, {"annotations", d.hints}}
		},
		call: func(name string, arguments json.RawMessage) object {
			return object{{"jsonrpc", "2.0"}, {"id", 1}, {"method", "tools/call"}, {"params", object{{"name", name}, {"arguments", arguments}}}}
		},
		result: mcpResult,
	},
}

// openAIText is the maximum length of a description for OpenAI: 400 "string too long. Expected a
// string with maximum length 1024" (sentry-mcp#106, OpenHands#7167). Newer models accept more
// (llama_index#18784), servers that speak its protocol may not.
const openAIText = 1024

// Parts that several vendors share.

func function(d definition) object {
	return object{{"name", d.name}, {"description", d.text}, {"parameters", d.input}}
}

func chatCall(name string, arguments json.RawMessage) object {
	return object{{"id", "call_1"}, {"type", "function"}, {"function", object{{"name", name}, {"arguments", string(arguments)}}}}
}

func geminiCall(name string, arguments json.RawMessage) object {
	return object{{"functionCall", object{{"name", name}, {"args", arguments}}}}
}
