package inspect

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Text is a text for a person, with the length of the whole text if it is longer.
type Text struct {
	Text string `json:"text"`
	// Bytes is the length of the whole text.
	Bytes int `json:"bytes"`
	// Cut is true if the text is only the beginning of the whole text.
	Cut bool `json:"cut,omitempty"`
	// Binary is true if the text contains the numbers of bytes that are not text.
	Binary bool `json:"binary,omitempty"`
}

// maxText is the maximum length of a Text, in bytes.
const maxText = 256 << 10

// textOf returns a text without characters that a reader cannot see.
func textOf(raw []byte, most int) *Text {
	t := &Text{Bytes: len(raw)}
	if len(raw) > most {
		raw, t.Cut = raw[:most], true
	}
	lines := strings.Split(strings.ToValidUTF8(string(raw), "\uFFFD"), "\n")
	for i, line := range lines {
		cells := strings.Split(strings.TrimSuffix(line, "\r"), "\t")
		for j := range cells {
			cells[j] = text.Printable(cells[j])
		}
		lines[i] = strings.Join(cells, "\t")
	}
	t.Text = strings.Join(lines, "\n")
	return t
}

// jsonText returns JSON for a person: indented, with escapes for characters that a reader
// cannot see.
func jsonText(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return textOf(raw, maxText).Text
	}
	return string(text.EscapeJSON(b.Bytes()))
}

// value returns a value of the model for a reader: a string unchanged, anything else as
// indented JSON. It returns "" for an empty value.
func value(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return valueText(raw)
}

// valueText is like value for JSON.
func valueText(raw json.RawMessage) string {
	var s string
	switch text := strings.TrimSpace(string(raw)); {
	case text == "" || text == "null" || text == `""`:
		return ""
	case json.Unmarshal(raw, &s) == nil:
		return printable(s)
	}
	return printable(indented(raw))
}

// indented returns JSON with one member per line, and any other text unchanged.
func indented(raw []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}

// printable escapes the invisible characters of a text except line breaks.
func printable(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = text.Printable(line)
	}
	return strings.Join(lines, "\n")
}
