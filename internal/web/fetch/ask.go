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

	"github.com/wayfindhq/wayfind/internal/run/pausable"
	"github.com/wayfindhq/wayfind/internal/web/websign"
)

// DefaultMaxBytes bounds a decoded body if [Ask.MaxBytes] is not set.
const DefaultMaxBytes = 256 << 10

// Step is one step of a request on its way to a site: [Body], [Retry] or
// [Conns]. The caller closes the body of the response. Errors are
// *wayfind.Error.
type Step interface {
	Do(ctx context.Context, a *Ask) (*http.Response, error)
}

// Ask is one request. Each request needs an Ask of its own, because the steps write facts into it.
// The steps only read the values of its pointers, so several Asks may share a URL, a header and a
// budget.
type Ask struct {
	// Method is the method of the request; GET if it is empty.
	Method string
	// URL is the URL in the form of [security.ParseURL].
	URL *url.URL
	// Header contains the header fields to send. Credentials, cookies and a Referer among them are
	// not sent.
	Header http.Header
	// Body is sent on connections with Options.Interactive and dropped on all others. It is closed
	// in any case. GetBody returns a new copy for a request that has to be sent again.
	// ContentLength is -1 if it is not known.
	Body          io.ReadCloser
	GetBody       func() (io.ReadCloser, error)
	ContentLength int64

	// MaxBytes bounds the decoded body; 0 and less mean [DefaultMaxBytes].
	MaxBytes int64
	// Option is the name of the option that raises MaxBytes, if there is one.
	Option string
	// Truncate keeps the first MaxBytes of a longer body instead of refusing the body.
	Truncate bool
	// Once marks a request that must reach the site at most once, because an obligation counts it.
	// It is never written twice.
	Once bool
	// Budget is the number of retries that the requests of one domain share. If it is nil, only the
	// limit of the request applies.
	Budget *Budget
	// Callers ends when the last caller has left. A request that has not been written by then is
	// dropped. A request that has been written goes on, so that its answer can be kept. If it is
	// nil, no caller can leave.
	Callers *Callers
	// Call is the call that the request is part of. It has the caller's deadline, which applies if
	// it is earlier than the deadline of the context, and the pauses during which the time-outs of
	// an exchange do not run. If it is nil, there is no limit and there are no pauses.
	Call *pausable.Context
	// Opening is set if the request waited for another one to make the first connection to the
	// origin, and in that other one. The time counts as time of the request.
	Opening *Opening
	// Auth authenticates the request. Each part is sent only to its own origin.
	Auth []AuthPart

	// Sent counts the attempts on connections; nil if they are not counted.
	Sent *atomic.Int64

	// Remote is the address of the last used connection; the zero value if it is not known. [Conns]
	// sets it.
	Remote netip.AddrPort
	// Written reports whether an attempt has been written. [Conns] sets it.
	Written bool
	// Answered reports whether the failed attempt had received a byte of an answer. Unprocessed
	// reports whether the peer has declared that it did not process the request (RFC 9113 §8.7).
	// [Conns] sets them.
	Answered, Unprocessed bool

	// Stages, if it is not nil, gets the durations of the last attempt. [Conns] sets them before it
	// returns.
	Stages *Stages

	// counted is true if a retrier is above this step, so that repeats has a meaning.
	counted bool
	repeats int // retries, moves to another connection, and other signatures

	wish   *websign.Wish // of the next attempt; nil: no wish
	wished bool          // a site has asked for another signature
}

// Stages are the durations of one attempt, up to the header of its answer. The duration of a part
// that did not happen is zero, and so are all durations of an attempt without a connection.
type Stages struct {
	// Queue is the time spent waiting for a connection, without the times to make it. Ask does not
	// set it, and neither does it set Read, the time for the body. The caller sets both.
	Queue time.Duration
	// DNS, Connect and TLS are the times to make the connection; zero if it was used before.
	// Through a proxy, Connect includes the whole way.
	DNS, Connect, TLS time.Duration
	// Wait is the time from the moment when the request had a connection to the header of the
	// answer.
	Wait, Read time.Duration
	// Reused is true if the connection had carried a request before.
	Reused bool
}

// attempted returns the stages of an attempt that got a connection at a time.
func attempted(g grant, at time.Time) Stages {
	s := Stages{Wait: time.Since(at), Reused: g.reused}
	if k := g.conn; !g.reused {
		s.DNS, s.TLS = k.remote.looked, k.ready.Sub(k.dialled)
		s.Connect = k.dialled.Sub(k.started) - s.DNS
	}
	return s
}

// Repeats returns the number of times the request was sent again so far.
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

// left returns a channel that is closed when the last caller has left; nil if no caller can leave.
func (a *Ask) left() <-chan struct{} {
	if a.Callers == nil {
		return nil
	}
	return a.Callers.Done()
}

// mayRepeat reports whether the request may be written again, at most most times in total. A
// request without a retrier moves at most once.
func (a *Ask) mayRepeat(most int) bool { return !a.counted || a.repeats < most }

// deadline returns the earlier of the deadlines of ctx and of the caller.
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

// rewind makes the body of a request that has to be sent again. It returns false if that is
// impossible.
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

// take uses up one retry. It reports whether there was one. A nil budget is unlimited.
func (b *Budget) take() bool { return b == nil || b.left.Add(-1) >= 0 }

// AuthPart authenticates requests to one origin.
type AuthPart struct {
	// Origin is the scheme, the canonical host, and the port unless it is 443:
	// "https://example.com".
	Origin string
	// In is the place of the credential: "query", "cookie", or empty for a header field.
	In string
	// Field is the name of the header field, the parameter or the cookie. Value is its whole value.
	Field, Value string
	// Plain is true if the value is not hidden where the site repeats it.
	Plain bool
}

// The places of an AuthPart other than a header field.
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

// target returns the URL that is sent. It includes the credentials in its query, which appear in no
// error and no log.
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
