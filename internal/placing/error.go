package placing

import (
	"strings"
)

// Code says why there is no request. The list is closed.
type Code string

// The codes of [Decode].
const (
	CodeSyntax    Code = "arguments_syntax"    // they are not JSON
	CodeDuplicate Code = "arguments_duplicate" // a name twice in one object
	CodeTrailing  Code = "arguments_trailing"  // data after the value
	CodeDepth     Code = "arguments_depth"     // nested deeper than 64
	CodeSize      Code = "arguments_size"      // larger than 1 MiB, or more values than are read
	CodeUnicode   Code = "not_unicode"         // bytes that are not UTF-8, or half of a surrogate pair
	CodeObject    Code = "arguments_object"    // no object
	CodeMismatch  Code = "arguments_mismatch"  // the schema does not take them
	CodeCost      Code = "arguments_cost"      // they cost more to judge than they may
)

// The codes of [Place] that are about arguments.
const (
	CodeMissing     Code = "value_missing"       // a required parameter has no value
	CodePathMissing Code = "path_value_missing"  // a variable of the path has no value
	CodePathEmpty   Code = "path_value_empty"    // an empty segment means another resource
	CodeDotSegment  Code = "path_dot_segment"    // the value climbs, encoded or not
	CodeControl     Code = "control_character"   // a control character where none may be
	CodeNested      Code = "nested_value"        // the style has no form for values inside values
	CodeStyle       Code = "style_undefined"     // the style has no form for such a value
	CodeNotASCII    Code = "header_not_ascii"    // a header field with other characters
	CodeReserved    Code = "header_reserved"     // a header field that is never an argument
	CodeHeaderName  Code = "header_name"         // no name of a header field
	CodeCookieName  Code = "cookie_name"         // no name of a cookie
	CodeCookieValue Code = "cookie_value"        // a value that would end the cookie
	CodeCookieMany  Code = "cookie_explode"      // several values, which "&" cannot separate in a cookie
	CodeBase64      Code = "body_base64"         // bytes must be written in base64
	CodeBodyValue   Code = "body_value"          // no value that the media type of the body can carry
	CodeCredential  Code = "credential_argument" // a parameter of a security scheme
	CodeEscape      Code = "template_escape"     // the URL is outside of its template
)

// The codes of [Place] that are about the contract.
const (
	CodeMedia     Code = "content_type_unsupported" // the body's media type cannot be written
	CodeOperator  Code = "template_operator"        // the template has more than names in braces
	CodeTemplate  Code = "template_syntax"          // no template of an http or https URL
	CodeAuthority Code = "template_in_authority"    // a variable decides whom the request is for
	CodeAmbiguous Code = "name_ambiguous"           // two parameters have one name, and the path needs the other
)

// Error is why there is no request. All of it may be shown to a model.
type Error struct {
	Code Code
	// In is the place of the parameter ("path", "query", "header", "cookie", "body"),
	// and Name its name; empty where the error is not about one. A name that is no plain
	// identifier is "…".
	In, Name string
	// Pointer (RFC 6901) to the value in the arguments, Rule that refuses it, a keyword
	// of JSON Schema, and the expectation: for CodeMismatch.
	Pointer, Rule, Expected string
}

// Error says it in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("invalid arguments: ")
	switch {
	case e.Code == CodeMismatch && e.Pointer != "":
		b.WriteString(e.Pointer + ": ")
	case e.Name != "":
		b.WriteString(e.Name)
		if e.In != "" {
			b.WriteString(" (" + e.In + ")")
		}
		b.WriteString(": ")
	}
	if e.Code == CodeMismatch {
		b.WriteString(e.Expected + " (" + e.Rule + ")")
		return b.String()
	}
	b.WriteString(e.Code.Sentence() + " (" + string(e.Code) + ")")
	return b.String()
}

// Contract reports that no arguments would help: what the publisher wrote is no
// request that may be sent.
func (c Code) Contract() bool {
	switch c {
	case CodeMedia, CodeOperator, CodeTemplate, CodeAuthority, CodeAmbiguous:
		return true
	}
	return false
}

// Sentence says the fault, and what to write instead where that helps.
func (c Code) Sentence() string {
	switch c {
	case CodeSyntax:
		return "the arguments are not valid JSON"
	case CodeDuplicate:
		return "a name is there twice in one object"
	case CodeTrailing:
		return "there is something after the arguments"
	case CodeDepth:
		return "the arguments are nested too deep"
	case CodeSize:
		return "the arguments are too large"
	case CodeUnicode:
		return "a text is not valid Unicode"
	case CodeObject:
		return "the arguments must be a JSON object"
	case CodeMismatch:
		return "the value is not what the schema takes"
	case CodeCost:
		return "the arguments are too much work to check"
	case CodeMissing, CodePathMissing:
		return "a value is required"
	case CodePathEmpty:
		return "the value must not be empty"
	case CodeDotSegment:
		return "the value must not have a path segment of dots"
	case CodeControl:
		return "the value must not have control characters"
	case CodeNested:
		return "the value must not have arrays or objects inside it"
	case CodeCredential:
		return "the value is a credential, which is never an argument"
	}
	return c.placeSentence()
}

func (c Code) placeSentence() string {
	switch c {
	case CodeStyle:
		return "there is no way to write a value of this type here"
	case CodeNotASCII:
		return "the value must have ASCII characters only"
	case CodeCookieValue:
		return `the value must be ASCII without ";", quotation marks and backslashes`
	case CodeCookieMany:
		return "a cookie has room for one value"
	case CodeBase64:
		return "the value must be bytes in base64"
	case CodeBodyValue:
		return "the media type of the body cannot carry such a value"
	case CodeEscape:
		return "the value leads out of its place in the URL"
	case CodeReserved:
		return "the header field is never an argument"
	case CodeHeaderName:
		return "the publisher's name is none of a header field"
	case CodeCookieName:
		return "the publisher's name is none of a cookie"
	case CodeMedia:
		return "a body of the publisher's media type cannot be written"
	case CodeAuthority:
		return "the publisher's template has variables outside of path and query"
	case CodeAmbiguous:
		return "two parameters of the publisher have the same name"
	}
	return "the publisher's template cannot be used"
}

// Codes are all codes.
func Codes() []Code {
	return []Code{
		CodeSyntax, CodeDuplicate, CodeTrailing, CodeDepth, CodeSize, CodeUnicode, CodeObject, CodeMismatch, CodeCost,
		CodeMissing, CodePathMissing, CodePathEmpty, CodeDotSegment, CodeControl, CodeNested, CodeStyle, CodeNotASCII, CodeReserved,
		CodeHeaderName, CodeCookieName, CodeCookieValue, CodeCookieMany, CodeBase64, CodeBodyValue, CodeCredential, CodeEscape,
		CodeMedia, CodeOperator, CodeTemplate, CodeAuthority, CodeAmbiguous,
	}
}

// plain is a name as a message may have it.
func plain(name string) string {
	if name == "" || len(name) > 64 {
		return "…"
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c >= '0' && c <= '9', c|0x20 >= 'a' && c|0x20 <= 'z':
		case strings.IndexByte("_-.$[]", c) >= 0:
		default:
			return "…"
		}
	}
	return name
}
