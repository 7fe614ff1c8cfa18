package tools

import (
	"bytes"
	"encoding/json"
)

// object is a JSON object with its members in order. A member without a value, or with
// empty JSON, is left out.
type object []member

type member struct {
	name  string
	value any
}

// given is a value, or nil for the zero value.
func given[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// json writes the object.
func (o object) json() json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	o.write(&b, e)
	return b.Bytes()
}

// write writes the object into the Encoder's Buffer.
func (o object) write(b *bytes.Buffer, e *json.Encoder) {
	b.WriteByte('{')
	between := `"`
	for _, m := range o {
		raw, isRaw := m.value.(json.RawMessage)
		if m.value == nil || isRaw && len(raw) == 0 {
			continue
		}
		b.WriteString(between)
		b.WriteString(m.name)
		b.WriteString(`":`)
		between = `,"`
		switch v := m.value.(type) {
		case object:
			v.write(b, e)
		case json.RawMessage:
			b.Write(v)
		default:
			_ = e.Encode(v) // texts, numbers and checked JSON: there is no error
			b.Truncate(b.Len() - 1)
		}
	}
	b.WriteByte('}')
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
