package wayfind

import (
	"encoding/json"
	"slices"
)

// Kind is the sort of thing that a capability is. The set is open.
type Kind string

// These are the kinds that today's formats use.
const (
	KindOperation Kind = "operation"  // an API call
	KindTool      Kind = "tool"       // a tool of a tool protocol
	KindSkill     Kind = "skill"      // an ability of an agent, without a contract
	KindRPCMethod Kind = "rpc_method" // a JSON-RPC method
	KindStatement Kind = "statement"  // a sentence, without a contract
	KindAgent     Kind = "agent"      // an agent as a whole
	KindIntent    Kind = "intent"     // a request in words that the service understands
	KindFlow      Kind = "flow"       // several calls
	KindResource  Kind = "resource"   // something to read
	KindPrompt    Kind = "prompt"     // a prompt template
	KindSkillFile Kind = "skill_file" // a file of instructions
)

// Capability is one thing that a service can do for an agent.
type Capability struct {
	// Key identifies it within the Site: "adp:send_email".
	Key string `json:"key"`
	// Aliases are the keys of readings that were merged into this one.
	Aliases []string `json:"aliases,omitempty"`
	// ID is the ID as written in the document.
	ID          string   `json:"id,omitempty"`
	Name        string   `json:"name,omitempty"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty" clean:"text"`
	Tags        []string `json:"tags,omitempty"`
	Kind        Kind     `json:"kind"`
	// Invocation is how to call the capability. It is nil if the documents contain no
	// well-formed contract; Check returns the reason.
	Invocation *Invocation `json:"invocation,omitempty"`
	// Params is a flat view of the inputs. For a call over plain HTTP, they have the places of the
	// arguments: an argument of Input that none of them takes is not sent.
	Params []Param `json:"params,omitempty"`
	// Input and Output are JSON Schemas. InputMissing returns the reason if Input is empty.
	Input  json.RawMessage `json:"input,omitempty" clean:"schema"`
	Output json.RawMessage `json:"output,omitempty"`
	// InputModes and OutputModes are media types.
	InputModes  []string  `json:"inputModes,omitempty"`
	OutputModes []string  `json:"outputModes,omitempty"`
	Examples    []Example `json:"examples,omitempty"`
	Effects     *Effects  `json:"effects,omitempty"`
	// Auth overrides the Auth of the service. Nil means that the Auth of the service applies.
	Auth   *Auth   `json:"auth,omitempty"`
	Limits []Limit `json:"limits,omitempty"`
	// Price is the price in words. Offers are the same prices as data, if the document
	// has them as data.
	Price  string  `json:"price,omitempty"`
	Offers []Offer `json:"offers,omitempty"`
	// DependsOn are keys of capabilities that must run before this one.
	DependsOn []string `json:"dependsOn,omitempty"`
	// Lazy is true if Describe fetches more from DetailURLs. The URLs are alternatives: if one
	// answers 404, the next is tried.
	Lazy       bool     `json:"lazy,omitempty"`
	DetailURLs []string `json:"detailUrls,omitempty" clean:"url"`
	// Artifact is the file that the capability consists of, if there is nothing to call.
	Artifact   *Artifact `json:"artifact,omitempty"`
	Deprecated bool      `json:"deprecated,omitempty"`
	// Claimed is true if a document lists the capability, and false if a live endpoint lists
	// it.
	Claimed bool  `json:"claimed,omitempty"`
	Trust   Trust `json:"trust,omitempty"`
	// RobotsDisallowed is true if the site's robots.txt disallows crawlers there.
	RobotsDisallowed bool `json:"robotsDisallowed,omitempty"`
	// Suspicious lists the ways in which the texts address the model that reads them
	// (security/prompt: "override", "tool_steering"), in alphabetical order. It is a hint for
	// people. An empty list proves nothing, and the library does not depend on it.
	Suspicious []string `json:"suspicious,omitempty"`
	// Related are keys of capabilities that may be the same thing.
	Related []string `json:"related,omitempty"`
	// Alternatives are readings that were replaced by a source of higher rank.
	Alternatives []Capability `json:"alternatives,omitempty"`
	Sources      []Ref        `json:"sources,omitempty"`
	// Digest is the SHA-256, in hexadecimal, of the definition in the first of Sources, in
	// canonical form (RFC 8785) and before cleaning: every change of the definition changes it.
	// It is set if client.Options.Trust.Pins is set, and for the lists of live MCP servers. It
	// is empty if the document is not JSON.
	Digest string `json:"digest,omitempty"`
	// Defaulted names the fields that contain a default of the specification.
	Defaulted []string `json:"defaulted,omitempty"`
	// Extensions are members that have no field in the model.
	Extensions map[string]json.RawMessage `json:"extensions,omitempty"`
}

// HasKey reports whether key is the capability's key or one of its aliases.
func (c *Capability) HasKey(key string) bool {
	return c.Key == key || slices.Contains(c.Aliases, key)
}

// Invocation is a well-formed contract. It is enough to make the call.
type Invocation struct {
	// Protocol is the protocol of the interface: "http", "mcp", "a2a" …
	Protocol string `json:"protocol"`
	// Method is the HTTP method in upper case.
	Method string `json:"method,omitempty"`
	// URL is the address, or Template if it contains variables (RFC 6570 level 1: {name}).
	URL      string `json:"url,omitempty" clean:"url"`
	Template string `json:"template,omitempty" clean:"url"`
	// Via is the ID of the interface that is used, for protocols other than plain HTTP.
	// Operation is the tool or method there.
	Via       string `json:"via,omitempty"`
	Operation string `json:"operation,omitempty" clean:"wire"`
	// ContentType is the media type of the request body, if there is one. Params and
	// Encodings describe this type.
	ContentType string `json:"contentType,omitempty"`
	// ContentTypes are all media types that the body may have, including ContentType, in the
	// order of the document. It is nil if there is no choice.
	ContentTypes []string `json:"contentTypes,omitempty"`
	// BodyRequired is nil if the document does not say. If it is false, a call without
	// arguments for the body has no body.
	BodyRequired *bool `json:"bodyRequired,omitempty"`
	// Encodings describe how the members of a form or of a multipart body are written, if the
	// document describes it.
	Encodings []Encoding `json:"encodings,omitempty"`
	// Altered is the first field of the capability that was cleaned although a call sends it: a
	// name, or a value of an enum. Such a call would differ from the publisher's contract, so
	// Check refuses the capability.
	Altered string `json:"altered,omitempty"`
}

// Encoding is how one member of a body is written.
type Encoding struct {
	// Name is the name of the member.
	Name string `json:"name" clean:"wire"`
	// ContentType is the media type of the part. Several types are separated by commas.
	ContentType string `json:"contentType,omitempty"`
	// Style, Explode and AllowReserved apply to forms, as in Param.
	Style         string `json:"style,omitempty"`
	Explode       *bool  `json:"explode,omitempty"`
	AllowReserved bool   `json:"allowReserved,omitempty"`
	// Headers are the headers of the part, in addition to its content type.
	Headers []Param `json:"headers,omitempty"`
}

// These are the reasons of [Capability.InputMissing].
const (
	// MissingLazy means that a detail document contains the schema. Describe fetches it.
	MissingLazy = "lazy"
	// MissingNone means that no document contains a schema. The capability has no inputs, or
	// the documents do not state them.
	MissingNone = "none"
)

// InputMissing returns the reason why Input is empty: MissingLazy or MissingNone. It returns ""
// if Input is set. Describe also fetches the details of readings that were replaced by another
// reading.
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

// Param is one input of a call.
type Param struct {
	Name string `json:"name" clean:"wire"`
	// Argument is the member of the arguments that contains the value, if it differs from Name
	// because another parameter with the same name, in another place, takes other values.
	// Parameters with the same Argument get the same value.
	Argument string `json:"argument,omitempty"`
	// In is the place of the value, which depends on the Protocol of the Invocation:
	//
	//   - http: "path", a variable of the Template; "query", a field of the query string;
	//     "header"; "cookie"; "body", a member of the body, or the whole body if Whole is true.
	//     If In is empty, the document does not state the place. A name in the Template is then
	//     a variable.
	//   - mcp: empty, a member of the arguments of the tool or prompt in Operation; "path" or
	//     "query", a variable of a resource's Template.
	//   - jsonrpc: empty, a member of params, or an element in the order of Params if the
	//     extension "paramStructure" is "by-position".
	//   - a2a, and agents of other kinds: empty, a part of the message; "body", a member of it.
	//
	// There are no rules for other protocols. Names are sent as written. Names of header fields
	// are compared without regard to case.
	In string `json:"in,omitempty"`
	// Whole is true if the value is the whole body, or the whole query string. Name is then
	// not sent.
	Whole bool `json:"whole,omitempty"`
	// Style and Explode describe how arrays and objects are written (OpenAPI, Parameter
	// Object): "simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited",
	// "deepObject", "cookie", and "tabDelimited" for tsv of OpenAPI 2.0. Style is empty if the
	// value has a ContentType, or if the format has no word for the style.
	Style   string `json:"style,omitempty"`
	Explode *bool  `json:"explode,omitempty"`
	// AllowReserved is true if reserved characters (RFC 3986 §2.2) are sent unchanged.
	AllowReserved bool `json:"allowReserved,omitempty"`
	// ContentType is the media type of the value, if it is not written in a style.
	ContentType string `json:"contentType,omitempty"`
	// Type is the publisher's word for the type. Schema is the same type as a JSON Schema.
	Type        string `json:"type,omitempty"`
	Description string `json:"description,omitempty" clean:"text"`
	// Required is nil if the document does not say.
	Required *bool             `json:"required,omitempty"`
	Default  json.RawMessage   `json:"default,omitempty"`
	Example  json.RawMessage   `json:"example,omitempty"`
	Enum     []json.RawMessage `json:"enum,omitempty" clean:"wire"`
	Minimum  *float64          `json:"minimum,omitempty"`
	Maximum  *float64          `json:"maximum,omitempty"`
	// Schema is a JSON Schema.
	Schema json.RawMessage `json:"schema,omitempty" clean:"schema"`
	// Raw is the text in a compact notation from which the parameter was read. Confidence, from
	// 0 to 1, rates the reading.
	Raw        string   `json:"raw,omitempty" clean:"text"`
	Confidence *float64 `json:"confidence,omitempty"`
	// Defaulted names the fields that contain a default of the specification.
	Defaulted []string `json:"defaulted,omitempty"`
}

// Example is a sample call, as written.
type Example struct {
	Title    string          `json:"title,omitempty"`
	Text     string          `json:"text,omitempty" clean:"text"`
	Request  json.RawMessage `json:"request,omitempty"`
	Response json.RawMessage `json:"response,omitempty"`
}

// Effects describes what a call changes. A nil field means that the effect is unknown.
type Effects struct {
	ReadOnly    *bool `json:"readOnly,omitempty"`
	Destructive *bool `json:"destructive,omitempty"`
	Idempotent  *bool `json:"idempotent,omitempty"`
	// IdempotencyKey is the field that contains the key. IdempotencyWindow is the time for
	// which the service remembers a key, as written.
	IdempotencyKey    string `json:"idempotencyKey,omitempty" clean:"wire"`
	IdempotencyWindow string `json:"idempotencyWindow,omitempty"`
	Reversible        *bool  `json:"reversible,omitempty"`
	// Sensitivity is an open string: "standard", "destructive", "irreversible".
	Sensitivity string `json:"sensitivity,omitempty"`
	// NeedsConfirmation is true if a person must confirm the call. Prose never makes it false.
	NeedsConfirmation *bool  `json:"needsConfirmation,omitempty"`
	Async             *Async `json:"async,omitempty"`
	// Defaulted names the fields that follow from the HTTP method (RFC 9110 §9.2) instead of a
	// statement of the publisher.
	Defaulted []string `json:"defaulted,omitempty"`
}

// Async describes a call that ends later.
type Async struct {
	PollURL string `json:"pollUrl,omitempty" clean:"url"`
}
