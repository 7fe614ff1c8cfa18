package client

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/discover"
	"github.com/wayfindhq/wayfind/internal/fetch"
	"github.com/wayfindhq/wayfind/internal/secret"
)

// Exchange is one URL and the result of asking for it, as the formats saw it:
// after decoding, after retries, and the whole document where the site only
// said that it has not changed. Each hop of a redirect is one of its own.
//
// It holds no data of the caller: neither the request nor any address. Of the
// answer's header it holds only known fields, and no cookies. Values that a
// query names as a secret ("token", "api_key" …) read "REDACTED", and the
// random part of the path that cannot exist is zeros. Likely secrets are taken
// out of bodies, too: a site's mistake is not published again. Other secrets
// may be left.
type Exchange struct {
	// URL that was asked, redacted.
	URL string
	// Status of the answer; 0 beside a Failure.
	Status int
	// Header fields of the answer, redacted. Date is there only when another
	// field counts from it.
	Header http.Header
	// Body is the decoded content without secrets, that of a redirect left out.
	// It is shared with the cache and must not be written to.
	Body []byte
	// Failure says why there is no answer, nil when there is one.
	Failure *Failure
}

// Failure is why there is no answer.
type Failure struct {
	// Stage is "dns", "dial", "tls", "headers" or "body", or "held" when it
	// was not asked because of an earlier answer or failure.
	Stage string
	// Code as in wayfind.Error.
	Code wayfind.Code
	// Reason is the class of a TLS failure ("certificate expired"), else empty.
	Reason string
	// Wait is how long it must not be asked, for "held".
	Wait time.Duration
}

// StageHeld is the Stage of a URL that was not asked because of an earlier
// answer or failure.
const StageHeld = "held"

// exchangeOf is the record of the result of a request, from whichever source; nil when
// there is none.
func exchangeOf(u *url.URL, e *cache.Entry, err error, now time.Time) *Exchange {
	var x *Exchange
	switch {
	case err != nil:
		x = failedExchange(err, now)
	case e != nil:
		x = answeredExchange(e)
	}
	if x == nil {
		return nil
	}
	shown := *u
	shown.Fragment, shown.RawFragment = "", ""
	x.URL = secret.Recorded(shown.String())
	return x
}

// answeredExchange is the record of an answer.
func answeredExchange(e *cache.Entry) *Exchange {
	x := &Exchange{Status: e.Status, Header: recordedHeader(e.Header, e.ResponseTime), Body: e.Body}
	if e.Status >= 300 && e.Status <= 399 {
		x.Body = nil // no reader uses it
	} else if doc := discover.DocumentOf(e); doc != nil {
		x.Body = doc.Redacted(e.Body)
	}
	return x
}

// failedExchange is the record of an error, nil when it is no fact about the
// site.
func failedExchange(err error, now time.Time) *Exchange {
	if held, ok := errors.AsType[*cache.HeldError](err); ok {
		return heldExchange(held, now)
	}
	if status, ok := errors.AsType[*fetch.StatusError](err); ok {
		return &Exchange{Status: status.Status, Header: http.Header{}}
	}
	e, ok := errors.AsType[*wayfind.Error](err)
	switch {
	case !ok && errors.Is(err, io.ErrUnexpectedEOF):
		return &Exchange{Failure: &Failure{Stage: "body", Code: wayfind.CodeTruncated}}
	case !ok, e.Kind == nil, errors.Is(e.Kind, wayfind.ErrClosed), errors.Is(e.Kind, wayfind.ErrInternal):
		return nil
	}
	f := &Failure{Stage: e.Op, Code: e.Code}
	if e.Code == wayfind.CodeTLS && e.Err != nil {
		f.Reason, _, _ = strings.Cut(e.Err.Error(), ":")
	}
	return &Exchange{Failure: f}
}

// heldExchange is the record of an obligation. An absence that is remembered
// is one.
func heldExchange(held *cache.HeldError, now time.Time) *Exchange {
	if held.Reason == discover.ReasonAbsent {
		return &Exchange{Status: http.StatusNotFound, Header: http.Header{}}
	}
	f := &Failure{Stage: StageHeld, Code: wayfind.CodeNotBefore, Wait: max(0, held.Until.Sub(now)).Round(time.Second)}
	if code, failed := discover.FailedBefore(held); failed {
		f.Code = code
	}
	return &Exchange{Failure: f}
}

// recordedFields are the header fields that change the treatment of an answer.
func recordedFields() []string {
	return []string{
		"Age", "Cache-Control", "Content-Signal", "Content-Type", "Etag", "Expires", "Last-Modified", "Link",
		"Location", "Pragma", "Retry-After", "Vary", "Www-Authenticate", "X-Robots-Tag",
		"Cf-Mitigated", "Server", // internal/verdict knows firewalls by them
	}
}

// markFields count by being there; their values name a request or a visitor.
func markFields() []string {
	return []string{"X-Amzn-Waf-Action", "X-Datadome", "X-Iinfo", "X-Sucuri-Block", "X-Sucuri-Id"}
}

// recordedHeader copies the recorded fields of a header that came at a time.
func recordedHeader(h http.Header, received time.Time) http.Header {
	out := http.Header{}
	for _, name := range recordedFields() {
		for _, v := range h[name] {
			out.Add(name, secret.Recorded(v))
		}
	}
	for _, name := range markFields() {
		if h.Get(name) != "" {
			out.Set(name, secret.RecordedMark)
		}
	}
	if out.Get("Expires") == "" && strings.Trim(out.Get("Retry-After"), "0123456789") == "" {
		return out // two recordings of one site are the same
	}
	out.Set("Date", received.UTC().Format(http.TimeFormat))
	if date := h.Get("Date"); date != "" {
		out.Set("Date", date)
	}
	return out
}
