package schema

import "github.com/wayfindhq/wayfind/internal/syntax/text"

// Target is a reader of projections, which supports a certain part of JSON Schema. Its text is
// its name. The zero value is no target.
type Target struct{ profile *profile }

// The targets.
var (
	Plain           = targetOf("plain")            // JSON Schema 2020-12, as it was lifted
	MCP             = targetOf("mcp")              // inputSchema of the Model Context Protocol
	OpenAI          = targetOf("openai")           // function parameters, not strict
	OpenAIStrict    = targetOf("openai-strict")    // function parameters, strict
	Anthropic       = targetOf("anthropic")        // input_schema, not strict
	AnthropicStrict = targetOf("anthropic-strict") // input_schema, strict
	Gemini          = targetOf("gemini")           // parameters of a function declaration
	GeminiJSON      = targetOf("gemini-json")      // parametersJsonSchema
	Bedrock         = targetOf("bedrock")          // inputSchema of the Converse API
)

// Targets returns all targets.
func Targets() []Target {
	list := make([]Target, len(profiles))
	for i := range profiles {
		list[i].profile = &profiles[i]
	}
	return list
}

// targetOf returns the target with a name, or the zero value for an unknown name.
func targetOf(name string) Target {
	t, _ := text.Word("target", Targets(), name)
	return t
}

// IsZero reports whether t is the zero value, which is no target.
func (t Target) IsZero() bool { return t.profile == nil }

// String returns the name, or "" for the zero value.
func (t Target) String() string { return text.Row(t.profile).name }

// MarshalText returns the name. For the zero value it returns an *Error.
func (t Target) MarshalText() ([]byte, error) {
	if t.profile == nil {
		return nil, noTarget()
	}
	return []byte(t.profile.name), nil
}

// UnmarshalText reads a name. The error contains the most similar name.
func (t *Target) UnmarshalText(name []byte) (err error) {
	*t, err = text.Word("target of schemas", Targets(), string(name))
	return err
}

// noTarget returns the error for the zero value.
func noTarget() *Error { return &Error{Code: codeDialect, Reason: "there is no target to write for"} }
