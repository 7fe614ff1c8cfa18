package schema

// Effect is the effect of a change on the set of valid values.
type Effect string

// The effects.
const (
	// None: the same values are valid.
	None Effect = "none"
	// Wider: more values are valid than the publisher takes. Arguments are
	// validated against the publisher's schema before a call, which finds them.
	Wider Effect = "wider"
	// Narrower: the model can no longer express a value that the publisher
	// takes.
	Narrower Effect = "narrower"
)

// Text says an effect in words of ours.
func (e Effect) Text() string {
	switch e {
	case None:
		return "the same values are valid"
	case Wider:
		return "more values are valid than the publisher takes; they are found before a call"
	case Narrower:
		return "the model cannot express a value that the publisher takes"
	}
	return string(e)
}

// Loss is one rule that a projection, or lifting, expresses in another way or
// not at all.
type Loss struct {
	// Pointer (RFC 6901) into the lifted schema as if each reference were
	// replaced by its target, at most 512 bytes of it.
	Pointer string `json:"ptr"`
	// Keyword that is lost or changed.
	Keyword string `json:"kw"`
	Effect  Effect `json:"effect"`
	// Code names the change: "closed", "oneOf_to_anyOf", "renamed" …, or the
	// keyword itself where it was left out.
	Code string `json:"code"`
}
