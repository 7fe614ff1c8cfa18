package security

import (
	"github.com/wayfindhq/wayfind"
)

// CredentialRequest asks the caller of the library for a credential. Its strings
// are cleaned text of strangers.
type CredentialRequest struct {
	// Origin that would get it: "https://example.com".
	Origin string
	// URL that is asked with it, for which a token would be (RFC 8707).
	URL string
	// Purpose is an open string: "describe a2a:agent-card", "live mcp:server".
	Purpose string
	// DocumentOrigin is the origin of the document that names the URL. It is Origin if the
	// site itself names it, or the caller has.
	DocumentOrigin string
	// Schemes that the document names, by name; may be empty. Scopes are those that they need.
	Schemes map[string]wayfind.Scheme
	Scopes  []string
	// Challenged: the server has refused a request, and Schemes and Scopes are from its
	// answer. Refused is the credential of that request, zero if it had none.
	Challenged bool
	Refused    Credential
}

// Credential authenticates requests to one origin. The zero Credential is
// none. It hides its value from fmt, log/slog and encoding/json.
type Credential struct {
	// Origin it is for; must be that of the request.
	Origin string
	// ID names it without telling it, a user's name for example: answers are
	// kept apart by it. Empty: a hash of the value.
	ID string
	// In is where it is sent: empty for a header field, "query" or "cookie".
	// Describe and package client/actors send header fields only.
	In string
	// Field is the header field it is sent in, "Authorization" for example, or the
	// name of the parameter or the cookie, and Value its whole value.
	Field, Value string
}

// Bearer returns a bearer token (RFC 6750) for an origin.
func Bearer(origin, token string) Credential {
	return Credential{Origin: origin, Field: "Authorization", Value: "Bearer " + token}
}

// IsZero reports whether there is none.
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
