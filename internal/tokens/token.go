package tokens

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/wayfindhq/wayfind/internal/text"
)

// Token is an access token.
type Token struct {
	value  string
	grant  string
	scopes []string  // that were asked for
	renew  time.Time // when another is fetched; zero: when the resource refuses this one
	proofs *prover   // nil for a bearer token
}

// Authorization is the field value that carries the token.
func (t *Token) Authorization() string {
	if t.proofs != nil {
		return "DPoP " + t.value
	}
	return "Bearer " + t.value
}

// Proof is for the field DPoP of a request that carries the token; zero if it needs none.
// Each request needs its own (RFC 9449 §4).
func (t *Token) Proof(method string, u *url.URL) (Proof, error) {
	if t.proofs == nil {
		return Proof{}, nil
	}
	return t.proofs.proof(method, u, t.value)
}

// Answered takes the nonce of an answer of the resource. It reports whether the answer
// refuses the request for want of that nonce, which its proof did not have, so that the
// request may be sent again (RFC 9449 §9).
func (t *Token) Answered(origin string, sent Proof, status int, h http.Header) (again bool) {
	if t.proofs == nil {
		return false
	}
	nonce := t.proofs.saw(origin, h)
	return nonce != "" && nonce != sent.nonce && status == http.StatusUnauthorized && strings.Contains(strings.Join(h["Www-Authenticate"], " "), nonceWanted)
}

const (
	// renewEarly is how long before its end a token is renewed, and half of its lifetime if
	// that is less.
	renewEarly = time.Minute
	// day is the lifetime of a token that says none, if another can be fetched without the
	// user, and of one that says more than longest.
	day     = 24 * time.Hour
	longest = 366 * day
)

// renewal is when a token is to be renewed; zero: when the resource refuses it.
func renewal(raw *oauth2.Token, now time.Time) time.Time {
	lasts := raw.Expiry.Sub(now)
	switch {
	case raw.Expiry.IsZero() && raw.RefreshToken == "":
		return time.Time{}
	case raw.Expiry.IsZero(), lasts > longest:
		lasts = day
	}
	return now.Add(lasts - min(renewEarly, lasts/2))
}

// read checks a token. One that is bound to a key is never sent without a proof.
func (f *fetcher) read(raw *oauth2.Token, kept *state) (*Token, error) {
	thumbprint := BoundTo(raw.AccessToken)
	switch {
	case !text.IsFieldValue(raw.AccessToken):
		return nil, fail(Missing, nil, "the token cannot be sent as a bearer token")
	case kept.Proofs == nil && (raw.Type() != "Bearer" || thumbprint != ""):
		return nil, fail(Missing, nil, "the token cannot be sent as a bearer token")
	case kept.Proofs != nil && !strings.EqualFold(raw.TokenType, "DPoP"):
		return nil, fail(Refused, nil, "the resource wants a token that is bound to a key, and the authorization server gives another one")
	case kept.Proofs != nil && thumbprint != "" && thumbprint != kept.Proofs.thumbprint():
		return nil, fail(Refused, nil, "the token is bound to another key")
	}
	return &Token{value: raw.AccessToken, grant: f.Grant, scopes: kept.Scopes, renew: renewal(raw, time.Now()), proofs: kept.Proofs}, nil
}
