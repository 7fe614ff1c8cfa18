package pins

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/resolve/diff"
	"github.com/wayfindhq/wayfind/security/cards"
)

// Check compares a Site with what is pinned of it. Sources are compared one by
// one, as diff.Sites does it: what comes from a document that could not be
// asked is Unknown, and no mismatch. The report is never nil.
func (p *Set) Check(site *wayfind.Site) *Report {
	report := &Report{}
	if site == nil {
		return report
	}
	for _, pin := range p.of(site) {
		pin.check(site, report)
	}
	report.settle()
	return report
}

// CheckDetail compares the detail document of a capability, as Describe gives
// it, with the one that was pinned.
func (p *Set) CheckDetail(site *wayfind.Site, detail *wayfind.Detail) *Report {
	report := &Report{}
	if site == nil || detail == nil || detail.Capability == nil || detail.Source == nil {
		return report
	}
	for _, pin := range p.of(site) {
		now := detail.Capability.Digest
		if pin.Key == "" || pin.Detail == "" || !detail.Capability.HasKey(pin.Key) || now == pin.Detail {
			continue
		}
		report.Mismatches = append(report.Mismatches, Mismatch{
			Origin: site.Origin, Key: pin.Key, Source: detail.Source.URL, Pinned: pin.Detail, Now: now})
	}
	return report
}

// of are the pins of a Site. They count below whatever path a caller names: what
// belongs to another one was not asked, and is unknown.
func (p *Set) of(site *wayfind.Site) (list []Pin) {
	for _, pin := range p.All() {
		if pin.Site.Origin == site.Origin {
			list = append(list, pin)
		}
	}
	return list
}

// check adds what differs from one pin.
func (p Pin) check(site *wayfind.Site, report *Report) {
	site = p.part(site)
	changes := diff.Sites(p.Site, site)
	if p.Key == "" {
		report.Added = append(report.Added, changes.Added...)
	}
	report.Unknown = append(report.Unknown, changes.Unknown...)
	for _, c := range changes.Removed {
		report.at(p.Site, c.Key).Removed = true
	}
	for _, c := range changes.Changed {
		m := report.at(p.Site, c.Key)
		m.Changes = append(m.Changes, c)
	}
	now := readingsBySource(site)
	for _, pinned := range p.Site.Capabilities() {
		p.checkDigests(pinned, now, report)
	}
	for i := range p.Site.Services {
		p.checkVersion(&p.Site.Services[i], site, report)
	}
	p.checkDocuments(site, report)
}

// checkDocuments notes the documents behind a pin whose bytes changed.
func (p Pin) checkDocuments(site *wayfind.Site, report *Report) {
	var behind []wayfind.Ref
	for i := range p.Site.Services {
		behind = append(behind, p.Site.Services[i].Sources...)
	}
	for _, c := range p.Site.Capabilities() {
		behind = append(behind, c.Sources...)
	}
	for _, r := range behind {
		was, is := p.Site.Source(r.Source), site.Source(r.Source)
		if was != nil && is != nil && was.SHA256 != is.SHA256 {
			report.Documents = append(report.Documents, r.Source)
		}
	}
}

// part is what a Site has of what is pinned, so that many pins of one large
// Site cost no more than the Site. What has none of the pinned keys may still
// be known by its place in a document: then it is the whole Site.
func (p Pin) part(site *wayfind.Site) *wayfind.Site {
	service, pinned := p.Site.Capability(p.Key)
	if p.Key == "" || pinned == nil {
		return site
	}
	for _, key := range append([]string{pinned.Key}, pinned.Aliases...) {
		now, err := newPin(site, key)
		if err != nil || len(now.Site.Services[0].Capabilities) == 0 {
			continue // nothing, or a service, has the key
		}
		if before := site.Service(service.ID); before != nil && now.Site.Service(service.ID) == nil {
			moved := *before
			moved.Capabilities = nil
			now.Site.Services = append(now.Site.Services, moved)
		}
		return now.Site
	}
	return site
}

// checkDigests compares the readings of a capability, each with that of the
// same document. One that has no digest any more (the document was JSON, and is
// not now) may hide a change; one that had none when it was pinned cannot be
// compared.
func (p Pin) checkDigests(pinned *wayfind.Capability, now map[string]*wayfind.Capability, report *Report) {
	for _, was := range readingsOf(pinned) {
		if was.Digest == "" || len(was.Sources) == 0 {
			continue
		}
		is, found := now[was.Sources[0].Source+" "+was.Key]
		if !found || is.Digest == was.Digest {
			continue
		}
		m := report.at(p.Site, pinned.Key)
		m.Source, m.Pinned, m.Now = was.Sources[0].Source, was.Digest, is.Digest
	}
}

// readingsBySource finds what each document says of each key.
func readingsBySource(site *wayfind.Site) map[string]*wayfind.Capability {
	found := map[string]*wayfind.Capability{}
	for _, c := range site.Capabilities() {
		for _, r := range readingsOf(c) {
			if len(r.Sources) > 0 {
				found[r.Sources[0].Source+" "+r.Key] = r
			}
		}
	}
	return found
}

// readingsOf are a capability and those that lost against it.
func readingsOf(c *wayfind.Capability) []*wayfind.Capability {
	list := []*wayfind.Capability{c}
	for i := range c.Alternatives {
		list = append(list, &c.Alternatives[i])
	}
	return list
}

// checkVersion notices a signed document whose version went back: an older one
// is as genuine as the newer one (A2A 1.0 §8.4).
func (p Pin) checkVersion(pinned *wayfind.Service, site *wayfind.Site, report *Report) {
	now := site.Service(pinned.ID)
	if now == nil || !signed(p.Site, pinned) {
		return
	}
	if order, ok := compareVersions(now.Version, pinned.Version); ok && order < 0 {
		m := report.at(p.Site, pinned.ID)
		m.PinnedVersion, m.Version = pinned.Version, now.Version
	}
}

// signed reports whether a service comes from a document with a signature that
// counts.
func signed(site *wayfind.Site, s *wayfind.Service) bool {
	return slices.ContainsFunc(s.Sources, func(r wayfind.Ref) bool {
		source := site.Source(r.Source)
		return source != nil && slices.ContainsFunc(source.Signatures, func(s wayfind.Signature) bool {
			return s.Status == cards.Valid && s.KeySource == cards.KeyPinned
		})
	})
}
