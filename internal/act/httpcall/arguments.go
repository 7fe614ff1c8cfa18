package httpcall

import (
	"bytes"
	"errors"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"github.com/wayfindhq/wayfind/internal/syntax/reftoken"
	"github.com/wayfindhq/wayfind/security/schema"
)

// Decoded are the arguments that a model gave for a tool.
type Decoded struct {
	// Args have the order and the texts that the model wrote, and the digits of its numbers.
	Args []byte
	// Overlaps are the values that match several alternatives of a oneOf: see [schema.Schema.Admit].
	Overlaps []string
	// Retyped are the arguments of which a value was taken in the type of the schema, and Nulls the
	// properties whose null was left out: see [schema.Schema.Take].
	Retyped, Nulls []string
}

// Decode reads the arguments that a model gave for a tool, strictly. It restores the names of
// renamed properties and validates the arguments against the publisher's schema. fuel is the
// maximum number of steps of the validation, as for [schema.Schema.Validate].
//
// Values that have one meaning are taken in the type of the schema: see [schema.Schema.Take]. An
// integer that may have lost digits, such as 9007199254740993.0, is refused.
//
// p is the projection that the model was shown, nil if it was shown the schema itself. A nil
// schema accepts any object. An empty text means no arguments. The error is an *Error.
func Decode(text []byte, s *schema.Schema, p *schema.Projection, fuel int64) (d Decoded, err error) {
	defer func() {
		if e := recover(); e != nil {
			stopped, ok := e.(refusal)
			if !ok {
				panic(e)
			}
			d, err = Decoded{}, stopped.err
		}
	}()
	args := Object(text)
	if len(args) == 0 {
		args = []byte("{}")
	}
	if args[0] != '{' || len(args) > jsonschema.MaxValue || p == nil && s == nil {
		args = scan(args).Raw()
	}
	whole := args
	if p != nil {
		if args, err = p.Decode(args); err != nil {
			return d, unread(whole, err)
		}
	}
	if s == nil {
		return Decoded{Args: args}, nil
	}
	overlaps, err := s.Admit(args, fuel)
	if err == nil && !hasFraction(args) {
		return Decoded{Args: args, Overlaps: overlaps}, nil
	}
	taken := s.Take(args, p)
	if !bytes.Equal(taken.Args, args) {
		overlaps, err = s.Admit(taken.Args, fuel)
	}
	switch e, ok := errors.AsType[*schema.ValueError](err); {
	case ok:
		return d, mismatch(e, p)
	case err != nil:
		return d, unread(whole, err)
	case taken.Inexact != "":
		return d, mismatch(&schema.ValueError{Rule: "type", Expected: "want an integer beyond 2^53 with all its digits", Pointer: taken.Inexact}, p)
	}
	return Decoded{taken.Args, overlaps, taken.Retyped, taken.Nulls}, nil
}

// hasFraction reports whether JSON has a number with a fraction or an exponent. Without one, nothing
// of valid arguments is taken in another form.
func hasFraction(args []byte) bool {
	text := false
	for i := 0; i < len(args); i++ {
		switch c := args[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '.', c|0x20 == 'e' && args[i-1] >= '0' && args[i-1] <= '9':
			return true
		}
	}
	return false
}

// Object returns arguments without blanks around them. If a model wrote its object as a text, it is
// the object: some APIs have arguments as a text, and for Gemini those of wayfind_call are one.
func Object(args []byte) []byte {
	args = bytes.TrimSpace(args)
	if len(args) == 0 || args[0] != '"' || len(args) > jsonschema.MaxValue {
		return args
	}
	if doc, err := jsonscan.Scan(args); err == nil {
		if text, ok := doc.Root().Str(); ok {
			return bytes.TrimSpace([]byte(text))
		}
	}
	return args
}

// unread returns the error for arguments that the schema package could not read. That package
// reads them as strictly as this one, so valid arguments are read once. The exact fault of
// other arguments is determined here.
func unread(args []byte, err error) *Error {
	scan(args)
	return unjudged(err)
}

// scan reads an object.
func scan(text []byte) jsonscan.Node {
	if len(text) > jsonschema.MaxValue {
		refuse(CodeSize, "", "")
	}
	doc, err := jsonscan.Scan(text)
	switch {
	case err != nil:
		refuse(scanCode(err), "", "")
	case doc.BOM():
		refuse(CodeSyntax, "", "")
	case doc.Root().Kind() != jsonscan.Object:
		refuse(CodeObject, "", "")
	}
	return doc.Root()
}

// scanCode returns the code for an error of the scanner.
func scanCode(err error) Code {
	e, _ := errors.AsType[*wayfind.Error](err)
	if e == nil {
		return CodeSyntax
	}
	switch e.Code {
	case wayfind.CodeJSONDuplicate:
		return CodeDuplicate
	case wayfind.CodeJSONTrailing:
		return CodeTrailing
	case wayfind.CodeJSONDepth:
		return CodeDepth
	case wayfind.CodeInvalidUTF8:
		return CodeUnicode
	case wayfind.CodeLimit:
		return CodeSize
	}
	return CodeSyntax
}

// unjudged returns the error for arguments that could not be validated.
func unjudged(err error) *Error {
	e, _ := errors.AsType[*schema.Error](err)
	if e == nil {
		return &Error{Code: CodeCost}
	}
	switch e.Code {
	case schema.CodeDepth:
		return &Error{Code: CodeDepth}
	case schema.CodeSize:
		return &Error{Code: CodeSize}
	case schema.CodeSyntax: // they were JSON: a restored name is a duplicate
		return &Error{Code: CodeDuplicate}
	}
	return &Error{Code: CodeCost}
}

// mismatch returns the error for arguments that the schema refuses, with the names that the
// model knows.
func mismatch(e *schema.ValueError, p *schema.Projection) *Error {
	n := naming{p}
	out := &Error{Code: CodeMismatch, Rule: e.Rule, Expected: n.expected(e), Pointer: n.pointer(e.Pointer)}
	for near := e.Nearest; near != nil; e, near = near, near.Nearest {
		out.Expected += "; the nearest"
		if e.By != "" {
			out.Expected += ", by its " + n.known(e.By) + ","
		}
		out.Expected += " says"
		if at := n.pointer(near.Pointer); at != out.Pointer {
			out.Expected += " at " + at
		}
		out.Expected += ": " + n.expected(near)
	}
	return out
}

// naming maps names to the names that a model knows.
type naming struct{ projection *schema.Projection }

func (n naming) known(name string) string { return plain(n.projection.Shown(name)) }

func (n naming) pointer(pointer string) string {
	if pointer == "" {
		return ""
	}
	var b strings.Builder
	for token := range strings.SplitSeq(pointer[1:], "/") {
		b.WriteString("/" + n.known(reftoken.Unescape(token)))
	}
	return b.String()
}

func (n naming) expected(e *schema.ValueError) string {
	if e.Name == "" {
		return e.Expected
	}
	switch name := n.known(e.Name); e.Rule {
	case "required", "dependentRequired":
		return "want the property " + name
	case "propertyNames":
		return "no property may have the name " + name
	default:
		return "there is no property " + name
	}
}
