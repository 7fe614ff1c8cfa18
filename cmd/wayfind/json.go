package main

import (
	"bytes"
	"encoding/json"

	"github.com/wayfindhq/wayfind/internal/text"
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
	if _, err := a.out.Write(text.EscapeJSON(b.Bytes())); err != nil {
		a.fail(err)
	}
}

// oneLineJSON is a JSON value of a document on one line, safe for a terminal.
func oneLineJSON(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return text.EscapeJSON(raw)
	}
	return text.EscapeJSON(b.Bytes())
}
