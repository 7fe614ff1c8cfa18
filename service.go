package wayfind

import (
	"encoding/json"
	"math"
	"time"
)

// Service is one thing with an identity that a site offers.
type Service struct {
	// ID is the prefix of the capabilities' keys: "adp", or "msagents:agents-v1/writer" if one
	// document lists several services. Capabilities that a live endpoint lists have one of
	// Aliases as their prefix.
	ID string `json:"id"`
	// Aliases are the IDs of readings that were merged into this one.
	Aliases     []string `json:"aliases,omitempty"`
	Name        string   `json:"name,omitempty"`
	Description string   `json:"description,omitempty" clean:"text"`
	// Version is the version of the service, not of the format.
	Version  string    `json:"version,omitempty"`
	Provider *Provider `json:"provider,omitempty"`
	// Categories and Tags are the publisher's words.
	Categories []string `json:"categories,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	// Languages are BCP 47 tags.
	Languages []string `json:"languages,omitempty"`
	DocsURL   string   `json:"docsUrl,omitempty" clean:"url"`
	StatusURL string   `json:"statusUrl,omitempty" clean:"url"`
	IconURL   string   `json:"iconUrl,omitempty" clean:"url"`
	Contact   *Contact `json:"contact,omitempty"`
	Pricing   *Pricing `json:"pricing,omitempty"`
	Status    *Status  `json:"status,omitempty"`
	// Updated is the publisher's date of the document, as written.
	Updated  string    `json:"updated,omitempty"`
	Features *Features `json:"features,omitempty"`
	// Unlinked is true if the description of the service lies at a place of convention, such as
	// /openapi.json, and no document of the site links to it: see [AuthorityConventional]. Its owner
	// has not offered the service to agents.
	Unlinked bool `json:"unlinked,omitempty"`
	// Lazy is true if Describe fetches more from DetailURLs for callers that
	// authenticate.
	Lazy       bool     `json:"lazy,omitempty"`
	DetailURLs []string `json:"detailUrls,omitempty" clean:"url"`
	// Interfaces are the ways to talk to the service.
	Interfaces   []Interface  `json:"interfaces,omitempty"`
	Capabilities []Capability `json:"capabilities,omitempty"`
	// Auth applies to each part of the service without an Auth of its own. It is nil if the
	// format has no place for it.
	Auth       *Auth       `json:"auth,omitempty"`
	Limits     []Limit     `json:"limits,omitempty"`
	TokenHints *TokenHints `json:"tokenHints,omitempty"`
	// Hints is advice for agents, as data. It is never a hard rule.
	Hints json.RawMessage `json:"hints,omitempty"`
	// Recovery maps an error code to the publisher's suggestion, as data.
	Recovery map[string]string `json:"recovery,omitempty" clean:"text"`
	// LocalInstall is software that the publisher asks users to install. It is reported
	// and never run.
	LocalInstall []LocalInstall `json:"localInstall,omitempty"`
	// Restrictions are the limits that the publisher states for agents.
	Restrictions []string `json:"restrictions,omitempty" clean:"text"`
	// Suspicious is as in Capability, for the texts of the service itself.
	Suspicious []string `json:"suspicious,omitempty"`
	// Extensions are members that have no field in the model.
	Extensions map[string]json.RawMessage `json:"extensions,omitempty"`
	Sources    []Ref                      `json:"sources,omitempty"`
	// Digest is as in Capability, for the part of the first of Sources that describes the
	// service itself, without the definitions of capabilities and of other services.
	Digest string `json:"digest,omitempty"`
	// Defaulted names the fields that contain a default of the specification.
	Defaulted []string `json:"defaulted,omitempty"`
}

// Provider is the organisation that runs a service.
type Provider struct {
	Name string `json:"name,omitempty"`
	URL  string `json:"url,omitempty" clean:"url"`
	// Identifier is its name for programs, as written: a domain, a DID or a URN.
	Identifier string `json:"identifier,omitempty"`
}

// Contact is a way for people to ask questions.
type Contact struct {
	Name  string `json:"name,omitempty"`
	Email string `json:"email,omitempty"`
	URL   string `json:"url,omitempty" clean:"url"`
	// Text is the publisher's text, if it is not a single address.
	Text string `json:"text,omitempty" clean:"text"`
}

// Pricing is the price of a service, in the publisher's words.
type Pricing struct {
	// Model is an open string: "free", "freemium", "paid".
	Model string `json:"model,omitempty"`
	Plans []Plan `json:"plans,omitempty"`
	URL   string `json:"url,omitempty" clean:"url"`
}

// Plan is one offer of a Pricing.
type Plan struct {
	Name   string `json:"name,omitempty"`
	Price  string `json:"price,omitempty"`
	Limits string `json:"limits,omitempty"`
}

// Status is the service's own statement whether it works.
type Status struct {
	// Operational is nil if the service does not state it.
	Operational *bool `json:"operational,omitempty"`
	// Degraded are the keys of capabilities that do not fully work.
	Degraded []string `json:"degraded,omitempty"`
	URL      string   `json:"url,omitempty" clean:"url"`
}

// Features are the abilities that a service states. A nil field is unknown.
type Features struct {
	Streaming *bool `json:"streaming,omitempty"`
	Batch     *bool `json:"batch,omitempty"`
	Webhooks  *bool `json:"webhooks,omitempty"`
	// Pagination is an open string: "cursor", "offset", "page", "none".
	Pagination  string `json:"pagination,omitempty"`
	Idempotency *bool  `json:"idempotency,omitempty"`
}

// TokenHints are ways to get shorter answers (AI Discovery Endpoint §3.5).
type TokenHints struct {
	CompactMode    *bool `json:"compactMode,omitempty"`
	FieldFiltering *bool `json:"fieldFiltering,omitempty"`
	DeltaSupport   *bool `json:"deltaSupport,omitempty"`
}

// Interface is one way to talk to a service.
type Interface struct {
	// Protocol is an open string: "http", "mcp", "a2a", "graphql" …
	Protocol string `json:"protocol"`
	// Transport is an open string: "streamable-http", "sse", "jsonrpc" …
	Transport string `json:"transport,omitempty"`
	// URL is the address, or Template if it contains variables (RFC 6570 level 1: {name}).
	URL       string     `json:"url,omitempty" clean:"url"`
	Template  string     `json:"template,omitempty" clean:"url"`
	Variables []Variable `json:"variables,omitempty"`
	// Tenant must be sent unchanged in each request (A2A 1.0 §8.3.2).
	Tenant string `json:"tenant,omitempty"`
	// RequiredHeaders are the names of header fields that a request must have.
	RequiredHeaders []string `json:"requiredHeaders,omitempty"`
	// Versions are the versions of the protocol.
	Versions []string `json:"versions,omitempty"`
	SpecURL  string   `json:"specUrl,omitempty" clean:"url"`
	Auth     *Auth    `json:"auth,omitempty"`
	Trust    Trust    `json:"trust,omitempty"`
	Sources  []Ref    `json:"sources,omitempty"`
	// Defaulted names the fields that contain a default of the specification.
	Defaulted []string `json:"defaulted,omitempty"`
	// Extensions are members that have no field in the model.
	Extensions map[string]json.RawMessage `json:"extensions,omitempty"`
}

// Variable is a value that the caller supplies: a part of a template, or an environment
// variable or argument of software.
type Variable struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty" clean:"text"`
	// Default is always empty for a secret.
	Default string   `json:"default,omitempty"`
	Enum    []string `json:"enum,omitempty"`
	// Required and Secret are nil if the document does not state them.
	Required *bool `json:"required,omitempty"`
	Secret   *bool `json:"secret,omitempty"`
	// Extensions are members that have no field in the model.
	Extensions map[string]json.RawMessage `json:"extensions,omitempty"`
}

// Limit is a rate: N requests in each Per.
type Limit struct {
	N   int64         `json:"n"`
	Per time.Duration `json:"-"`
	// Text is the limit as written, if it is not a rate.
	Text string `json:"text,omitempty"`
}

// limitJSON is the JSON form. The names contain the unit.
type limitJSON struct {
	N          int64   `json:"n"`
	PerSeconds float64 `json:"perSeconds,omitempty"`
	Text       string  `json:"text,omitempty"`
}

// MarshalJSON returns {"n": 60, "perSeconds": 60}.
func (l Limit) MarshalJSON() ([]byte, error) {
	return json.Marshal(limitJSON{l.N, l.Per.Seconds(), l.Text})
}

// UnmarshalJSON reads the result of MarshalJSON.
func (l *Limit) UnmarshalJSON(b []byte) error {
	var w limitJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*l = Limit{N: w.N, Per: time.Duration(math.Round(w.PerSeconds * float64(time.Second))), Text: w.Text}
	return nil
}

// LocalInstall is one way to run a service on the caller's machine, as a document
// describes it. This library never runs it, and a caller should read it before running
// it.
type LocalInstall struct {
	// Kind is an open string: "npm", "pypi", "oci", "command" …
	Kind string `json:"kind"`
	// Name and Version are the name and version of the package.
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	// Command and Args are as written.
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	// Env are the names of environment variables, without their values.
	Env []string `json:"env,omitempty"`
	// Inputs describe environment variables and arguments that the caller supplies.
	Inputs []Variable `json:"inputs,omitempty"`
	// Extensions are members that have no field in the model.
	Extensions map[string]json.RawMessage `json:"extensions,omitempty"`
	Sources    []Ref                      `json:"sources,omitempty"`
}
