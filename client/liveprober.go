package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// LiveProber asks an endpoint itself for its offers, in the protocol of the endpoint. Package
// client/livemcp has one. It must be safe for concurrent use.
type LiveProber interface {
	// Protocol returns the protocol of the interfaces that it speaks, for example "mcp".
	Protocol() string
	// Format returns the format whose keys and codes its answers use, for example "mcp".
	Format() string
	// Probe asks one endpoint. It returns a *wayfind.Error if the prober knows a more exact cause
	// than "unreachable". An answer together with an error is the content of the refusal, for
	// example an interface with its Auth.
	Probe(ctx context.Context, req *LiveRequest) (*LiveAnswer, error)
}

// LiveRequest is a request to a LiveProber.
type LiveRequest struct {
	// URL is the URL of the endpoint in canonical form.
	URL *url.URL
	// Interface is the endpoint as the documents describe it.
	Interface wayfind.Interface
	// HTTP is limited to the endpoint's origin: see Client.HTTP. A prober must send with nothing
	// else. HTTP is for this Probe alone and ends with the call.
	HTTP *http.Client
	// Redirects is the number of redirects within the origin that may be followed: none if the URL
	// comes from a document, some if it comes from the caller.
	Redirects int
}

// LiveAnswer is the answer of an endpoint.
type LiveAnswer struct {
	// Reading is the content of the answer, as a format reads a document; its authority is live.
	Reading *parse.Reading
	// Digest is the SHA-256 of the bytes read, in hexadecimal.
	Digest string
	// Redirects are the URLs that redirects led to, in canonical form. The last one has answered.
	Redirects []*url.URL
	// Lifetime is the time for which the answer is valid according to the endpoint. If it is 0,
	// DefaultLiveLifetime applies; if it is negative, the answer is not valid at all. It is capped
	// at 24 hours.
	Lifetime time.Duration
}

// StatusError is a cause of a LiveProber's error: the endpoint refused with an HTTP status, which
// the Probe then contains.
type StatusError struct{ Status int }

// Error returns a text with the status.
func (e *StatusError) Error() string {
	return fmt.Sprintf("the endpoint answered %d %s", e.Status, http.StatusText(e.Status))
}

// HTTPStatus returns the status.
func (e *StatusError) HTTPStatus() int { return e.Status }

// DefaultLiveLifetime is the lifetime of a live answer that does not state one.
const DefaultLiveLifetime = 5 * time.Minute
