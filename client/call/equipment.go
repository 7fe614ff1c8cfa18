package call

import (
	"crypto/tls"
	"errors"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind/internal/act/tokens"
	"github.com/wayfindhq/wayfind/security"
)

// peopleTime is the maximum time that a person may take at an authorization server.
const peopleTime = 5 * time.Minute

// equipment holds the values of the credentials of a call, and the texts that must not be
// shown. It does not change.
type equipment struct {
	credentials []security.Credential
	token       *tokens.Token    // among the credentials; nil if there is none
	cert        *tls.Certificate // the client certificate
	secrets     veil
}

// value is a credential in the form in which it is sent.
type value struct {
	security.Credential
	token *tokens.Token // that the credential contains; nil if none was fetched
}

// proven returns the credentials of one request. If the token is bound to a key, they include
// a proof.
func (e *equipment) proven(q *request) (list []security.Credential, proof tokens.Proof, err error) {
	list = append(slices.Clone(e.credentials), q.cookies...)
	if e.token == nil {
		return list, proof, nil
	}
	if proof, err = e.token.Proof(q.method, q.url); proof.Value != "" {
		list = append(list, security.Credential{Origin: q.origin, Field: "DPoP", Value: proof.Value})
	}
	return list, proof, err
}

// tokenless returns the error of a call for which no token was obtained.
func tokenless(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	e, ok := errors.AsType[*tokens.Error](err)
	switch {
	case !ok:
		return fail(CredentialMissing, err, "no token could be had")
	case e.Why == tokens.Refused:
		return fail(CredentialRefused, e.Err, e.Detail)
	case e.Why == tokens.TooLarge:
		return fail(TooLarge, e.Err, e.Detail)
	case e.Why == tokens.Unreachable:
		return fail(Unreachable, e.Err, e.Detail)
	case e.Why == tokens.Throttled:
		own := fail(Throttled, e.Err, e.Detail)
		own.notBefore = e.NotBefore
		return own
	}
	return fail(CredentialMissing, e.Err, e.Detail)
}
