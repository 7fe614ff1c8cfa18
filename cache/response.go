package cache

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"
)

// Values of Facts.From. A Store names its own in Variants.From.
const (
	FromNetwork   = "network"   // the origin answered with content
	FromMemory    = "memory"    // fresh in the store, or in the near one of two
	FromValidated = "validated" // the origin said 304
	FromStale     = "stale"     // stored, not fresh, used all the same
)

// Values of Facts.StaleReason.
const (
	StaleAccepted     = "max-stale"    // the caller's max-stale (RFC 9111 §5.2.1.2)
	StaleRevalidating = "revalidating" // stale-while-revalidate (RFC 5861 §3)
	StaleError        = "error"        // the origin could not be asked (RFC 5861 §4)
	StaleHeld         = "held"         // the origin must not be asked yet
	StaleFloor        = "floor"        // the format's floor between two requests
)

// Facts say how an Answer came about; the words are those of RFC 9211.
type Facts struct {
	// From is one of the From… constants, or a store's own word.
	From string
	// Age of the entry when the response was made (RFC 9111 §4.2.3).
	Age time.Duration
	// FreshUntil is the wall time when the entry stops, or stopped, being
	// fresh. It is never prolonged by a reuse while stale.
	FreshUntil time.Time
	// StaleReason says why a stale entry was used: with FromStale only.
	StaleReason string
	// Collapsed: another caller's request was shared.
	Collapsed bool
}

// served is the response that an entry is made into, with its parts.
type served struct {
	resp   http.Response
	body   body
	values [9]string // room for those of the header; one more, and Go takes 128 bytes more
}

// body is the content of an entry as a response's body. It carries the source
// of the response.
type body struct {
	bytes.Reader
	entry *Entry
	facts Facts
}

// Close does nothing: the bytes belong to the entry.
func (*body) Close() error { return nil }

// of is the answer of Of.
func (b *body) of() (*Entry, Facts, bool) { return b.entry, b.facts, true }

// source is a body that tells where it was served from.
type source interface {
	of() (*Entry, Facts, bool)
}

// servedContext leads from the request of a response to its body, when http.Client has
// put one of its own around that.
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

// requestOf is the request of a response: a copy that leads to its body where there is a
// deadline, since http.Client wraps bodies for its Timeout, and else the caller's own. A
// copy costs a fifth of a hit.
func requestOf(req *http.Request, resp *http.Response, b source) *http.Request {
	if _, ends := req.Context().Deadline(); !ends {
		return req
	}
	return req.WithContext(&servedContext{req.Context(), resp, b})
}

// serveEntry makes an entry the response to a request.
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

// Of returns the entry that a response of Transport was served from, without
// copying, and how: as long as the response has the Body that Transport gave it, or its
// Request, if that has a deadline. http.Client wraps bodies for its Timeout, which is
// one; of a RoundTripper around the Transport that wraps bodies without one, Cache-Status
// says how the response came about. A response that comes from the origin is given to its caller
// as it comes: the entry has no Body before the end has been read, and none at
// all where the response must not be stored. Of reports false for responses
// that only passed through.
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

// gatewayTimeout answers only-if-cached when nothing usable is stored (RFC
// 9111 §5.2.1.7).
func gatewayTimeout(req *http.Request) *http.Response {
	h := http.Header{"Cache-Status": {cacheName + "; detail=only-if-cached"}}
	resp := &http.Response{Body: http.NoBody}
	fill(resp, req, http.StatusGatewayTimeout, h)
	return resp
}

// servedHeader is the header of a response that an entry is made into: the
// values of a field are those up to its end, from the end of the one before.
// It is shared by all copies of the response.
type servedHeader struct {
	age, ttl int64 // seconds, of a hit
	fields   []servedField
	values   []string
}

type servedField struct {
	name string
	end  int
}

// copyOf copies a header, with room for the fields that this cache adds.
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

// fill makes a header that its caller may change. The values are parts of one
// slice, so that they cost one allocation, or none where they fit into room.
func (s *servedHeader) fill(room []string) http.Header {
	values := append(room, s.values...)
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

// statusText is the status of a response with its reason phrase.
func statusText(status int) string {
	if status == http.StatusOK {
		return "200 OK" // nearly every response, and no text has to be made
	}
	return strconv.Itoa(status) + " " + http.StatusText(status)
}
