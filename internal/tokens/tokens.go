// Package tokens gets access tokens (OAuth 2.1) for requests to a resource, keeps them, and
// renews them. It asks authorization servers through the guard of a Client.
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

// Config says how a client gets tokens. The fields are those of call.OAuthConfig, which
// describes them.
type Config struct {
	Grant, Issuer, ClientID, ClientSecret string
	Register                              bool
	Scopes                                []string
	Open                                  func(ctx context.Context, url string) error
	Device                                func(ctx context.Context, code, url string) error
}

// NeedsPeople reports whether a person takes part when a token is fetched.
func (c *Config) NeedsPeople() bool { return c.Grant != ClientCredentials }

// Request asks for a token.
type Request struct {
	*Config
	// Principal on whose behalf the resource is asked.
	Principal string
	// Resource is the URL that the token is for (RFC 8707).
	Resource string
	// Needed are the scopes that the document names, and More those that the resource has
	// asked for besides.
	Needed, More []string
	// Flows are the flows of the scheme in the document.
	Flows []wayfind.OAuthFlow
	// Metadata is the URL of the metadata of the resource that a challenge names, "" for the
	// usual places (RFC 9728 §3).
	Metadata string
	// Stale is the token that the resource has refused.
	Stale string
	// Proofs: the resource has refused a token without a proof (RFC 9449 §7.1).
	Proofs bool
	// Approve is asked before an authorization server on another site than the resource is
	// contacted, unless the Config names it. Its error ends the request.
	Approve func(ctx context.Context, issuer *url.URL) error
	// Agree is asked before more than [ManyScopes] scopes that the Config does not name are asked for
	// at once. Its error
	// ends the request.
	Agree func(ctx context.Context, scopes []string) error
}

// ManyScopes is how many scopes are asked for at once without a question.
const ManyScopes = 16

// wanted are the scopes to ask for, in order. The Scopes of the Config replace the needed
// ones, but not those that a challenge asks for besides.
func (r *Request) wanted() []string {
	if r.Scopes != nil {
		return union(r.Scopes, r.More)
	}
	return union(r.Needed, r.More)
}

// union is a sorted list of the members of two lists.
func union(a, b []string) []string {
	list := slices.Concat(a, b)
	slices.Sort(list)
	return slices.Compact(list)
}

// covers reports whether a list has all members of another.
func covers(list, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(s string) bool { return !slices.Contains(list, s) })
}

// Error is why there is no token. Its Detail is text of ours.
type Error struct {
	Why    Why
	Detail string
	Err    error
	// NotBefore is when a server wants to be asked again, if it says so.
	NotBefore time.Time
}

// Error says the detail and the cause.
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
	Throttled              // a server wants to be asked later
	Unreachable            // a server failed in a way that passes
)

func fail(why Why, err error, detail string) *Error {
	return &Error{Why: why, Detail: detail, Err: err}
}
