package secret

import (
	"bytes"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Purpose is where a text of a stranger goes. It alone decides what happens to the text on the way, so
// that no caller can leave out a step or take two in the wrong order.
type Purpose int

const (
	// Line is a line for a model or a person: a notice, progress, an error, a question, a name.
	Line Purpose = iota
	// Lines is a text or JSON for a model or a person: an answer, a prompt, a form.
	Lines
	// StoredLine and StoredLines are texts that are kept or that others read. They also lose what looks
	// like a secret.
	StoredLine
	StoredLines
	// Record is the arguments of a call in a record for the operator. They also lose each value under the
	// name of a secret, whatever it looks like: people choose passwords, and numbers can be secret too.
	Record
	// Data is what a program reads: a body, a header field, a file, an error. It keeps its characters.
	Data
	// Event is a URL, or a text with URLs, in an event, a log or an error. It keeps its characters, and
	// loses what a URL must not show.
	Event
	// Wire is a part of a message as it was sent, in a recording, a HAR file or the inspector's page. It
	// keeps its characters, and loses what a recording must not keep: see [Recorded]. [Message] shows
	// header fields and bodies for this purpose.
	Wire
	// WireBytes is Wire without the search for what looks like a secret, for a body whose format decides
	// where that is.
	WireBytes
)

// A purpose has these steps, in this order.
type steps struct {
	// cleaned removes characters that hide something; with lines, line breaks stay.
	cleaned, lines bool
	// mark replaces a secret of the Veil.
	mark string
	// looks removes what looks like a secret; nil if the reader may see it.
	looks func(string) string
	// named removes the values under the name of a secret in JSON.
	named bool
	// most is the maximum number of characters; 0 for no limit of its own.
	most int
}

// maxRecord is the maximum number of characters of one string in a record.
const maxRecord = 4096

// Hidden replaces a secret of a Veil.
const Hidden = "•••"

// stepsOf are the steps of each purpose.
var stepsOf = [...]steps{
	Line:        {cleaned: true, mark: Hidden},
	Lines:       {cleaned: true, lines: true, mark: Hidden},
	StoredLine:  {cleaned: true, mark: Hidden, looks: withoutSecrets},
	StoredLines: {cleaned: true, lines: true, mark: Hidden, looks: withoutSecrets},
	Record:      {cleaned: true, lines: true, mark: Hidden, looks: withoutSecrets, named: true, most: maxRecord},
	Data:        {mark: Hidden},
	Event:       {mark: Hidden, looks: inURL},
	Wire:        {mark: RecordedMark, looks: Recorded},
	WireBytes:   {mark: RecordedMark},
}

func withoutSecrets(s string) string {
	s, _ = Redact("", s)
	return s
}

func inURL(s string) string {
	s, _ = RedactURL(s)
	return s
}

// Show returns a text of a stranger as it leaves for a purpose: cleaned, then without the secrets of the
// Veil, then cut to at most the given number of characters, if it is positive. All texts leave through it,
// [Veil.ShowJSON], [Veil.ShowBytes] or [Message], because cleaning after hiding puts a secret together
// again, and a cut before it leaves a part of one.
func (v Veil) Show(said string, purpose Purpose, most int) string {
	own := stepsOf[purpose]
	if own.cleaned {
		said, _ = text.Clean(said, own.lines, 0)
	}
	if len(v) > 0 {
		said = string(v.Over([]byte(said), own.mark))
	}
	if own.looks != nil {
		said = own.looks(said)
	}
	if most == 0 {
		most = own.most
	}
	if own.cleaned {
		said, _ = text.Clean(said, own.lines, most)
	}
	return said
}

// ShowBytes is [Veil.Show] for a purpose that keeps all characters: [Data] or [WireBytes]. It returns the
// bytes themselves if there is nothing to hide.
func (v Veil) ShowBytes(said []byte, purpose Purpose) []byte {
	if own := stepsOf[purpose]; !own.cleaned && own.looks == nil {
		return v.Over(said, own.mark)
	}
	return []byte(v.Show(string(said), purpose, 0))
}

// ShowJSON is [Veil.Show] for the strings and member names of JSON. The error is that of text.CleanJSON.
func (v Veil) ShowJSON(raw []byte, purpose Purpose) ([]byte, error) {
	own := stepsOf[purpose]
	clean, _, err := text.CleanJSON(raw)
	if err != nil {
		return nil, err
	}
	clean = v.Over(clean, own.mark) // which stays JSON
	if own.looks != nil {
		if clean, err = text.RewriteJSON(clean, func(s string) string { return v.Show(s, purpose, 0) }); err != nil {
			return nil, err
		}
	}
	if own.named {
		clean = []byte(Members(string(clean), true))
	}
	return clean, nil
}

// Repeated reports whether a text has a secret of the Veil in it.
func (v Veil) Repeated(said []byte) bool {
	return !bytes.Equal(v.Over(said, ""), said)
}
