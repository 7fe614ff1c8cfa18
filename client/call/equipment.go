package call

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/internal/tokens"
	"github.com/wayfindhq/wayfind/security"
)

// peopleTime is how long a person may take at an authorization server.
const peopleTime = 5 * time.Minute

// equipment are the values of the credentials of a call, and the texts that must not be
// shown. It does not change.
type equipment struct {
	credentials []security.Credential
	cert        *tls.Certificate // that is shown
	secrets     veil
}

// equip gets the values of the credentials. Only now tokens are fetched. People have more
// time for that than servers. The secrets, to which those known before belong, are returned
// beside an error too.
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
		own.secrets = own.secrets.and(parts[i].grant.hidden.value) // also of errors
		if cert := parts[i].grant.hidden.cert; cert != nil {
			own.cert = cert
			continue
		}
		c, err := askHook("Credentials", func() (security.Credential, error) { return a.value(ctx, &parts[i]) }) // the hooks of OAuthConfig
		if err == nil {
			err = parts[i].size(c.Value)
		}
		if err != nil {
			return own, tokenless(err)
		}
		own.secrets = own.secrets.and(c.Value)
		for _, prefix := range []string{"Basic ", "Bearer "} {
			if rest, ok := strings.CutPrefix(c.Value, prefix); ok {
				own.secrets = own.secrets.and(rest)
			}
		}
		own.credentials = append(own.credentials, c)
	}
	return own, nil
}

// value is a credential as it is sent.
func (a *agreed) value(ctx context.Context, p *part) (security.Credential, error) {
	c := security.Credential{Origin: p.placed.Origin, Field: p.placed.Name}
	if p.placed.In != "header" {
		c.In = p.placed.In
	}
	switch p.grant.kind {
	case kindKey:
		c.Value = p.prefix + p.grant.hidden.value
	case kindBasic:
		c.Value = "Basic " + base64.StdEncoding.EncodeToString([]byte(p.grant.hidden.user+":"+p.grant.hidden.value))
	case kindBearer:
		c.Value = "Bearer " + p.grant.hidden.value
	case kindOAuth:
		token, err := a.token(ctx, p)
		if err != nil {
			return c, err
		}
		c.Value = "Bearer " + token
	}
	return c, nil
}

// token gets an access token for the subject.
func (a *agreed) token(ctx context.Context, p *part) (string, error) {
	return a.caller.tokens.Token(ctx, &tokens.Request{
		Config: p.grant.hidden.config, Principal: a.principal, Resource: a.resource(&a.subject.message), Needed: p.scopes, More: p.more, Flows: p.scheme.Flows,
		Metadata: p.metadata, Stale: p.stale,
		Approve: func(ctx context.Context, issuer *url.URL) error {
			return a.approved(ctx, issuer, security.ApprovalRequest{
				DocumentOrigin: a.subject.origin, Protocol: "http", Methods: []string{http.MethodGet, http.MethodPost}, Purpose: "oauth",
			}, fail(CredentialRefused, nil, "its authorization server is on another site, which was not approved"))
		},
	})
}

// tokenless is the error of a call that got no token.
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
	}
	return fail(CredentialMissing, e.Err, e.Detail)
}
