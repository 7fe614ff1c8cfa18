package fetch

import (
	"context"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind/internal/pausable"
	"github.com/wayfindhq/wayfind/internal/websign"
)

// DefaultMaxBytes bounds a decoded body where [Ask.MaxBytes] is not set.
const DefaultMaxBytes = 256 << 10

// Step is one step of a request on its way to a site: [Body], [Retry] or
// [Conns]. The caller closes the body of the response. Errors are
// *wayfind.Error.
type Step interface {
	Do(ctx context.Context, a *Ask) (*http.Response, error)
}

// Ask is one request. Each request needs an Ask of its own: the steps leave
// facts in it. The steps only read the values its pointers lead to, so several Asks
// may share a URL, a header and a budget.
type Ask struct {
	// Method is GET when it is empty.
	Method string
	// URL in the form of [security.ParseURL].
	URL *url.URL
	// Header fields to send. Credentials, cookies and a Referer among them
	// are not sent.
	Header http.Header
	// Body is sent on connections with Options.Interactive and dropped on all
	// others; it is closed in any case. GetBody makes it anew for a request
	// that has to be sent again. ContentLength is -1 when it is not known.
	Body          io.ReadCloser
	GetBody       func() (io.ReadCloser, error)
	ContentLength int64

	// MaxBytes bounds the decoded body; 0 and less mean [DefaultMaxBytes].
	MaxBytes int64
	// Option is the name of the option that raises MaxBytes, if there is one.
	Option string
	// Truncate keeps the first MaxBytes of a longer body instead of refusing
	// it.
	Truncate bool
	// Once marks a request that must reach the site at most once, because an
	// obligation counts it. It is never written twice.
	Once bool
	// Budget of retries that the requests of one domain share. Nil: only the
	// limit of the request counts.
	Budget *Budget
	// Callers ends when the last caller has left: a request that has not been
	// written by then is dropped. One that has been written goes on, so that
	// its answer can be kept. Nil: no caller can leave.
	Callers *Callers
	// Call is the call that the request is part of. It has the caller's
	// deadline, where that is earlier than the deadline of the context, and the
	// pauses in which the time-outs of an exchange stand still. Nil: no limit
	// and no pauses.
	Call *pausable.Context
	// Auth authenticates the request. Each part is sent only to its own origin.
	Auth []AuthPart

	// Sent, where it is set, counts the attempts on connections. Nil: nothing counts them.
	Sent *atomic.Int64

	// Remote is the address of the connection that was used last. It is the
	// zero value when it is not known. [Conns] sets it.
	Remote netip.AddrPort
	// Written reports whether an attempt has been written. [Conns] sets it.
	Written bool
	// Answered reports whether the attempt that failed had brought a byte of an
	// answer, and Unprocessed that the peer says it did nothing with it (RFC 9113
	// §8.7). [Conns] sets them.
	Answered, Unprocessed bool

	// Stages, where it is set, takes the durations of the attempt that was made last.
	// [Conns] sets them before it returns.
	Stages *Stages

	// counted: a retrier stands above, so repeats has a meaning.
	counted bool
	repeats int // retries, moves to another connection, and other signatures

	wish   *websign.Wish // of the next attempt; nil: none
	wished bool          // a site has asked for another signature
}

// Stages are the durations of one attempt, up to the header of its answer. Those of a
// part that did not happen are zero, and so are all of an attempt without a connection.
type Stages struct {
	// Queue is the time for a connection beyond the times to make it. Ask leaves it, and
	// Read, the time for the body, to its caller.
	Queue time.Duration
	// DNS, Connect and TLS made the connection; zero where it had been used before.
	// Connect has the whole way through a proxy.
	DNS, Connect, TLS time.Duration
	// Wait is from the moment when the request had a connection to the header of the
	// answer.
	Wait, Read time.Duration
	// Reused: the connection had carried a request before.
	Reused bool
}

// attempted are the stages of an attempt that got a connection at a time.
func attempted(g grant, at time.Time) Stages {
	s := Stages{Wait: time.Since(at), Reused: g.reused}
	if k := g.conn; !g.reused {
		s.DNS, s.TLS = k.remote.looked, k.ready.Sub(k.dialled)
		s.Connect = k.dialled.Sub(k.started) - s.DNS
	}
	return s
}

// Repeats is how often the request was sent again so far.
func (a *Ask) Repeats() int { return a.repeats }

func (a *Ask) method() string {
	if a.Method == "" {
		return http.MethodGet
	}
	return a.Method
}

func (a *Ask) limit() int64 {
	if a.MaxBytes > 0 {
		return a.MaxBytes
	}
	return DefaultMaxBytes
}

// hasLeft reports whether the last caller has left.
func (a *Ask) hasLeft() bool { return a.Callers != nil && a.Callers.Err() != nil }

// left is closed when the last caller has left; nil where none can.
func (a *Ask) left() <-chan struct{} {
	if a.Callers == nil {
		return nil
	}
	return a.Callers.Done()
}

// mayRepeat reports whether the request may be written again, most times in
// all. A request without a retrier moves once at most.
func (a *Ask) mayRepeat(most int) bool { return !a.counted || a.repeats < most }

// deadline is the earlier of the deadlines of ctx and of the caller.
func (a *Ask) deadline(ctx context.Context) (time.Time, bool) {
	deadline, limited := ctx.Deadline()
	if a.Call == nil {
		return deadline, limited
	}
	if waits, _ := a.Call.Deadline(); !limited || waits.Before(deadline) {
		return waits, true
	}
	return deadline, limited
}

func (a *Ask) closeBody() {
	if a.Body != nil {
		_ = a.Body.Close()
	}
}

// rewind makes the body of a request that has to be sent again. It reports
// false where that is impossible.
func (a *Ask) rewind() bool {
	if a.Body == nil || a.Body == http.NoBody {
		return true
	}
	if a.GetBody == nil {
		return false
	}
	body, err := a.GetBody()
	a.Body = body
	return err == nil
}

// Budget is the number of retries that all requests of one domain share. It is
// safe for concurrent use.
type Budget struct{ left atomic.Int64 }

// NewBudget returns a budget of n retries.
func NewBudget(n int) *Budget {
	b := &Budget{}
	b.left.Store(int64(n))
	return b
}

// Left returns the number of remaining retries.
func (b *Budget) Left() int { return int(max(0, b.left.Load())) }

// take uses one up and reports whether there was one. A nil budget is
// unlimited.
func (b *Budget) take() bool { return b == nil || b.left.Add(-1) >= 0 }

// AuthPart authenticates requests to one origin.
type AuthPart struct {
	// Origin is scheme, canonical host and port where it is not 443:
	// "https://example.com".
	Origin string
	// In says where it goes: a header field when it is empty, else "query" or
	// "cookie".
	In string
	// Field is the name of the header field, the parameter or the cookie, Value all
	// of its value.
	Field, Value string
}

// The places of an AuthPart that are no header field.
const (
	InQuery  = "query"
	InCookie = "cookie"
)

// Fits reports whether the credential belongs to the origin of a URL in
// canonical form.
func (c *AuthPart) Fits(u *url.URL) bool { return u.Scheme+"://"+u.Host == c.Origin }

// authorize adds to a header the fields that authenticate the request.
func (a *Ask) authorize(h http.Header) {
	var cookies []string
	for i := range a.Auth {
		switch c := &a.Auth[i]; {
		case !c.Fits(a.URL), c.In == InQuery:
		case c.In == InCookie:
			cookies = append(cookies, c.Field+"="+c.Value)
		default:
			h.Set(c.Field, c.Value)
		}
	}
	if cookies != nil {
		h["Cookie"] = []string{strings.Join(cookies, "; ")}
	}
}

// target is the URL that goes over the wire: with the credentials that stand in
// its query, which no error and no log ever sees.
func (a *Ask) target() *url.URL {
	own := a.URL
	for i := range a.Auth {
		c := &a.Auth[i]
		if c.In != InQuery || !c.Fits(a.URL) {
			continue
		}
		u := *own
		if u.RawQuery != "" {
			u.RawQuery += "&"
		}
		u.RawQuery += url.QueryEscape(c.Field) + "=" + url.QueryEscape(c.Value)
		own = &u
	}
	return own
}
