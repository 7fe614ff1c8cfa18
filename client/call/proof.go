package call

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/door"
	"github.com/wayfindhq/wayfind/security"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// kindsOf returns the kinds of schemes that would be accepted.
func kindsOf(auth *wayfind.Auth, list [][]wayfind.Requirement) string {
	var kinds []string
	for _, needed := range list {
		for _, q := range needed {
			scheme := auth.Schemes[q.Scheme]
			kind := string(scheme.Kind)
			// Other names are foreign text, which must not be in an Error.
			if http := strings.ToLower(scheme.HTTPScheme); http == "bearer" || http == "basic" {
				kind += " " + http
			}
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return strings.Join(slices.Compact(kinds), ", ")
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
		return own.origin == d.origin || door.Of(d.caller.client).SameSite(own.host, d.url.Host)
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

// approved asks Options.Approve for an endpoint. If the approval is not given, it returns
// refusal.
func (t *target) approved(ctx context.Context, endpoint *url.URL, q security.ApprovalRequest, refusal *Error) error {
	if t.caller.opts.Approve == nil {
		return refusal
	}
	q.Endpoint, q.Domain, q.Digest, q.Subject = endpoint.String(), door.Of(t.caller.client).Domain(endpoint.Hostname()), t.plan.definition(), t.tool.Key
	_, refusal.Err = askHook("Approve", func() (struct{}, error) { return struct{}{}, t.caller.opts.Approve(ctx, q) })
	if refusal.Err != nil {
		return refusal
	}
	return nil
}

// parameterMarks removes the separators in the name of a parameter.
var parameterMarks = strings.NewReplacer("-", "", "_", "", ".", "")

// isNamedLikeCredential reports whether a required parameter of the header or the query has
// the name of a credential. A model would need the credential to set such a parameter.
func isNamedLikeCredential(p wayfind.Param) bool {
	if p.In != "header" && p.In != "query" || !said(p.Required) {
		return false
	}
	name := parameterMarks.Replace(strings.ToLower(p.Name))
	return slices.Contains([]string{"apikey", "xapikey", "token", "accesstoken", "authtoken", "xauthtoken", "authorization", "password", "secret", "clientsecret"}, name)
}
