package httpcall

import (
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Code is the reason why there is no request. The list is closed. The zero Code means that
// there is no error.
type Code struct{ row *codeRow }

// codeRow holds all facts about a Code.
type codeRow struct {
	name string
	// contract is true if the publisher's description does not result in a request that may be
	// sent.
	contract bool
	// filled is true if the program has the value, so that the model need not give it.
	filled bool
	// unsaid is true if no format reports the fault in the description, so that lint does.
	unsaid bool
	// sentence describes the error, and the correct value if that helps.
	sentence string
}

// The codes of [Decode].
var (
	// CodeSyntax: the arguments are not JSON.
	CodeSyntax = Code{&codeRow{name: "arguments_syntax", sentence: "the arguments are not valid JSON"}}
	// CodeDuplicate: an object has a name twice.
	CodeDuplicate = Code{&codeRow{name: "arguments_duplicate", sentence: "a name is there twice in one object"}}
	// CodeTrailing: there are data after the value.
	CodeTrailing = Code{&codeRow{name: "arguments_trailing", sentence: "there is something after the arguments"}}
	// CodeDepth: the arguments are nested more than 64 levels deep.
	CodeDepth = Code{&codeRow{name: "arguments_depth", sentence: "the arguments are nested too deep"}}
	// CodeSize: the arguments are larger than 1 MiB, or have too many values.
	CodeSize = Code{&codeRow{name: "arguments_size", sentence: "the arguments are too large"}}
	// CodeUnicode: the arguments contain bytes that are not UTF-8, or half of a surrogate
	// pair.
	CodeUnicode = Code{&codeRow{name: "not_unicode", sentence: "a text is not valid Unicode"}}
	// CodeObject: the arguments are not an object.
	CodeObject = Code{&codeRow{name: "arguments_object", sentence: "the arguments must be a JSON object"}}
	// CodeMismatch: the arguments do not match the schema.
	CodeMismatch = Code{&codeRow{name: "arguments_mismatch", sentence: "the value is not what the schema takes"}}
	// CodeCost: the validation of the arguments takes too many steps.
	CodeCost = Code{&codeRow{name: "arguments_cost", sentence: "the arguments are too much work to check"}}
)

// The codes of [Place] that are about arguments.
var (
	// CodeMissing: a required parameter has no value.
	CodeMissing = Code{&codeRow{name: "value_missing", sentence: "a value is required"}}
	// CodePathMissing: a variable of the path has no value.
	CodePathMissing = Code{&codeRow{name: "path_value_missing", sentence: "a value is required"}}
	// CodePathEmpty: a variable of the path is empty, which would name another resource.
	CodePathEmpty = Code{&codeRow{name: "path_value_empty", sentence: "the value must not be empty"}}
	// CodeDotSegment: the value would change the path with "." or "..", encoded or not.
	CodeDotSegment = Code{&codeRow{name: "path_dot_segment", sentence: "the value must not have a path segment of dots"}}
	// CodeControl: the value contains a control character that is not allowed.
	CodeControl = Code{&codeRow{name: "control_character", sentence: "the value must not have control characters"}}
	// CodeNested: the style does not define nested values, or not empty ones.
	CodeNested = Code{&codeRow{name: "nested_value", sentence: "the value has an array, an object or a null inside it that cannot be written here"}}
	// CodeStyle: the style is not defined for such a value.
	CodeStyle = Code{&codeRow{name: "style_undefined", sentence: "there is no way to write a value of this type here"}}
	// CodeNotASCII: a header field has characters other than ASCII.
	CodeNotASCII = Code{&codeRow{name: "header_not_ascii", sentence: "the value must have ASCII characters only"}}
	// CodeReserved: the header field is never an argument.
	CodeReserved = Code{&codeRow{name: "header_reserved", sentence: "the header field is never an argument"}}
	// CodeHeaderName: the name is not valid for a header field.
	CodeHeaderName = Code{&codeRow{name: "header_name", sentence: "the publisher's name is none of a header field"}}
	// CodeCookieName: the name is not valid for a cookie.
	CodeCookieName = Code{&codeRow{name: "cookie_name", sentence: "the publisher's name is none of a cookie"}}
	// CodeCookieValue: the value has a character that would end the cookie.
	CodeCookieValue = Code{&codeRow{name: "cookie_value", sentence: `the value must be ASCII without ";", quotation marks and backslashes`}}
	// CodeCookieMany: there are several values, which "&" cannot separate in a cookie.
	CodeCookieMany = Code{&codeRow{name: "cookie_explode", sentence: "a cookie has room for one value"}}
	// CodeBase64: the value is not valid base64.
	CodeBase64 = Code{&codeRow{name: "body_base64", sentence: "the value must be bytes in base64"}}
	// CodeBodyValue: the media type of the body cannot represent the value.
	CodeBodyValue = Code{&codeRow{name: "body_value", sentence: "the media type of the body cannot carry such a value"}}
	// CodeCredential: the parameter belongs to a security scheme.
	CodeCredential = Code{&codeRow{name: "credential_argument", filled: true, sentence: "the value is a credential, which is never an argument"}}
	// CodeKey: the parameter is the idempotency key, which the program sets.
	CodeKey = Code{&codeRow{name: "key_argument", filled: true, sentence: "the program fills in the key that makes a repetition harmless"}}
	// CodeEscape: the resulting URL does not match its template.
	CodeEscape = Code{&codeRow{name: "template_escape", sentence: "the value leads out of its place in the URL"}}
)

// The codes of [Place] that are about the contract.
var (
	// CodeMedia: a body of this media type cannot be written, or its schema leaves open how its values
	// are written in XML.
	CodeMedia = Code{&codeRow{name: "content_type_unsupported", contract: true, sentence: "a body of the publisher's media type and schema cannot be written"}}
	// CodeOperator: the template contains an operator or a modifier, not only names in braces.
	CodeOperator = Code{&codeRow{name: "template_operator", contract: true, unsaid: true, sentence: "braces of the publisher's path have more than the name of a variable"}}
	// CodeTemplate: the template is not a template of an http or https URL.
	CodeTemplate = Code{&codeRow{name: "template_syntax", contract: true, sentence: "the publisher's template cannot be used"}}
	// CodeFragment: the template has a variable in the fragment, which is never sent.
	CodeFragment = Code{&codeRow{name: "template_in_fragment", contract: true, sentence: "the publisher's template has variables in the fragment, which is never sent"}}
	// CodeAuthority: the template has a variable in the scheme or the authority.
	CodeAuthority = Code{&codeRow{name: "template_in_authority", contract: true, sentence: "the publisher's template has variables outside of path and query"}}
	// CodeNoPlace: the template has no variable for a parameter of the path, so the request would go
	// to another address.
	CodeNoPlace = Code{&codeRow{name: "path_parameter", contract: true, sentence: "the publisher's path has no place for the parameter"}}
	// CodeKeyPlace: each alternative of the authentication has a key, and the document puts it where no
	// request can have one.
	CodeKeyPlace = Code{&codeRow{name: "key_place", contract: true, unsaid: true, sentence: "the publisher puts the key where no request can have one"}}
	// CodeScheme: each alternative of the authentication has a scheme that no grant fits, such as HTTP
	// Digest.
	CodeScheme = Code{&codeRow{name: "scheme_unsupported", contract: true, unsaid: true, sentence: "the publisher takes only credentials of a kind that cannot be sent"}}
	// CodeAmbiguous: two parameters have the same name, and the argument was validated for the
	// wrong one.
	CodeAmbiguous = Code{&codeRow{name: "name_ambiguous", contract: true, sentence: "two parameters of the publisher have the same name"}}
)

// Codes returns all codes.
func Codes() []Code {
	return []Code{
		CodeSyntax, CodeDuplicate, CodeTrailing, CodeDepth, CodeSize, CodeUnicode, CodeObject, CodeMismatch, CodeCost,
		CodeMissing, CodePathMissing, CodePathEmpty, CodeDotSegment, CodeControl, CodeNested, CodeStyle, CodeNotASCII, CodeReserved,
		CodeHeaderName, CodeCookieName, CodeCookieValue, CodeCookieMany, CodeBase64, CodeBodyValue, CodeCredential, CodeKey, CodeEscape,
		CodeMedia, CodeOperator, CodeTemplate, CodeFragment, CodeAuthority, CodeNoPlace, CodeKeyPlace, CodeScheme, CodeAmbiguous,
	}
}

// String returns the name of the code; "" for the zero Code.
func (c Code) String() string { return text.Row(c.row).name }

// IsZero reports whether there is no code.
func (c Code) IsZero() bool { return c.row == nil }

// MarshalText returns the name of the code.
func (c Code) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads the name of a code. An empty name is the zero Code.
func (c *Code) UnmarshalText(name []byte) (err error) {
	*c, err = text.OptionalWord("code of arguments", Codes(), name)
	return err
}

// Contract reports whether no arguments would help, because the publisher's description does
// not result in a request that may be sent.
func (c Code) Contract() bool { return text.Row(c.row).contract }

// Unsaid reports whether no format reports the fault in the description.
func (c Code) Unsaid() bool { return text.Row(c.row).unsaid }

// Sentence returns a description of the error, and of the correct value if that helps.
func (c Code) Sentence() string { return text.Row(c.row).sentence }
