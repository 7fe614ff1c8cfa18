package secret

import "github.com/wayfindhq/wayfind/internal/syntax/text"

// Purpose is what a text of a stranger is shown for.
type Purpose int

const (
	// Line is a line for a model or a person.
	Line Purpose = iota
	// Lines is a text with line breaks for a model or a person.
	Lines
	// StoredLine and StoredLines are texts that are kept or that others read. They also lose what looks
	// like a secret.
	StoredLine
	StoredLines
)

// Hidden replaces a secret of a Veil.
const Hidden = "•••"

// Show returns a text of a stranger as it leaves: cleaned, then without the secrets of the Veil, then
// cut to at most the given number of characters, if it is positive. All texts leave through it or
// [Veil.ShowJSON], because cleaning after hiding puts a secret together again, and a cut before it leaves
// a part of one.
func (v Veil) Show(said string, purpose Purpose, most int) string {
	lines := purpose == Lines || purpose == StoredLines
	said, _ = text.Clean(said, lines, 0)
	if len(v) > 0 {
		said = string(v.Over([]byte(said), Hidden))
	}
	if purpose == StoredLine || purpose == StoredLines {
		said, _ = Redact("", said)
	}
	said, _ = text.Clean(said, lines, most)
	return said
}

// ShowJSON is [Veil.Show] for the strings and member names of JSON. The error is that of text.CleanJSON.
func (v Veil) ShowJSON(raw []byte, purpose Purpose) ([]byte, error) {
	clean, _, err := text.CleanJSON(raw)
	if err != nil {
		return nil, err
	}
	clean = v.Over(clean, Hidden) // which stays JSON
	if purpose != StoredLine && purpose != StoredLines {
		return clean, nil
	}
	return text.RewriteJSON(clean, func(s string) string { return v.Show(s, purpose, 0) })
}
