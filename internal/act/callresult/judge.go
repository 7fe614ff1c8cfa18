package callresult

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/security/schema"
)

// Answer is an answer with the parts of its request that are needed to read it.
type Answer struct {
	Status int
	Header http.Header
	// Body is the body after its content codings were decoded, without credentials of the
	// call.
	Body []byte
	// URL is the URL of the request; nil if it does not matter.
	URL *url.URL
	// Fixed is true if the model did not influence the path, so that "not found" is about the
	// tool.
	Fixed bool
	// Credential is true if the request had a credential.
	Credential bool
	// Declared are the media types that the publisher declares for the answer; nil if there
	// are no such types.
	Declared []string
	// Output is the schema that the publisher declares for the answer; nil if there is no
	// schema.
	Output *schema.Schema
	// Links are the links (OpenAPI 3.1 §4.8.20) that the publisher declares for the answer, as
	// a JSON object by their names. Operation is the operationId of the call.
	Links     []byte
	Operation string
	// Most is the maximum number of bytes for the model; zero for [DefaultMost].
	Most int
	// At (RFC 6901) and From choose a part of a JSON answer: the value at the pointer,
	// beginning with the item, member or character at index From.
	At   string
	From int
	// Hide has the credentials of the call, which are hidden in texts.
	Hide secret.Veil
}

// DefaultMost is the default number of bytes of an answer that a model gets.
const DefaultMost = 32 << 10

// Kind is the meaning of an answer.
type Kind string

// The kinds.
const (
	OK                Kind = "ok"
	Pending           Kind = "pending"            // accepted; Outcome.Poll is the URL to poll
	Moved             Kind = "moved"              // a redirect, which is not followed
	Throttled         Kind = "throttled"          // the service limits its calls
	Gone              Kind = "gone"               // the endpoint does not exist any more
	CredentialMissing Kind = "credential_missing" // the service demands a credential, and the request had none
	CredentialRefused Kind = "credential_refused" // the credential of the request is not sufficient
	Refused           Kind = "refused"            // the service refuses the call
	UpstreamError     Kind = "upstream_error"     // the service reports a failure
)

// Outcome is the meaning of an answer, with details.
type Outcome struct {
	Kind Kind
	// Phrase describes the answer in words of this package: "not found". It may be shown to a
	// model.
	Phrase string
	// Problem is the service's description of its failure; nil if there is no description.
	Problem *wayfind.Problem
	// Poll is the URL to poll for the outcome if Kind is Pending, on the same origin.
	Poll *url.URL
	// Arguments is true if the status means that the request is at fault, so that other
	// arguments may help.
	Arguments bool
}

// Judge returns the meaning of an answer.
func Judge(a *Answer) Outcome {
	o := Outcome{Kind: UpstreamError, Phrase: phrase(a.Status)}
	mediaType, _ := mediaOf(a.Header)
	if a.Status >= 400 || mediaType == "application/problem+json" {
		o.Problem = problemOf(a)
	}
	switch a.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		o.Kind = a.denied()
	case http.StatusPaymentRequired, http.StatusProxyAuthRequired, http.StatusUnavailableForLegalReasons:
		o.Kind = Refused
	case http.StatusGone:
		o.Kind = Gone
	case http.StatusNotFound:
		if a.Fixed {
			o.Kind = Gone
		}
		o.Arguments = !a.Fixed
	case http.StatusTooManyRequests:
		o.Kind = Throttled
	case http.StatusServiceUnavailable:
		if a.Header.Get("Retry-After") != "" {
			o.Kind = Throttled
		}
	case http.StatusBadRequest, http.StatusConflict, http.StatusLengthRequired, http.StatusRequestEntityTooLarge, http.StatusRequestURITooLong,
		http.StatusUnprocessableEntity, http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable:
		o.Arguments = true
	case http.StatusAccepted:
		o.Kind, o.Poll = a.accepted()
	case http.StatusNotModified:
	default:
		switch {
		case a.Status >= 200 && a.Status <= 299 && o.Problem != nil && o.Problem.Status >= 400:
			// An error whose status line has another status (RFC 9457 §3.1.2).
		case a.Status >= 200 && a.Status <= 299:
			o.Kind = OK
		case a.Status >= 300 && a.Status <= 399:
			o.Kind = Moved
		}
	}
	return o
}

// denied returns the meaning of a status 401 or 403. Some services use 403 to limit their
// calls; the others demand or refuse a credential.
func (a *Answer) denied() Kind {
	limited := a.Header.Get("Retry-After") != ""
	for _, name := range [...]string{"X-Ratelimit-Remaining", "Ratelimit-Remaining"} {
		limited = limited || strings.TrimSpace(a.Header.Get(name)) == "0"
	}
	switch {
	case a.Status == http.StatusForbidden && limited:
		return Throttled
	case a.Credential:
		return CredentialRefused
	case a.Status == http.StatusUnauthorized:
		return CredentialMissing
	}
	return Refused
}

// accepted returns the URL to poll for the outcome (RFC 9110 §15.3.3). If there is no such URL
// on the same origin, the answer is OK.
func (a *Answer) accepted() (Kind, *url.URL) {
	if u := a.near(a.Header.Get("Location")); u != nil {
		return Pending, u
	}
	return OK, nil
}

// near resolves a reference. It returns nil if the result is not on the origin of the request.
func (a *Answer) near(ref string) *url.URL {
	if a.URL == nil || ref == "" {
		return nil
	}
	u, err := a.URL.Parse(ref)
	if err != nil || u.Scheme != a.URL.Scheme || !strings.EqualFold(u.Host, a.URL.Host) || u.User != nil {
		return nil
	}
	u.Fragment, u.RawFragment = "", ""
	return u
}

// phrase describes a status in words of this package, because the reason phrase of the service
// may contain any text.
func phrase(status int) string {
	switch {
	case status == http.StatusNotFound:
		return "not found"
	case status == http.StatusUnauthorized:
		return "not authorised"
	case status >= 300 && status <= 399 && status != http.StatusNotModified:
		return "it leads elsewhere, which is not followed"
	case http.StatusText(status) != "":
		return strings.ToLower(http.StatusText(status))
	case status >= 200 && status <= 299:
		return "done"
	case status >= 400 && status <= 499:
		return "the request is refused"
	}
	return "the service failed"
}
