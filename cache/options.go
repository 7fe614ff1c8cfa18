package cache

import (
	"log/slog"
	"net/netip"
	"time"

	"github.com/wayfindhq/wayfind/internal/clock"
)

// Options of an Engine or a Transport. Nil and the zero value are the safe
// defaults.
type Options struct {
	// Clock that freshness is judged by; nil is the system's.
	Clock *clock.Clock
	// View names who answers, when that is not the plain Internet: other
	// views share no entries. It is part of every key.
	View string
	// Strict is RFC 9111 and nothing else: no MaxLifetime, a request with
	// no-cache revalidates immutable entries too, waiters with Rules do not
	// share a response with no-store, and a stale entry is served when the
	// origin cannot be asked (§4.2.4).
	Strict bool
	// Allow reports whether what an address has answered may be used under
	// the policy of now; false is a miss. The address is the zero value where
	// it is not known. Nil allows all. It must be safe for concurrent use.
	Allow func(remote netip.AddrPort) bool
	// Failed is the error, for errors.Is, by which an origin says that it
	// could not be asked, so that a stale entry may stand in (RFC 5861 §4).
	// Nil: every error but the context's.
	Failed error
	// StaleIfError is how long past its freshness an entry without a
	// stale-if-error directive may stand in. Zero: not at all (under Strict:
	// Retention); a directive always wins.
	StaleIfError time.Duration
	// StrictFloor returns the HeldError of a floor, instead of a stale entry
	// that says no-cache or must-revalidate.
	StrictFloor bool
	// Logger gets a warning for each call of the store that fails; nil is
	// silence.
	Logger *slog.Logger
	// MaxBody is the size in bytes beyond which a body is passed on without
	// being kept; zero means DefaultMaxBody.
	MaxBody int64
}

// maxBody reads the default through.
func (o *Options) maxBody() int64 {
	if o.MaxBody > 0 {
		return o.MaxBody
	}
	return DefaultMaxBody
}

// staleIfError is the window of entries without a directive of their own.
func (o *Options) staleIfError() time.Duration {
	if o.StaleIfError == 0 && o.Strict {
		return Retention
	}
	return o.StaleIfError
}
