package cache

import (
	"bytes"
	"io"
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

// body is the content of an entry as a response's body. It carries what the
// response was served from.
type body struct {
	bytes.Reader
	entry *Entry
	facts Facts
}

// Close does nothing: the bytes belong to the entry.
func (*body) Close() error { return nil }

// Of returns the entry that a response of Transport was served from, without
// copying, and how. A response that comes from the origin is given to its caller
// as it comes: the entry has no Body before the end has been read, and none at
// all where the response must not be stored. Of reports false for responses
// that only passed through, and once somebody has replaced the body.
func Of(resp *http.Response) (*Entry, Facts, bool) {
	if resp == nil {
		return nil, Facts{}, false
	}
	switch b := resp.Body.(type) {
	case *body:
		return b.entry, b.facts, true
	case *streamBody:
		return b.of()
	}
	return nil, Facts{}, false
}

// gatewayTimeout answers only-if-cached when nothing usable is stored (RFC
// 9111 §5.2.1.7).
func gatewayTimeout(req *http.Request) *http.Response {
	h := http.Header{"Cache-Status": {cacheName + "; detail=only-if-cached"}}
	return newResponse(req, http.StatusGatewayTimeout, h, http.NoBody, 0)
}

func newResponse(req *http.Request, status int, h http.Header, b io.ReadCloser, size int64) *http.Response {
	return &http.Response{
		Status:        strconv.Itoa(status) + " " + http.StatusText(status),
		StatusCode:    status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        h,
		Body:          b,
		ContentLength: size,
		Request:       req,
	}
}
