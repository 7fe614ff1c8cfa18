package tools

import (
	"bytes"
	"encoding/json"
)

// object is a JSON object with its members in order. A member without a value, or with empty
// JSON, is omitted.
type object []member

type member struct {
	name  string
	value any
}

// given returns a value, or nil for the zero value.
func given[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// json encodes the object. Its values are texts, numbers and checked JSON, so there can be no
// error.
func (o object) json() json.RawMessage {
	b := bytes.NewBufferString("{")
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	for _, m := range o {
		value := m.value
		if nested, ok := value.(object); ok {
			value = nested.json()
		}
		if raw, ok := value.(json.RawMessage); value == nil || ok && len(raw) == 0 {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + m.name + `":`)
		_ = e.Encode(value)
		b.Truncate(b.Len() - 1)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// encode returns JSON as it is sent, without escapes that only HTML needs.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil // strings, booleans and checked JSON cannot fail
	}
	return bytes.TrimSpace(b.Bytes())
}
