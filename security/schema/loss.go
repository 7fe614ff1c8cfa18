package schema

// Effect is the effect of a change on the set of valid values.
type Effect string

// The effects.
const (
	// None: the same values are valid.
	None Effect = "none"
	// Wider: more values are valid than the publisher accepts. Before a call, arguments are
	// validated against the publisher's schema, which refuses these values.
	Wider Effect = "wider"
	// Narrower: the model can no longer express a value that the publisher accepts.
	Narrower Effect = "narrower"
)

// Text returns a description of the effect in our own words.
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

// Loss is one rule that a projection, or lifting, expresses in another way or not at all.
type Loss struct {
	// Pointer is the JSON Pointer (RFC 6901) into the lifted schema as if each reference were
	// replaced by its target, shortened to at most 512 bytes.
	Pointer string `json:"ptr"`
	// Keyword is the keyword that is lost or changed.
	Keyword string `json:"kw"`
	Effect  Effect `json:"effect"`
	// Code is the code of the change: "closed", "oneOf_to_anyOf", "renamed" …, or the keyword
	// itself if it was omitted.
	Code string `json:"code"`
}
