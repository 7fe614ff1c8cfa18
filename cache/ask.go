package cache

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// Ask is one GET for an [Engine], with everything that decides its answer.
// Neither it nor the values it points to may change once Do has begun: a
// request that others wait for too may outlive the caller.
type Ask struct {
	// URL is the URL to ask for.
	URL *url.URL
	// host is the Host of the request if it is not that of URL.
	host string
	// Header is the header of the request. Its Cache-Control is obeyed (RFC 9111 §5.2.1), and the
	// Vary of responses refers to its fields.
	Header http.Header
	// Partition separates callers whose responses must not mix. It is a name and must not be a
	// secret. Entries of a partition stay in this process.
	Partition string
	// Rules contain the caller's knowledge about responses beyond HTTP. Nil means RFC 9111 alone.
	// With Rules, every response is read to its end before it is returned, even one that must not
	// be stored, because its meaning may be remembered. Callers with Rules that wait for one
	// request share its response unless they want another variant; their Partition keeps responses
	// apart that must not mix.
	Rules Rules
	// Origin sends the request if no stored response answers it.
	Origin Origin
	// Foreground means that the origin is asked while the caller waits, even within
	// stale-while-revalidate. The caller then decides when its requests may be sent.
	Foreground bool
	// Inline sends the request on the caller's goroutine and with the caller's context, which saves
	// a goroutine. The request ends with the caller, and other callers that wait for it then send
	// their own. Inline has no effect without Rules. Close waits for the request and does not end
	// it.
	Inline bool
	// Pins are entries that the caller has kept. Nil means none.
	Pins Pins
	// Turns decides when to ask, so that several processes that share a far store (see Layered) do
	// not all ask for the same resource. Nil means at once. Turns is not used with a Partition,
	// no-cache or no-store.
	Turns Turns
	// Visits are the origins that the caller's work visits, if the store of the Engine is a
	// Layered: see [Visits].
	Visits *Visits
	// Arena is where answers that mean "no" lie side by side. It may be nil.
	Arena *FoldedArena

	// keep returns a copy of the Ask that may outlive the call, because the caller may change parts
	// of this one afterwards. Nil means that this Ask may outlive the call.
	keep func(*Ask) *Ask
	// freshOnly means that only a fresh entry may answer. The origin is not asked.
	freshOnly bool
	// suits reports whether a fresh entry may answer. Nil means that each may.
	suits func(*Entry) bool
	// cancel ends the caller's wait when it is closed, as its context does. It is nil if only the
	// context does.
	cancel <-chan struct{}
	// header is the view of Header, if it has been made already.
	header requestHeader
	// scratch is a buffer for a key, in an Ask without Rules. It may be nil.
	scratch *[]byte
}

// kept returns an Ask that may outlive its call.
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
	// Facts describe how Entry came about.
	Facts Facts
	// Response is a response of the origin whose body is open, without Set-Cookie. An Ask without
	// Rules gets it if its own request brought it, and every Ask if it is too large to be kept. It
	// belongs to this caller, who must close its body. It ends with the caller's context.
	Response *http.Response

	out outcome
}

// notModified returns a 304 for an Answer with an entry, with the fields that it must have (RFC
// 9110 §15.4.5).
func (a *Answer) notModified(req *http.Request) *http.Response {
	resp := a.respond(req)
	resp.StatusCode, resp.Status = http.StatusNotModified, statusText(http.StatusNotModified)
	resp.ContentLength, resp.Trailer, resp.Uncompressed = 0, nil, false
	resp.Body.(*body).Reset(nil)
	kept := []string{"Age", "Cache-Control", "Cache-Status", "Content-Location", "Date", "Etag", "Expires", "Last-Modified", "Vary"}
	for name := range resp.Header {
		if !slices.Contains(kept, name) {
			delete(resp.Header, name)
		}
	}
	return resp
}

// after calls end when the answer is over. If its body is open, this is when the body ends or is
// closed.
func (a *Answer) after(end func()) {
	if a.Response == nil {
		end()
		return
	}
	b := a.Response.Body.(*streamBody)
	closed := b.closed
	b.closed = func() { closed(); end() }
}

// passOn prepares the open response of an Answer for the caller.
func (a *Answer) passOn(req *http.Request) *http.Response {
	resp := a.Response
	resp.Request = requestOf(req, resp, resp.Body.(*streamBody))
	h := resp.Header
	var ttl time.Duration
	if e := a.out.entry; e != nil {
		ttl = e.Lifetime.For - a.Facts.Age
		if h["Date"] == nil { // RFC 9110 §6.6.1
			h["Date"] = []string{e.ResponseTime.UTC().Format(http.TimeFormat)}
		}
	}
	a.out.addStatus(h, ttl)
	return resp
}

// respond returns a response for the entry of an Answer.
func (a *Answer) respond(req *http.Request) *http.Response {
	return serveEntry(req, a.Entry, a.Facts, a.header())
}

// header returns the header of the response for an Answer with an entry. The header of a hit
// changes once a second, and is remembered for the next hit.
func (a *Answer) header() *servedHeader {
	e := a.Entry
	if e.hit == nil || !a.out.plain() || a.Facts.Collapsed {
		return a.newHeader()
	}
	age, ttl := int64(a.Facts.Age/time.Second), wholeSeconds(e.Lifetime.For-a.Facts.Age)
	if h := e.hit.Load(); h != nil && h.age == age && h.ttl == ttl {
		return h
	}
	h := a.newHeader()
	h.age, h.ttl = age, ttl
	e.hit.Store(h)
	return h
}

// newHeader returns a new header. Age is set if the origin was not asked for this caller (RFC 9111
// §4).
func (a *Answer) newHeader() *servedHeader {
	e, age := a.Entry, a.Facts.Age
	h := copyOf(e.Header)
	if e.Header["Date"] == nil { // RFC 9110 §6.6.1
		h.add("Date", e.ResponseTime.UTC().Format(http.TimeFormat))
	}
	if a.out.from != FromNetwork || a.Facts.Collapsed {
		h.add("Age", strconv.FormatInt(int64(age/time.Second), 10))
	} else if before, ok := e.Header["Age"]; ok {
		h.add("Age", before...)
	}
	if a.out.cookies != nil && !a.Facts.Collapsed {
		h.add("Set-Cookie", a.out.cookies...)
	}
	h.add("Cache-Status", append(slices.Clone(e.Header["Cache-Status"]), a.out.cacheStatus(e.Lifetime.For-age, a.Facts.Collapsed))...)
	return h
}

// Rules contain the knowledge of an [Ask]'s owner about responses beyond HTTP. They are called
// before an entry is published, and must be safe for concurrent use. They must not write to the
// entry.
type Rules interface {
	// Read returns the Note of a response, which is kept with it. It is called once for each new
	// body, before the other two. A 304 keeps the Note. Nil means no Note.
	Read(e *Entry) Note
	// Confine reports whether the content of an entry must not leave this
	// process. Such an entry becomes MemoryOnly, and a far store loses its
	// entries under the key. Confine is called for each new header too.
	Confine(e *Entry) bool
	// Lifetime returns the lifetime of an entry, given the lifetime by RFC
	// 9111. It is the place for defaults, for lifetimes of formats and for
	// negative answers.
	Lifetime(e *Entry, rfc Lifetime) Lifetime
}

// Note is the value that [Rules] keep with an entry. It is kept in the memory of the process and
// never serialised.
type Note interface {
	// Size returns the estimated number of bytes that the Note occupies.
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
	// Remote is the address that answered. It is zero if it is not known.
	Remote netip.AddrPort

	outer *outer
	below bool // the request was sent with credentials that the Ask does not have
}

// Pins are entries that a caller has kept, for the case that the store has forgotten them.
type Pins interface {
	// Pinned returns the entry of a URL, or nil if there is none.
	Pinned(u *url.URL) *Entry
}

// Turns decides which process may ask an origin.
type Turns interface {
	// Turn is called before the origin is asked. It may wait. since is the moment after which the
	// far store must have been read for a TurnLook (see Layered.Moment). Zero means now.
	Turn(ctx context.Context) (turn Turn, since uint64)
}

// Turn is a process's permission to ask an origin.
type Turn int

const (
	// TurnNow means that the caller may ask.
	TurnNow Turn = iota
	// TurnLook means that the caller may ask unless the far store has the answer by now.
	TurnLook
	// TurnWait means that another process may ask. The engine looks into the far store and calls
	// Turn again, so a call of Turn must take some time.
	TurnWait
)
