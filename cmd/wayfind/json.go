package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// printJSON writes v as JSON: indented, or on one line for a stream.
func (a *app) printJSON(v any, indent bool) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if indent {
		enc.SetIndent("", "  ")
	}
	if err := enc.Encode(v); err != nil {
		a.fail(err)
		return
	}
	if _, err := a.out.Write(escapeJSON(b.Bytes())); err != nil {
		a.fail(err)
	}
}

// oneLineJSON is a JSON value of a document on one line, safe for a terminal.
func oneLineJSON(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return escapeJSON(raw)
	}
	return escapeJSON(b.Bytes())
}

// escapeJSON writes every character that a terminal might act on, or a reader
// might not see, as \u escapes. json.Marshal leaves DEL, C1 and bidirectional
// controls as they are.
func escapeJSON(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r < 0x7f, unicode.IsPrint(r):
			out = append(out, b[:n]...)
		case r > 0xffff:
			hi, lo := (r-0x10000)>>10+0xd800, (r-0x10000)&0x3ff+0xdc00
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		b = b[n:]
	}
	return out
}
