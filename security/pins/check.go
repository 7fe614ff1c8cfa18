package pins

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/resolve/diff"
	"github.com/wayfindhq/wayfind/security/cards"
)

// Check compares a Site with its pins. Sources are compared one by one, as in diff.Sites: a
// definition from a document that could not be requested is Unknown, and not a mismatch. If the
// Site has a pinned key, the key must refer to the definition of the pinned document. If
// another document's definition has that key, it is a mismatch, even if the definitions are
// equal. The report is never nil.
func (p *Set) Check(site *wayfind.Site) *Report {
	report, _ := p.CheckContext(context.Background(), site) // never cancelled
	return report
}

// CheckContext is like [Set.Check] with a context: if ctx ends before the work is done, the
// report is nil and the error is the error of ctx.
func (p *Set) CheckContext(ctx context.Context, site *wayfind.Site) (report *Report, err error) {
	if site == nil || p == nil {
		return &Report{}, nil
	}
	w := fuel.Of(ctx)
	err = w.Do(func() {
		c := &checking{work: w, report: &Report{}}
		if list := p.of(w, site); len(list) > 0 {
			c.now = newIndex(w, site)
			for _, pin := range list {
				c.check(pin)
			}
			c.report.settle(w)
		}
		report = c.report
	})
	return report, err
}

// checking is the state of one Check.
type checking struct {
	work   *fuel.Counter
	now    *index
	report *Report
	// State for the current pin. halves is the result of halvesOf for its Site, nil if not yet
	// computed. beyond are the documents that Describe read and that the Site is not made of.
	halves, beyond map[string]bool
}

// of returns the pins of a Site. They apply to any path that a caller names: keys of another
// path were not requested, so they are unknown.
func (p *Set) of(w *fuel.Counter, site *wayfind.Site) (list []Pin) {
	w.Add(len(p.list))
	for _, pin := range p.list {
		if pin.Site.Origin == site.Origin {
			list = append(list, pin)
		}
	}
	return list
}

// check adds the differences from one pin to the report.
func (c *checking) check(p Pin) {
	now, report := c.now, c.report
	c.halves, c.beyond = nil, c.beyondSite(p)
	c.checkHost(p)
	site := now.site
	if service, pinned := p.Site.Capability(p.Key); p.Key != "" && pinned != nil {
		site = now.part(pinned, service)
	}
	if p.Version != 0 {
		report.Older = append(report.Older, p.Key)
	}
	report.Undigested = append(report.Undigested, p.Undigested()...)
	changes, _ := diff.SitesContext(c.work.Context(), p.Site, site) // cancelled together with the Check
	for _, change := range changes.Removed {
		report.at(p.Site, change.Key).Removed = true
	}
	for _, change := range changes.Changed {
		if change.Field == "version" && !c.otherPart(p, p.Site.Service(change.Key)) {
			continue // only a different word; checkVersion compares it if it is signed
		}
		m := report.at(p.Site, change.Key)
		m.Changes = append(m.Changes, change)
	}
	for _, pinned := range p.Site.Capabilities() {
		c.checkPlaces(p, pinned)
		c.checkDigests(p, pinned)
	}
	for i := range p.Site.Services {
		c.checkService(p, &p.Site.Services[i])
	}
	c.checkUnknown(p, changes)
	c.checkDocuments(p, site)
}

// checkHost reports a site that has another host than the one at which it was pinned. Pins of an
// earlier version do not name the host. Then the documents tell it. A site that did not answer, or that
// still redirects to the pinned host, has not moved.
func (c *checking) checkHost(p Pin) {
	c.work.Add(len(p.Site.Sources) + len(c.now.site.Probes))
	was, now := p.Site.Asked(), c.now.site.Asked()
	if was == now || p.Site.Host == "" && slices.ContainsFunc(p.Site.Sources, func(s wayfind.Source) bool { return strings.HasPrefix(s.FinalURL, now+"/") }) {
		return
	}
	answered := false
	for _, probe := range c.now.site.Probes {
		if slices.ContainsFunc(probe.Redirects, func(u string) bool { return strings.HasPrefix(u, was+"/") }) {
			return
		}
		answered = answered || strings.HasPrefix(probe.URL, now+"/") && probe.Verdict.Answered() && probe.Status/100 != 3
	}
	if !answered {
		return
	}
	m := c.report.at(p.Site, "")
	m.PinnedHost, m.Host = strings.TrimPrefix(was, "https://"), strings.TrimPrefix(now, "https://")
}

// beyondSite returns the documents of a pin that Describe read and that the Site is not made
// of.
func (c *checking) beyondSite(p Pin) map[string]bool {
	c.work.Add(len(p.Site.Sources))
	beyond := map[string]bool{}
	for i := range p.Site.Sources {
		if source := &p.Site.Sources[i]; source.From != "" && !c.now.sources[source.URL] {
			beyond[source.URL] = true
		}
	}
	return beyond
}

// completed reports whether a pinned reading contains more than the Site can, because Describe
// completed it.
func (c *checking) completed(was *wayfind.Capability) bool {
	c.work.Add(len(was.Sources))
	return len(c.beyond) > 0 && slices.ContainsFunc(was.Sources, func(r wayfind.Ref) bool { return c.beyond[r.Source] })
}

// half reports whether the Site has only the statements of a refusal although the pin has more.
func (c *checking) half(p Pin, refs []wayfind.Ref) bool {
	if len(refs) == 0 || !c.now.halves[refs[0].Source] {
		return false
	}
	if c.halves == nil {
		c.work.Add(len(p.Site.Probes))
		c.halves = halvesOf(p.Site)
	}
	return !c.halves[refs[0].Source]
}

// checkPlaces compares the documents behind the keys of a capability. A key is a name that any
// document of the site can use.
func (c *checking) checkPlaces(p Pin, pinned *wayfind.Capability) {
	for _, key := range keysOf(pinned) {
		c.work.Add(1 + len(pinned.Alternatives))
		o, found := c.now.keys[key]
		if !found {
			continue
		}
		c.work.Add(len(o.capability.Alternatives))
		was, is := readingOf(pinned, key), readingOf(o.capability, key)
		if !c.sameDocument(p, was.Sources, is.Sources) {
			c.report.moved(p.Site, key, was.Sources, is.Sources)
		}
		if c.half(p, is.Sources) || c.completed(was) {
			c.report.Unknown = append(c.report.Unknown, key)
		}
	}
}

// sameDocument reports whether a pin and the Site have a thing from the same document. If only
// one of them has a document, it returns false.
func (c *checking) sameDocument(p Pin, a, b []wayfind.Ref) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	before, now := a[0].Source, b[0].Source
	if before == now {
		return true
	}
	c.work.Add(len(p.Site.Sources) + len(c.now.site.Sources))
	return slices.Contains(alsoAt(p.Site, before), now) || slices.Contains(alsoAt(c.now.site, now), before)
}

// checkService compares the document behind a service, and the version of the service. If a
// capability is pinned, its service is compared only while it has that capability.
func (c *checking) checkService(p Pin, pinned *wayfind.Service) {
	c.work.Add(1 + len(pinned.Capabilities))
	c.checkVersion(p, pinned)
	is := c.now.services[pinned.ID]
	if is == nil {
		return
	}
	for i := range pinned.Capabilities {
		if o := c.now.keys[p.Key]; p.Key != "" && pinned.Capabilities[i].HasKey(p.Key) && o.service != is {
			return
		}
	}
	if !c.sameDocument(p, pinned.Sources, is.Sources) {
		c.report.moved(p.Site, pinned.ID, pinned.Sources, is.Sources)
	}
	if c.half(p, is.Sources) {
		c.report.Unknown = append(c.report.Unknown, pinned.ID)
	}
	if c.otherPart(p, pinned) {
		m := c.report.at(p.Site, pinned.ID)
		m.Source, m.Pinned, m.Now = is.Sources[0].Source, pinned.Digest, is.Digest
	}
}

// otherPart reports whether a service has another part of its document than the pinned one. A
// pin of a capability contains no more of its service than the model shows.
func (c *checking) otherPart(p Pin, pinned *wayfind.Service) bool {
	if pinned == nil || pinned.Digest == "" || p.Key != "" && p.Key != pinned.ID {
		return false
	}
	is := c.now.services[pinned.ID]
	return is != nil && len(pinned.Sources) > 0 && len(is.Sources) > 0 && pinned.Sources[0].Source == is.Sources[0].Source &&
		is.Digest != pinned.Digest && !c.half(p, is.Sources)
}

// checkUnknown adds the pinned keys that could not be checked, and the keys that are new in a
// Site that was pinned as a whole.
func (c *checking) checkUnknown(p Pin, changes *diff.Result) {
	now, report := c.now, c.report
	c.work.Add(len(changes.Unknown) + len(changes.Added))
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
			before = newIndex(c.work, p.Site)
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

// checkDocuments adds the documents behind a pin whose bytes changed.
func (c *checking) checkDocuments(p Pin, site *wayfind.Site) {
	seen := map[string]bool{}
	look := func(refs []wayfind.Ref) {
		c.work.Add(len(refs))
		for _, r := range refs {
			if seen[r.Source] {
				continue
			}
			seen[r.Source] = true
			c.work.Add(len(p.Site.Sources) + len(site.Sources))
			was, is := p.Site.Source(r.Source), site.Source(r.Source)
			if was != nil && is != nil && was.SHA256 != is.SHA256 {
				c.report.Documents = append(c.report.Documents, r.Source)
			}
		}
	}
	for i := range p.Site.Services {
		look(p.Site.Services[i].Sources)
	}
	for _, capability := range p.Site.Capabilities() {
		look(capability.Sources)
	}
}

// checkDigests compares each reading of a capability with the reading of the same document. If
// a reading no longer has a digest (the document was JSON and is not JSON now), it may hide a
// change. A reading that had no digest when it was pinned cannot be compared.
func (c *checking) checkDigests(p Pin, pinned *wayfind.Capability) {
	for _, was := range readingsOf(pinned) {
		c.work.Add(1)
		if was.Digest == "" || len(was.Sources) == 0 || c.completed(was) {
			continue
		}
		is, found := c.now.readings[was.Sources[0].Source+" "+was.Key]
		if !found || is.Digest == was.Digest {
			continue
		}
		m := c.report.at(p.Site, pinned.Key)
		m.Source, m.Pinned, m.Now = was.Sources[0].Source, was.Digest, is.Digest
	}
}

// checkVersion reports a signed document whose version went back: an older document is as
// genuine as the newer one (A2A 1.0 §8.4).
func (c *checking) checkVersion(p Pin, pinned *wayfind.Service) {
	is := c.now.services[pinned.ID]
	if is == nil || is.Version == pinned.Version || !c.signed(p, pinned) {
		return
	}
	was, _ := json.Marshal(pinned.Version) // marshalling a string cannot fail
	now, _ := json.Marshal(is.Version)
	if diff.Of(diff.Change{Kind: diff.KindService, Field: "version", Old: was, New: now}).Risk == diff.Riskier {
		m := c.report.at(p.Site, pinned.ID)
		m.PinnedVersion, m.Version = pinned.Version, is.Version
	}
}

// signed reports whether a service is from a document with a valid signature by a pinned key.
func (c *checking) signed(p Pin, s *wayfind.Service) bool {
	return slices.ContainsFunc(s.Sources, func(r wayfind.Ref) bool {
		c.work.Add(len(p.Site.Sources))
		source := p.Site.Source(r.Source)
		return source != nil && slices.ContainsFunc(source.Signatures, func(s wayfind.Signature) bool {
			return s.Status == cards.Valid && s.KeySource == cards.KeyPinned
		})
	})
}
