package pins

import (
	"context"
	"fmt"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/resolve/diff"
)

// CheckDetail compares the result of Describe with its pins. A capability is compared with the
// pin that was made together with its detail document: field by field, with everything that its
// definition refers to, and by the digest of the definition. Of a service, only the statements
// beyond the Site are compared: additional offers with all pins, and completed offers with pins
// that were made from Describe as well.
func (p *Set) CheckDetail(site *wayfind.Site, detail *wayfind.Detail) *Report {
	report, _ := p.CheckDetailContext(context.Background(), site, detail) // never cancelled
	return report
}

// CheckDetailContext is like [Set.CheckDetail] with a context: if ctx ends before the work is
// done, the report is nil and the error is the error of ctx.
func (p *Set) CheckDetailContext(ctx context.Context, site *wayfind.Site, detail *wayfind.Detail) (report *Report, err error) {
	if p == nil || site == nil || detail == nil || detail.Service == nil && detail.Capability == nil {
		return &Report{}, nil
	}
	w := fuel.Of(ctx)
	err = w.Do(func() {
		c := &checking{work: w, report: &Report{}}
		list := p.of(w, site)
		switch {
		case detail.Capability == nil && len(list) > 0:
			c.checkLearned(list, site, detail)
		case detail.Capability != nil:
			for _, pin := range list {
				if pin.Detail != "" || pin.Described != nil {
					c.checkDetail(pin, site, detail)
				}
			}
		}
		c.report.settle(w)
		report = c.report
	})
	return report, err
}

// checkLearned compares a service that Describe completed. The Site's own statements about a
// completed capability are compared by Check.
func (c *checking) checkLearned(list []Pin, site *wayfind.Site, detail *wayfind.Detail) {
	const offered, completed = 1, 2
	known := newIndex(c.work, site).keys
	here := map[string]int{detail.Service.ID: completed}
	for i := range detail.Service.Capabilities {
		for _, key := range keysOf(&detail.Service.Capabilities[i]) {
			c.work.Add(1)
			here[key] = offered
			if _, also := known[key]; also {
				here[key] = completed
			}
		}
	}
	c.now = newIndex(c.work, site.With(detail))
	told := map[string]bool{}
	for _, pin := range list {
		one := &checking{work: c.work, now: c.now, report: &Report{}}
		one.check(pin)
		learned := one.learned(pin)
		for _, m := range one.report.Mismatches {
			if counts := here[m.Key] == offered || here[m.Key] == completed && learned[m.Key]; counts && !told[m.Key] {
				told[m.Key] = true
				c.report.Mismatches = append(c.report.Mismatches, m)
			}
		}
	}
}

// learned returns the keys of a pin, and the IDs of services, that are in a document that
// Describe read.
func (c *checking) learned(p Pin) map[string]bool {
	c.work.Add(len(p.Site.Sources) + len(p.Site.Services))
	behind := map[string]bool{}
	for i := range p.Site.Sources {
		behind[p.Site.Sources[i].URL] = p.Site.Sources[i].From != ""
	}
	learns := func(refs []wayfind.Ref) bool {
		c.work.Add(len(refs))
		return slices.ContainsFunc(refs, func(r wayfind.Ref) bool { return behind[r.Source] })
	}
	found := map[string]bool{}
	for i := range p.Site.Services {
		found[p.Site.Services[i].ID] = learns(p.Site.Services[i].Sources)
	}
	for _, capability := range p.Site.Capabilities() {
		for _, key := range keysOf(capability) {
			found[key] = found[key] || learns(capability.Sources)
		}
	}
	return found
}

func (c *checking) checkDetail(p Pin, site *wayfind.Site, detail *wayfind.Detail) {
	service, pinned := p.Site.Capability(p.Key)
	now := detail.Capability
	c.work.Add(1)
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
			changes, _ := diff.SitesContext(c.work.Context(), aloneIn(p.Site, service, was), aloneIn(site, service, is))
			return changes.Changed
		}
		said := map[string]bool{} // reported for the Site by Check
		if _, known := site.Capability(now.Key); known != nil {
			for _, change := range compare(pinned, known) {
				said[same(change)] = true
			}
		}
		changed.Changes = slices.DeleteFunc(compare(p.Described, summarized(site, now)), func(change diff.Change) bool { return said[same(change)] })
	}
	if changed.Pinned != "" || len(changed.Changes) > 0 {
		c.report.Mismatches = append(c.report.Mismatches, changed)
	}
}

// same identifies a change by all its fields.
func same(c diff.Change) string {
	return fmt.Sprintf("%s %s %s %s", c.Class, c.Field, c.Old, c.New)
}

// summarized returns a described capability with the sources that it has in the Site: the
// detail document is not a document of the Site.
func summarized(site *wayfind.Site, described *wayfind.Capability) *wayfind.Capability {
	own := *described
	if _, known := site.Capability(described.Key); known != nil {
		own.Sources = known.Sources
	}
	return &own
}

// aloneIn returns a Site with only one capability, in a service that is otherwise empty.
func aloneIn(site *wayfind.Site, service *wayfind.Service, c *wayfind.Capability) *wayfind.Site {
	own := shell(site)
	own.Services = []wayfind.Service{{ID: service.ID, Sources: c.Sources, Capabilities: []wayfind.Capability{*c}}}
	return &own.Site
}
