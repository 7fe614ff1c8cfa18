package ui

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// PrintJSON writes v with its failure, which may be nil. The output is indented, or on one line if
// several results may follow each other.
func (a *App) PrintJSON(v any, f *Failure) {
	b, err := EncodeJSON(SchemaOf(a.Schemas, v), v, f, !a.Several)
	if err == nil {
		_, err = a.Out.Write(b)
	}
	if err != nil {
		a.Tell(err)
	}
}

// EncodeJSON returns one object of the output: its schema, the failure if there is one, and
// the members of v.
func EncodeJSON(schema string, v any, f *Failure, indent bool) ([]byte, error) {
	head, err := EncodeCompact(struct {
		Schema string   `json:"schema"`
		Error  *Failure `json:"error,omitempty"`
	}{schema, f})
	if err != nil {
		return nil, err
	}
	body, err := EncodeCompact(v)
	if err != nil {
		return nil, err
	}
	if len(body) < 2 || body[0] != '{' {
		return nil, fmt.Errorf("%T is no JSON object", v)
	}
	if len(body) > 2 {
		head = append(head[:len(head)-1], ',')
		head = append(head, body[1:]...)
	}
	if indent {
		var b bytes.Buffer
		if err := json.Indent(&b, head, "", "  "); err != nil {
			return nil, err
		}
		head = b.Bytes()
	}
	return text.EscapeJSON(append(head, '\n')), nil
}

// EncodeCompact returns a value as JSON on one line, with < and > not escaped.
func EncodeCompact(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// OneLineJSON returns a JSON value of a document on one line, safe for a terminal.
func OneLineJSON(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return text.EscapeJSON(raw)
	}
	return text.EscapeJSON(b.Bytes())
}

// AlwaysJSON marks a command whose results and errors are JSON without a flag. ResultJSON marks a
// command whose result is JSON, and whose errors go to standard error alone.
const (
	AlwaysJSON = "json"
	ResultJSON = "result"
)
