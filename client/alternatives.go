package client

import (
	"context"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/resolve"
)

// A capability that several documents describe is one in the Site, and says what
// it takes as the best reading does that says it at all. Some readings say it
// only in full.

// consult lets the alternative readings of the capability say what it takes. The
// error is that of the reading whose key was asked for; that another one could
// not be had is told.
func (d *drill) consult(ctx context.Context) error {
	c := d.detail.Capability
	c.Alternatives = slices.Clone(c.Alternatives)
	for i := range c.Alternatives {
		other := &c.Alternatives[i]
		asked := other.HasKey(d.key)
		if !d.supplements(other) || other.Lazy && !asked && resolve.HasInput(c) && !d.readAlready(other.DetailURLs) {
			continue
		}
		if other.Lazy {
			if err := d.inFull(ctx, other); asked && err != nil {
				return err
			} else if err != nil {
				d.detail.Diagnostics = append(d.detail.Diagnostics, wayfind.Diagnostic{
					Severity: wayfind.SeverityWarning, Code: "describe.alternative", Source: other.DetailURLs[0],
					Message: "what " + other.Key + " says of it could not be read: " + err.Error(),
				})
				continue
			}
		}
		d.supplement(other)
	}
	return nil
}

// supplements reports whether a reading may add to the one that was kept.
func (d *drill) supplements(other *wayfind.Capability) bool {
	if len(other.Sources) == 0 || other.Lazy && len(other.DetailURLs) == 0 {
		return false
	}
	source := d.site.Source(other.Sources[0].Source)
	return source != nil && resolve.Supplements(source.Authority)
}

// readAlready reports whether the Site was made of one of the documents: to read it
// costs no request, as a rule.
func (d *drill) readAlready(urls []string) bool {
	return slices.ContainsFunc(urls, func(u string) bool { return d.site.Source(u) != nil })
}

// inFull completes an alternative by its own detail document.
func (d *drill) inFull(ctx context.Context, other *wayfind.Capability) error {
	full := *other
	service := &wayfind.Service{}
	for i := range d.site.Services {
		if s := &d.site.Services[i]; strings.HasPrefix(other.Key, s.ID+"/") || strings.HasPrefix(other.Key, s.ID+":") {
			if len(s.ID) >= len(service.ID) {
				service = s
			}
		}
	}
	own := *service
	sub := &drill{Client: d.Client, survey: d.survey, detail: &wayfind.Detail{Service: &own, Capability: &full}, key: other.Key, from: d.sourcePlace(full.Sources)}
	if err := sub.describeOwn(ctx); err != nil {
		return err
	}
	*other = full
	if d.detail.Source == nil {
		d.detail.Source = sub.detail.Source
	}
	d.detail.Diagnostics = append(d.detail.Diagnostics, sub.detail.Diagnostics...)
	return nil
}

// supplement takes from a reading what the capability does not say.
func (d *drill) supplement(other *wayfind.Capability) {
	c := d.detail.Capability
	conflict := resolve.Supplement(d.detail.Service, c, other)
	if conflict != "" {
		d.detail.Conflicts = append(d.detail.Conflicts, wayfind.Conflict{
			Subject: c.Key, Field: "input", Message: conflict, Sources: slices.Concat(c.Sources, other.Sources),
		})
	}
	for _, r := range other.Sources {
		if !slices.Contains(c.Sources, r) {
			c.Sources = append(slices.Clip(c.Sources), r)
		}
	}
}
