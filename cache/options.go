package cache

import (
	"log/slog"
	"math"
	"net/http"
	"net/netip"
	"time"
)

// Options are the options of an Engine or a Transport. Nil and the zero value are safe defaults.
type Options struct {
	// Now returns the time, for tests. Nil means [time.Now]. If its times have no monotonic
	// reading, that of the system is used.
	Now func() time.Time
	// View is the name of the network that answers, if that is not the public Internet. Different
	// views share no entries. It is part of every key.
	View string
	// Strict selects the rules of RFC 9111 and nothing else. Lifetimes have no limit. A request
	// with no-cache revalidates immutable entries, too. Waiters with Rules do not share a response
	// with no-store. A stale entry is served if the origin cannot be asked (§4.2.4). With a
	// SharedStore alone, an answer to credentials is kept for everyone if it has public, s-maxage
	// or must-revalidate (§3.5).
	Strict bool
	// OneUser means that all requests of a Transport, and its store, belong to one user. A Cookie
	// then makes no partition, and answers to requests with a Cookie are kept like other answers,
	// even by a store on a disk. This is safe in a program that acts for one user in one account,
	// such as a command. It is not safe in a server that passes on the Cookies of its users. If a
	// user changes accounts, a stored page without "Vary: Cookie" answers the next account until it
	// is stale or forgotten. Authorization still makes a partition, and a SharedStore gets no
	// answer to a request with a Cookie. With a SharedStore alone OneUser has no effect.
	OneUser bool
	// IdentityFields are the names of the request fields that identify a caller. Requests that
	// differ in one of them never share an answer (but see Strict). Answers to requests with such a
	// field stay in the memory of the process, and the values of the fields are kept as digests
	// only. Nil means [IdentityFields]. A list replaces the default, so append your fields to it.
	IdentityFields []string
	// Allow reports whether an answer from an address may be used under the present policy. False
	// means a miss. The address is the zero value if it is not known. Nil allows all addresses.
	// Allow must be safe for concurrent use.
	Allow func(remote netip.AddrPort) bool
	// Failed is the error, for errors.Is, that an Origin returns if the origin could not be asked,
	// so that a stale entry may stand in (RFC 5861 §4). Nil means every error except
	// context.Canceled.
	Failed error
	// StaleIfError is the time past its freshness for which an entry without a stale-if-error
	// directive may stand in. Zero means not at all (with Strict: Retention). A directive always
	// has precedence.
	StaleIfError time.Duration
	// StrictFloor means that the HeldError of a floor is returned in place of a stale entry with
	// no-cache or must-revalidate.
	StrictFloor bool
	// Answered, if it is not nil, is called by a Transport for each request before its response is
	// returned. [Of] and Cache-Status describe the source of the response. resp is nil if err is
	// not nil. Answered must be quick, must not use the body, and must be safe for concurrent use.
	Answered func(req *http.Request, resp *http.Response, err error)
	// Logger gets a warning for each call of the store that fails. If it is nil, nothing is logged.
	Logger *slog.Logger
	// MaxBody is the size of the largest body that is kept, in bytes. Larger bodies are passed on.
	// math.MaxInt64 means no limit. Zero and negative values mean DefaultMaxBody.
	MaxBody int64
}

// maxBody returns MaxBody or its default.
func (o *Options) maxBody() int64 {
	if o.MaxBody > 0 {
		return min(o.MaxBody, math.MaxInt64-1) // so that one byte more does not overflow
	}
	return DefaultMaxBody
}

// staleIfError returns the window for entries without a directive.
func (o *Options) staleIfError() time.Duration {
	if o.StaleIfError == 0 && o.Strict {
		return Retention
	}
	return o.StaleIfError
}
