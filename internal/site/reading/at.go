package reading

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// At contains the facts of one request for a document: where it was requested, and where it was
// found.
type At struct {
	// Work counts the steps of reading a document there; it may be nil.
	Work *fuel.Counter
	// Sites determines which hosts are one site.
	Sites            *security.SuffixList
	Requested, Final *url.URL
	// From is the URL from which trust is measured, or nil if that is Requested. It is the URL of the
	// document that named this one, or, for a place at the site's own host, the URL at the typed
	// origin for which Requested stands.
	From *url.URL
	// Foreign is true if From is about another site than its own.
	Foreign bool
	// Linked is true if no format looks for documents there, so that the document ranks with links
	// at most.
	Linked bool
	// Conventional is true if the place is one of convention: see [parse.Location].
	Conventional bool
	// CrossSite is true if a redirect led to another site.
	CrossSite bool
	// Page is true if the answer was requested as a page, so that its head is read.
	Page bool
	// FetchedAt is the time of the answer, and FreshUntil the time until which it is fresh.
	FetchedAt, FreshUntil time.Time
	// ETag and LastModified are the current validators of the answer. A 304 may have changed them
	// since the document was read.
	ETag, LastModified string
}

// At returns the readings of a document at a place, and the diagnostics about the document there.
func (d *Contents) At(at At) ([]Located, []wayfind.Diagnostic) {
	var list []Located
	if len(d.readings) > 0 {
		list = make([]Located, len(d.readings))
	}
	for i, r := range d.readings {
		list[i] = r.At(at)
	}
	return list, d.DiagnosticsAt(at)
}

// DiagnosticsAt returns the diagnostics about a document at a place, without its readings.
func (d *Contents) DiagnosticsAt(at At) []wayfind.Diagnostic {
	return d.Spared(at, at.Diagnostics(d.diags))
}

// Anchor returns the URL that trust is measured from.
func (at At) Anchor() *url.URL {
	if at.From != nil {
		return at.From
	}
	return at.Requested
}

// trust returns the relation of a URL to the document. A URL that the policy does not allow at all
// is cross_site.
func (at At) trust(ref string) wayfind.Trust {
	at.Work.Text(len(ref))
	u, err := at.ParseURL(ref)
	if err != nil || at.Foreign {
		return wayfind.TrustCrossSite
	}
	return at.trustOf(at.Anchor(), at.Final, u)
}

// ParseURL parses an absolute URL in the document. Only documents of a server under development, or
// of a private network, may name that server.
func (at At) ParseURL(ref string) (*url.URL, error) { return at.dev().ParseURL(ref, nil) }

// dev returns a guard that allows the document's own server, if it is under development or on a
// private network; else nil.
func (at At) dev() *security.Guard {
	if from := at.Anchor(); from != nil && security.IsException(from) {
		return security.DevGuard(security.Origin(from))
	}
	return nil
}

// trustOf returns the relation of places. A server under development is a site of its own.
func (at At) trustOf(from, final, to *url.URL) wayfind.Trust {
	if at.dev() == nil {
		return at.Sites.TrustOf(from, final, to)
	}
	for _, u := range []*url.URL{final, to} {
		if u != nil && security.Origin(u) != security.Origin(from) {
			return wayfind.TrustCrossSite
		}
	}
	return wayfind.TrustSameOrigin
}

// Near reports whether a URL in canonical form is within the site of the document.
func (at At) Near(u *url.URL) bool {
	if at.Foreign {
		return false
	}
	t := at.trustOf(at.Anchor(), at.Final, u)
	return t == wayfind.TrustSameOrigin || t == wayfind.TrustSameSite
}

// trustTemplate is trust for URLs with variables. If the host has a variable, the result is
// cross_site.
func (at At) trustTemplate(template string) wayfind.Trust {
	scheme, rest, _ := strings.Cut(template, "://")
	authority, _, _ := strings.Cut(rest, "/")
	if strings.ContainsAny(authority, "{}") {
		return wayfind.TrustCrossSite
	}
	return at.trust(scheme + "://" + authority + "/")
}

func (at At) trustEither(ref, template string) wayfind.Trust {
	switch {
	case ref != "":
		return at.trust(ref)
	case template != "":
		return at.trustTemplate(template)
	}
	return ""
}

// At returns the reading at a place. It is a copy, because callers that get the same bytes share
// the reading itself.
func (c Clean) At(at At) Located {
	l := Located{located{c.part}}
	own := *c.part.Reading
	if at.Linked {
		l.lower(wayfind.AuthorityLinked)
	}
	if at.Conventional {
		l.lower(wayfind.AuthorityConventional)
	}
	l.Source.Trust = at.trustOf(at.Anchor(), at.Anchor(), at.Final)
	if at.CrossSite || at.Linked && !at.Near(at.Final) {
		l.Source.Trust = wayfind.TrustCrossSite
		l.lower(wayfind.AuthorityThirdParty)
	}
	at.Foreign = at.Foreign || own.Domain != "" && !at.Sites.SameSite(at.Anchor().Hostname(), own.Domain)
	if at.Foreign {
		l.Source.Trust = wayfind.TrustCrossSite
	}
	at.source(&l.Source)
	l.Source.ETag = c.validator(l.Source.ETag, c.etag, at.ETag)
	l.Source.LastModified = c.validator(l.Source.LastModified, c.lastModified, at.LastModified)
	own.Services = slices.Clone(own.Services)
	for i := range own.Services {
		at.locateService(&own.Services[i])
		own.Services[i].Unlinked = at.Conventional
	}
	at.locateLinks(&own)
	at.Work.Add(1 + len(own.Policies) + len(own.Documents))
	own.Policies = slices.Clone(own.Policies)
	for i := range own.Policies {
		own.Policies[i].Sources = at.refs(own.Policies[i].Sources)
	}
	own.Documents = slices.Clone(own.Documents)
	for i := range own.Documents {
		own.Documents[i].Sources = at.refs(own.Documents[i].Sources)
		own.Documents[i].Trust = at.trust(own.Documents[i].URL)
		if c.part.Format.Index { // its entries are listed to be requested
			own.Documents[i].Trust = at.trustAsked(own.Documents[i].URL)
		}
	}
	l.Reading = &own
	return l
}

// source sets the place and the times of a source.
func (at At) source(s *wayfind.Source) {
	s.URL = at.Requested.String()
	if final := at.Final.String(); final != s.URL {
		s.FinalURL = final
	}
	s.FetchedAt, s.FreshUntil = at.FetchedAt, at.FreshUntil
	s.Signatures = slices.Clone(s.Signatures)
	for i := range s.Signatures {
		s.Signatures[i].Sources = at.refs(s.Signatures[i].Sources)
	}
}

// validator returns the cleaned form of the current validator, now. clean is the cleaned form of
// read, the validator with which the document was read.
func (c Clean) validator(clean, read, now string) string {
	if now == read {
		return clean
	}
	clean, _ = text.Clean(now, false, 0)
	clean, _ = c.secrets.redact("", clean)
	clean, _ = text.Clean(clean, false, maxLine)
	return clean
}

// AsLinked returns the reading of a document at a place of convention as that of one to which another
// document links.
func (l Located) AsLinked() Located {
	if l.Source.Authority == wayfind.AuthorityConventional {
		l.Source.Authority = wayfind.AuthorityLinked
	}
	own := *l.part.Reading
	own.Services = slices.Clone(own.Services)
	for i := range own.Services {
		own.Services[i].Unlinked = false
	}
	l.Reading = &own
	return l
}

// lower sets the rank of a source, unless its rank is already lower.
func (l *Located) lower(a wayfind.Authority) {
	if a.Rank() > l.Source.Authority.Rank() {
		l.Source.Authority = a
	}
}

func (at At) locateService(s *wayfind.Service) {
	s.Sources = at.refs(s.Sources)
	at.locateRegistration(s)
	s.LocalInstall = slices.Clone(s.LocalInstall)
	for i := range s.LocalInstall {
		s.LocalInstall[i].Sources = at.refs(s.LocalInstall[i].Sources)
	}
	s.Interfaces = slices.Clone(s.Interfaces)
	for i := range s.Interfaces {
		f := &s.Interfaces[i]
		f.Sources = at.refs(f.Sources)
		f.Trust = at.trustEither(f.URL, f.Template)
		talked := f.Protocol == "mcp" || f.Protocol == "jsonrpc" // its offers are learned by connecting
		if talked && f.Trust == wayfind.TrustCrossSite && strings.HasPrefix(f.URL, "https://") {
			f.Trust = wayfind.TrustNeedsApproval
		}
	}
	s.Capabilities = slices.Clone(s.Capabilities)
	for i := range s.Capabilities {
		at.locateCapability(&s.Capabilities[i])
	}
}

// locateRegistration sets the trust of a registration endpoint, because an agent that registers
// reveals its identity.
func (at At) locateRegistration(s *wayfind.Service) {
	if s.Auth == nil || s.Auth.Registration == nil || s.Auth.Registration.Endpoint == "" {
		return
	}
	auth, own := *s.Auth, *s.Auth.Registration
	own.Trust = at.trustAsked(own.Endpoint)
	auth.Registration = &own
	s.Auth = &auth
}

// locateLinks leaves links from services to other sites to Describe, which requests them if the
// caller approves. Discovery does not follow them. A link with neither a format nor a service is
// skipped, because it may lead to anything.
func (at At) locateLinks(r *parse.Reading) {
	var byID map[string][]*wayfind.Service
	for _, l := range r.Links {
		if l.Lazy || l.Format == "" && l.Subject == "" || len(l.URLs) == 0 || at.trust(l.URLs[0]) != wayfind.TrustCrossSite {
			continue
		}
		if byID == nil {
			byID = make(map[string][]*wayfind.Service, len(r.Services))
			for i := range r.Services {
				byID[r.Services[i].ID] = append(byID[r.Services[i].ID], &r.Services[i])
			}
		}
		at.Work.Add(1 + len(byID[l.Subject]))
		for _, s := range byID[l.Subject] {
			s.Lazy, s.DetailURLs = true, slices.Concat(s.DetailURLs, l.URLs)
		}
	}
}

// Unfollowed returns the reading for a caller that follows no links. The links that discovery would
// read next are put where Describe finds them. If they belong to no service, they are put among the
// documents.
func (l Located) Unfollowed() Located {
	own := *l.part.Reading
	own.Services, own.Documents = slices.Clone(own.Services), slices.Clone(own.Documents)
	for _, link := range own.Links {
		if link.Lazy || len(link.URLs) == 0 {
			continue
		}
		i := slices.IndexFunc(own.Services, func(s wayfind.Service) bool { return s.ID == link.Subject })
		switch {
		case i < 0 && slices.ContainsFunc(own.Documents, func(d wayfind.Document) bool { return d.URL == link.URLs[0] }):
		case i < 0:
			refs := []wayfind.Ref{{Source: l.Source.URL}}
			own.Documents = append(own.Documents, wayfind.Document{Rel: link.Role, URL: link.URLs[0], Title: link.Subject, Sources: refs})
		case !slices.Contains(own.Services[i].DetailURLs, link.URLs[0]): // as in locateLinks
			own.Services[i].Lazy, own.Services[i].DetailURLs = true, slices.Concat(own.Services[i].DetailURLs, link.URLs)
		}
	}
	l.Reading = &own
	return l
}

// locateCapability sets the trust of a capability by the endpoint of its call. Before Describe, the
// detail document determines it, and on another site it needs approval.
func (at At) locateCapability(c *wayfind.Capability) {
	c.Sources = at.refs(c.Sources)
	switch {
	case c.Invocation != nil:
		c.Trust = at.trustEither(c.Invocation.URL, c.Invocation.Template)
	case len(c.DetailURLs) > 0:
		c.Trust = at.trustAsked(c.DetailURLs[0])
	case c.Artifact != nil:
		c.Trust = at.trustAsked(c.Artifact.URL)
	}
}

// trustAsked is trust for a document that Describe would request.
func (at At) trustAsked(ref string) wayfind.Trust {
	if t := at.trust(ref); t != wayfind.TrustCrossSite {
		return t
	}
	return wayfind.TrustNeedsApproval
}

// refs sets the source of references to the URL that was requested.
func (at At) refs(refs []wayfind.Ref) []wayfind.Ref {
	at.Work.Add(1 + len(refs))
	refs = slices.Clone(refs)
	if len(refs) == 0 {
		return []wayfind.Ref{{Source: at.Requested.String()}}
	}
	for i := range refs {
		refs[i].Source = at.Requested.String()
	}
	return refs
}

// Diagnostics sets the source of diagnostics to the URL that was requested.
func (at At) Diagnostics(diags []wayfind.Diagnostic) []wayfind.Diagnostic {
	diags = slices.Clone(diags)
	for i := range diags {
		diags[i].Source = at.Requested.String()
	}
	return diags
}
