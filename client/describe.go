package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/fetch"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security"
)

// Describe completes what a Site knows about one capability or service. key
// is a capability's key or alias, or the ID of a service. Where the Site's
// document is only a summary, the detail document is fetched, under the same
// guard and cache as everything else; site may come from a JSON round trip.
//
// A detail document on another site than the one that names it is fetched
// only when Options.Approve agrees; otherwise the error is of kind
// wayfind.ErrRefused with code wayfind.CodeCrossSite. What is learned is the
// caller's: it never enters the Site.
//
// Errors are *wayfind.Error: ErrInvalid with CodeUnknownKey, the kinds of
// Resolve for the request, ErrInvalid with CodeSchema when the document is no
// detail document. The Detail is non-nil when the key is known, and then holds
// what the Site says.
func (c *Client) Describe(ctx context.Context, site *wayfind.Site, key string) (*wayfind.Detail, error) {
	if c.closed.Load() {
		return nil, errClosed("describe")
	}
	if site == nil {
		return nil, &wayfind.Error{Op: "describe", URL: key, Kind: wayfind.ErrInvalid, Code: wayfind.CodeUnknownKey, Err: errors.New("no Site was given")}
	}
	service, capability := site.Capability(key)
	if capability == nil {
		if service = site.Service(key); service == nil {
			return nil, unknownKey(site, key)
		}
		own := *service
		return &wayfind.Detail{Service: &own}, nil
	}
	owned, own := *service, *capability
	detail := &wayfind.Detail{Service: &owned, Capability: &own}
	if !capability.Lazy {
		return detail, nil
	}
	if len(capability.DetailURLs) == 0 {
		return detail, &wayfind.Error{Op: "describe", URL: key, Kind: wayfind.ErrInvalid, Code: wayfind.CodeNoDetail,
			Err: errors.New("its document names no detail document that could be asked for")}
	}
	return detail, c.drill(ctx, detail)
}

// drill asks the detail documents in turn: the next one after a plain "no".
func (c *Client) drill(ctx context.Context, detail *wayfind.Detail) error {
	capability := detail.Capability
	name, _, _ := strings.Cut(capability.Key, ":")
	format := c.byName[name]
	if format == nil || format.Detail == nil {
		return &wayfind.Error{Op: "describe", URL: capability.Key, Kind: wayfind.ErrInvalid, Code: wayfind.CodeNoFormat,
			Err: fmt.Errorf("no format %q that reads detail documents is switched on", name)}
	}
	work, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	work = fetch.WithBudget(work, fetch.NewBudget(retryBudget))
	var last error
	for _, u := range capability.DetailURLs {
		if err := c.approved(ctx, detail, u); err != nil {
			return cmp.Or(last, err)
		}
		o := c.ask(work, detailCandidate(format, u), false)
		if t := traceOf(ctx); t != nil {
			t.Fetches = append(t.Fetches, o.fact)
		}
		if o.Probe.Verdict != wayfind.VerdictAbsent {
			return c.readDetail(format, o, detail)
		}
		last = &wayfind.Error{Op: "describe", URL: u, Kind: wayfind.ErrNotFound, Code: wayfind.Code(o.Probe.Verdict)}
	}
	return last
}

func detailCandidate(f *parse.Format, u string) resolve.Candidate {
	accept := "application/json"
	if len(f.Locations) > 0 {
		accept = cmp.Or(f.Locations[0].Accept, accept)
	}
	return resolve.Candidate{URL: u, Formats: []*parse.Format{f}, Accept: accept, Limits: f.Limits.WithDefaults(), Depth: 1}
}

// approved asks the caller before another site is contacted.
func (c *Client) approved(ctx context.Context, detail *wayfind.Detail, u string) error {
	from := documentURL(detail.Capability)
	to, err := security.ParseURL(u, nil)
	if err != nil {
		return err
	}
	if from != nil {
		at := place{requested: from, final: from}
		if t := at.trust(u); t == wayfind.TrustSameOrigin || t == wayfind.TrustSameSite {
			return nil
		}
	}
	refusal := &wayfind.Error{Op: "describe", URL: u, Kind: wayfind.ErrRefused, Code: wayfind.CodeCrossSite,
		Err: errors.New("the detail document is on another site, and nobody approved")}
	if c.opts.Approve == nil {
		return refusal
	}
	request := security.ApprovalRequest{Endpoint: to.String(), Purpose: "describe " + detail.Capability.Key}
	if from != nil {
		request.DocumentOrigin = from.Scheme + "://" + from.Host
	}
	if err := c.opts.Approve(ctx, request); err != nil {
		refusal.Err = err
		return refusal
	}
	return nil
}

// documentURL is where the capability was read, nil when the Site does not
// say.
func documentURL(capability *wayfind.Capability) *url.URL {
	if len(capability.Sources) == 0 {
		return nil
	}
	u, err := security.ParseURL(capability.Sources[0].Source, nil)
	if err != nil {
		return nil
	}
	return u
}

// readDetail lets the format read the answer and completes the capability.
func (c *Client) readDetail(format *parse.Format, o *outcome, detail *wayfind.Detail) error {
	failed := &wayfind.Error{Op: "describe", URL: o.Candidate.URL, Kind: o.Probe.Verdict.Kind(), Code: wayfind.Code(o.Probe.Reason), Err: o.Err}
	if o.doc == nil || o.doc.input == nil || !readable(o.Probe.Verdict) {
		if failed.Kind == nil {
			failed.Kind = wayfind.ErrUnreachable
		}
		failed.NotBefore = throttledUntil(o)
		return failed
	}
	if o.doc.claimedWhole(format) {
		failed.Kind, failed.Code, failed.Err = wayfind.ErrInvalid, wayfind.CodeSchema, errors.New("it is a whole document, not one about a capability")
		return failed
	}
	r, err := safely(format, "detail", func() (*parse.Reading, error) {
		return format.Detail(o.doc.input, parse.Subject{Service: detail.Service, Capability: detail.Capability})
	})
	if err != nil {
		failed.Kind, failed.Code, failed.Err = wayfind.ErrInvalid, wayfind.CodeSchema, err
		return failed
	}
	if r.Dialect == "" {
		r.Dialect = parse.DialectDetail
	}
	reading := c.finish(format, r, o.doc)
	at := placeOf(o)
	at.origin = documentURL(detail.Capability)
	reading = at.located(reading)
	reading.Source.Authority = wayfind.AuthorityLinked
	reading.Source.FreshUntil = o.FreshUntil
	detail.Source, detail.Diagnostics = &reading.Source, reading.Diagnostics
	found := firstCapability(reading)
	if found == nil || r.Unusable != "" {
		failed.Kind, failed.Code, failed.Err = wayfind.ErrInvalid, wayfind.CodeSchema, errors.New(cmp.Or(r.Unusable, "it describes no capability"))
		return failed
	}
	complete(detail.Capability, found)
	return nil
}

// readable: verdicts under which there is a document to try.
func readable(v wayfind.Verdict) bool {
	switch v {
	case wayfind.VerdictFound, wayfind.VerdictOtherFormat, wayfind.VerdictUnrecognised:
		return true
	}
	return false
}

func firstCapability(r resolve.Reading) *wayfind.Capability {
	for i := range r.Services {
		if len(r.Services[i].Capabilities) > 0 {
			return &r.Services[i].Capabilities[0]
		}
	}
	return nil
}

// complete lets every field that the detail document fills replace the
// summary's. Identity and provenance stay, and the new source comes last.
func complete(base, detail *wayfind.Capability) {
	key, aliases, id, sources, urls := base.Key, base.Aliases, base.ID, base.Sources, base.DetailURLs
	to, from := reflect.ValueOf(base).Elem(), reflect.ValueOf(detail).Elem()
	for i := range to.NumField() {
		if !from.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
	base.Key, base.Aliases, base.ID, base.DetailURLs = key, aliases, id, urls
	base.Sources = append(slices.Clone(sources), detail.Sources...)
	base.Lazy = false
}

func unknownKey(site *wayfind.Site, key string) error {
	e := &wayfind.Error{Op: "describe", URL: site.Origin, Kind: wayfind.ErrInvalid, Code: wayfind.CodeUnknownKey}
	near := ""
	for _, capability := range site.Capabilities() {
		if strings.HasSuffix(capability.Key, ":"+key) || strings.HasSuffix(capability.Key, "/"+key) {
			near = capability.Key
		}
	}
	switch {
	case near != "":
		e.Err = fmt.Errorf("no capability or service %q; did you mean %q?", key, near)
	default:
		e.Err = fmt.Errorf("no capability or service %q", key)
	}
	return e
}
