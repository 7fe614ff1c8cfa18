package cache

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"
)

// Values of Facts.From. A Store has its own in Variants.From.
const (
	FromNetwork   = "network"   // the origin answered with content
	FromMemory    = "memory"    // fresh in the store, or in the near store
	FromValidated = "validated" // the origin answered 304
	FromStale     = "stale"     // stored, not fresh, used anyway
)

// Values of Facts.StaleReason.
const (
	StaleAccepted     = "max-stale"    // the caller's max-stale (RFC 9111 §5.2.1.2)
	StaleRevalidating = "revalidating" // stale-while-revalidate (RFC 5861 §3)
	StaleError        = "error"        // the origin could not be asked (RFC 5861 §4)
	StaleHeld         = "held"         // the origin must not be asked yet
	StaleSlow         = "slow"         // the origin has not answered for Options.StaleAfter
	StaleFloor        = "floor"        // the format's floor between two requests
)

// Facts describe how an Answer came about. The terms are those of RFC 9211.
type Facts struct {
	// From is one of the From… constants, or a store's own value.
	From string
	// Age is the age of the entry when the response was made (RFC 9111 §4.2.3).
	Age time.Duration
	// FreshUntil is the wall time when the entry stops, or stopped, being fresh. The use of a stale
	// entry does not prolong it.
	FreshUntil time.Time
	// StaleReason is the reason why a stale entry was used. It is empty unless From is FromStale.
	StaleReason string
	// Collapsed means that another caller's request was shared.
	Collapsed bool
}

// served is the response that an entry is made into, with its parts.
type served struct {
	resp   http.Response
	body   body
	values [9]string // room for the values of the header; with one more element, Go would allocate 128 bytes more
}

// body is the content of an entry as a response's body. It also contains the source of the
// response.
type body struct {
	bytes.Reader
	entry *Entry
	facts Facts
}

// Close does nothing: the bytes belong to the entry.
func (*body) Close() error { return nil }

// of returns the results of Of.
func (b *body) of() (*Entry, Facts, bool) { return b.entry, b.facts, true }

// source is a body that knows where it was served from.
type source interface {
	of() (*Entry, Facts, bool)
}

// servedContext refers from the request of a response to its body, for the case that http.Client
// has wrapped the body.
type servedContext struct {
	context.Context
	resp *http.Response
	body source
}

type servedKey struct{}

// Value implements context.Context.
func (c *servedContext) Value(key any) any {
	if key == (servedKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// requestOf returns the request of a response. If there is a deadline, it is a copy that refers to
// the body, because http.Client wraps bodies for its Timeout. Otherwise it is the caller's request.
// A copy costs a fifth of a hit.
func requestOf(req *http.Request, resp *http.Response, b source) *http.Request {
	if _, ends := req.Context().Deadline(); !ends {
		return req
	}
	return req.WithContext(&servedContext{req.Context(), resp, b})
}

// serveEntry returns the response to a request that is made from an entry.
func serveEntry(req *http.Request, e *Entry, facts Facts, h *servedHeader) *http.Response {
	s := &served{body: body{entry: e, facts: facts}}
	if req.Method != http.MethodHead {
		s.body.Reset(e.Body)
	}
	fill(&s.resp, requestOf(req, &s.resp, &s.body), e.Status, h.fill(s.values[:0]))
	s.resp.Body, s.resp.ContentLength = &s.body, int64(len(e.Body))
	e.outer.give(&s.resp)
	return &s.resp
}

// Of returns the entry that a response of Transport was served from, without copying it, and the
// Facts about it. The response must still have the Body that Transport set or, if the request has a
// deadline, its Request. This includes responses of an http.Client that wraps bodies for its
// Timeout, because a Timeout is a deadline. If another RoundTripper wraps bodies and there is no
// deadline, only Cache-Status describes the source of the response. A response from the origin is
// passed on as it comes. Its entry has no Body until the end has been read, and never has one if
// the response must not be stored. Of returns false for responses that only passed through.
func Of(resp *http.Response) (*Entry, Facts, bool) {
	if resp == nil {
		return nil, Facts{}, false
	}
	if b, is := resp.Body.(source); is {
		return b.of()
	}
	if resp.Request == nil {
		return nil, Facts{}, false
	}
	// The context may have been used for another request since.
	c, is := resp.Request.Context().Value(servedKey{}).(*servedContext)
	if is && c.resp.Request == resp.Request {
		return c.body.of()
	}
	return nil, Facts{}, false
}

// gatewayTimeout returns the answer to only-if-cached if nothing usable is stored (RFC 9111
// §5.2.1.7).
func gatewayTimeout(req *http.Request) *http.Response {
	h := http.Header{"Cache-Status": {cacheName + "; detail=only-if-cached"}}
	resp := &http.Response{Body: http.NoBody}
	fill(resp, req, http.StatusGatewayTimeout, h)
	return resp
}

// servedHeader is the header of a response that is made from an entry. The values of a field are
// those from the end of the field before to its own end. All copies of the response share it.
type servedHeader struct {
	age, ttl int64 // seconds, of a hit
	fields   []servedField
	values   []string
}

type servedField struct {
	name string
	end  int
}

// copyOf returns a copy of a header, with room for the fields that this cache adds.
func copyOf(h http.Header) *servedHeader {
	const added = 3 // Date, Age and Cache-Status
	s := &servedHeader{fields: make([]servedField, 0, len(h)+added), values: make([]string, 0, len(h)+added)}
	for name, values := range h {
		if name != "Age" && name != "Cache-Status" {
			s.add(name, values...)
		}
	}
	return s
}

// add adds a field with its values.
func (s *servedHeader) add(name string, values ...string) {
	s.values = append(s.values, values...)
	s.fields = append(s.fields, servedField{name, len(s.values)})
}

// fill returns a header that its caller may change. The values are parts of one slice, so that they
// cost one allocation, or none if they fit into scratch.
func (s *servedHeader) fill(scratch []string) http.Header {
	values := append(scratch, s.values...)
	h := make(http.Header, len(s.fields))
	from := 0
	for _, f := range s.fields {
		h[f.name] = values[from:f.end:f.end]
		from = f.end
	}
	return h
}

// fill sets the fields that all responses of this cache have, except the body.
func fill(resp *http.Response, req *http.Request, status int, h http.Header) {
	resp.Status, resp.StatusCode = statusText(status), status
	resp.Proto, resp.ProtoMajor, resp.ProtoMinor = "HTTP/1.1", 1, 1
	resp.Header, resp.Request = h, req
}

// statusText returns the status of a response with its reason phrase.
func statusText(status int) string {
	if status == http.StatusOK {
		return "200 OK" // nearly every response has it, and no text is allocated
	}
	return strconv.Itoa(status) + " " + http.StatusText(status)
}
