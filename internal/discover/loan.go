package discover

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/wayfindhq/wayfind/internal/fetch"
	"github.com/wayfindhq/wayfind/security"
)

// Loan contains the credentials that a caller lends for requests to a server.
type Loan interface {
	// For returns the credentials of one request. Each is sent only to its own origin. answered is
	// called with the answer; it may be nil.
	For(method string, u *url.URL) (credentials []security.Credential, answered Answered, err error)
}

// Answered is called with the answer to a request. It reports whether the answer refuses the
// request only because the request lacked a value that the answer contains, so that the request may
// be sent once more.
type Answered func(status int, h http.Header) (again bool)

// Lender returns a Loan, or nil if there is none. If before is not nil, the server has refused it.
type Lender func(ctx context.Context, r security.CredentialRequest, before Loan) (Loan, error)

// plain contains credentials that are the same for all requests.
type plain []security.Credential

// For implements Loan.
func (p plain) For(string, *url.URL) ([]security.Credential, Answered, error) { return p, nil, nil }

// PlainLoan returns a Loan of the same credentials for all requests.
func PlainLoan(credentials ...security.Credential) Loan { return plain(credentials) }

type (
	loanKey   struct{}
	lenderKey struct{}
)

// WithCredential returns a context under which requests through a Client's HTTP carry credentials.
func WithCredential(ctx context.Context, credentials []security.Credential) context.Context {
	return WithLoan(ctx, plain(credentials))
}

// WithLoan returns a context under which requests through a Client's HTTP carry the credentials of
// a Loan.
func WithLoan(ctx context.Context, l Loan) context.Context {
	return context.WithValue(ctx, loanKey{}, l)
}

// WithLender returns a context under which the description of servers asks a Lender.
func WithLender(ctx context.Context, l Lender) context.Context {
	return context.WithValue(ctx, lenderKey{}, l)
}

// LenderOf returns the Lender of the context, or nil if there is none.
func LenderOf(ctx context.Context) Lender {
	l, _ := ctx.Value(lenderKey{}).(Lender)
	return l
}

// LoanOf returns the Loan of the context, or nil if there is none.
func LoanOf(ctx context.Context) Loan {
	l, _ := ctx.Value(loanKey{}).(Loan)
	return l
}

// Lends reports whether the context has a credential of [WithCredential] for an origin.
func Lends(ctx context.Context, origin string) bool {
	list, _ := LoanOf(ctx).(plain)
	return slices.ContainsFunc(list, func(c security.Credential) bool { return !c.IsZero() && c.Origin == origin })
}

// lentParts returns the credentials of the context for one request.
func lentParts(ctx context.Context, method string, u *url.URL) (parts []fetch.AuthPart, answered Answered, err error) {
	l := LoanOf(ctx)
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
