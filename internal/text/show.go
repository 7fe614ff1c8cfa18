package text

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/internal/jsonscan"
)

// CleanJSON applies [Clean], with line breaks allowed and no limit, to
// every string and member name inside a JSON value; nothing else changes. Two
// names that become equal stay two members: the second gets "~2". Values that
// are clean are returned as they are, not copied. The error is that of a value
// that is not strict JSON: a *wayfind.Error with Op "parse", kind
// wayfind.ErrInvalid and a CodeJSON… code.
func CleanJSON(raw []byte) ([]byte, Removed, error) {
	if plainJSON(raw) {
		return raw, Removed{}, nil
	}
	return rewriteJSON(raw)
}

func rewriteJSON(raw []byte) ([]byte, Removed, error) {
	var removed Removed
	clean, err := jsonscan.RewriteStrings(raw, func(s string) string {
		s, r := Clean(s, true, 0)
		removed.Add(r)
		return s
	})
	if err != nil {
		return nil, Removed{}, err
	}
	return clean, removed, nil
}

// RewriteJSON passes every string and member name inside a JSON value through a
// function; nothing else changes. Names that become equal and errors are as
// with [CleanJSON].
func RewriteJSON(raw []byte, f func(string) string) ([]byte, error) {
	return jsonscan.RewriteStrings(raw, f)
}

// plainJSON reports whether a text cannot hold a string to clean: printable
// ASCII without escapes.
func plainJSON(raw []byte) bool {
	for _, b := range raw {
		if (b < ' ' || b >= 0x7F) && b != '\n' && b != '\r' && b != '\t' || b == '\\' {
			return false
		}
	}
	return true
}

// Printable returns s for a terminal or a log line: a character that does not
// show, or would move a cursor, is escaped as in Go strings ("\n", "\x1b",
// "\u202e"). Line breaks are escaped too. Text that is printable is returned as
// is. It is for people; it does not replace the quoting of a structured log.
// The selector of an emoji is left out.
func Printable(s string) string {
	if cleanASCII(s, false) {
		return s
	}
	var b strings.Builder
	var last rune
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == selector && presented(last, s[i:]):
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case classOf(r) == keep && strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		last = r
		i += size
	}
	return b.String()
}

// EscapeJSON returns a JSON text in which every character that Printable would
// escape is written as "\u" escapes: encoding/json leaves DEL, C1, tags,
// variation selectors and bidirectional controls as they are. The meaning of
// the text is the same; a text that needs no escapes is returned as is. Bytes
// that are not UTF-8 become "\ufffd".
func EscapeJSON(text []byte) []byte {
	ok := func(r rune) bool { return r < 0x7F || classOf(r) == keep && strconv.IsPrint(r) }
	foreign := func(r rune) bool { return r == utf8.RuneError || !ok(r) }
	i := bytes.IndexFunc(text, foreign)
	if i < 0 {
		return text
	}
	out := append(make([]byte, 0, len(text)+64), text[:i]...)
	for i < len(text) {
		r, size := utf8.DecodeRune(text[i:])
		switch invalid := r == utf8.RuneError && size == 1; {
		case ok(r) && !invalid:
			out = append(out, text[i:i+size]...)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += size
	}
	return out
}

// maxClip bounds the part of a name or URL that an error repeats, in code
// points.
const maxClip = 120

// Clip returns the beginning of a text that was refused as it may stand in
// wayfind.Error.URL: at most 120 code points, and then three dots, with the
// escapes of [Printable].
func Clip(s string) string {
	short, more := cut(s, maxClip)
	if more > 0 {
		return Printable(short) + "..."
	}
	return Printable(short)
}
