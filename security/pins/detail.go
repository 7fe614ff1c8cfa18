package pins

import (
	"fmt"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/resolve/diff"
)

// CheckDetail compares a capability as Describe gives it with the one that was
// pinned together with its detail document: field by field, with all that its
// definition refers to, and by the digest of the definition.
func (p *Set) CheckDetail(site *wayfind.Site, detail *wayfind.Detail) *Report {
	report := &Report{}
	if site == nil || detail == nil || detail.Capability == nil {
		return report
	}
	for _, pin := range p.of(site) {
		if pin.Detail != "" || pin.Described != nil {
			pin.checkDetail(site, detail, report)
		}
	}
	report.settle()
	return report
}

func (p Pin) checkDetail(site *wayfind.Site, detail *wayfind.Detail, report *Report) {
	service, pinned := p.Site.Capability(p.Key)
	now := detail.Capability
	if p.Key == "" || pinned == nil || !slices.ContainsFunc(keysOf(pinned), now.HasKey) {
		return
	}
	changed := Mismatch{Origin: site.Origin, Key: p.Key, InDetail: true}
	if detail.Source != nil {
		changed.Source = detail.Source.URL
		if p.Detail != "" && now.Digest != p.Detail {
			changed.Pinned, changed.Now = p.Detail, now.Digest
		}
	}
	if p.Described != nil {
		compare := func(was, is *wayfind.Capability) []diff.Change {
			return diff.Sites(aloneIn(p.Site, service, was), aloneIn(site, service, is)).Changed
		}
		said := map[string]bool{} // of the Site, by Check
		if _, known := site.Capability(now.Key); known != nil {
			for _, c := range compare(pinned, known) {
				said[same(c)] = true
			}
		}
		changed.Changes = slices.DeleteFunc(compare(p.Described, summarized(site, now)), func(c diff.Change) bool { return said[same(c)] })
	}
	if changed.Pinned != "" || len(changed.Changes) > 0 {
		report.Mismatches = append(report.Mismatches, changed)
	}
}

// same names a change by all that is in it.
func same(c diff.Change) string {
	return fmt.Sprintf("%s %s %s %s", c.Class, c.Field, c.Old, c.New)
}

// summarized is a described capability with the sources that it has in the Site:
// the detail document is none of those that a Site was made of.
func summarized(site *wayfind.Site, described *wayfind.Capability) *wayfind.Capability {
	own := *described
	if _, known := site.Capability(described.Key); known != nil {
		own.Sources = known.Sources
	}
	return &own
}

// aloneIn is a Site with nothing but one capability, in a service that says
// nothing itself.
func aloneIn(site *wayfind.Site, service *wayfind.Service, c *wayfind.Capability) *wayfind.Site {
	own := shell(site)
	own.Services = []wayfind.Service{{ID: service.ID, Sources: c.Sources, Capabilities: []wayfind.Capability{*c}}}
	return &own.Site
}
