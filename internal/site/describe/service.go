package describe

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/provenance"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// describeService completes a service: by a document for callers that authenticate, or by a
// description on another site.
func (d *describer) describeService(ctx context.Context) error {
	service := d.detail.Service
	d.key = service.ID
	var err error
	switch {
	case !service.Lazy:
		err = d.describeLive(ctx)
	case len(service.DetailURLs) == 0:
		err = d.undocumented()
	default:
		err = d.enrich(ctx)
	}
	if err == nil {
		err = d.tighten(ctx)
	}
	if err == nil {
		d.describeAuth(ctx)
	}
	return err
}

// tighten applies the Site's demands on the same calls elsewhere to the capabilities of the
// service. It does not change the capabilities of the Site itself.
func (d *describer) tighten(ctx context.Context) error {
	service := d.detail.Service
	service.Capabilities = slices.Clone(service.Capabilities)
	return d.working(ctx, d.site.Origin, func(w *fuel.Counter) { d.siteCalls(w).Tighten(w, service, pointers(service.Capabilities)...) })
}

// enrich completes a service by the documents about it.
func (d *describer) enrich(ctx context.Context) error {
	name, _, _ := strings.Cut(d.detail.Service.ID, ":")
	d.format = d.ByName[name]
	o, err := d.inTurn(ctx, d.detail.Service.DetailURLs, func(a *discover.Session, u *url.URL) (*discover.Outcome, error) {
		return d.document(ctx, a, u, true, func(work context.Context, a *discover.Session) *discover.Outcome {
			return a.Ask(work, d.serviceCandidate(d.format, u.String()), false)
		})
	})
	if err != nil {
		return err
	}
	return d.readServiceDocument(ctx, o)
}

// serviceCandidate returns a candidate for a document about a service. Documents of formats that
// are only found by links (OpenAPI) may be large. An index may list documents of any format.
func (d *describer) serviceCandidate(f *parse.Format, u string) *places.Candidate {
	var readers []*parse.Format
	for _, other := range d.Opts.Formats {
		if other == f && f.Detail != nil || other.IsLinked() {
			readers = append(readers, other)
		}
	}
	candidate := &places.Candidate{
		URL: u, Formats: readers, Depth: 1, Detail: true, Limits: parse.Limits{SameSiteOnly: true}.WithDefaults(),
	}
	if f != nil && f.Index {
		candidate.Formats, readers = nil, []*parse.Format{{}}
	}
	for _, f := range readers {
		candidate.Accept = cmp.Or(candidate.Accept, places.AcceptOf(f))
	}
	return candidate
}

// credentialID identifies the caller whose answers are kept apart.
func credentialID(c security.Credential) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", c.Origin, c.Field, cmp.Or(c.ID, c.Value)))
	return hex.EncodeToString(sum[:16])
}

// readServiceDocument reads the document with the service's own format, or else uses the readings
// of all formats.
func (d *describer) readServiceDocument(ctx context.Context, o *discover.Outcome) error {
	d.detail.Diagnostics = slices.Clone(o.Diagnostics)
	service := d.detail.Service
	if d.format != nil && d.format.Detail != nil {
		r, err := d.read(ctx, o, parse.Subject{Service: service})
		if err != nil {
			o.Err = err
		} else if located, diags := d.linked(o, r); r.Unusable == "" && len(located.Services) > 0 {
			d.detail.Source = &located.Source
			d.detail.Diagnostics = append(d.detail.Diagnostics, diags...)
			return d.working(ctx, o.Candidate.URL, func(w *fuel.Counter) {
				merge.CompleteService(w, service, keyed(w, located, d)[0], located.Source.Trust == wayfind.TrustCrossSite)
			})
		}
	}
	at := d.linkedPlace(o)
	readings, _ := o.Doc.At(at)
	readings = slices.DeleteFunc(readings, func(r reading.Located) bool {
		return r.Format.Index || len(o.Candidate.Formats) > 0 && !slices.Contains(o.Candidate.Formats, r.Format)
	})
	if len(readings) == 0 {
		return unfit(o, cmp.Or(o.Err, errors.New("it says nothing about the service")))
	}
	service.Lazy = false
	service.Capabilities, service.Interfaces = slices.Clone(service.Capabilities), slices.Clone(service.Interfaces)
	return d.working(ctx, o.Candidate.URL, func(w *fuel.Counter) {
		keys := merge.NewKeys(w, urlref.Host(d.site.Asked()))
		for i := range readings {
			r := &readings[i]
			provenance.Keyring{Pinned: d.Opts.Trust.Keys}.Verify(o.Doc, at, r)
			r.Source.From, r.Source.Private = d.named(at.Requested.String()), o.Private
			d.detail.Source = &r.Source
			for _, s := range keys.Services(*r) {
				service.Capabilities = merge.AddCapabilities(w, service, &s, r.Source.Trust == wayfind.TrustCrossSite)
				service.Interfaces = append(service.Interfaces, s.Interfaces...)
			}
		}
	})
}

// keyed returns the services of a detail document with the keys that they have in the Site.
func keyed(w *fuel.Counter, r reading.Located, d *describer) []wayfind.Service {
	r.Source.URL = d.from.Requested.String()
	services := merge.NewKeys(w, urlref.Host(d.site.Asked())).Services(r)
	for i := range services {
		s := &services[i]
		w.Add(len(s.Capabilities))
		for j := range s.Capabilities {
			s.Capabilities[j].Key = d.detail.Service.ID + strings.TrimPrefix(s.Capabilities[j].Key, s.ID)
		}
	}
	return services
}
