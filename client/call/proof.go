package call

import (
	"maps"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/security"
)

func containsProof(list []Proof, p Proof) bool { return p != "" && slices.Contains(list, p) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// kindsOf names the kinds of schemes that would do.
func kindsOf(auth *wayfind.Auth, list [][]wayfind.Requirement) string {
	var kinds []string
	for _, needed := range list {
		for _, q := range needed {
			scheme := auth.Schemes[q.Scheme]
			kind := string(scheme.Kind)
			// Other words would be a stranger's, and do not belong into an Error.
			if http := strings.ToLower(scheme.HTTPScheme); http == "bearer" || http == "basic" {
				kind += " " + http
			}
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return strings.Join(slices.Compact(kinds), ", ")
}

// proofs are those that the origin of the request has.
func (r *run) proofs() []Proof {
	if r.proven != nil {
		return r.proven
	}
	r.proven = []Proof{}
	if slices.ContainsFunc(r.plan.documents, func(d document) bool { return d.origin == r.wire.origin }) {
		r.proven = append(r.proven, ProofSameOrigin)
	}
	if r.signed() {
		r.proven = append(r.proven, ProofSigned)
	}
	if r.caller.opts.Pinned != nil && r.caller.opts.Pinned(r.tool) {
		r.proven = append(r.proven, ProofPin)
	}
	return r.proven
}

// site is the Site of the tool as it was resolved; empty where it was forgotten.
func (r *run) site() *wayfind.Site {
	if r.seen == nil {
		if site, ok := r.caller.client.Peek(r.plan.site); ok {
			r.seen = site
		} else {
			r.seen = &wayfind.Site{}
		}
	}
	return r.seen
}

// signed reports whether a key of the caller has signed a document of the tool.
func (r *run) signed() bool {
	return slices.ContainsFunc(r.tool.Sources, func(ref wayfind.Ref) bool {
		s := r.site().Source(ref.Source)
		return s != nil && s.Authority == wayfind.AuthorityVerified
	})
}

// pinChanged reports whether a document of the tool is not the pinned one, under a
// policy that lets it pass.
func (r *run) pinChanged() bool {
	return slices.ContainsFunc(r.site().Diagnostics, func(d wayfind.Diagnostic) bool {
		return (d.Code == "pin.mismatch" || d.Code == "pin.rollback") &&
			(d.Source == "" || slices.ContainsFunc(r.tool.Sources, func(ref wayfind.Ref) bool { return ref.Source == d.Source }))
	})
}

// near reports whether the request goes to the site of a document that describes
// it, by the Site's word and by the documents' own places.
func (r *run) near() bool {
	trust := wayfind.Trust("")
	switch c := r.tool.Capability; {
	case r.at != nil:
		trust = r.at.Trust
	case c != nil:
		trust = c.Trust
	}
	if trust != wayfind.TrustSameOrigin && trust != wayfind.TrustSameSite {
		return false
	}
	to := r.wire.url.Host
	return slices.ContainsFunc(r.plan.documents, func(d document) bool { return d.origin == r.wire.origin || r.caller.client.SameSite(d.host, to) })
}

// approve asks before another site is contacted.
func (r *run) approve() error {
	if r.near() {
		return nil
	}
	r.otherSite = true
	refusal := fail(Refused, nil, "it goes to another site than the one that describes it")
	if r.caller.opts.Approve == nil {
		return refusal
	}
	u := *r.wire.url
	u.RawQuery = ""
	q := security.ApprovalRequest{
		Endpoint: u.String(), Domain: r.caller.client.Domain(u.Hostname()), Protocol: r.protocolName(), Methods: []string{r.wire.method},
		Digest: r.plan.definition(), Purpose: "call", Subject: r.tool.Key, Definition: asSite(r.tool),
	}
	if len(r.tool.Sources) > 0 {
		q.Document = r.tool.Sources[0].Source
	}
	if len(r.plan.documents) > 0 {
		q.DocumentOrigin = r.plan.documents[0].origin
	}
	if err := r.caller.opts.Approve(r.ctx, q); err != nil {
		refusal.Err = err
		return refusal
	}
	return nil
}

// enforced reports whether robots.txt counts for this Client.
func enforced(c *client.Client) bool { return c.RobotsMode() == client.RobotsEnforce }

// isNamedLikeCredential reports whether a required parameter of the header or the query
// is a credential by its name alone: a model would have to be told it.
func isNamedLikeCredential(p wayfind.Param) bool {
	if p.In != "header" && p.In != "query" || !said(p.Required) {
		return false
	}
	name := strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(p.Name))
	return slices.Contains([]string{"apikey", "xapikey", "token", "accesstoken", "authtoken", "xauthtoken", "authorization", "password", "secret", "clientsecret"}, name)
}
