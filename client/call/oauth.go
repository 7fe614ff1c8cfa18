package call

import (
	"context"
	"errors"
)

// OAuthConfig is how tokens are had (OAuth 2.1).
type OAuthConfig struct{}

type tokenKey struct{ principal, issuer, client, resource, scopes string }

type tokens struct{}

func (r *run) token(context.Context, *part) (string, error) {
	return "", errors.New("no tokens yet")
}

// resource is the URL that a token would be for (RFC 8707).
func (r *run) resource() string {
	u := *r.wire.url
	u.RawQuery = ""
	return u.String()
}
