package security

import (
	"github.com/wayfindhq/wayfind"
)

// CredentialRequest asks the caller of the library for a credential. Its strings are cleaned
// text of strangers.
type CredentialRequest struct {
	// Origin is the origin that would receive the credential: "https://example.com".
	Origin string
	// URL is the URL of the request that needs the credential. A token would be issued for it
	// (RFC 8707).
	URL string
	// Purpose is an open string: "describe a2a:agent-card", "live mcp:server".
	Purpose string
	// DocumentOrigin is the origin of the document that names the URL. It is equal to Origin if
	// the site itself or the caller names the URL.
	DocumentOrigin string
	// Schemes are the schemes that the document names, by name. It may be empty. Scopes are the
	// scopes that the schemes need.
	Schemes map[string]wayfind.Scheme
	Scopes  []string
	// Challenged is true if the server has refused a request; Schemes and Scopes are then taken
	// from its answer. Refused is the credential of that request, or zero if there was no
	// credential.
	Challenged bool
	Refused    Credential
}

// Credential authenticates requests to one origin. The zero value is no credential. Its value
// is hidden from fmt, log/slog and encoding/json.
type Credential struct {
	// Origin is the origin that the credential is for. It must be the origin of the request.
	Origin string
	// ID names the credential without revealing it: a user's name, for example. Answers of
	// different IDs are stored separately. If it is empty, a hash of the value is used.
	ID string
	// In is the place in the request: empty for a header field, "query" or "cookie". Describe
	// and package client/actors send header fields only.
	In string
	// Field is the name of the header field ("Authorization", for example), of the parameter or
	// of the cookie. Value is its whole value.
	Field, Value string
}

// Bearer returns a bearer token (RFC 6750) for an origin.
func Bearer(origin, token string) Credential {
	return Credential{Origin: origin, Field: "Authorization", Value: "Bearer " + token}
}

// IsZero reports whether c is the zero value, which is no credential.
func (c Credential) IsZero() bool { return c == Credential{} }

// String names the credential without its value.
func (c Credential) String() string {
	if c.IsZero() {
		return "no credential"
	}
	return "credential " + c.ID + " for " + c.Origin + " (" + c.Field + ": redacted)"
}

// GoString hides the value from %#v.
func (c Credential) GoString() string { return "security.Credential{" + c.String() + "}" }

// MarshalText hides the value from encoding/json and log/slog.
func (c Credential) MarshalText() ([]byte, error) { return []byte(c.String()), nil }
