package inspect

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/wayfindhq/wayfind/internal/text"
)

// Text is a text for a person, with the whole beside it where that is longer.
type Text struct {
	Text string `json:"text"`
	// Bytes of the whole.
	Bytes int `json:"bytes"`
	// Cut: the text is the beginning of the whole.
	Cut bool `json:"cut,omitempty"`
	// Binary: the text has bytes that are no text, by their numbers.
	Binary bool `json:"binary,omitempty"`
}

// maxText bounds a Text.
const maxText = 256 << 10

// textOf is a text without characters that a reader cannot see.
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

// jsonText is JSON for a person: indented, with escapes for characters that a reader
// cannot see.
func jsonText(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return textOf(raw, maxText).Text
	}
	return string(text.EscapeJSON(b.Bytes()))
}

// value is a value of the model as a reader takes it: a text as it is, anything else
// as indented JSON. It is "" for one that says nothing.
func value(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return valueText(raw)
}

// valueText is value for JSON.
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

// indented is JSON with one member on each line, and any other text as it is.
func indented(raw []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}

// printable escapes the characters of a text that do not show, but for line breaks.
func printable(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = text.Printable(line)
	}
	return strings.Join(lines, "\n")
}
