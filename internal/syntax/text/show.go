package text

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// CleanJSON applies [Clean], with line breaks and without a limit, to each string and member
// name inside a JSON value. It changes nothing else. If two names become equal, both members
// are kept and the second gets "~2". A clean value is returned without a copy. The error is a
// *wayfind.Error for a value that is not strict JSON, with Op "parse", kind wayfind.ErrInvalid
// and a CodeJSON… code.
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

// RewriteJSON applies f to each string and member name inside a JSON value. It changes nothing
// else. Equal names and errors are treated as in [CleanJSON].
func RewriteJSON(raw []byte, f func(string) string) ([]byte, error) {
	return jsonscan.RewriteStrings(raw, f)
}

// plainJSON reports whether a text is printable ASCII without escapes, so that it contains no
// string to clean.
func plainJSON(raw []byte) bool {
	for _, b := range raw {
		if (b < ' ' || b >= 0x7F) && b != '\n' && b != '\r' && b != '\t' || b == '\\' {
			return false
		}
	}
	return true
}

// Printable returns s for a terminal or a log line. A character that is invisible or would move
// a cursor is escaped as in Go strings ("\n", "\x1b", "\u202e"). Line breaks are escaped too,
// and the selector of an emoji is removed. Printable text is returned unchanged. The result is
// for people and does not replace the quoting of a structured log.
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

// EscapeJSON returns a JSON text in which each character that Printable would escape is written
// as "\u" escapes. encoding/json does not escape DEL, C1, tags, variation selectors and
// bidirectional controls. The meaning of the text is the same, and a text that needs no escapes
// is returned unchanged. Bytes that are not UTF-8 become "\ufffd".
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

// maxClip is the maximum length of a part of a name or URL that an error repeats, in code
// points.
const maxClip = 120

// Clip returns the beginning of a text that was refused, in a form for wayfind.Error.URL: at
// most 120 code points, then three dots, with the escapes of [Printable].
func Clip(s string) string {
	short, more := cut(s, maxClip)
	if more > 0 {
		return Printable(short) + "..."
	}
	return Printable(short)
}
