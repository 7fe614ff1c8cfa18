package pins

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/resolve/diff"
	"github.com/wayfindhq/wayfind/security/cards"
)

// Check compares a Site with what is pinned of it. Sources are compared one by
// one, as diff.Sites does it: what comes from a document that could not be
// asked is Unknown, and no mismatch. A pinned key that the Site has must stand for
// what the pinned document says: what another document says under that key is a
// mismatch, whatever it is. The report is never nil.
func (p *Set) Check(site *wayfind.Site) *Report {
	report := &Report{}
	if site == nil {
		return report
	}
	list := p.of(site)
	if len(list) == 0 {
		return report
	}
	now := newIndex(site)
	for _, pin := range list {
		pin.check(now, report)
	}
	report.settle()
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
func (p Pin) check(now *index, report *Report) {
	site := now.site
	if service, pinned := p.Site.Capability(p.Key); p.Key != "" && pinned != nil {
		site = now.part(pinned, service)
	}
	if p.Version != 0 {
		report.Older = append(report.Older, p.Key)
	}
	changes := diff.Sites(p.Site, site)
	for _, c := range changes.Removed {
		report.at(p.Site, c.Key).Removed = true
	}
	for _, c := range changes.Changed {
		m := report.at(p.Site, c.Key)
		m.Changes = append(m.Changes, c)
	}
	for _, pinned := range p.Site.Capabilities() {
		p.checkPlaces(pinned, now, report)
		p.checkDigests(pinned, now, report)
	}
	for i := range p.Site.Services {
		p.checkService(&p.Site.Services[i], now, report)
	}
	p.checkUnknown(changes, now, report)
	p.checkDocuments(site, report)
}

// checkPlaces compares the documents behind the keys of a capability. A key is a
// name that any document of the site can take.
func (p Pin) checkPlaces(pinned *wayfind.Capability, now *index, report *Report) {
	for _, key := range keysOf(pinned) {
		o, found := now.keys[key]
		if !found {
			continue
		}
		was, is := readingOf(pinned, key), readingOf(o.capability, key)
		if !sameDocument(p.Site, was.Sources, now.site, is.Sources) {
			report.moved(p.Site, key, was.Sources, is.Sources)
		}
		if now.half(p.Site, is.Sources) {
			report.Unknown = append(report.Unknown, key)
		}
	}
}

// checkService compares the document behind a service, and its version. Where
// one capability is pinned, its service counts as long as it has it.
func (p Pin) checkService(pinned *wayfind.Service, now *index, report *Report) {
	p.checkVersion(pinned, now, report)
	is := now.services[pinned.ID]
	if is == nil {
		return
	}
	for i := range pinned.Capabilities {
		if o := now.keys[p.Key]; p.Key != "" && pinned.Capabilities[i].HasKey(p.Key) && o.service != is {
			return
		}
	}
	if !sameDocument(p.Site, pinned.Sources, now.site, is.Sources) {
		report.moved(p.Site, pinned.ID, pinned.Sources, is.Sources)
	}
	if now.half(p.Site, is.Sources) {
		report.Unknown = append(report.Unknown, pinned.ID)
	}
}

// checkUnknown adds what is pinned and could not be seen, and what a Site that is
// pinned as a whole did not have.
func (p Pin) checkUnknown(changes *diff.Result, now *index, report *Report) {
	if p.Key == "" {
		report.Added = append(report.Added, changes.Added...)
	}
	var before *index
	for _, key := range changes.Unknown {
		o, isCapability := now.keys[key]
		switch {
		case !isCapability && now.services[key] == nil:
			report.Unknown = append(report.Unknown, key)
			continue
		case p.Key != "":
			continue
		case before == nil:
			before = newIndex(p.Site)
		}
		kind := diff.KindService
		if isCapability {
			kind, key = diff.KindCapability, o.capability.Key
		}
		if _, pinned := before.keys[key]; !pinned && before.services[key] == nil {
			report.Added = append(report.Added, diff.Change{Kind: kind, Key: key})
		}
	}
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

// checkDigests compares the readings of a capability, each with that of the
// same document. One that has no digest any more (the document was JSON, and is
// not now) may hide a change; one that had none when it was pinned cannot be
// compared.
func (p Pin) checkDigests(pinned *wayfind.Capability, now *index, report *Report) {
	for _, was := range readingsOf(pinned) {
		if was.Digest == "" || len(was.Sources) == 0 {
			continue
		}
		is, found := now.readings[was.Sources[0].Source+" "+was.Key]
		if !found || is.Digest == was.Digest {
			continue
		}
		m := report.at(p.Site, pinned.Key)
		m.Source, m.Pinned, m.Now = was.Sources[0].Source, was.Digest, is.Digest
	}
}

// checkVersion notices a signed document whose version went back: an older one
// is as genuine as the newer one (A2A 1.0 §8.4).
func (p Pin) checkVersion(pinned *wayfind.Service, now *index, report *Report) {
	is := now.services[pinned.ID]
	if is == nil || !signed(p.Site, pinned) {
		return
	}
	if order, ok := compareVersions(is.Version, pinned.Version); ok && order < 0 {
		m := report.at(p.Site, pinned.ID)
		m.PinnedVersion, m.Version = pinned.Version, is.Version
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
