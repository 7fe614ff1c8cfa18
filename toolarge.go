package wayfind

import "fmt"

// TooLarge is a number that exceeds a limit of this program, which is not a mistake of the
// publisher. It is the cause of the error for a document with [VerdictTooLarge], and a field of
// the [Diagnostic] for a document that was read up to the limit.
type TooLarge struct {
	// Of is what the numbers count: "bytes", "bytes of YAML", "operations".
	Of string `json:"of"`
	// Size is the number of things, or 0 if the count ended at the limit.
	Size int64 `json:"size,omitempty"`
	// Limit is the number of things that are read.
	Limit int64 `json:"limit"`
	// Option is the option that raises the limit, or empty if there is no such option.
	Option string `json:"option,omitempty"`
}

// Error returns a text with the size, the limit and the option.
func (t *TooLarge) Error() string {
	text := fmt.Sprintf("more than %d %s", t.Limit, t.Of)
	if t.Size > 0 {
		text = fmt.Sprintf("%d %s, at most %d are read", t.Size, t.Of, t.Limit)
	}
	if t.Option != "" {
		text += "; " + t.Option + " raises the limit"
	}
	return text
}
