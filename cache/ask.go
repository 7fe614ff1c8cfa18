package cache

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
)

// Ask is one GET for an [Engine], with all that decides how it is answered. It
// must not change once Do has begun, and neither must what it points to: it may
// outlive its caller in a request that others wait for too.
type Ask struct {
	// URL to ask for.
	URL *url.URL
	// Host of the request where it is not that of URL.
	host string
	// Header of the request. Its Cache-Control is obeyed (RFC 9111 §5.2.1),
	// and Vary is judged by it.
	Header http.Header
	// Partition separates callers whose responses must not mix, by a name
	// that is no secret. What is stored under one stays in this process.
	Partition string
	// Rules are what the caller knows about responses beyond HTTP; nil is RFC
	// 9111 alone. With Rules a response is read to its end before it answers,
	// also one that must not be stored: what it means may be remembered. And
	// callers with Rules who wait for one request share what it brings, if it
	// is not of another variant: their Partition says whose must not mix.
	Rules Rules
	// Origin sends the request where nothing stored answers it.
	Origin Origin
	// Pins are entries that the caller has kept; nil is none.
	Pins Pins
	// Turns says when to ask, for what several processes that share a far
	// store (see Layered) would all ask for; nil is at once. It is not used
	// for a Partition, no-cache and no-store.
	Turns Turns

	// keep returns an Ask that may outlive the call: where this one's parts
	// belong to a caller who may change them afterwards. Nil: this one may.
	keep func(*Ask) *Ask
}

// kept is the Ask as it may outlive its call.
func (a *Ask) kept() *Ask {
	if a.keep == nil {
		return a
	}
	return a.keep(a)
}

// Answer is what an [Ask] came to: an Entry, or a Response whose body is open.
// Both are nil when only-if-cached finds nothing that could be used.
type Answer struct {
	// Entry is the complete response, which is shared with others.
	Entry *Entry
	// Facts say how Entry came about.
	Facts Facts
	// Response comes as the origin sends it, without Set-Cookie: to an Ask
	// without Rules whose request brought it, and where it is too large to be
	// kept. It belongs to this caller, who must close its body. It ends with the
	// caller's context.
	Response *http.Response

	out outcome
}

// Rules are what the owner of an [Ask] knows about responses beyond HTTP. They
// are asked before an entry is published, and must be safe for concurrent use.
// They must not write to the entry.
type Rules interface {
	// Read makes of a response what is kept beside it: once for each new body,
	// and before the other two. A 304 keeps it. Nil is nothing.
	Read(e *Entry) Note
	// Confine reports whether an entry must not leave this process, because of
	// what it holds: it becomes MemoryOnly, and a far store loses what it has
	// under the key. It is asked for each new header too.
	Confine(e *Entry) bool
	// Lifetime returns how long an entry counts, given what RFC 9111 says. It
	// is the place for defaults, for lifetimes of formats and for negative
	// answers.
	Lifetime(e *Entry, rfc Lifetime) Lifetime
}

// Note is what [Rules] keep beside an entry. It lives in the memory of the
// process and is never written down.
type Note interface {
	// Size is the number of bytes that it occupies, estimated.
	Size() int64
	// WithoutBody returns what may be kept of it when the body must not be.
	WithoutBody() Note
}

// Origin sends the request of one [Ask]. It must be safe for concurrent use.
type Origin interface {
	// Fetch sends the request with the given header fields, which it must not
	// change, and returns the response with its body open. ctx ends when no
	// caller waits any more.
	Fetch(ctx context.Context, header http.Header) (*http.Response, Wire, error)
	// Background returns the Ask for a request of the same response for which
	// no caller waits (RFC 5861 §3). ctx ends when that request is over.
	Background(ctx context.Context) *Ask
}

// Wire is what is known of the connection that brought a response.
type Wire struct {
	// Remote is the address that answered; zero if it is not known.
	Remote netip.AddrPort

	outer *outer
}

// Pins are entries that a caller has kept, for when the store has forgotten
// them.
type Pins interface {
	// Pinned returns the entry of a URL, nil without one.
	Pinned(u *url.URL) *Entry
}

// Turns says whose turn it is to ask an origin.
type Turns interface {
	// Turn is asked before the origin is. It may wait.
	Turn(ctx context.Context) Turn
}

// Turn is whose turn it is to ask an origin.
type Turn int

const (
	// TurnNow: the caller's.
	TurnNow Turn = iota
	// TurnLook: the caller's, unless the far store has the answer by now.
	TurnLook
	// TurnWait: another process's. The far store is looked into, and
	// [Turns] asked again: so a call of it must take some time.
	TurnWait
)
