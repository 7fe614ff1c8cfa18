package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// printJSON writes v with its failure, which may be nil. The output is indented, or on one line if
// several results may follow each other.
func (a *app) printJSON(v any, f *failure) {
	b, err := encodeJSON(schemaOf(a.schemas, v), v, f, !a.several)
	if err == nil {
		_, err = a.out.Write(b)
	}
	if err != nil {
		a.tell(err)
	}
}

// encodeJSON returns one object of the output: its schema, the failure if there is one, and
// the members of v.
func encodeJSON(schema string, v any, f *failure, indent bool) ([]byte, error) {
	head, err := encodeCompact(struct {
		Schema string   `json:"schema"`
		Error  *failure `json:"error,omitempty"`
	}{schema, f})
	if err != nil {
		return nil, err
	}
	body, err := encodeCompact(v)
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

// encodeCompact returns a value as JSON on one line, with < and > not escaped.
func encodeCompact(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// oneLineJSON returns a JSON value of a document on one line, safe for a terminal.
func oneLineJSON(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return text.EscapeJSON(raw)
	}
	return text.EscapeJSON(b.Bytes())
}
