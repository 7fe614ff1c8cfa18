package tools

import (
	"encoding/json"

	"github.com/wayfindhq/wayfind/security/schema"
)

// vendorRow holds all facts about a vendor.
type vendorRow struct {
	name string
	// also are other words for it, of models and companies, in lower case.
	also []string
	// plain and strict are the targets of its schemas; a vendor without a strict mode
	// has no target for it.
	plain, strict schema.Target
	// define is the form of a definition. titled: it has the title of the tool.
	define func(d definition) object
	titled bool
	// envelope is the member that holds all definitions; empty if nothing is around them.
	envelope string
	// later has what a request has while definitions are not loaded, and answer what
	// loads them. Both are nil for a vendor that loads none: it gets [Box.MetaTools].
	later  func(b *Box, v Vendor, d *Definitions) []json.RawMessage
	answer func(b *Box, v Vendor, callID string, f *finding, strict bool) json.RawMessage
	// most are the limits of a request.
	most request
	// call is what its models write.
	call func(name string, arguments json.RawMessage) object
}

// definition is what a model is told of a tool.
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
		most: request{tools: 128},
		call: func(name string, arguments json.RawMessage) object {
			return object{{"type", "function_call"}, {"call_id", "call_1"}, {"name", name}, {"arguments", string(arguments)}}
		},
	},
	{
		name: "openai-chat", also: []string{"chat"}, plain: schema.OpenAI, strict: schema.OpenAIStrict,
		define: func(d definition) object {
			return object{{"type", "function"}, {"function", append(function(d), member{"strict", d.strict})}}
		},
		most: request{tools: 128},
		call: chatCall,
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
	},
	{
		name: "gemini", also: []string{"google", "vertex"}, plain: schema.Gemini, define: function, envelope: "functionDeclarations", call: geminiCall,
	},
	{
		name: "gemini-json", plain: schema.GeminiJSON,
		define: func(d definition) object {
			return object{{"name", d.name}, {"description", d.text}, {"parametersJsonSchema", d.input}}
		},
		envelope: "functionDeclarations", call: geminiCall,
	},
	{
		name: "bedrock", also: []string{"aws", "amazon"}, plain: schema.Bedrock,
		define: func(d definition) object {
			return object{{"toolSpec", object{{"name", d.name}, {"description", d.text}, {"inputSchema", object{{"json", d.input}}}}}}
		},
		call: func(name string, arguments json.RawMessage) object {
			return object{{"toolUse", object{{"toolUseId", "tooluse_1"}, {"name", name}, {"input", arguments}}}}
		},
	},
	{
		name: "mistral", plain: schema.OpenAI,
		define: func(d definition) object { return object{{"type", "function"}, {"function", function(d)}} },
		call:   chatCall,
	},
	{
		name: "mcp", plain: schema.MCP, titled: true,
		define: func(d definition) object {
			return object{{"name", d.name}, {"title", given(d.title)}, {"description", d.text}, {"inputSchema", d.input}, {"annotations", d.hints}}
		},
		call: func(name string, arguments json.RawMessage) object {
			return object{{"jsonrpc", "2.0"}, {"id", 1}, {"method", "tools/call"}, {"params", object{{"name", name}, {"arguments", arguments}}}}
		},
	},
}

// The parts that several vendors have.

func function(d definition) object {
	return object{{"name", d.name}, {"description", d.text}, {"parameters", d.input}}
}

func chatCall(name string, arguments json.RawMessage) object {
	return object{{"id", "call_1"}, {"type", "function"}, {"function", object{{"name", name}, {"arguments", string(arguments)}}}}
}

func geminiCall(name string, arguments json.RawMessage) object {
	return object{{"functionCall", object{{"name", name}, {"args", arguments}}}}
}
