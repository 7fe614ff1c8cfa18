package call

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/access"
	"github.com/wayfindhq/wayfind/internal/act/tokens"
	"github.com/wayfindhq/wayfind/internal/formats/oauth"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
	"github.com/wayfindhq/wayfind/security"
)

// listCredential is a credential for the requests that list the tools of a server, or for a
// document.
type listCredential struct {
	*shared
	asked     security.CredentialRequest
	principal string
	part      part
	value     value
}

func (l *listCredential) key() challengeKey {
	return challengeKey{l.principal, l.asked.Origin}
}

// challenged returns the challenge of the server, from now or from earlier; nil if there is
// none. The refusal of a document is no statement about the calls to its origin, so it is neither
// remembered nor derived from them.
func (l *listCredential) challenged() *challenged {
	if l.asked.Challenged {
		return &challenged{scopes: l.asked.Scopes, metadata: l.metadata(), proofs: wantsProofs(&wayfind.Auth{Schemes: l.asked.Schemes})}
	}
	if l.isForDocument() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.challenges[l.key()]
}

// isForDocument reports whether the request is for a document.
func (l *listCredential) isForDocument() bool {
	return strings.HasPrefix(l.asked.Purpose, "describe ") || strings.HasPrefix(l.asked.Purpose, "resolve ")
}

// demanded returns the scheme of a challenge: a user name with a password if it names only that,
// otherwise a token.
func (l *listCredential) demanded() map[string]wayfind.Scheme {
	for _, name := range sortedKeys(l.asked.Schemes) {
		if s := l.asked.Schemes[name]; len(l.asked.Schemes) == 1 && authkind.Of(s).Takes(kindBasic) && !authkind.Of(s).Takes(kindBearer) {
			return l.asked.Schemes
		}
	}
	return map[string]wayfind.Scheme{challengeName: {Kind: wayfind.SchemeOAuth2}}
}

// metadata returns the URL of the resource metadata that a challenge has named; "" for the
// default locations.
func (l *listCredential) metadata() string {
	at, err := parseURL(l.asked.URL)
	for _, name := range sortedKeys(l.asked.Schemes) {
		if s := l.asked.Schemes[name]; err == nil && s.MetadataURL != "" && s.MetadataURL != oauth.ResourceMetadataURL(at) {
			return s.MetadataURL
		}
	}
	return ""
}

// find asks Options.Credentials for the schemes of the server, and reports whether it returned
// a credential.
func (l *listCredential) find(ctx context.Context, challenge *challenged) (found bool, err error) {
	schemes := l.asked.Schemes
	if challenge != nil {
		schemes = l.demanded()
	}
	for _, name := range sortedKeys(schemes) {
		if schemes[name].Kind == wayfind.SchemeNone {
			continue
		}
		q := &CredentialRequest{Principal: l.principal, Origin: l.asked.Origin, Proofs: []Proof{}, Name: name, Scheme: schemes[name], Challenged: challenge != nil, Scopes: l.asked.Scopes, Resource: l.resource()}
		if challenge != nil {
			q.Scopes = challenge.scopes
		}
		if l.asked.DocumentOrigin == l.asked.Origin {
			q.Proofs = []Proof{ProofSameOrigin}
		}
		grant, err := askHook("Credentials", func() (*Grant, error) { return l.opts.Credentials(ctx, q) })
		if err != nil {
			return false, fail(CredentialMissing, err, "")
		}
		if grant == nil {
			continue
		}
		if l.part, err = bind(q, grant); err != nil {
			return false, fail(CredentialRefused, err, "it cannot be sent to list tools")
		}
		l.part.metadata = l.metadata()
		if grant.kind == kindCert || l.part.placed.In != "header" {
			return false, fail(CredentialRefused, nil, "tools are listed with header fields only")
		}
		return true, nil
	}
	return false, nil
}

// resource returns the URL that a token would be for, as for a call.
func (l *listCredential) resource() string {
	at, _, _ := strings.Cut(l.asked.URL, "?")
	return at
}

// get gets the value of the credential.
func (l *listCredential) get(ctx context.Context) (err error) {
	most := l.opts.Timeout
	if c := l.part.grant.hidden.config; c != nil && c.NeedsPeople() {
		most = max(most, peopleTime)
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	l.value, err = askHook("Credentials", func() (value, error) {
		return l.part.value(func() (*tokens.Token, error) { return l.token(ctx) })
	})
	if err == nil {
		err = l.part.size(l.value.Value)
	}
	if err != nil {
		return tokenless(err)
	}
	return nil
}

// token gets an access token for the server. Calls of its tools use the same token.
func (l *listCredential) token(ctx context.Context) (*tokens.Token, error) {
	return l.tokens.Token(ctx, &tokens.Request{
		Config: l.part.grant.hidden.config, Principal: l.principal, Resource: l.resource(), Needed: l.part.scopes, More: l.part.more, Flows: l.part.scheme.Flows,
		Metadata: l.part.metadata, MCP: strings.HasPrefix(l.asked.Purpose, "live mcp:"), Stale: l.part.stale, Proofs: l.part.proofs,
		Approve: func(ctx context.Context, issuer *url.URL) error {
			refusal := fail(CredentialRefused, nil, "its authorization server is on another site, which was not approved")
			if l.opts.Approve == nil {
				return refusal
			}
			_, refusal.Err = askHook("Approve", func() (struct{}, error) {
				return struct{}{}, l.opts.Approve(ctx, security.ApprovalRequest{
					Endpoint: issuer.String(), Domain: access.Of(l.client).Domain(issuer.Hostname()), Subject: l.asked.Purpose,
					DocumentOrigin: l.asked.Origin, Protocol: "http", Methods: []string{http.MethodGet, http.MethodPost}, Purpose: "oauth",
				})
			})
			if refusal.Err != nil {
				return refusal
			}
			return nil
		},
		Agree: func(_ context.Context, scopes []string) error {
			return fail(CredentialRefused, nil, fmt.Sprintf("a token with %d scopes at once is not asked for to list tools; name them in OAuthConfig.Scopes", len(scopes)))
		},
	})
}

// For implements access.CredentialSource.
func (l *listCredential) For(method string, u *url.URL) ([]security.Credential, access.Answered, error) {
	own := &equipment{credentials: []security.Credential{l.value.Credential}, token: l.value.token}
	list, proof, err := own.proven(&request{message: message{method: method, url: u, origin: l.asked.Origin}})
	if l.value.token == nil {
		return list, nil, err
	}
	return list, func(status int, h http.Header) (again bool) {
		return l.value.token.Answered(l.asked.Origin, proof, status, h)
	}, err
}
