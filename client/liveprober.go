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

// LiveProber asks an endpoint itself for its offers, in its own protocol.
// Package client/livemcp has one. It must be safe for concurrent use.
type LiveProber interface {
	// Protocol of the interfaces that it speaks: "mcp".
	Protocol() string
	// Format names the format whose keys and codes its answers use: "mcp".
	Format() string
	// Probe asks one endpoint. Errors are *wayfind.Error where the prober knows
	// a cause better than "unreachable". An answer beside an error is the
	// content of the refusal: an interface with its Auth, for example.
	Probe(ctx context.Context, req *LiveRequest) (*LiveAnswer, error)
}

// LiveRequest is a request to a LiveProber.
type LiveRequest struct {
	// URL of the endpoint in canonical form.
	URL *url.URL
	// Interface as the documents describe it.
	Interface wayfind.Interface
	// HTTP is pinned to the endpoint's origin: see Client.HTTP. Nothing else
	// may be used to send. It is for this Probe alone: it ends with the call.
	HTTP *http.Client
	// Redirects is the number of redirects within the origin that may be
	// followed: none where a document names the URL, some where the caller has.
	Redirects int
}

// LiveAnswer is the answer of an endpoint.
type LiveAnswer struct {
	// Reading as a format would make it of a document; its authority is live.
	Reading *parse.Reading
	// Digest is the SHA-256 of the bytes read, in hexadecimal.
	Digest string
	// Redirects are the URLs that redirects led to, in canonical form; the last one
	// has answered.
	Redirects []*url.URL
	// Lifetime is how long the endpoint says that the answer counts; 0 is
	// DefaultLiveLifetime, and a negative one means not at all. It is capped at
	// 24 hours.
	Lifetime time.Duration
}

// StatusError is a cause of a LiveProber's error: the endpoint refused with an
// HTTP status, which the Probe then shows.
type StatusError struct{ Status int }

// Error names the status.
func (e *StatusError) Error() string {
	return fmt.Sprintf("the endpoint answered %d %s", e.Status, http.StatusText(e.Status))
}

// HTTPStatus is the status.
func (e *StatusError) HTTPStatus() int { return e.Status }

// DefaultLiveLifetime is the lifetime of a live answer that states none.
const DefaultLiveLifetime = 5 * time.Minute
