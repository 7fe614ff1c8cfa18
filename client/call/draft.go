package call

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/access"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/internal/site/effect"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// draft is a request that is not yet the subject of a call.
type draft struct {
	*target
	message
	begin     func() nextFunc
	unplaced  []string
	key       *key
	otherSite bool

	proven []Proof       // see proofs
	seen   *wayfind.Site // see site
	broken error         // the error of Options.Pinned
}

// finish makes a prepared call from a draft. It adds the places of credentials to its subject.
func (d *draft) finish(ctx context.Context, own *subject, parts []part) (prepared, error) {
	p := prepared{target: d.target, subject: own, begin: d.begin, unplaced: d.unplaced, parts: parts}
	for i := range parts {
		p.subject.placed = append(p.subject.placed, parts[i].placed)
	}
	if err := p.subject.collide(); err != nil {
		return p, err
	}
	p.news = d.caller.newlyDisclosed(d.principal, p.subject.placed)
	p.facts = d.facts(ctx, len(p.news) > 0)
	p.facts.lost = d.completion == nil && d.repeatsALoss(d.key)
	if d.broken != nil {
		return p, fail(Refused, d.broken, "")
	}
	return p, nil
}

// extensions adds the header field that names the extensions that the card requires. The name
// of the field depends on the version.
func (d *draft) extensions() error {
	at := slices.IndexFunc(d.at.RequiredHeaders, func(name string) bool { return strings.HasSuffix(strings.ToLower(name), "a2a-extensions") })
	if at < 0 {
		return nil
	}
	root, err := (&parse.Input{Body: d.tool.Service.Extensions["capabilities"]}).JSONObject()
	if err != nil {
		return fail(Refused, err, "it requires extensions and does not name them")
	}
	var list []string
	for _, e := range root.Get("extensions").Items() {
		uri, _ := e.Get("uri").Str()
		if required, _ := e.Get("required").Bool(); required && text.IsFieldValue(uri) && !strings.ContainsAny(uri, ", ") {
			list = append(list, uri)
		}
	}
	if list == nil {
		return fail(Refused, nil, "it requires extensions and does not name them")
	}
	d.header[http.CanonicalHeaderKey(d.at.RequiredHeaders[at])] = []string{strings.Join(list, ", ")}
	return nil
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
func (d *draft) challengeKey() challengeKey {
	return challengeKey{d.principal, d.origin}
}

// authenticate finds the first alternative that the caller can meet. It sends no request and
// fetches no token.
func (d *draft) authenticate(ctx context.Context) ([]part, error) {
	if c := d.caller.challengeOf(d); c != nil {
		if parts, err := d.meetChallenge(ctx, c); err != nil || len(parts) > 0 {
			return parts, err
		}
	}
	auth := d.auth()
	list := alternatives(auth)
	if len(list) == 0 {
		return nil, nil
	}
	for _, needed := range list {
		parts, err := d.meet(ctx, auth, needed)
		if err != nil || parts != nil {
			return parts, err
		}
	}
	if err := httpcall.Locked(auth); err != nil {
		return nil, fail(Refused, err, "it takes no credential that can be sent")
	}
	return nil, fail(CredentialMissing, nil, fmt.Sprintf("it needs one of the kind %s", kindsOf(auth, list)))
}

// meet asks for each part of one alternative. It returns nil if the caller does not have all
// of them.
func (d *draft) meet(ctx context.Context, auth *wayfind.Auth, needed []wayfind.Requirement) ([]part, error) {
	parts := []part{}
	for _, q := range needed {
		scheme, known := auth.Schemes[q.Scheme]
		if scheme.Kind == wayfind.SchemeNone || !known && q.Scheme == string(wayfind.SchemeNone) {
			continue
		}
		if !known || d.caller.opts.Credentials == nil {
			return nil, nil
		}
		request := &CredentialRequest{
			Principal: d.principal, Tool: d.tool.Name, Origin: d.origin, Proofs: d.proofs(ctx), Name: q.Scheme, Scheme: scheme, Scopes: q.Scopes,
			Resource: d.resource(&d.message), Challenged: !d.declares(),
		}
		grant, err := askHook("Credentials", func() (*Grant, error) { return d.caller.opts.Credentials(ctx, request) })
		if err == nil {
			err = d.broken
		}
		if err != nil {
			return nil, fail(CredentialMissing, err, "")
		}
		if grant == nil {
			return nil, nil
		}
		p, err := bind(request, grant)
		if err != nil {
			return nil, fail(CredentialRefused, err, "it cannot be sent for this call")
		}
		if err := p.size(grant.hidden.value); err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// facts collects the facts of a draft. credential is true if a credential goes to an origin
// for the first time.
func (d *draft) facts(ctx context.Context, credential bool) facts {
	f := facts{
		does: effect.In(d.tool), otherSite: d.otherSite, pinChanged: d.pinChanged(), credential: credential,
		suspicious: len(d.tool.Service.Suspicious) > 0,
	}
	c := d.tool.Capability
	if c == nil {
		return f
	}
	f.suspicious = f.suspicious || len(c.Suspicious) > 0
	if !f.does.Reads && f.does.SaysReads || f.does.Has(effect.MayDestroy) { // nothing else depends on it
		f.trusted = d.caller.trusts != nil && d.caller.trusts(d.tool) || slices.Contains(d.proofs(ctx), ProofPin)
	}
	f.robots = c.RobotsDisallowed && access.Of(d.caller.client).EnforcesRobots()
	f.asksSecret = !d.declares() && slices.ContainsFunc(c.Params, isNamedLikeCredential)
	f.guessed = slices.ContainsFunc(c.Params, func(p wayfind.Param) bool { return p.Confidence != nil && *p.Confidence < minConfidence })
	return f
}

// proofs returns the proofs that the origin of the request may get a credential.
func (d *draft) proofs(ctx context.Context) []Proof {
	if d.proven != nil {
		return d.proven
	}
	d.proven = []Proof{}
	if slices.ContainsFunc(d.plan.documents, func(own document) bool { return own.origin == d.origin }) {
		d.proven = append(d.proven, ProofSameOrigin)
	}
	if d.signed() {
		d.proven = append(d.proven, ProofSigned)
	}
	if f := d.caller.opts.Pinned; f != nil {
		var pinned bool
		if pinned, d.broken = askHook("Pinned", func() (bool, error) { return f(ctx, d.tool), nil }); pinned {
			d.proven = append(d.proven, ProofPin)
		}
	}
	return d.proven
}

// site returns the Site of the tool as it was resolved. It is empty if the Client no longer
// has it.
func (d *draft) site() *wayfind.Site {
	if d.seen == nil {
		site, known := d.caller.client.Peek(d.plan.site)
		if !known {
			site = &wayfind.Site{}
		}
		d.seen = site
	}
	return d.seen
}

// signed reports whether a document of the tool is signed with a key that the caller trusts.
func (d *draft) signed() bool {
	return slices.ContainsFunc(d.tool.Sources, func(ref wayfind.Ref) bool {
		s := d.site().Source(ref.Source)
		return s != nil && s.Authority == wayfind.AuthorityVerified
	})
}

// pinChanged reports whether a document of the tool differs from the pinned one under a policy
// that allows this.
func (d *draft) pinChanged() bool {
	return slices.ContainsFunc(d.site().Diagnostics, func(found wayfind.Diagnostic) bool {
		return (found.Code == "pin.mismatch" || found.Code == "pin.rollback") &&
			(found.Source == "" || slices.ContainsFunc(d.tool.Sources, func(ref wayfind.Ref) bool { return ref.Source == found.Source }))
	})
}

// near reports whether the request goes to the site of a document that describes it, according
// to both the Trust in the Site and the URLs of the documents.
func (d *draft) near() bool {
	trust := wayfind.Trust("")
	switch c := d.tool.Capability; {
	case d.at != nil:
		trust = d.at.Trust
	case c != nil:
		trust = c.Trust
	}
	if trust != wayfind.TrustSameOrigin && trust != wayfind.TrustSameSite {
		return false
	}
	return slices.ContainsFunc(d.plan.documents, func(own document) bool {
		return own.origin == d.origin || access.Of(d.caller.client).SameSite(own.host, d.url.Host)
	})
}

// approve asks for approval before another site is contacted.
func (d *draft) approve(ctx context.Context) error {
	if d.near() {
		return nil
	}
	d.otherSite = true
	u := *d.url
	u.RawQuery = ""
	q := security.ApprovalRequest{Protocol: d.protocol.name, Methods: []string{d.method}, Purpose: "call", Definition: d.tool.Site()}
	if len(d.tool.Sources) > 0 {
		q.Document = d.tool.Sources[0].Source
	}
	if len(d.plan.documents) > 0 {
		q.DocumentOrigin = d.plan.documents[0].origin
	}
	return d.approved(ctx, &u, q, fail(Refused, nil, "it goes to another site than the one that describes it"))
}
