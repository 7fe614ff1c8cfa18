// Package tokens gets access tokens (OAuth 2.1) for requests to a resource, keeps them, and
// renews them. It contacts authorization servers through the guard of a Client.
package tokens

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind"
)

// The grants that a [Config] can name.
const (
	ClientCredentials = "client_credentials"
	AuthorizationCode = "authorization_code"
	DeviceCode        = "device_code"
)

// Config describes how a client gets tokens. It has the fields of call.OAuthConfig, which
// documents them.
type Config struct {
	Grant, Issuer, ClientID, ClientSecret string
	Register                              bool
	ClientName                            string
	Scopes                                []string
	Open                                  func(ctx context.Context, url string) error
	Device                                func(ctx context.Context, code, url string) error
}

// NeedsPeople reports whether a person must act to get a token.
func (c *Config) NeedsPeople() bool { return c.Grant != ClientCredentials }

// Request is a request for a token.
type Request struct {
	*Config
	// Principal is the user on whose behalf the resource is called.
	Principal string
	// Resource is the URL that the token is for (RFC 8707).
	Resource string
	// Needed are the scopes that the document names. More are the additional scopes that the
	// resource has asked for.
	Needed, More []string
	// Flows are the flows of the scheme in the document.
	Flows []wayfind.OAuthFlow
	// Metadata is the URL of the resource metadata that a challenge names; "" for the default
	// locations (RFC 9728 §3).
	Metadata string
	// MCP is set for a server of MCP, which may be its own authorization server.
	MCP bool
	// Stale is the token that the resource has refused.
	Stale string
	// Proofs is true if the resource has refused a token without a proof (RFC 9449 §7.1).
	Proofs bool
	// Approve is called before an authorization server on another site than the resource is
	// contacted, unless the Config names it. An error of Approve ends the request.
	Approve func(ctx context.Context, issuer *url.URL) error
	// Agree is called before more than [ManyScopes] scopes that the Config does not name are
	// requested at once. An error of Agree ends the request.
	Agree func(ctx context.Context, scopes []string) error
}

// ManyScopes is the maximum number of scopes that are requested at once without a question.
const ManyScopes = 16

// wanted returns the scopes to request, in order. The Scopes of the Config replace the needed
// scopes, but not the additional scopes of a challenge.
func (r *Request) wanted() []string {
	if r.Scopes != nil {
		return union(r.Scopes, r.More)
	}
	return union(r.Needed, r.More)
}

// union returns a sorted list of the members of two lists.
func union(a, b []string) []string {
	list := slices.Concat(a, b)
	slices.Sort(list)
	return slices.Compact(list)
}

// covers reports whether a list has all members of another list.
func covers(list, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(s string) bool { return !slices.Contains(list, s) })
}

// Error is the reason why there is no token. Its Detail is text of this package.
type Error struct {
	Why    Why
	Detail string
	Err    error
	// NotBefore is the earliest time at which a server accepts another request; zero if the
	// server does not state it.
	NotBefore time.Time
}

// Error returns the detail and the cause.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Detail + ": " + e.Err.Error()
	}
	return e.Detail
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Why is the kind of an [Error].
type Why int

// The kinds.
const (
	Missing     Why = iota // the user must provide something
	Refused                // a credential or a statement of a server cannot be used
	TooLarge               // a document about authentication is too large
	Throttled              // a server accepts no request at this time
	Unreachable            // a server failed temporarily
)

func fail(why Why, err error, detail string) *Error {
	return &Error{Why: why, Detail: detail, Err: err}
}
