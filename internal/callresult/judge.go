package callresult

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/security/schema"
)

// Answer is an answer with the parts of its request that are needed to read it.
type Answer struct {
	Status int
	Header http.Header
	// Body after its codings were undone, credentials of the call taken out.
	Body []byte
	// URL that was asked, nil where it does not matter.
	URL *url.URL
	// Fixed: the model had no say in the path, so that "not found" is about the tool.
	Fixed bool
	// Credential: the request had one.
	Credential bool
	// Declared are the media types that the publisher gives for the answer, nil for none.
	Declared []string
	// Output is the schema that the publisher gives for the answer, or nil.
	Output *schema.Schema
	// Links are the links (OpenAPI 3.1 §4.8.20) that the publisher says an answer has, as
	// a JSON object by their names, and Operation is the operationId of the call.
	Links     []byte
	Operation string
	// Most is how many bytes the model may get, [DefaultMost] for zero.
	Most int
	// At (RFC 6901) and From choose a part of a JSON answer: the value at the
	// pointer, from an item, member or character on.
	At   string
	From int
}

// DefaultMost is how many bytes of an answer a model gets.
const DefaultMost = 32 << 10

// Kind is what an answer means.
type Kind string

// The kinds.
const (
	OK                Kind = "ok"
	Pending           Kind = "pending"            // accepted; Outcome.Poll is where to ask
	Moved             Kind = "moved"              // it leads elsewhere, which is not followed
	Throttled         Kind = "throttled"          // fewer calls are wanted
	Gone              Kind = "gone"               // the endpoint is not there any more
	CredentialMissing Kind = "credential_missing" // one is wanted, and none was sent
	CredentialRefused Kind = "credential_refused" // the one that was sent is not enough
	Refused           Kind = "refused"            // the service does not want the call
	UpstreamError     Kind = "upstream_error"     // it failed, there
)

// Outcome is what an answer means.
type Outcome struct {
	Kind Kind
	// Phrase says it in our words: "not found". It may be shown to a model.
	Phrase string
	// Problem is what the service says of its failure, nil where it says nothing.
	Problem *wayfind.Problem
	// Poll is where to ask for the outcome of a Pending one, on the same origin.
	Poll *url.URL
	// Arguments: the service says that the request is at fault, so that other
	// arguments may help.
	Arguments bool
}

// Judge says what an answer means.
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
			// An error whose status line says something else (RFC 9457 §3.1.2).
		case a.Status >= 200 && a.Status <= 299:
			o.Kind = OK
		case a.Status >= 300 && a.Status <= 399:
			o.Kind = Moved
		}
	}
	return o
}

// denied tells a service that wants fewer calls, as some say it, from one that wants
// a credential.
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

// accepted says where to ask for the outcome (RFC 9110 §15.3.3).
func (a *Answer) accepted() (Kind, *url.URL) {
	if u := a.near(a.Header.Get("Location")); u != nil {
		return Pending, u
	}
	return OK, nil
}

// near resolves a reference that must stay on the origin that was asked.
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

// phrase says a status in our words. That of the service may say anything.
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
