package schema

import (
	"fmt"
	"strings"

	"github.com/wayfindhq/wayfind/internal/text"
)

// Target is a reader of projections, which takes a certain part of JSON Schema. Its
// text is its name. The zero value is no target.
type Target struct{ profile *profile }

// The targets.
var (
	Plain           = targetOf("plain")            // JSON Schema 2020-12, as it was lifted
	MCP             = targetOf("mcp")              // inputSchema of the Model Context Protocol
	OpenAI          = targetOf("openai")           // function parameters, not strict
	OpenAIStrict    = targetOf("openai-strict")    // and strict
	Anthropic       = targetOf("anthropic")        // input_schema, not strict
	AnthropicStrict = targetOf("anthropic-strict") // and strict
	Gemini          = targetOf("gemini")           // parameters of a function declaration
	GeminiJSON      = targetOf("gemini-json")      // parametersJsonSchema
	Bedrock         = targetOf("bedrock")          // inputSchema of the Converse API
)

// Targets are all targets.
func Targets() []Target {
	list := make([]Target, len(profiles))
	for i := range profiles {
		list[i].profile = &profiles[i]
	}
	return list
}

// targetOf is the target with a name, the zero value for an unknown one.
func targetOf(name string) Target {
	for i := range profiles {
		if profiles[i].name == name {
			return Target{&profiles[i]}
		}
	}
	return Target{}
}

// String is the name, "" for the zero value.
func (t Target) String() string {
	if t.profile == nil {
		return ""
	}
	return t.profile.name
}

// MarshalText writes the name. The zero value is an *Error.
func (t Target) MarshalText() ([]byte, error) {
	if t.profile == nil {
		return nil, noTarget("")
	}
	return []byte(t.profile.name), nil
}

// UnmarshalText reads a name. For one that no target has the error is an *Error.
func (t *Target) UnmarshalText(name []byte) error {
	if *t = targetOf(string(name)); t.profile == nil {
		return noTarget(string(name))
	}
	return nil
}

// noTarget is the error for a name that no target has.
func noTarget(name string) *Error {
	var names []string
	for _, t := range Targets() {
		names = append(names, t.profile.name)
	}
	hint := "they are " + strings.Join(names, ", ")
	if near := text.Nearest(name, names); near != "" {
		hint = fmt.Sprintf("the nearest is %q", near)
	}
	return &Error{Code: CodeDialect, Reason: fmt.Sprintf("%+q is none of the targets; %s", cut(name, 32), hint)}
}
