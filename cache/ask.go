package cache

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
)

// Ask is one GET for an [Engine], with everything that decides its answer.
// Neither it nor the values it points to may change once Do has begun: a
// request that others wait for too may outlive the caller.
type Ask struct {
	// URL to ask for.
	URL *url.URL
	// Host of the request where it is not that of URL.
	host string
	// Header of the request. Its Cache-Control is obeyed (RFC 9111 §5.2.1),
	// and Vary is judged by it.
	Header http.Header
	// Partition separates callers whose responses must not mix, by a name that
	// is no secret. Entries of a partition stay in this process.
	Partition string
	// Rules hold the caller's knowledge about responses beyond HTTP; nil means
	// RFC 9111 alone. With Rules, every response is read to its end before it
	// is returned, even one that must not be stored, because its meaning may be
	// remembered. Callers with Rules that wait for one request share its
	// response unless they want another variant; their Partition keeps
	// responses apart that must not mix.
	Rules Rules
	// Origin sends the request where nothing stored answers it.
	Origin Origin
	// Foreground asks the origin while the caller waits, also within
	// stale-while-revalidate: the caller says when its requests may be sent.
	Foreground bool
	// Inline sends the request on the caller's goroutine and under the caller's context,
	// which saves a goroutine. It ends with the caller, and others that wait for it send
	// their own. Rules are needed; Close waits for the request and does not end it.
	Inline bool
	// Pins are entries that the caller has kept; nil is none.
	Pins Pins
	// Turns decides when to ask, so that several processes that share a far
	// store (see Layered) do not all ask for the same resource; nil means at
	// once. A Partition, no-cache and no-store do not use it.
	Turns Turns
	// Visits are those of the caller's work, if the Engine is over a Layered: see there.
	Visits *Visits

	// keep returns an Ask that may outlive the call, where parts of this one
	// belong to a caller that may change them afterwards. Nil means that this
	// Ask may outlive the call.
	keep func(*Ask) *Ask
	// freshOnly: a fresh entry answers, or nothing.
	freshOnly bool
	// cancel ends the caller's wait, as its context does; nil: nothing but that.
	cancel <-chan struct{}
	// header is the view of Header, where it has been made already.
	header requestHeader
	// room is for a key, in an Ask without Rules. Nil: there is none.
	room *[]byte
}

// kept is the Ask as it may outlive its call.
func (a *Ask) kept() *Ask {
	if a.keep == nil {
		return a
	}
	return a.keep(a)
}

// Answer is the result of an [Ask]: an Entry, or a Response whose body is open.
// Both are nil when only-if-cached finds no usable entry.
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

// Rules hold the knowledge of an [Ask]'s owner about responses beyond HTTP.
// They are called before an entry is published, and must be safe for concurrent
// use. They must not write to the entry.
type Rules interface {
	// Read derives from a response the Note that is kept beside it. It is
	// called once for each new body, before the other two. A 304 keeps the
	// Note. Nil means no Note.
	Read(e *Entry) Note
	// Confine reports whether the content of an entry must not leave this
	// process. Such an entry becomes MemoryOnly, and a far store loses its
	// entries under the key. Confine is called for each new header too.
	Confine(e *Entry) bool
	// Lifetime returns how long an entry counts, given the lifetime by RFC
	// 9111. It is the place for defaults, for lifetimes of formats and for
	// negative answers.
	Lifetime(e *Entry, rfc Lifetime) Lifetime
}

// Note is the value that [Rules] keep beside an entry. It lives in the memory
// of the process and is never written down.
type Note interface {
	// Size is the number of bytes that it occupies, estimated.
	Size() int64
	// WithoutBody returns the part of the Note that may be kept when the body
	// must not be.
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

// Wire describes the connection that brought a response.
type Wire struct {
	// Remote is the address that answered; zero if it is not known.
	Remote netip.AddrPort

	outer *outer
	below bool // credentials that the Ask does not have were sent
}

// Pins are entries that a caller has kept, for when the store has forgotten
// them.
type Pins interface {
	// Pinned returns the entry of a URL, nil without one.
	Pinned(u *url.URL) *Entry
}

// Turns decides which process may ask an origin.
type Turns interface {
	// Turn is called before the origin is asked. It may wait.
	Turn(ctx context.Context) Turn
}

// Turn is a process's permission to ask an origin.
type Turn int

const (
	// TurnNow: the caller's.
	TurnNow Turn = iota
	// TurnLook: the caller's, unless the far store has the answer by now.
	TurnLook
	// TurnWait: another process's. The engine looks into the far store and
	// calls Turn again, so a call of Turn must take some time.
	TurnWait
)
