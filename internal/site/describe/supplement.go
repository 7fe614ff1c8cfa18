package describe

import (
	"context"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/parse"
)

// If several documents describe a capability, the Site contains it once, with the inputs of the
// best reading that states them. Some readings state inputs only in full.

var ruleAlternative = parse.Rule{Code: "describe.alternative", Severity: wayfind.SeverityWarning,
	Means: "Another document describes the same call, but its details could not be read.",
	Mend:  "Serve the document that the message names, or remove the link to it."}

// supplement adds the inputs from the alternative readings of the capability. It returns the error
// of the reading whose key was requested. A failure of another reading is a diagnostic.
func (d *describer) supplement(ctx context.Context) error {
	c := d.detail.Capability
	c.Alternatives = slices.Clone(c.Alternatives)
	for i := range c.Alternatives {
		other := &c.Alternatives[i]
		asked := other.HasKey(d.key)
		if !d.supplements(other) || !asked && merge.HasInput(c) && !d.readAlready(other.DetailURLs) {
			continue
		}
		if other.Lazy {
			if err := d.completeAlternative(ctx, other); asked && err != nil {
				return err
			} else if err != nil {
				d.detail.Diagnostics = append(d.detail.Diagnostics, ruleAlternative.Diagnostic(other.DetailURLs[0],
					"its definition in %s could not be read: %v", other.Key, err))
				continue
			}
		}
		if err := d.working(ctx, d.site.Origin, func(w *fuel.Counter) { d.supplementFrom(w, other) }); err != nil {
			return err
		}
	}
	return nil
}

// supplementFrom completes the capability with another reading of it.
func (d *describer) supplementFrom(w *fuel.Counter, other *wayfind.Capability) {
	w.Add(len(d.site.Services))
	for _, found := range merge.Supplement(w, d.detail.Service, d.detail.Capability, d.serviceOf(other), other) {
		w.Add(len(d.site.Conflicts))
		told := func(known wayfind.Conflict) bool { return known.Subject == found.Subject && known.Field == found.Field }
		if !slices.ContainsFunc(d.site.Conflicts, told) {
			d.detail.Conflicts = append(d.detail.Conflicts, found)
		}
	}
}

// supplements reports whether a reading may add to the kept one.
func (d *describer) supplements(other *wayfind.Capability) bool {
	if len(other.Sources) == 0 || other.Lazy && len(other.DetailURLs) == 0 {
		return false
	}
	source := d.site.Source(other.Sources[0].Source)
	return source != nil && merge.Supplements(source.Authority)
}

// readAlready reports whether the Site was made of one of the documents. Then reading it again
// usually costs no request.
func (d *describer) readAlready(urls []string) bool {
	return slices.ContainsFunc(urls, func(u string) bool { return d.site.Source(u) != nil })
}

// completeAlternative completes an alternative by its own detail document.
func (d *describer) completeAlternative(ctx context.Context, other *wayfind.Capability) error {
	full, service := *other, *d.serviceOf(other)
	sub := &describer{Engine: d.Engine, batch: d.batch, detail: &wayfind.Detail{Service: &service, Capability: &full}, key: other.Key, from: d.sourcePlace(full.Sources), full: true}
	err := sub.describeOwn(ctx)
	d.carried = append(d.carried, sub.carried...)
	if err != nil {
		return err
	}
	*other = full
	if source := d.detail.Source; source == nil || sub.detail.Source != nil && sub.detail.Source.Private {
		d.detail.Source = sub.detail.Source // the private source decides
	}
	d.detail.Diagnostics = append(d.detail.Diagnostics, sub.detail.Diagnostics...)
	return nil
}

// serviceOf returns the service of an alternative reading: the one whose ID is a prefix of its key.
func (d *describer) serviceOf(other *wayfind.Capability) *wayfind.Service {
	found := &wayfind.Service{}
	for i := range d.site.Services {
		s := &d.site.Services[i]
		begins := strings.HasPrefix(other.Key, s.ID+"/") || strings.HasPrefix(other.Key, s.ID+":")
		if begins && len(s.ID) > len(found.ID) {
			found = s
		}
	}
	return found
}
