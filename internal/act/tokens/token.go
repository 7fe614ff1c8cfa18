package tokens

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Token is an access token.
type Token struct {
	value  string
	grant  string
	login  string    // see Login
	scopes []string  // the requested scopes
	renew  time.Time // time of renewal; zero to renew when the resource refuses the token
	proofs *prover   // nil for a bearer token
}

// Login identifies the login that the token is of, and the scopes that were requested. Two logins of one
// principal may be of two accounts. A token that was refreshed is of the same login. It is the same for all
// tokens that a client gets for itself.
func (t *Token) Login() string { return fmt.Sprintf("%q %q", t.login, t.scopes) }

// Authorization returns the value of the field Authorization with the token.
func (t *Token) Authorization() string {
	if t.proofs != nil {
		return "DPoP " + t.value
	}
	return "Bearer " + t.value
}

// Proof returns the proof for the field DPoP of a request with the token; zero if the token
// needs no proof. Each request needs its own proof (RFC 9449 §4).
func (t *Token) Proof(method string, u *url.URL) (Proof, error) {
	if t.proofs == nil {
		return Proof{}, nil
	}
	return t.proofs.proof(method, u, t.value)
}

// Answered keeps the nonce of an answer of the resource. It returns true if the answer refuses
// the request because its proof did not contain that nonce. The request may then be sent again
// (RFC 9449 §9).
func (t *Token) Answered(origin string, sent Proof, status int, h http.Header) (again bool) {
	if t.proofs == nil {
		return false
	}
	nonce := t.proofs.saw(origin, h)
	return nonce != "" && nonce != sent.nonce && status == http.StatusUnauthorized && strings.Contains(strings.Join(h["Www-Authenticate"], " "), nonceWanted)
}

const (
	// renewEarly is the time before the expiry of a token at which it is renewed, but at most
	// half of its lifetime.
	renewEarly = time.Minute
	// day is the assumed lifetime of a token that states no lifetime, if it can be renewed
	// without the user, and of a token that states more than longest.
	day     = 24 * time.Hour
	longest = 366 * day
)

// renewal returns the time at which a token is to be renewed; zero if it is renewed when the
// resource refuses it.
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

// read checks a token. A token that is bound to a key is never sent without a proof.
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
	return &Token{value: raw.AccessToken, grant: f.Grant, login: kept.Login, scopes: kept.Scopes, renew: renewal(raw, time.Now()), proofs: kept.Proofs}, nil
}
