package tools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/text"
)

// Vendor is the form of a definition: that of an API that takes tools. It is no model: a
// framework that speaks with several models wants one form and writes the others itself.
// For such a framework use [AnthropicMessages] with [Box.Define]: a name, a description
// and plain JSON Schema as input_schema, with nothing around them.
type Vendor string

// The vendors.
const (
	OpenAIResponses   Vendor = "openai"      // {type, name, description, parameters, strict}
	OpenAIChat        Vendor = "openai-chat" // the same, as the member function
	AnthropicMessages Vendor = "anthropic"   // {name, description, input_schema}: Claude, and most frameworks
	Gemini            Vendor = "gemini"      // functionDeclarations, in a subset of OpenAPI's schemas
	// GeminiJSON is Gemini where the model takes parametersJsonSchema, which
	// can express more.
	GeminiJSON Vendor = "gemini-json"
	Bedrock    Vendor = "bedrock" // Converse: toolSpec
	Mistral    Vendor = "mistral" // OpenAIChat without strict
	MCP        Vendor = "mcp"     // a tool of tools/list, with annotations
)

// Vendors are all vendors.
func Vendors() []Vendor {
	return []Vendor{OpenAIResponses, OpenAIChat, AnthropicMessages, Gemini, GeminiJSON, Bedrock, Mistral, MCP}
}

// VendorError is a Vendor that is not one of [Vendors].
type VendorError struct {
	Vendor Vendor
}

// Error names the Vendor that may be meant, and all of them.
func (e *VendorError) Error() string {
	hint := "the"
	if near := e.Nearest(); near != "" {
		hint = fmt.Sprintf("did you mean %q? The", near)
	}
	var words []string
	for _, v := range Vendors() {
		words = append(words, string(v))
	}
	return fmt.Sprintf("tools: %+.64q is no Vendor; %s vendors are %s", string(e.Vendor), hint, strings.Join(words, ", "))
}

// Nearest is the Vendor that may be meant, by the name of a model or of a company, or by a
// misspelling; "" for none.
func (e *VendorError) Nearest() Vendor {
	word := strings.ToLower(string(e.Vendor))
	for _, known := range []struct {
		vendor Vendor
		names  []string
	}{
		{AnthropicMessages, []string{"claude", "anthropic"}}, {OpenAIChat, []string{"chat"}}, {OpenAIResponses, []string{"gpt", "openai", "responses"}},
		{Gemini, []string{"gemini", "google", "vertex"}}, {Bedrock, []string{"bedrock", "aws", "amazon"}}, {Mistral, []string{"mistral"}},
	} {
		if slices.ContainsFunc(known.names, func(name string) bool { return strings.Contains(word, name) }) {
			return known.vendor
		}
	}
	var words []string
	for _, v := range Vendors() {
		words = append(words, string(v))
	}
	return Vendor(text.Nearest(word, words))
}

// check refuses a Vendor that is not one of [Vendors]: it would get the form of another.
func (v Vendor) check() error {
	if slices.Contains(Vendors(), v) {
		return nil
	}
	return &VendorError{v}
}
