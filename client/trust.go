package client

import (
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security"
)

// place is where a document was asked for and where it was in the end. Make
// one with Client.place, so that the Client's policy says what a site is.
type place struct {
	sites            *security.SuffixList
	requested, final *url.URL
	// origin is what the caller asked about, when that is another URL than
	// requested: the document that named this one. Nil: requested.
	origin *url.URL
	// foreign: the document says that it is about another site.
	foreign bool
}

// place is where a document was asked for and where it was in the end.
func (c *Client) place(requested, final *url.URL) place {
	return place{sites: c.opts.Policy.SuffixList, requested: requested, final: final}
}

// SameSite reports whether two hosts are one site to this Client: by
// Policy.SuffixList, else by the list that this module brings along. See
// security.SuffixList.SameSite.
func (c *Client) SameSite(hostA, hostB string) bool {
	return c.opts.Policy.SuffixList.SameSite(hostA, hostB)
}

// anchor is what trust is measured from.
func (p place) anchor() *url.URL {
	if p.origin != nil {
		return p.origin
	}
	return p.requested
}

// trust says how the place a URL points at relates to the document. A URL
// that our policy would not contact at all is cross_site.
func (p place) trust(ref string) wayfind.Trust {
	u, err := security.ParseURL(ref, nil)
	if err != nil || p.foreign {
		return wayfind.TrustCrossSite
	}
	return p.sites.TrustOf(p.anchor(), p.final, u)
}

// near reports whether a URL in canonical form is within the site of the
// document.
func (p place) near(u *url.URL) bool {
	if p.foreign {
		return false
	}
	t := p.sites.TrustOf(p.anchor(), p.final, u)
	return t == wayfind.TrustSameOrigin || t == wayfind.TrustSameSite
}

// trustTemplate is trust for URLs with variables: the host must be literal to
// mean anything.
func (p place) trustTemplate(template string) wayfind.Trust {
	authority, _ := strings.CutPrefix(template, "https://")
	authority, _, _ = strings.Cut(authority, "/")
	if strings.ContainsAny(authority, "{}") {
		return wayfind.TrustCrossSite
	}
	return p.trust("https://" + authority + "/")
}

func (p place) trustEither(ref, template string) wayfind.Trust {
	switch {
	case ref != "":
		return p.trust(ref)
	case template != "":
		return p.trustTemplate(template)
	}
	return ""
}

// located returns a copy of a reading with source URLs and trust as they are
// for this request: the reading itself is shared by all who get the same
// bytes.
func (p place) located(r resolve.Reading) resolve.Reading {
	shared := *r.Reading
	p.foreign = p.foreign || shared.Domain != "" && !p.sites.SameSite(p.anchor().Hostname(), shared.Domain)
	r.Source.URL = p.requested.String()
	r.Source.Trust = p.sites.TrustOf(p.anchor(), p.anchor(), p.final)
	if p.foreign {
		r.Source.Trust = wayfind.TrustCrossSite
	}
	if final := p.final.String(); final != r.Source.URL {
		r.Source.FinalURL = final
	}
	r.Source.Signatures = slices.Clone(r.Source.Signatures)
	for i := range r.Source.Signatures {
		r.Source.Signatures[i].Sources = p.refs(r.Source.Signatures[i].Sources)
	}
	shared.Services = slices.Clone(shared.Services)
	for i := range shared.Services {
		p.locateService(&shared.Services[i])
	}
	p.locateLinks(&shared)
	shared.Policies = slices.Clone(shared.Policies)
	for i := range shared.Policies {
		shared.Policies[i].Sources = p.refs(shared.Policies[i].Sources)
	}
	shared.Documents = slices.Clone(shared.Documents)
	for i := range shared.Documents {
		shared.Documents[i].Sources = p.refs(shared.Documents[i].Sources)
	}
	shared.Diagnostics = p.diagnostics(shared.Diagnostics)
	r.Reading = &shared
	return r
}

func (p place) locateService(s *wayfind.Service) {
	s.Sources = p.refs(s.Sources)
	s.LocalInstall = slices.Clone(s.LocalInstall)
	for i := range s.LocalInstall {
		s.LocalInstall[i].Sources = p.refs(s.LocalInstall[i].Sources)
	}
	s.Interfaces = slices.Clone(s.Interfaces)
	for i := range s.Interfaces {
		f := &s.Interfaces[i]
		f.Sources = p.refs(f.Sources)
		f.Trust = p.trustEither(f.URL, f.Template)
		talked := f.Protocol == "mcp" || f.Protocol == "jsonrpc" // what it offers is learned by connecting
		if talked && f.Trust == wayfind.TrustCrossSite && strings.HasPrefix(f.URL, "https://") {
			f.Trust = wayfind.TrustNeedsApproval
		}
	}
	s.Capabilities = slices.Clone(s.Capabilities)
	for i := range s.Capabilities {
		p.locateCapability(&s.Capabilities[i])
	}
}

// locateLinks: a description of a service on another site is not followed
// during discovery. It is what Describe asks for, if the caller approves.
func (p place) locateLinks(r *parse.Reading) {
	for _, l := range r.Links {
		if l.Lazy || l.Format == "" || len(l.URLs) == 0 || p.trust(l.URLs[0]) != wayfind.TrustCrossSite {
			continue
		}
		for i := range r.Services {
			if s := &r.Services[i]; s.ID == l.Subject {
				s.Lazy, s.DetailURLs = true, slices.Concat(s.DetailURLs, l.URLs)
			}
		}
	}
}

// locateCapability: what would be called decides; before Describe, what would
// be asked does, and another site there needs approval.
func (p place) locateCapability(c *wayfind.Capability) {
	c.Sources = p.refs(c.Sources)
	switch {
	case c.Invocation != nil:
		c.Trust = p.trustEither(c.Invocation.URL, c.Invocation.Template)
	case len(c.DetailURLs) > 0:
		c.Trust = p.trust(c.DetailURLs[0])
		if c.Trust == wayfind.TrustCrossSite {
			c.Trust = wayfind.TrustNeedsApproval
		}
	}
}

// refs names the document by the URL that was requested.
func (p place) refs(refs []wayfind.Ref) []wayfind.Ref {
	refs = slices.Clone(refs)
	if len(refs) == 0 {
		return []wayfind.Ref{{Source: p.requested.String()}}
	}
	for i := range refs {
		refs[i].Source = p.requested.String()
	}
	return refs
}

func (p place) diagnostics(diags []wayfind.Diagnostic) []wayfind.Diagnostic {
	diags = slices.Clone(diags)
	for i := range diags {
		diags[i].Source = p.requested.String()
	}
	return diags
}

// placeOf is where an outcome's document was asked for and found.
func (c *Client) placeOf(o *outcome) place {
	requested, err := url.Parse(o.Candidate.URL)
	if err != nil {
		requested = &url.URL{}
	}
	final := requested
	if n := len(o.Probe.Redirects); n > 0 {
		if u, err := url.Parse(o.Probe.Redirects[n-1]); err == nil {
			final = u
		}
	}
	return c.place(requested, final)
}
