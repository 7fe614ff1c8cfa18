package wayfind

import "fmt"

// TooLarge is a number that exceeds a limit of this program, which is not the publisher's
// fault. It is the cause of the error of a document with [VerdictTooLarge], and a field of
// the [Diagnostic] of a document that was read up to the limit.
type TooLarge struct {
	// Of names the things that are counted: "bytes", "bytes of YAML", "operations".
	Of string `json:"of"`
	// Size is the number of things, 0 if counting ended at the limit.
	Size int64 `json:"size,omitempty"`
	// Limit is the number of things that are read.
	Limit int64 `json:"limit"`
	// Option is the option that raises the limit, empty if none does.
	Option string `json:"option,omitempty"`
}

// Error names the size, the limit and the option.
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
