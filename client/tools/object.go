package tools

import (
	"bytes"
	"encoding/json"
)

// object is a JSON object with its members in order. A member whose text or JSON is
// empty is left out.
type object []member

type member struct {
	name  string
	value any
}

// json writes the object.
func (o object) json() json.RawMessage {
	b := []byte{'{'}
	for _, m := range o {
		var value []byte
		switch v := m.value.(type) {
		case object:
			value = v.json()
		case json.RawMessage:
			value = v
		default:
			value = encode(v)
		}
		if len(value) == 0 || m.value == "" {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(b, encode(m.name)...), ':'), value...)
	}
	return append(b, '}')
}

// encode writes JSON as it is sent: without escapes that only HTML needs.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil // strings, booleans and checked JSON: there is no error
	}
	return bytes.TrimSpace(b.Bytes())
}
