package jsonscan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/wayfindhq/wayfind"
)

// maxText is the maximum length of a quotation of a document in an error.
const maxText = 128

// SyntaxError is the place and the reason for which [Scan] refuses a body.
type SyntaxError struct {
	// Offset is in bytes from the start of the body, including a byte order mark.
	Offset int
	// Line is the number of the line, from 1. Lines end with LF.
	Line int
	// Pointer is the RFC 6901 pointer of the value that was read, or "" for the document
	// itself. It is cut to 128 bytes.
	Pointer string
	// Reason is the reason in a few words.
	Reason string
	// Beyond is the limit that the body exceeds, or nil for another reason.
	Beyond *wayfind.TooLarge
}

// Unwrap returns the limit for errors.As.
func (e *SyntaxError) Unwrap() error {
	if e.Beyond == nil {
		return nil
	}
	return e.Beyond
}

// Error returns reason and place. Foreign text in it is quoted.
func (e *SyntaxError) Error() string {
	at := ""
	if e.Pointer != "" {
		at = fmt.Sprintf(" at %+q", e.Pointer)
	}
	return fmt.Sprintf("%s%s (byte %d, line %d)", e.Reason, at, e.Offset, e.Line)
}

// fail returns the error for a body that is refused at an offset.
func fail(code wayfind.Code, body []byte, offset int, pointer, reason string) error {
	return wayfind.NewError("parse", "", code, syntaxError(body, offset, pointer, reason))
}

func syntaxError(body []byte, offset int, pointer, reason string) *SyntaxError {
	offset = min(max(offset, 0), len(body))
	return &SyntaxError{
		Offset:  offset,
		Line:    1 + bytes.Count(body[:offset], []byte("\n")),
		Pointer: cut(pointer),
		Reason:  cut(reason),
	}
}

// refuse returns the error for a limit that the last token exceeds.
func (s *scanner) refuse(code wayfind.Code, offset int, limit wayfind.TooLarge) error {
	e := syntaxError(s.body, offset, string(s.dec.StackPointer()), limit.Error())
	e.Beyond = &limit
	return wayfind.NewError("parse", "", code, e)
}

// syntax converts an error of the decoder.
func (s *scanner) syntax(err error) error {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		// io.EOF means that there is no value.
		return fail(wayfind.CodeJSONSyntax, s.body, len(s.body), "", "no JSON value")
	}
	offset := s.base + int(syntactic.ByteOffset)
	return fail(s.code(syntactic, offset), s.body, offset, string(syntactic.JSONPointer), reason(syntactic))
}

// code returns the code of an error. Some causes have their own codes.
func (s *scanner) code(err *jsontext.SyntacticError, offset int) wayfind.Code {
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return wayfind.CodeJSONDuplicate
	case errors.Is(err, io.ErrUnexpectedEOF):
		return wayfind.CodeJSONSyntax
	case offset < len(s.body) && notUnicode(s.body[offset:]):
		return wayfind.CodeInvalidUTF8
	}
	return wayfind.CodeJSONSyntax
}

// notUnicode reports whether text begins with a byte that is not UTF-8 or with the escape of a
// surrogate. At the place of an error such a surrogate is a lone one.
func notUnicode(text []byte) bool {
	if r, size := utf8.DecodeRune(text); r == utf8.RuneError && size <= 1 {
		return true
	}
	return len(text) >= 4 && text[0] == '\\' && text[1] == 'u' &&
		text[2]|0x20 == 'd' && bytes.IndexByte([]byte("89abcdefABCDEF"), text[3]) >= 0
}

func reason(err *jsontext.SyntacticError) string {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return "member name comes twice in one object"
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "it ends before its value is complete"
	}
	return err.Err.Error()
}

// cut shortens foreign text between characters.
func cut(s string) string {
	if len(s) <= maxText {
		return s
	}
	n := maxText - len("...")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}
