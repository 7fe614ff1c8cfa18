package call

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/internal/act/tokens"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
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

// equip gets the values of the credentials. Tokens are not fetched before this step. If a
// person must act, the time limit is longer. The secrets, including the known ones, are
// returned even if there is an error.
func (a *agreed) equip(ctx context.Context, parts []part, known veil) (own equipment, err error) {
	own.secrets = known
	if k := a.subject.key; k != nil {
		own.secrets = own.secrets.and(k.value) // the model never sees it
	}
	if len(parts) == 0 {
		return own, nil
	}
	most := a.caller.opts.Timeout
	for i := range parts {
		if c := parts[i].grant.hidden.config; c != nil && c.NeedsPeople() {
			most = max(most, peopleTime)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for i := range parts {
		own.secrets = own.secrets.and(parts[i].grant.hidden.value) // also removed from errors
		if cert := parts[i].grant.hidden.cert; cert != nil {
			own.cert = cert
			continue
		}
		c, err := askHook("Credentials", func() (value, error) {
			return parts[i].value(func() (*tokens.Token, error) { return a.fetchToken(ctx, &parts[i]) })
		}) // the hooks of OAuthConfig
		if err == nil {
			err = parts[i].size(c.Value)
		}
		if err != nil {
			return own, tokenless(err)
		}
		if c.token != nil {
			own.token = c.token
		}
		own.secrets = own.secrets.and(c.Value)
		for _, prefix := range []string{"Basic ", "Bearer ", "DPoP "} {
			if rest, ok := strings.CutPrefix(c.Value, prefix); ok {
				own.secrets = own.secrets.and(rest)
			}
		}
		own.credentials = append(own.credentials, c.Credential)
	}
	return own, nil
}

// value is a credential in the form in which it is sent.
type value struct {
	security.Credential
	token *tokens.Token // that the credential contains; nil if none was fetched
}

// value returns the value of a credential. fetch gets the token if the grant is OAuth.
func (p *part) value(fetch func() (*tokens.Token, error)) (c value, err error) {
	c.Credential = security.Credential{Origin: p.placed.Origin, Field: p.placed.Name}
	if p.placed.In != "header" {
		c.In = p.placed.In
	}
	switch p.grant.kind {
	case kindKey, kindBearer:
		c.Value = p.prefix + p.grant.hidden.value
	case kindBasic:
		c.Value = "Basic " + base64.StdEncoding.EncodeToString([]byte(p.grant.hidden.user+":"+p.grant.hidden.value))
	case kindOAuth:
		if c.token, err = fetch(); err != nil {
			return c, err
		}
		c.Value = c.token.Authorization()
	}
	return c, nil
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

// fetchToken gets an access token for the subject.
func (a *agreed) fetchToken(ctx context.Context, p *part) (*tokens.Token, error) {
	return a.caller.tokens.Token(ctx, &tokens.Request{
		Config: p.grant.hidden.config, Principal: a.principal, Resource: a.resource(&a.subject.message), Needed: p.scopes, More: p.more, Flows: p.scheme.Flows,
		Metadata: p.metadata, Stale: p.stale, Proofs: p.proofs,
		Approve: func(ctx context.Context, issuer *url.URL) error {
			return a.approved(ctx, issuer, security.ApprovalRequest{
				DocumentOrigin: a.subject.origin, Protocol: "http", Methods: []string{http.MethodGet, http.MethodPost}, Purpose: "oauth",
			}, fail(CredentialRefused, nil, "its authorization server is on another site, which was not approved"))
		},
		Agree: a.agreeToScopes,
	})
}

// agreeToScopes asks a person whether a token may have many scopes at once.
func (a *agreed) agreeToScopes(ctx context.Context, scopes []string) error {
	own := agreed{prepared: a.prepared, judgement: judgement{decision: AskEach, reasons: []Reason{ReasonManyScopes}}}
	detail := fmt.Sprintf("a token with %d scopes at once was not agreed to", len(scopes))
	if a.caller.opts.Confirm == nil {
		return fail(CredentialRefused, nil, detail)
	}
	q := own.question()
	for _, scope := range scopes {
		scope, _ = text.Clean(scope, false, maxNotedName)
		q.Scopes = append(q.Scopes, scope)
	}
	answer, err := a.caller.opts.Confirm(ctx, q)
	if err != nil || answer.Verdict != AllowOnce && answer.Verdict != AllowSession {
		return fail(CredentialRefused, err, detail)
	}
	return nil
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
