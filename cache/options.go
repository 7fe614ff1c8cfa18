package cache

import (
	"log/slog"
	"math"
	"net/http"
	"net/netip"
	"time"
)

// Options of an Engine or a Transport. Nil and the zero value are the safe
// defaults.
type Options struct {
	// Now tells the time, for tests: nil is [time.Now]. Times without a
	// monotonic reading leave monotonic time to the system.
	Now func() time.Time
	// View names the network that answers, when that is not the plain Internet:
	// different views share no entries. It is part of every key.
	View string
	// Strict is RFC 9111 and nothing else: lifetimes have no cap, a request with
	// no-cache revalidates immutable entries too, waiters with Rules do not
	// share a response with no-store, a stale entry is served when the
	// origin cannot be asked (§4.2.4), and over a SharedStore alone an answer to
	// credentials is kept for everyone if it says public, s-maxage or
	// must-revalidate (§3.5).
	Strict bool
	// OneUser says that all requests of a Transport, and its store, belong to
	// one user: a Cookie then makes no partition of its own, and answers to one
	// are kept as other answers are, also by a store on a disk. It is safe in a
	// program that acts for one user in one account, as a command does. It is
	// not safe in a server that passes on the Cookies of its users; and where a
	// user changes accounts, a stored page without "Vary: Cookie" answers the
	// next one until it is stale or forgotten. Authorization stays a partition,
	// and a SharedStore gets nothing that answers a Cookie; over one alone
	// OneUser has no effect.
	OneUser bool
	// IdentityFields name the request fields that identify a caller: requests that
	// differ in one of them never share an answer (but see Strict), answers to them
	// stay in the memory of the process, and their values are kept as digests only. Nil is
	// [IdentityFields]; a list of your own replaces it, so add yours to that.
	IdentityFields []string
	// Allow reports whether an answer of an address may be used under the
	// present policy; false is a miss. The address is the zero value where it
	// is not known. Nil allows all. It must be safe for concurrent use.
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
	// Answered, unless nil, is called by a Transport for each request before its
	// response is returned: [Of] and Cache-Status say how that came about. resp is
	// nil beside an error. It must be quick, leave the body alone, and be safe for
	// concurrent use.
	Answered func(req *http.Request, resp *http.Response, err error)
	// Logger gets a warning for each call of the store that fails; nil is
	// silence.
	Logger *slog.Logger
	// MaxBody is the size in bytes beyond which a body is passed on without
	// being kept; math.MaxInt64 is no limit, zero and less are
	// DefaultMaxBody.
	MaxBody int64
}

// maxBody reads the default through.
func (o *Options) maxBody() int64 {
	if o.MaxBody > 0 {
		return min(o.MaxBody, math.MaxInt64-1) // one byte beyond it is a number too
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
