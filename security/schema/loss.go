package schema

// Effect says what a change does to the values that are taken.
type Effect string

// The effects.
const (
	// None: the same values are taken.
	None Effect = "none"
	// Wider: values are taken that the publisher refuses. Arguments are validated
	// against the publisher's schema before a call, so they are found there.
	Wider Effect = "wider"
	// Narrower: the model cannot say a value any more that the publisher takes.
	Narrower Effect = "narrower"
)

// Loss is one thing that a projection, or lifting, says in another way or not at
// all.
type Loss struct {
	// Pointer (RFC 6901) into the lifted schema as if each reference were replaced
	// by what it refers to, at most 512 bytes of it.
	Pointer string `json:"ptr"`
	// Keyword that is lost or changed.
	Keyword string `json:"kw"`
	Effect  Effect `json:"effect"`
	// Code says what was done: "closed", "oneOf_to_anyOf", "renamed" …, or the
	// keyword itself where it was left out.
	Code string `json:"code"`
}
