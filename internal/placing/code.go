package placing

import (
	"slices"

	"github.com/wayfindhq/wayfind/internal/text"
)

// Code says why there is no request. The list is closed. The zero Code is none.
type Code struct{ row *codeRow }

// codeRow holds all facts about a Code.
type codeRow struct {
	name string
	// contract: what the publisher wrote is no request that may be sent.
	contract bool
	// sentence says the fault, and what to write instead if that helps.
	sentence string
}

// codes are all codes.
var codes = [...]codeRow{
	{name: "arguments_syntax", sentence: "the arguments are not valid JSON"},
	{name: "arguments_duplicate", sentence: "a name is there twice in one object"},
	{name: "arguments_trailing", sentence: "there is something after the arguments"},
	{name: "arguments_depth", sentence: "the arguments are nested too deep"},
	{name: "arguments_size", sentence: "the arguments are too large"},
	{name: "not_unicode", sentence: "a text is not valid Unicode"},
	{name: "arguments_object", sentence: "the arguments must be a JSON object"},
	{name: "arguments_mismatch", sentence: "the value is not what the schema takes"},
	{name: "arguments_cost", sentence: "the arguments are too much work to check"},
	{name: "value_missing", sentence: "a value is required"},
	{name: "path_value_missing", sentence: "a value is required"},
	{name: "path_value_empty", sentence: "the value must not be empty"},
	{name: "path_dot_segment", sentence: "the value must not have a path segment of dots"},
	{name: "control_character", sentence: "the value must not have control characters"},
	{name: "nested_value", sentence: "the value must not have arrays or objects inside it"},
	{name: "style_undefined", sentence: "there is no way to write a value of this type here"},
	{name: "header_not_ascii", sentence: "the value must have ASCII characters only"},
	{name: "header_reserved", sentence: "the header field is never an argument"},
	{name: "header_name", sentence: "the publisher's name is none of a header field"},
	{name: "cookie_name", sentence: "the publisher's name is none of a cookie"},
	{name: "cookie_value", sentence: `the value must be ASCII without ";", quotation marks and backslashes`},
	{name: "cookie_explode", sentence: "a cookie has room for one value"},
	{name: "body_base64", sentence: "the value must be bytes in base64"},
	{name: "body_value", sentence: "the media type of the body cannot carry such a value"},
	{name: "credential_argument", sentence: "the value is a credential, which is never an argument"},
	{name: "template_escape", sentence: "the value leads out of its place in the URL"},
	{name: "content_type_unsupported", contract: true, sentence: "a body of the publisher's media type cannot be written"},
	{name: "template_operator", contract: true, sentence: "the publisher's template cannot be used"},
	{name: "template_syntax", contract: true, sentence: "the publisher's template cannot be used"},
	{name: "template_in_authority", contract: true, sentence: "the publisher's template has variables outside of path and query"},
	{name: "name_ambiguous", contract: true, sentence: "two parameters of the publisher have the same name"},
}

// The codes of [Decode].
var (
	CodeSyntax    = codeOf("arguments_syntax")    // they are not JSON
	CodeDuplicate = codeOf("arguments_duplicate") // a name twice in one object
	CodeTrailing  = codeOf("arguments_trailing")  // data after the value
	CodeDepth     = codeOf("arguments_depth")     // nested deeper than 64
	CodeSize      = codeOf("arguments_size")      // larger than 1 MiB, or more values than are read
	CodeUnicode   = codeOf("not_unicode")         // bytes that are not UTF-8, or half of a surrogate pair
	CodeObject    = codeOf("arguments_object")    // no object
	CodeMismatch  = codeOf("arguments_mismatch")  // the schema does not take them
	CodeCost      = codeOf("arguments_cost")      // they cost more to judge than they may
)

// The codes of [Place] that are about arguments.
var (
	CodeMissing     = codeOf("value_missing")       // a required parameter has no value
	CodePathMissing = codeOf("path_value_missing")  // a variable of the path has no value
	CodePathEmpty   = codeOf("path_value_empty")    // an empty segment means another resource
	CodeDotSegment  = codeOf("path_dot_segment")    // the value climbs, encoded or not
	CodeControl     = codeOf("control_character")   // a control character where none may be
	CodeNested      = codeOf("nested_value")        // the style has no form for values inside values
	CodeStyle       = codeOf("style_undefined")     // the style has no form for such a value
	CodeNotASCII    = codeOf("header_not_ascii")    // a header field with other characters
	CodeReserved    = codeOf("header_reserved")     // a header field that is never an argument
	CodeHeaderName  = codeOf("header_name")         // no name of a header field
	CodeCookieName  = codeOf("cookie_name")         // no name of a cookie
	CodeCookieValue = codeOf("cookie_value")        // a value that would end the cookie
	CodeCookieMany  = codeOf("cookie_explode")      // several values, which "&" cannot separate in a cookie
	CodeBase64      = codeOf("body_base64")         // bytes must be written in base64
	CodeBodyValue   = codeOf("body_value")          // no value that the media type of the body can carry
	CodeCredential  = codeOf("credential_argument") // a parameter of a security scheme
	CodeEscape      = codeOf("template_escape")     // the URL is outside of its template
)

// The codes of [Place] that are about the contract.
var (
	CodeMedia     = codeOf("content_type_unsupported") // the body's media type cannot be written
	CodeOperator  = codeOf("template_operator")        // the template has more than names in braces
	CodeTemplate  = codeOf("template_syntax")          // no template of an http or https URL
	CodeAuthority = codeOf("template_in_authority")    // a variable decides whom the request is for
	CodeAmbiguous = codeOf("name_ambiguous")           // two parameters have one name, and the path needs the other
)

// codeOf is the code of a name in the table. It panics if there is none.
func codeOf(name string) Code {
	return Code{&codes[slices.IndexFunc(codes[:], func(r codeRow) bool { return r.name == name })]}
}

// Codes returns all codes.
func Codes() []Code {
	list := make([]Code, len(codes))
	for i := range codes {
		list[i].row = &codes[i]
	}
	return list
}

func (c Code) is() *codeRow {
	if c.row == nil {
		return &codeRow{}
	}
	return c.row
}

// String returns the name of the code; "" for the zero Code.
func (c Code) String() string { return c.is().name }

// IsZero reports whether there is no code.
func (c Code) IsZero() bool { return c.row == nil }

// MarshalText returns the name of the code.
func (c Code) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads the name of a code. An empty name is the zero Code.
func (c *Code) UnmarshalText(name []byte) (err error) {
	*c = Code{}
	if len(name) > 0 {
		*c, err = text.Word("code of arguments", Codes(), string(name))
	}
	return err
}

// Contract reports that no arguments would help: what the publisher wrote is no
// request that may be sent.
func (c Code) Contract() bool { return c.is().contract }

// Sentence says the fault, and what to write instead where that helps.
func (c Code) Sentence() string { return c.is().sentence }
