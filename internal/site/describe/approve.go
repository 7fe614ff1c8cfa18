package describe

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/live"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/security"
)

// contact is the way in which an endpoint would be contacted.
type contact struct {
	purpose, protocol string
	methods           []string
	// near reports whether no approval is needed.
	near func(d *describer, to *url.URL) bool
}

// reads returns the contact that reads a document. Within a site it needs no approval.
func reads() contact {
	return contact{"describe", "http", []string{http.MethodGet}, func(d *describer, to *url.URL) bool { return d.from.Near(to) }}
}

// speaks returns the contact of a live prober, which sends POST requests. The hosts of a site may
// belong to several owners, so only the origin itself needs no approval, and the site's own host if a
// document of that host names the server.
func speaks(p live.Prober) contact {
	return contact{"live", p.Protocol(), []string{http.MethodDelete, http.MethodGet, http.MethodPost}, func(d *describer, to *url.URL) bool {
		origin := security.Origin(to)
		return d.from.Near(to) && (origin == d.site.Origin || origin == security.Origin(d.from.Requested) && origin == d.OwnOrigin(d.site))
	}}
}

// approved returns the URL to request, in canonical form. It asks the caller for approval before
// another site, or a server of another host, is contacted.
func (d *describer) approved(ctx context.Context, ref string, how contact) (*url.URL, error) {
	to, err := d.Opts.Policy.ParseURL(ref, nil)
	if err == nil && len(secret.Find("", ref)) > 0 {
		shown := secret.Veil(nil).Show(ref, secret.Event, 0)
		return nil, wayfind.NewError("describe", shown, wayfind.CodeSecret, errors.New("a secret stands in the URL, which is not ours to use"))
	}
	if err != nil || how.near(d, to) {
		return to, err
	}
	why := "the detail document is on another site than the document that names it, and its use was not approved"
	switch {
	case how.purpose == "live" && d.from.Near(to):
		why = "the server is on another host of the same site, and its use was not approved: see security.ApproveSameSite"
	case how.purpose == "live":
		why = "the server is not at the origin that names it, and its use was not approved"
	}
	refusal := wayfind.NewError("describe", ref, wayfind.CodeCrossSite, errors.New(why))
	if d.Opts.Approve == nil {
		return nil, refusal
	}
	switch err := d.Opts.Approve(ctx, d.approvalRequest(to, how)); {
	case errors.Is(err, wayfind.ErrInternal):
		return nil, err // no approval was asked for
	case err != nil && ctx.Err() != nil:
		code := wayfind.CodeTimeout
		if errors.Is(ctx.Err(), context.Canceled) {
			code = wayfind.CodeCanceled
		}
		return nil, wayfind.NewError("describe", ref, code, err)
	case err != nil:
		refusal.Err = err
		return nil, refusal
	}
	return to, nil
}

// approvalRequest returns the request for the caller's approval. If a document that was learned
// from another is requested again, the request names the document that led there, as the first
// time.
func (d *describer) approvalRequest(to *url.URL, how contact) security.ApprovalRequest {
	r := security.ApprovalRequest{
		Endpoint: to.String(), Domain: d.Domain(to.Hostname()), Protocol: how.protocol, Methods: how.methods,
		Purpose: how.purpose, Subject: d.key,
	}
	u, err := url.Parse(d.named(r.Endpoint))
	if err != nil || u.Host == "" {
		return r
	}
	r.Document, r.DocumentOrigin = u.String(), security.Origin(u)
	if source := d.site.Source(r.Document); source != nil {
		r.Digest = source.SHA256
	}
	r.Definition = d.definition()
	return r
}

// definition returns the Site's definition of the described thing.
func (d *describer) definition() *wayfind.Site {
	own := &wayfind.Site{Origin: d.site.Origin, Host: d.site.Host, ResolvedAt: d.site.ResolvedAt, Sources: d.site.Sources}
	service, capability := d.site.Capability(d.key)
	if service = cmp.Or(service, d.site.Service(d.key)); service != nil {
		own.Services = []wayfind.Service{*service}
		own.Services[0].Capabilities = nil
	}
	if capability != nil {
		own.Services[0].Capabilities = []wayfind.Capability{*capability}
	}
	return own
}

// named returns the URL of the document that names an endpoint, or "" if it is not known. A learned
// document that is read again was named by the document that led to it.
func (d *describer) named(endpoint string) string {
	if d.from.Requested.Host == "" {
		return ""
	}
	from := d.from.Requested.String()
	if source := d.site.Source(from); source != nil && source.From != "" && source.URL == endpoint {
		return source.From
	}
	return from
}
