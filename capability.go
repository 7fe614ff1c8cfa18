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
	KindSkill     Kind = "skill"      // an ability of an agent, without a contract
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
	// Params is a flat view of the inputs.
	Params []Param `json:"params,omitempty"`
	// Input and Output are JSON Schemas. InputMissing says why there is no Input.
	Input  json.RawMessage `json:"input,omitempty" clean:"schema"`
	Output json.RawMessage `json:"output,omitempty"`
	// InputModes and OutputModes are media types.
	InputModes  []string  `json:"inputModes,omitempty"`
	OutputModes []string  `json:"outputModes,omitempty"`
	Examples    []Example `json:"examples,omitempty"`
	Effects     *Effects  `json:"effects,omitempty"`
	// Auth overrides the service's; nil means: as the service says.
	Auth   *Auth   `json:"auth,omitempty"`
	Limits []Limit `json:"limits,omitempty"`
	// Price in words, and the Offers it is made of, where the document has them as data.
	Price  string  `json:"price,omitempty"`
	Offers []Offer `json:"offers,omitempty"`
	// DependsOn are keys of capabilities that must run before.
	DependsOn []string `json:"dependsOn,omitempty"`
	// Lazy: there is more at DetailURLs, which Describe fetches. They are
	// alternatives: the next is tried when one answers 404.
	Lazy       bool     `json:"lazy,omitempty"`
	DetailURLs []string `json:"detailUrls,omitempty" clean:"url"`
	// Artifact is the file that it consists of, where there is nothing to call.
	Artifact   *Artifact `json:"artifact,omitempty"`
	Deprecated bool      `json:"deprecated,omitempty"`
	// Claimed: a document says so; false when the protocol itself answered.
	Claimed bool  `json:"claimed,omitempty"`
	Trust   Trust `json:"trust,omitempty"`
	// RobotsDisallowed: the site's robots.txt asks crawlers not to go there.
	RobotsDisallowed bool `json:"robotsDisallowed,omitempty"`
	// Suspicious says how its texts address the model that reads them
	// (security/prompt: "override", "tool_steering"), in alphabetical order. It
	// is a hint for people to look. An empty list proves nothing, and nothing
	// else depends on it.
	Suspicious []string `json:"suspicious,omitempty"`
	// Related are keys of capabilities that may be the same thing.
	Related []string `json:"related,omitempty"`
	// Alternatives are readings that lost against a source of higher rank.
	Alternatives []Capability `json:"alternatives,omitempty"`
	Sources      []Ref        `json:"sources,omitempty"`
	// Digest is the SHA-256, in hexadecimal, of the definition as it stands in
	// the first of Sources, in canonical form (RFC 8785) and before cleaning:
	// every change in the definition changes it. It is set with
	// client.Options.Trust.Pins and for the lists of live MCP servers, and
	// empty where the document is not JSON.
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
	Operation string `json:"operation,omitempty" clean:"wire"`
	// ContentType of the request body, when it has one. Params and Encodings
	// describe this type.
	ContentType string `json:"contentType,omitempty"`
	// ContentTypes are all that the body may have, ContentType among them, in the
	// order of the document; nil where there is no choice.
	ContentTypes []string `json:"contentTypes,omitempty"`
	// BodyRequired is nil when not said. A call without arguments for a body that is not
	// required has none.
	BodyRequired *bool `json:"bodyRequired,omitempty"`
	// Encodings say how the members are written of a body that is a form or has
	// several parts, where the document says so.
	Encodings []Encoding `json:"encodings,omitempty"`
	// Altered is the first field of the capability that had to be cleaned although a call
	// sends it: a name, or a value of an enum. A call would not be the publisher's, so that
	// Check refuses the capability.
	Altered string `json:"altered,omitempty"`
}

// Encoding is how one member of a body is written.
type Encoding struct {
	// Name of the member.
	Name string `json:"name" clean:"wire"`
	// ContentType of the part; several are separated by commas.
	ContentType string `json:"contentType,omitempty"`
	// Style, Explode and AllowReserved are as in Param; they are for forms.
	Style         string `json:"style,omitempty"`
	Explode       *bool  `json:"explode,omitempty"`
	AllowReserved bool   `json:"allowReserved,omitempty"`
	// Headers of the part, beside its content type.
	Headers []Param `json:"headers,omitempty"`
}

// The reasons of [Capability.InputMissing].
const (
	// MissingLazy: a detail document has it. Describe fetches that.
	MissingLazy = "lazy"
	// MissingNone: no document has one. The inputs are not stated, or there are
	// none.
	MissingNone = "none"
)

// InputMissing says why there is no Input: MissingLazy or MissingNone, "" when there
// is one. A reading that lost against another can still be lazy; Describe asks
// for that too.
func (c *Capability) InputMissing() string {
	lazy := func(c Capability) bool { return c.Lazy && len(c.DetailURLs) > 0 }
	switch {
	case len(c.Input) > 0:
		return ""
	case lazy(*c) || len(c.Params) == 0 && slices.ContainsFunc(c.Alternatives, lazy):
		return MissingLazy
	}
	return MissingNone
}

// Param is one thing that goes into a call.
type Param struct {
	Name string `json:"name" clean:"wire"`
	// Argument is the member of the arguments that has the value, if it is not called
	// Name: another parameter of that name, in another place, takes other values.
	// Parameters with the same Argument get the same value.
	Argument string `json:"argument,omitempty"`
	// In is where the value goes, which depends on the Protocol of the Invocation:
	//
	//   - http: "path", a variable of the Template; "query", a field of the query
	//     string; "header"; "cookie"; "body", a member of the body, or all of it
	//     with Whole. Empty: the document does not say; names of the Template
	//     go there.
	//   - mcp: empty, a member of the arguments of the tool or prompt that
	//     Operation names; "path" or "query", a variable of a resource's Template.
	//   - jsonrpc: empty, a member of params, or an element in the order of Params
	//     where the extension "paramStructure" is "by-position".
	//   - a2a, and agents of other kinds: empty, a part of the message; "body", a
	//     member of it.
	//
	// Other protocols have no rule here. A name is sent as it is written, but for
	// header fields, whose case does not count.
	In string `json:"in,omitempty"`
	// Whole: the value is all of the body, or of the query string, and Name does
	// not go over the wire.
	Whole bool `json:"whole,omitempty"`
	// Style and Explode say how arrays and objects are written (OpenAPI, Parameter
	// Object): "simple", "label", "matrix", "form", "spaceDelimited",
	// "pipeDelimited", "deepObject", "cookie", and "tabDelimited" for tsv of OpenAPI
	// 2.0. Empty where the value has a ContentType, and where the format has no
	// word for it.
	Style   string `json:"style,omitempty"`
	Explode *bool  `json:"explode,omitempty"`
	// AllowReserved: reserved characters (RFC 3986 §2.2) are sent as they are.
	AllowReserved bool `json:"allowReserved,omitempty"`
	// ContentType is the media type that the value is written in, instead of by a
	// style.
	ContentType string `json:"contentType,omitempty"`
	// Type is the publisher's word for the type; Schema is our JSON Schema of it.
	Type        string `json:"type,omitempty"`
	Description string `json:"description,omitempty" clean:"text"`
	// Required is nil when not said.
	Required *bool             `json:"required,omitempty"`
	Default  json.RawMessage   `json:"default,omitempty"`
	Example  json.RawMessage   `json:"example,omitempty"`
	Enum     []json.RawMessage `json:"enum,omitempty" clean:"wire"`
	Minimum  *float64          `json:"minimum,omitempty"`
	Maximum  *float64          `json:"maximum,omitempty"`
	// Schema is a JSON Schema.
	Schema json.RawMessage `json:"schema,omitempty" clean:"schema"`
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

// Effects describe what a call changes. Nil is unknown.
type Effects struct {
	ReadOnly    *bool `json:"readOnly,omitempty"`
	Destructive *bool `json:"destructive,omitempty"`
	Idempotent  *bool `json:"idempotent,omitempty"`
	// IdempotencyKey is the field that carries the key, and
	// IdempotencyWindow how long it counts, as written.
	IdempotencyKey    string `json:"idempotencyKey,omitempty" clean:"wire"`
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
