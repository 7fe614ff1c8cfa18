package discover

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/security"
)

// CredentialSource returns the credentials of a caller for requests to a server.
type CredentialSource interface {
	// For returns the credentials of one request. Each is sent only to its own origin. answered is
	// called with the answer; it may be nil.
	For(method string, u *url.URL) (credentials []security.Credential, answered Answered, err error)
}

// Answered is called with the answer to a request. It reports whether the answer refuses the
// request only because the request lacked a value that the answer contains, so that the request may
// be sent once more.
type Answered func(status int, h http.Header) (again bool)

// CredentialProvider returns a CredentialSource, or nil if there is none. If before is not nil, the
// server has refused it.
type CredentialProvider func(ctx context.Context, r security.CredentialRequest, before CredentialSource) (CredentialSource, error)

// staticCredentials contains credentials that are the same for all requests.
type staticCredentials []security.Credential

// For implements CredentialSource.
func (p staticCredentials) For(string, *url.URL) ([]security.Credential, Answered, error) {
	return p, nil, nil
}

// StaticCredentials returns a CredentialSource of the same credentials for all requests.
func StaticCredentials(credentials ...security.Credential) CredentialSource {
	return staticCredentials(credentials)
}

type (
	sourceKey   struct{}
	providerKey struct{}
)

// WithCredential returns a context under which requests through a Client's HTTP carry credentials.
func WithCredential(ctx context.Context, credentials []security.Credential) context.Context {
	return WithCredentialSource(ctx, staticCredentials(credentials))
}

// WithCredentialSource returns a context under which requests through a Client's HTTP carry the credentials
// of a CredentialSource.
func WithCredentialSource(ctx context.Context, l CredentialSource) context.Context {
	return context.WithValue(ctx, sourceKey{}, l)
}

// provider is a CredentialProvider with the function that says for whom it answers.
type provider struct {
	provide CredentialProvider
	asker   func(context.Context) (Asker, error)
}

// Asker identifies the one who is asked for credentials. It is comparable. nil is the one whom
// Options.Credentials asks.
type Asker any

// WithCredentialProvider returns a context under which Resolve and Describe ask a CredentialProvider.
// asker says for whom it answers.
func WithCredentialProvider(ctx context.Context, l CredentialProvider, asker func(context.Context) (Asker, error)) context.Context {
	return context.WithValue(ctx, providerKey{}, provider{l, asker})
}

// CredentialProviderOf returns the CredentialProvider of the context, or nil if there is none.
func CredentialProviderOf(ctx context.Context) CredentialProvider {
	l, _ := ctx.Value(providerKey{}).(provider)
	return l.provide
}

// AskerOf returns the one who is asked for credentials under the context. ok is false if that is unknown.
func AskerOf(ctx context.Context) (asker Asker, ok bool) {
	l, _ := ctx.Value(providerKey{}).(provider)
	if l.asker == nil {
		return nil, true
	}
	asker, err := l.asker(ctx)
	return asker, err == nil
}

// CredentialSourceOf returns the CredentialSource of the context, or nil if there is none.
func CredentialSourceOf(ctx context.Context) CredentialSource {
	l, _ := ctx.Value(sourceKey{}).(CredentialSource)
	return l
}

// HasCredential reports whether the context has a credential of [WithCredential] for an origin.
func HasCredential(ctx context.Context, origin string) bool {
	list, _ := CredentialSourceOf(ctx).(staticCredentials)
	return slices.ContainsFunc(list, func(c security.Credential) bool { return !c.IsZero() && c.Origin == origin })
}

// authParts returns the credentials of the context for one request.
func authParts(ctx context.Context, method string, u *url.URL) (parts []fetch.AuthPart, answered Answered, err error) {
	l := CredentialSourceOf(ctx)
	if l == nil {
		return nil, nil, nil
	}
	list, answered, err := l.For(method, u)
	for _, c := range list {
		if !c.IsZero() {
			parts = append(parts, AuthPart(c))
		}
	}
	return parts, answered, err
}

// AuthPart returns a credential in the form of package fetch.
func AuthPart(c security.Credential) fetch.AuthPart {
	if c.In == "" {
		c.Field = http.CanonicalHeaderKey(c.Field)
	}
	return fetch.AuthPart{Origin: c.Origin, In: c.In, Field: c.Field, Value: c.Value}
}
