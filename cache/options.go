package cache

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/wayfindhq/wayfind/internal/clock"
)

// Options of a Transport. Nil and the zero value are the safe defaults. The
// functions must be safe for concurrent use; those that get an *Entry must not
// write to it.
type Options struct {
	// Clock that freshness is judged by; nil is the system's.
	Clock *clock.Clock
	// View names who answers, when that is not the plain Internet: other
	// views share no entries. It is part of every key.
	View string
	// Strict is RFC 9111 and nothing else: no MaxLifetime, a request with
	// no-cache revalidates immutable entries too, waiters do not share a
	// response with no-store, and a stale entry is served when the origin
	// cannot be asked (§4.2.4).
	Strict bool
	// Attach computes a value to keep beside an entry, once for each new body
	// and before Overlay. A 304 keeps it. Entry.Attached is what it returned.
	Attach func(*Entry) any
	// Confine reports whether an entry must not leave this process, because of
	// what it holds: it becomes MemoryOnly, and a far store loses what it has
	// under the key. It is asked after Attach, for each new header too. Nil
	// confines none.
	Confine func(*Entry) bool
	// Overlay replaces the lifetime that the RFC gives an entry, for formats
	// that have their own. It is the place for defaults and for negative
	// answers; nil means as the RFC says.
	Overlay func(*http.Request, *Entry, Lifetime) Lifetime
	// Partition separates callers whose responses must not mix, by a name
	// that is no secret. Nil means a hash of the request's credentials
	// (Authorization, Cookie, Proxy-Authorization), empty without.
	Partition func(*http.Request) string
	// Allow reports whether a stored entry may be used under the policy of
	// now; false is a miss. Nil allows all.
	Allow func(*Entry) bool
	// Failed reports whether an error of the RoundTripper below means that
	// the origin could not be asked, so that a stale entry may stand in
	// (RFC 5861 §4). Nil: every error but the context's.
	Failed func(error) bool
	// StaleIfError is how long past its freshness an entry without a
	// stale-if-error directive may stand in. Zero: not at all (under Strict:
	// Retention); a directive always wins.
	StaleIfError time.Duration
	// StrictFloor returns the HeldError of a floor, instead of a stale entry
	// that says no-cache or must-revalidate.
	StrictFloor bool
	// Pinned returns an entry that the caller has kept, for when the store has
	// forgotten it; nil, from it or for it, is none.
	Pinned func(*http.Request) *Entry
	// Background derives the context of a request in the background from that
	// of the request that was served what is stale, which has its values
	// without its cancellation, and ends when the one in the background does.
	// Nil: that one.
	Background func(context.Context) context.Context
	// Turn is asked before the origin is, for what several processes that share
	// a far store (see Layered) would all ask for: not for requests with
	// no-cache, no-store or credentials. It may wait. Nil is TurnNow.
	Turn func(*http.Request) Turn
	// Logger gets a warning for each call of the store that fails; nil is
	// silence.
	Logger *slog.Logger
	// MaxBody is the size in bytes beyond which a body is passed on without
	// being kept; zero means DefaultMaxBody.
	MaxBody int64
}

// Turn is whose turn it is to ask an origin.
type Turn int

const (
	// TurnNow: the caller's.
	TurnNow Turn = iota
	// TurnLook: the caller's, unless the far store has the answer by now.
	TurnLook
	// TurnWait: another process's. The far store is looked into, and
	// Options.Turn asked again: so a call of it must take some time.
	TurnWait
)

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
