package tools

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/security/schema"
)

// Vendor is the form of a definition, which is the form of an API that accepts tools. It is not
// a model: a framework that supports several models expects one form and writes the others
// itself. For such a framework use [AnthropicMessages] with [Box.Define]: a name, a description
// and plain JSON Schema as input_schema, with nothing around them.
//
// Vendors are comparable. The text of a Vendor is its name; the zero value is no vendor.
type Vendor struct{ row *vendorRow }

// The vendors.
var (
	OpenAIResponses   = vendorOf("openai")      // {type, name, description, parameters, strict}
	OpenAIChat        = vendorOf("openai-chat") // the same, as the member function
	AnthropicMessages = vendorOf("anthropic")   // {name, description, input_schema}: Claude, and most frameworks
	Gemini            = vendorOf("gemini")      // functionDeclarations, in a subset of OpenAPI's schemas
	// GeminiJSON is Gemini for models that accept parametersJsonSchema, which can express more.
	GeminiJSON = vendorOf("gemini-json")
	Bedrock    = vendorOf("bedrock") // Converse: toolSpec
	Mistral    = vendorOf("mistral") // OpenAIChat without strict
	MCP        = vendorOf("mcp")     // a tool of tools/list, with annotations
)

// Vendors returns all vendors.
func Vendors() []Vendor {
	list := make([]Vendor, len(vendors))
	for i := range vendors {
		list[i].row = &vendors[i]
	}
	return list
}

// vendorOf returns the Vendor with a name, or the zero value for an unknown name.
func vendorOf(name string) Vendor {
	v, _ := text.Word("vendor", Vendors(), name)
	return v
}

// ParseVendor returns the Vendor with a name. The error is a [VendorError]: a name is never
// guessed.
func ParseVendor(name string) (Vendor, error) {
	v := vendorOf(name)
	if v.IsZero() {
		return v, &VendorError{name}
	}
	return v, nil
}

// IsZero reports whether v is the zero value, which is no vendor.
func (v Vendor) IsZero() bool { return v.row == nil }

// String returns the name, or "" for the zero value.
func (v Vendor) String() string { return text.Row(v.row).name }

// MarshalText returns the name. The error is a [VendorError].
func (v Vendor) MarshalText() ([]byte, error) { return []byte(v.String()), v.check() }

// UnmarshalText reads a name, as [ParseVendor] does.
func (v *Vendor) UnmarshalText(name []byte) (err error) {
	*v, err = ParseVendor(string(name))
	return err
}

// check returns an error for the zero value.
func (v Vendor) check() error {
	if v.IsZero() {
		return &VendorError{}
	}
	return nil
}

// Call returns a call of a tool as a model of the vendor writes it. The arguments have the
// names that the model was shown. The error is a [VendorError].
func (v Vendor) Call(name string, arguments json.RawMessage) (json.RawMessage, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	return v.row.call(name, arguments).json(), nil
}

// own returns a definition of ours. Its schema is constant, so there can be no error.
func (v Vendor) own(name, words, input string) json.RawMessage {
	s, err := schema.Check([]byte(input), schema.Draft202012, nil)
	if err != nil {
		return nil
	}
	if v.row.text > 0 {
		words, _ = text.Shorten(words, v.row.text)
	}
	calls := name == MetaCall
	p, err := s.For(v.row.plain)
	if err != nil {
		return nil
	}
	return v.row.define(definition{name: name, text: words, input: p.JSON, hints: annotations{!calls, calls, !calls, true}}).json()
}

// wrap converts definitions into the form that the API accepts.
func (v Vendor) wrap(list []json.RawMessage) json.RawMessage {
	if v.IsZero() || v.row.envelope == "" || len(list) == 0 {
		return encode(list)
	}
	return encode([]map[string][]json.RawMessage{{v.row.envelope: list}})
}

// VendorError is the error for a name that no Vendor has. For the zero value the name is empty.
type VendorError struct {
	Name string
}

// Error returns a text with the Vendor that may be meant, and all of them.
func (e *VendorError) Error() string {
	hint := "the"
	if near := e.Nearest(); !near.IsZero() {
		hint = fmt.Sprintf("did you mean %q? The", near)
	}
	return fmt.Sprintf("tools: %+.64q is no Vendor; %s vendors are %s", e.Name, hint, strings.Join(vendorNames(), ", "))
}

func vendorNames() []string {
	names := make([]string, len(vendors))
	for i := range vendors {
		names[i] = vendors[i].name
	}
	return names
}

// Nearest returns the Vendor that may be meant, by the name of a model or of a company, or by a
// misspelling. It returns the zero value if there is none. If several names match, the longest
// one is used.
func (e *VendorError) Nearest() (near Vendor) {
	word, longest := strings.ToLower(e.Name), 0
	byWord, words := make(map[string]Vendor), []string{}
	for _, v := range Vendors() {
		for _, name := range append([]string{v.row.name}, v.row.also...) {
			if len(name) > longest && strings.Contains(word, name) {
				near, longest = v, len(name)
			}
			byWord[name], words = v, append(words, name)
		}
	}
	if near.IsZero() {
		near = byWord[text.Nearest(word, words)]
	}
	return near
}
