package call

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/door"
	"github.com/wayfindhq/wayfind/internal/formats/oauth"
	"github.com/wayfindhq/wayfind/internal/run/pausable"
	"github.com/wayfindhq/wayfind/security"
)

// challengeName is the name of a scheme that no document declares and that comes from a
// challenge.
const challengeName = "bearer"

// challenged is the challenge with which an origin answered a request without a credential.
type challenged struct {
	scopes []string
	// metadata is the URL of the metadata that names the authorization servers; "" for the
	// default locations.
	metadata string
	// proofs is true if the site accepts only tokens with a proof.
	proofs bool
}

// stepUp answers the challenge of a response, once per call: with a token that has more
// scopes, with a new token if the old one has expired, or with a first token that no document
// asks for. again is true if the request is to be sent again.
func (s sent) stepUp(ctx *pausable.Context, a *answer) (next sent, again bool) {
	if t := s.equipment.token; t != nil && t.Answered(s.subject.origin, a.proof, a.status, a.header) && !s.nonced {
		s.nonced = true
		return s, true
	}
	if a.status != http.StatusUnauthorized && a.status != http.StatusForbidden || s.stepped {
		return s, false
	}
	auth, metadata, _ := oauth.Challenge(a.header)
	at := slices.IndexFunc(s.parts, func(p part) bool { return p.grant.kind == kindOAuth })
	switch {
	case at < 0:
		return s.begin(ctx, a, auth, metadata)
	case a.status == http.StatusForbidden && !strings.Contains(strings.Join(a.header["Www-Authenticate"], " "), "insufficient_scope"):
		return s, false
	}
	s.stepped, s.parts = true, slices.Clone(s.parts)
	p := &s.parts[at]
	if p.metadata == "" && metadata != "" && s.caller.ownMetadata(metadata, s.subject.origin) == nil {
		p.metadata = metadata
	}
	for _, c := range s.equipment.credentials {
		if c.Field == p.placed.Name {
			_, p.stale, _ = strings.Cut(c.Value, " ")
		}
	}
	p.more = append(slices.Clone(p.more), challengedScopes(auth)...)
	p.proofs = wantsProofs(auth)
	return s.equipAgain(ctx)
}

// equipAgain gets new values of the credentials.
func (s sent) equipAgain(ctx *pausable.Context) (sent, bool) {
	s.refusal = ctx.Outside(func(ctx context.Context) (err error) {
		s.equipment, err = s.equip(ctx, s.parts, s.equipment.secrets)
		return err
	})
	return s, s.refusal == nil
}

// begin asks for a credential that the site demands and its documents do not mention. This
// changes the subject, so a new agreement to the call is needed.
func (s sent) begin(ctx *pausable.Context, a *answer, auth *wayfind.Auth, metadata string) (sent, bool) {
	if a.status != http.StatusUnauthorized || auth == nil || len(s.parts) > 0 || s.caller.opts.Credentials == nil || s.declares() || !offers(auth, "Bearer") && !offers(auth, "DPoP") {
		return s, false
	}
	s.stepped = true
	if s.refusal = s.caller.ownMetadata(metadata, s.subject.origin); s.refusal != nil {
		return s, false
	}
	c := &challenged{scopes: challengedScopes(auth), metadata: metadata, proofs: wantsProofs(auth)}
	d := &draft{target: s.target, message: s.subject.message, unplaced: s.unplaced, key: s.subject.key, otherSite: s.facts.otherSite}
	var parts []part
	if parts, s.refusal = d.meetChallenge(ctx, c); len(parts) == 0 {
		return s, false
	}
	p, err := d.finish(ctx, &subject{message: d.message, key: d.key}, parts)
	if s.refusal = err; err != nil {
		return s, false
	}
	s.caller.challenge(d.challengeKey(), c)
	var own agreed
	s.refusal = ctx.Outside(func(ctx context.Context) (err error) {
		own, err = agree(ctx, &p, &order{})
		return err
	})
	s.agreed, s.parts = &own, parts
	if s.refusal != nil {
		return s, false
	}
	return s.equipAgain(ctx)
}

// offers reports whether a challenge names a scheme of HTTP.
func offers(auth *wayfind.Auth, scheme string) bool {
	if auth == nil {
		return false
	}
	for _, s := range auth.Schemes {
		if strings.EqualFold(s.HTTPScheme, scheme) {
			return true
		}
	}
	return false
}

// wantsProofs reports whether a challenge accepts only tokens with proofs (RFC 9449 §7.1).
func wantsProofs(auth *wayfind.Auth) bool { return offers(auth, "DPoP") && !offers(auth, "Bearer") }

// errStranger is the error if the challenge names metadata on another site.
var errStranger = errors.New("the challenge names metadata on another site")

// ownMetadata refuses metadata of the resource on another site.
func (c *shared) ownMetadata(metadata, origin string) error {
	if metadata == "" {
		return nil
	}
	u, err := parseURL(metadata)
	if err == nil && (security.Origin(u) == origin || door.Of(c.client).SameSite(u.Host, strings.TrimPrefix(origin, "https://"))) {
		return nil
	}
	return fail(CredentialRefused, wayfind.NewError("oauth", origin, wayfind.CodeCrossSite, errStranger), "the site names a server of another site for it")
}

// meetChallenge asks the caller for the credential that a challenge demands. It returns no
// part if the caller has none.
func (d *draft) meetChallenge(ctx context.Context, c *challenged) ([]part, error) {
	auth := &wayfind.Auth{Schemes: map[string]wayfind.Scheme{challengeName: {Kind: wayfind.SchemeOAuth2}}}
	parts, err := d.meet(ctx, auth, []wayfind.Requirement{{Scheme: challengeName, Scopes: c.scopes}})
	if parts != nil {
		parts[0].metadata, parts[0].proofs = c.metadata, c.proofs
	}
	return parts, err
}

// challengeKey identifies a challenge by its caller and origin.
func (d *draft) challengeKey() disclosedKey {
	return disclosedKey{d.principal, d.origin, challengeName}
}

// challenge remembers the challenge of a site, so that later requests carry a credential.
func (c *shared) challenge(k disclosedKey, what *challenged) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.challenges == nil || len(c.challenges) >= maxSessions {
		c.challenges = make(map[disclosedKey]*challenged)
	}
	c.challenges[k] = what
}

// challengeOf returns the remembered challenge for a call; nil if there is none.
func (c *Caller) challengeOf(d *draft) *challenged {
	if d.declares() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.challenges[d.challengeKey()]
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
