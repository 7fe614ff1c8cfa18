package wayfind

import (
	"encoding/json"
	"slices"
)

// Kind says what sort of thing a capability is. The set is open.
type Kind string

// The kinds that the formats of today have.
const (
	KindOperation Kind = "operation"  // an API call
	KindTool      Kind = "tool"       // a tool of a tool protocol
	KindSkill     Kind = "skill"      // what an agent is good at; no contract
	KindRPCMethod Kind = "rpc_method" // a JSON-RPC method
	KindStatement Kind = "statement"  // a sentence; no contract
	KindAgent     Kind = "agent"      // an agent as a whole
	KindIntent    Kind = "intent"     // a wish that is understood
	KindFlow      Kind = "flow"       // several steps
	KindResource  Kind = "resource"   // something to read
	KindPrompt    Kind = "prompt"     // a prompt template
	KindSkillFile Kind = "skill_file" // a file of instructions
)

// Capability is one thing a service can do for an agent.
type Capability struct {
	// Key identifies it within the Site: "adp:send_email".
	Key string `json:"key"`
	// Aliases are the keys of readings that were merged into this one.
	Aliases []string `json:"aliases,omitempty"`
	// ID as the document writes it.
	ID          string   `json:"id,omitempty"`
	Name        string   `json:"name,omitempty"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty" clean:"text"`
	Tags        []string `json:"tags,omitempty"`
	Kind        Kind     `json:"kind"`
	// Invocation is how to call it; nil when the documents give no
	// well-formed contract. Check says why.
	Invocation *Invocation `json:"invocation,omitempty"`
	// Params is a flat view of what goes in.
	Params []Param `json:"params,omitempty"`
	// Input and Output are JSON Schemas.
	Input  json.RawMessage `json:"input,omitempty"`
	Output json.RawMessage `json:"output,omitempty"`
	// InputModes and OutputModes are media types.
	InputModes  []string  `json:"inputModes,omitempty"`
	OutputModes []string  `json:"outputModes,omitempty"`
	Examples    []Example `json:"examples,omitempty"`
	Effects     *Effects  `json:"effects,omitempty"`
	// Auth overrides the service's; nil means: as the service says.
	Auth   *Auth   `json:"auth,omitempty"`
	Limits []Limit `json:"limits,omitempty"`
	Price  string  `json:"price,omitempty"`
	// DependsOn are keys of capabilities that must run before.
	DependsOn []string `json:"dependsOn,omitempty"`
	// Lazy: there is more at DetailURLs, which Describe fetches. They are
	// alternatives: the next is tried when one answers 404.
	Lazy       bool     `json:"lazy,omitempty"`
	DetailURLs []string `json:"detailUrls,omitempty" clean:"url"`
	Deprecated bool     `json:"deprecated,omitempty"`
	// Claimed: a document says so; false when the protocol itself answered.
	Claimed bool  `json:"claimed,omitempty"`
	Trust   Trust `json:"trust,omitempty"`
	// RobotsDisallowed: the site's robots.txt asks crawlers not to go there.
	RobotsDisallowed bool `json:"robotsDisallowed,omitempty"`
	// Suspicious says how texts of it address the model that reads them
	// (security/prompt: "override", "tool_steering"), in alphabetical order. It
	// is a hint that people should look; empty proves nothing, and nothing else
	// depends on it.
	Suspicious []string `json:"suspicious,omitempty"`
	// Related are keys of capabilities that may be the same thing.
	Related []string `json:"related,omitempty"`
	// Alternatives are readings that lost against a source of higher rank.
	Alternatives []Capability `json:"alternatives,omitempty"`
	Sources      []Ref        `json:"sources,omitempty"`
	// Digest is the SHA-256, in hexadecimal, of the definition as it stands in
	// the first of Sources, in canonical form (RFC 8785) and before anything
	// was cleaned: whatever changes in it changes this. It is there with
	// client.Options.Trust.Pins and for what live MCP servers list, and empty where
	// the document is not JSON.
	Digest string `json:"digest,omitempty"`
	// Defaulted names the fields that hold a default of the specification.
	Defaulted []string `json:"defaulted,omitempty"`
	// Extensions are members that the model has no place for.
	Extensions map[string]json.RawMessage `json:"extensions,omitempty"`
}

// HasKey reports whether key is the capability's key or one of its aliases.
func (c *Capability) HasKey(key string) bool {
	return c.Key == key || slices.Contains(c.Aliases, key)
}

// Invocation is a well-formed contract: enough to make the call.
type Invocation struct {
	// Protocol is that of the interface: "http", "mcp", "a2a" …
	Protocol string `json:"protocol"`
	// Method is the HTTP method in upper case.
	Method string `json:"method,omitempty"`
	// URL, or Template when it holds variables (RFC 6570 level 1: {name}).
	URL      string `json:"url,omitempty" clean:"url"`
	Template string `json:"template,omitempty" clean:"url"`
	// Via names the interface of the service that is used, for protocols
	// that are not plain HTTP, and Operation the tool or method there.
	Via       string `json:"via,omitempty"`
	Operation string `json:"operation,omitempty"`
	// ContentType of the request body, when it has one.
	ContentType string `json:"contentType,omitempty"`
}

// Param is one thing that goes into a call.
type Param struct {
	Name string `json:"name"`
	// In is "path", "query", "header", "cookie" or "body".
	In string `json:"in,omitempty"`
	// Type is the publisher's word for it; Schema is what we made of it.
	Type        string `json:"type,omitempty"`
	Description string `json:"description,omitempty" clean:"text"`
	// Required is nil when not said.
	Required *bool             `json:"required,omitempty"`
	Default  json.RawMessage   `json:"default,omitempty"`
	Example  json.RawMessage   `json:"example,omitempty"`
	Enum     []json.RawMessage `json:"enum,omitempty"`
	Minimum  *float64          `json:"minimum,omitempty"`
	Maximum  *float64          `json:"maximum,omitempty"`
	// Schema is a JSON Schema.
	Schema json.RawMessage `json:"schema,omitempty"`
	// Raw is the text a compact notation was read from, and Confidence
	// (0 to 1) how sure the reading is.
	Raw        string   `json:"raw,omitempty" clean:"text"`
	Confidence *float64 `json:"confidence,omitempty"`
	// Defaulted names the fields that hold a default of the specification.
	Defaulted []string `json:"defaulted,omitempty"`
}

// Example is a sample call, as written.
type Example struct {
	Title    string          `json:"title,omitempty"`
	Text     string          `json:"text,omitempty" clean:"text"`
	Request  json.RawMessage `json:"request,omitempty"`
	Response json.RawMessage `json:"response,omitempty"`
}

// Effects are what a call does to the world. Nil is unknown.
type Effects struct {
	ReadOnly    *bool `json:"readOnly,omitempty"`
	Destructive *bool `json:"destructive,omitempty"`
	Idempotent  *bool `json:"idempotent,omitempty"`
	// IdempotencyKey is the field that carries the key, and
	// IdempotencyWindow how long it counts, as written.
	IdempotencyKey    string `json:"idempotencyKey,omitempty"`
	IdempotencyWindow string `json:"idempotencyWindow,omitempty"`
	Reversible        *bool  `json:"reversible,omitempty"`
	// Sensitivity is an open string: "standard", "destructive", "irreversible".
	Sensitivity string `json:"sensitivity,omitempty"`
	// NeedsConfirmation by a person. Text never lowers it.
	NeedsConfirmation *bool  `json:"needsConfirmation,omitempty"`
	Async             *Async `json:"async,omitempty"`
	// Defaulted names the fields that follow from the HTTP method
	// (RFC 9110 §9.2) and not from the publisher's word.
	Defaulted []string `json:"defaulted,omitempty"`
}

// Async is set for calls that end later.
type Async struct {
	PollURL string `json:"pollUrl,omitempty" clean:"url"`
}
