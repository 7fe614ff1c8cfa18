package call

import (
	"net/http"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Effect is the effect that a call may have at a service. It determines who agrees to a call,
// whether its request may be sent again and what a lost answer means. The zero Effect means
// that there is none.
type Effect struct{ row *effectRow }

// effectRow holds all facts about an Effect.
type effectRow struct{ name, text string }

// The effects, in order of caution.
var (
	// Reads: it changes nothing, according to its method, its protocol or a trusted statement.
	Reads = Effect{&effectRow{"reads", "it changes nothing"}}
	// Changes: it may change something. A call with unknown effects is one too.
	Changes = Effect{&effectRow{"changes", "it may change something"}}
	// Once: a second call does more than the first, according to the publisher.
	Once = Effect{&effectRow{"once", "a second time does more than the first"}}
)

// Effects returns all effects, in order of caution.
func Effects() []Effect { return []Effect{Reads, Changes, Once} }

// String returns the name of the effect, which is stable; "" for the zero Effect.
func (e Effect) String() string { return text.Row(e.row).name }

// IsZero reports whether there is no effect.
func (e Effect) IsZero() bool { return e.row == nil }

// MarshalText returns the name of the effect.
func (e Effect) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads the name of an effect. An empty name is the zero Effect.
func (e *Effect) UnmarshalText(name []byte) (err error) {
	*e, err = text.OptionalWord("effect", Effects(), name)
	return err
}

// Text explains the effect in words of this package.
func (e Effect) Text() string { return text.Row(e.row).text }

// repeats returns the condition under which a request with the effect may be sent again.
func (e Effect) repeats(f *facts, keyed bool) repeats {
	switch {
	case keyed, e == Reads:
		return whenEverFailed
	case e == Changes && f.does.Repeatable:
		return beforeAnswer
	}
	return never
}

// lost reports whether an answer with a status leaves open what the service did: a gateway
// sent the answer, or the call must not be made twice and failed.
func (e Effect) lost(status int) bool {
	switch status {
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return e != Reads
	case http.StatusTooManyRequests:
		return e == Once
	}
	return e == Once && status >= http.StatusInternalServerError
}
