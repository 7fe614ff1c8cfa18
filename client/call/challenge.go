package call

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse/formats/oauth"
	"github.com/wayfindhq/wayfind/security"
)

// challengeName is the name of a scheme that only a challenge names.
const challengeName = "bearer"

// challenged is the challenge of an origin to a request without a credential.
type challenged struct {
	scopes []string
	// metadata is the URL of the metadata that name the authorization servers, "" for
	// the usual places.
	metadata string
}

// stepUp gets a token that the site asks for: one with more scopes, one in place of an
// expired token, or a first one that no document asks for. It does so once for a call.
func (r *run) stepUp(a *answer) bool {
	if a.status != http.StatusUnauthorized && a.status != http.StatusForbidden || r.stepped {
		return false
	}
	at := slices.IndexFunc(r.parts, func(p part) bool { return p.grant.kind == kindOAuth })
	if at < 0 {
		return a.status == http.StatusUnauthorized && r.begin(a)
	}
	p := &r.parts[at]
	auth, metadata, _ := oauth.Challenge(a.header)
	if a.status == http.StatusForbidden && !strings.Contains(strings.Join(a.header["Www-Authenticate"], " "), "insufficient_scope") {
		return false
	}
	r.stepped = true
	if p.metadata == "" && metadata != "" && r.ownMetadata(metadata) == nil {
		p.metadata = metadata
	}
	for _, c := range r.wire.credentials {
		if c.Field == p.placed.Name {
			p.stale = strings.TrimPrefix(c.Value, "Bearer ")
		}
	}
	p.more = append(p.more, challengedScopes(auth)...)
	return r.equipAgain()
}

// equipAgain gets the values of the credentials anew. The time that a person takes for
// that does not count against the time of the call.
func (r *run) equipAgain() bool {
	r.wire.credentials = nil
	r.refusal = r.asked(func(ctx context.Context) error {
		r.ctx = ctx
		return r.equipInTime()
	})
	return r.refusal == nil
}

// begin asks for a credential that the site demands and its documents do not mention.
// The call needs another agreement, because it is another request.
func (r *run) begin(a *answer) bool {
	auth, metadata, _ := oauth.Challenge(a.header)
	if auth == nil || len(r.parts) > 0 || r.caller.opts.Credentials == nil || r.declares() || !bearerIn(auth) {
		return false
	}
	r.stepped = true
	if r.refusal = r.ownMetadata(metadata); r.refusal != nil {
		return false
	}
	c := &challenged{scopes: challengedScopes(auth), metadata: metadata}
	if r.refusal = r.meetChallenge(c); r.refusal != nil || len(r.parts) == 0 {
		return false
	}
	r.caller.challenge(r.challengeKey(), c)
	r.decision, r.reasons = decide(r.known())
	r.ticket = nil
	r.refusal = r.asked(func(ctx context.Context) error {
		r.ctx = ctx
		return r.confirm("")
	})
	return r.refusal == nil && r.equipAgain()
}

// declares reports whether a document names a scheme for the call. A document that says
// that none is needed may be wrong.
func (r *run) declares() bool {
	auth := r.auth()
	if auth == nil {
		return false
	}
	for _, s := range auth.Schemes {
		if s.Kind != wayfind.SchemeNone {
			return true
		}
	}
	return false
}

func bearerIn(auth *wayfind.Auth) bool {
	for _, s := range auth.Schemes {
		if strings.EqualFold(s.HTTPScheme, "bearer") {
			return true
		}
	}
	return false
}

// errStranger is the error of a challenge that leads to another site.
var errStranger = errors.New("the challenge names metadata on another site")

// ownMetadata refuses metadata of the resource on another site.
func (r *run) ownMetadata(metadata string) error {
	if metadata == "" {
		return nil
	}
	u, err := security.ParseURL(metadata, nil)
	if err == nil && r.caller.client.SameSite(u.Host, r.wire.url.Host) {
		return nil
	}
	return fail(CredentialRefused, wayfind.NewError("oauth", r.wire.origin, wayfind.CodeCrossSite, errStranger), "the site names a server of another site for it")
}

// meetChallenge asks the caller for the credential of a challenge. It returns no part
// if there is none.
func (r *run) meetChallenge(c *challenged) error {
	auth := &wayfind.Auth{Schemes: map[string]wayfind.Scheme{challengeName: {Kind: wayfind.SchemeOAuth2}}}
	parts, err := r.meet(auth, []wayfind.Requirement{{Scheme: challengeName, Scopes: c.scopes}})
	if err != nil || parts == nil {
		return err
	}
	parts[0].metadata = c.metadata
	r.parts = parts
	r.wire.placed = append(r.wire.placed, parts[0].placed)
	return r.collide()
}

// challengeKey identifies a challenge by its caller and origin.
func (r *run) challengeKey() lentKey { return lentKey{r.principal, r.wire.origin, challengeName} }

// challenge remembers the challenge of a site, so that later requests bring a
// credential.
func (c *Caller) challenge(k lentKey, what *challenged) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.challenges == nil || len(c.challenges) >= maxSessions {
		c.challenges = make(map[lentKey]*challenged)
	}
	c.challenges[k] = what
}

// challengeOf returns the remembered challenge for a call; nil if there is none.
func (r *run) challengeOf() *challenged {
	if r.declares() {
		return nil
	}
	r.caller.mu.Lock()
	defer r.caller.mu.Unlock()
	return r.caller.challenges[r.challengeKey()]
}

// challengedScopes returns the scopes that a challenge names.
func challengedScopes(auth *wayfind.Auth) (scopes []string) {
	if auth == nil {
		return nil
	}
	for _, needed := range auth.Requirements {
		for _, q := range needed {
			scopes = append(scopes, q.Scopes...)
		}
	}
	return scopes
}
