package client

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/internal/web/wall"
)

// Exchange is one request and its result. A document is as the formats saw it: after decoding, after
// retries, and whole if the site only answered that it has not changed. Each hop of a redirect is an
// Exchange. Requests of calls and of conversations with live endpoints have a Method.
//
// Of the caller it holds the body of a call, and neither header fields nor addresses. From the header of the
// answer it holds only known fields, and no cookies. If a query parameter is named as a secret
// ("token", "api_key" …), its value is replaced by "REDACTED". The random part of the canary's path
// is replaced by zeros. Likely secrets are removed from bodies as well, so that a site's mistake is
// not published again. Other secrets may be left.
type Exchange struct {
	// URL is the URL that was requested, redacted.
	URL string
	// Method is the method of a call or of a conversation. It is empty for a document, which is
	// requested with GET.
	Method string
	// Request is the body of a call, redacted. Members of JSON are sorted, and values that each
	// client makes anew are left out, such as the id of a message of JSON-RPC.
	Request []byte
	// Status is the HTTP status of the answer; 0 if there is a Failure.
	Status int
	// Header contains the header fields of the answer, redacted. It has Date only if another field
	// is relative to it. If the answer to a request for a document, or an earlier one with the same
	// content, set cookies, it has one Set-Cookie, without their names and values.
	Header http.Header
	// Body is the decoded content without secrets; empty for a redirect. It is shared with the
	// cache and must not be written to.
	Body []byte
	// Failure is the reason why there is no answer; nil if there is one.
	Failure *Failure
}

// Failure is the reason why there is no answer.
type Failure struct {
	// Stage is "dns", "dial", "tls", "headers" or "body". It is "held" if the URL was not requested
	// because of an earlier answer or failure.
	Stage string
	// Code is the code of the wayfind.Error.
	Code wayfind.Code
	// Reason is the class of a TLS failure ("certificate expired"), else empty.
	Reason string
	// Wait is the time for which the URL must not be requested, for "held".
	Wait time.Duration
}

// StageHeld is the Stage of a URL that was not requested because of an earlier answer or failure.
const StageHeld = "held"

// exchangeOf returns the record of the result of a request, from any source; nil if there is no
// result.
func exchangeOf(u *url.URL, e *cache.Entry, err error, now time.Time, secrets secret.Veil) *Exchange {
	var x *Exchange
	switch {
	case err != nil:
		x = failedExchange(err, now)
	case e != nil:
		x = answeredExchange(e, secrets)
	}
	if x == nil {
		return nil
	}
	shown := *u
	shown.Fragment, shown.RawFragment = "", ""
	x.URL = secrets.Show(shown.String(), secret.Wire, 0)
	return x
}

// answeredExchange returns the record of an answer.
func answeredExchange(e *cache.Entry, secrets secret.Veil) *Exchange {
	x := &Exchange{Status: e.Status, Header: recordedHeader(e.Header, e.ResponseTime, secrets), Body: secrets.ShowBytes(e.Body, secret.WireBytes)}
	if e.SetsCookie { // an entry has no cookies
		x.Header.Set("Set-Cookie", secret.RecordedMark)
	}
	if e.Status >= 300 && e.Status <= 399 {
		x.Body = nil // no reader uses it
	} else if doc := discover.DocumentOf(e); doc != nil {
		x.Body = doc.Redacted(x.Body)
	}
	return x
}

// failedExchange returns the record of an error; nil if the error is no fact about the site.
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

// heldExchange returns the record of an obligation. A remembered absence is an obligation.
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
		"Access-Control-Allow-Origin", "Age", "Cache-Control", "Content-Signal", "Content-Type", "Etag", "Expires", "Last-Modified", "Link",
		"Location", "Pragma", "Retry-After", "Vary", "Www-Authenticate", "X-Robots-Tag",
		"Cf-Mitigated", "Server", "X-Cdn", "X-Squid-Error", // package wall recognises firewalls by their values
		"Crawler-Price", "Payment-Required", // a 402 with a price
		"Powered-By", "X-Powered-By", // "wayfind check" names a product that an answer proves
	}
}

// recordedHeader copies the recorded fields of a header that was received at a time, without
// secrets.
func recordedHeader(h http.Header, received time.Time, secrets secret.Veil) http.Header {
	out := http.Header{}
	for _, name := range recordedFields() {
		for _, v := range h[name] {
			out.Add(name, secrets.Show(v, secret.Wire, 0))
		}
	}
	for _, name := range slices.Concat(secret.VisitorFields(), wall.Fields()) {
		if h.Get(name) != "" && out.Get(name) == "" { // its value may be a token
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
