package describe

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
)

// describeLive asks an endpoint that a service names, and completes the service with its answer. An
// endpoint on another site or another host is asked if the caller approves. An endpoint at the
// origin is asked if the caller has a credential for it, because Resolve has asked it without a
// credential.
func (d *describer) describeLive(ctx context.Context) error {
	for l, err := range d.endpoints(ctx) {
		if err != nil {
			return err
		}
		reply, err := l.ask(ctx)
		if err != nil {
			return err
		}
		if reply == nil {
			continue
		}
		if reply.Err != nil {
			return reply.Err
		}
		at := d.Place(l.url, l.url)
		at.From, at.Foreign = d.from.Anchor(), d.from.Foreign
		located, diags := reply.Located(at)
		located.Source.From, located.Source.Private = d.named(l.url.String()), l.private()
		d.detail.Source, d.detail.Diagnostics = &located.Source, append(d.detail.Diagnostics, diags...)
		return d.working(ctx, l.url.String(), func(w *fuel.Counter) { d.takeLive(w, located) })
	}
	return nil
}

// endpoints yields the endpoints of the service that a prober speaks with and that are approved. It
// ends with the error of an endpoint that is not.
func (d *describer) endpoints(ctx context.Context) iter.Seq2[*endpoint, error] {
	return func(yield func(*endpoint, error) bool) {
		for _, f := range d.detail.Service.Interfaces {
			p := d.Live.Prober(f.Protocol)
			if p == nil || f.URL == "" {
				continue
			}
			u, err := d.approved(ctx, f.URL, speaks(p))
			if !yield(&endpoint{holder: holder{describer: d, url: u}, prober: p, at: f}, err) || err != nil {
				return
			}
		}
	}
}

// takeLive completes the service with its server's answer.
func (d *describer) takeLive(w *fuel.Counter, located reading.Located) {
	service := d.detail.Service
	for _, s := range merge.NewKeys(w, urlref.Host(d.site.Asked())).Services(located) {
		service.Capabilities = merge.AddCapabilities(w, service, &s, located.Source.Trust == wayfind.TrustCrossSite)
		service.Features = cmp.Or(service.Features, s.Features)
	}
	for i := range service.Capabilities {
		c := &service.Capabilities[i] // AddCapabilities gave the service a list of its own
		w.Add(1 + len(c.Sources))
		if slices.ContainsFunc(c.Sources, func(r wayfind.Ref) bool { return r.Source == located.Source.URL }) {
			c.Claimed = false // the server itself has declared it now
		}
	}
}

// noteRobots marks places that Describe learned and that robots.txt forbids, as Resolve does. Other
// origins have rules of their own.
func (d *describer) noteRobots(ctx context.Context) {
	if d.Opts.Robots.Ignore || d.detail.Source == nil {
		return
	}
	own, learned := d.OwnOrigin(d.site), []*wayfind.Capability{d.detail.Capability}
	if d.detail.Capability == nil {
		d.detail.Service.Capabilities = slices.Clone(d.detail.Service.Capabilities)
		learned = pointers(d.detail.Service.Capabilities)
	}
	learned = slices.DeleteFunc(learned, func(c *wayfind.Capability) bool {
		return c.Invocation == nil || !strings.HasPrefix(c.Invocation.URL+c.Invocation.Template, own+"/")
	})
	if len(learned) == 0 {
		return
	}
	a, end := d.begin(ctx)
	defer end()
	rules := a.RulesOf(a.Work, own)
	for _, c := range learned {
		c.RobotsDisallowed = c.RobotsDisallowed || rules.Forbids(c.Invocation.URL+c.Invocation.Template)
	}
}

// pointers returns pointers to the elements of a list.
func pointers[T any](list []T) []*T {
	all := make([]*T, len(list))
	for i := range list {
		all[i] = &list[i]
	}
	return all
}
