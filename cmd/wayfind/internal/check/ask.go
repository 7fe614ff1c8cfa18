package check

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/publish"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/recorded"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/internal/show/inspect"
	"github.com/wayfindhq/wayfind/internal/show/sitecheck"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// askMore sends the requests of --full, and reads each document in full.
func (c *checker) askMore(ctx context.Context, s *session.Session, sites *recorded.Sites, in *sitecheck.Input) {
	in.Extra = map[string]sitecheck.Extra{}
	for _, r := range sitecheck.Requests(in.Site) {
		switch u := in.Site.Asked() + r.Path; {
		case c.network.Offline:
			in.Extra[r.Key] = sitecheck.Extra{Unsent: "--offline sends no request"}
		case !sites.MayAsk(u, r.Accept):
			in.Extra[r.Key] = sitecheck.Extra{Unsent: "the recording has no answer to it"}
		case r.Accept != "":
			in.Extra[r.Key] = askHeader(ctx, s.Client, in.Site.Asked(), r)
		default:
			in.Extra[r.Key] = c.askPlace(ctx, s.Client, u)
		}
	}
	own := *in.Site
	own.Diagnostics = slices.Clone(own.Diagnostics)
	in.Heads = map[string]string{}
	for i := range own.Sources {
		source := &own.Sources[i]
		if result, err := s.ParseURL(ctx, source.URL); err == nil {
			own.Diagnostics = withoutTwins(own.Diagnostics, result.Diagnostics)
		}
		faults, unsent := c.askHead(ctx, s.Client, sites, cmp.Or(source.FinalURL, source.URL))
		own.Diagnostics = withoutTwins(own.Diagnostics, faults)
		in.Heads[source.URL] = unsent
	}
	in.Site = &own
}

// askHead asks for the header of a document with HEAD, see network.askHead.
func (c *checker) askHead(ctx context.Context, cl *client.Client, sites *recorded.Sites, u string) (faults []wayfind.Diagnostic, unsent string) {
	first, known := c.heard.At(u)
	switch {
	case c.network.Offline:
		return nil, "--offline sends no request"
	case sites != nil:
		return nil, "a recording has no answers to HEAD"
	case !known || first.Status != http.StatusOK:
		return nil, "the answer to GET is not known"
	}
	return publish.AskHead(ctx, &c.network, cl, u, first.Header)
}

// withoutTwins appends the diagnostics of more that are not yet in list.
func withoutTwins(list, more []wayfind.Diagnostic) []wayfind.Diagnostic {
	for _, d := range more {
		if !slices.ContainsFunc(list, func(o wayfind.Diagnostic) bool {
			return o.Code == d.Code && o.Source == d.Source && o.Pointer == d.Pointer && o.Message == d.Message
		}) {
			list = append(list, d)
		}
	}
	return list
}

// askPlace asks for a document and returns the result.
func (c *checker) askPlace(ctx context.Context, cl *client.Client, u string) sitecheck.Extra {
	result, err := cl.ParseURL(ctx, u)
	out := sitecheck.Extra{}
	if result != nil {
		out.Status, out.Format, out.Reason = http.StatusOK, result.Format, result.Reason
		out.Documents = result.Site.Documents
		for _, capability := range result.Site.Capabilities() {
			out.Offers = append(out.Offers, capability.Offers...)
		}
		return out
	}
	if errors.Is(err, wayfind.ErrNotFound) {
		out.Status = http.StatusNotFound
	} else {
		out.Problem = publish.CodeWords(err)
	}
	if a, known := c.heard.At(u); known && a.Status == http.StatusPaymentRequired {
		out.Status, out.Problem = a.Status, ""
		out.Demands = a.Header.Get("Payment-Required") != "" || strings.Contains(string(a.Body), "x402Version")
	}
	return out
}

// askHeader asks for the header of an answer. Its content is not read.
func askHeader(ctx context.Context, cl *client.Client, origin string, r sitecheck.Request) (out sitecheck.Extra) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+r.Path, nil)
	if err != nil {
		return sitecheck.Extra{Problem: "no request can be made"}
	}
	req.Header.Set("Accept", r.Accept)
	resp, err := cl.HTTP(origin).Do(req)
	if err != nil {
		return sitecheck.Extra{Problem: publish.CodeWords(err)}
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // a short answer leaves the connection for others
	_ = resp.Body.Close()
	return sitecheck.Extra{Status: resp.StatusCode, Header: resp.Header}
}

// offer returns what an agent gets from a site.
func (c *checker) offer(ctx context.Context, s *session.Session, site *wayfind.Site, domain string) sitecheck.Offer {
	var out sitecheck.Offer
	for i := range site.Services {
		out.Services = append(out.Services, serviceOffer(&site.Services[i]))
		for _, l := range site.Services[i].LocalInstall {
			out.Installs = append(out.Installs, strings.Join(strings.Fields(l.Kind+" "+cmp.Or(l.Name, l.Command)+" "+l.Version), " "))
		}
	}
	caller, err := call.New(s.Client, nil)
	if err != nil {
		out.Problem = text.Printable(err.Error())
		return out
	}
	box, err := tools.Load(ctx, s.Client, []string{domain}, nil)
	if box == nil {
		out.Problem = text.Printable(err.Error())
		return out
	}
	out.Tools = box.Len()
	for _, m := range inspect.NotTools(box, site) {
		if m.Whole() {
			continue // the report covers the whole domain already
		}
		out.NotTools = append(out.NotTools, sitecheck.NotTool{Key: cmp.Or(m.Key, m.URL), Reason: m.Reason, Tool: m.Tool})
	}
	for _, v := range tools.Vendors() {
		out.Vendors = append(out.Vendors, vendorOffer(box, v))
	}
	out.Quality = quality(ctx, box)
	for _, t := range box.Tools() {
		addTool(&out, caller, &t, formatOf(site, &t))
	}
	for i := range site.Services {
		addSchemes(&out, site.Services[i].Auth)
	}
	for _, list := range []*[]string{&out.Installs, &out.Credentials, &out.OtherSites, &out.Unclear} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return out
}

// formatOf returns the format of the document that describes a tool, "" if a server listed it.
func formatOf(site *wayfind.Site, t *tools.Tool) string {
	for _, ref := range t.Sources {
		for i := range site.Sources {
			if s := &site.Sources[i]; s.URL == ref.Source {
				return s.Format
			}
		}
	}
	return ""
}

func serviceOffer(s *wayfind.Service) sitecheck.Service {
	out := sitecheck.Service{ID: s.ID, Name: s.Name, Capabilities: len(s.Capabilities), Auth: humanize.Auth(s.Auth)}
	for _, f := range s.Interfaces {
		if !slices.Contains(out.Protocols, f.Protocol) {
			out.Protocols = append(out.Protocols, f.Protocol)
		}
	}
	return out
}

func vendorOffer(box *tools.Box, v tools.Vendor) sitecheck.Vendor {
	defs := box.Render(v, nil)
	out := sitecheck.Vendor{Name: v.String(), Tools: len(defs.Names), Left: len(defs.Left)}
	for _, s := range defs.Skipped {
		out.NotTools = append(out.NotTools, sitecheck.NotTool{Key: s.Key, Reason: s.Reason})
	}
	return out
}

// addTool counts a tool, and records what a person must do for its calls.
func addTool(out *sitecheck.Offer, caller *call.Caller, t *tools.Tool, format string) {
	if caller.Effect(t) == call.Reads {
		out.Reads++
	} else {
		out.Agrees++
	}
	auth := authOf(t)
	answered := t.Capability != nil && !t.Capability.Claimed // the server itself listed it, without a credential
	// OpenAPI (Operation Object, "security"): an operation is as the document says, and a document that
	// declares no scheme and demands none needs none.
	silent := format == "openapi" && len(auth.Schemes) == 0
	if auth.Unknown && !answered && !silent {
		unclear := sitecheck.UnclearTool{Tool: t.Name, Service: t.Service.ID, Format: format}
		if len(t.Sources) > 0 {
			unclear.Source, unclear.Pointer = t.Sources[0].Source, t.Sources[0].Pointer
		}
		out.Unclear, out.UnclearTools = append(out.Unclear, t.Service.ID), append(out.UnclearTools, unclear)
	} else if words := humanize.Auth(auth); needsCredential(auth) {
		out.Credentials = append(out.Credentials, words)
	}
	addSchemes(out, auth)
	if c := t.Capability; c != nil && c.Trust == wayfind.TrustNeedsApproval && c.Invocation != nil {
		out.OtherSites = append(out.OtherSites, originOf(c.Invocation.URL+c.Invocation.Template))
	}
}

// authOf returns the authentication of a tool: that of the capability, of the service, or of its
// first interface that has one. It is unknown if none has one.
func authOf(t *tools.Tool) *wayfind.Auth {
	if t.Capability != nil && t.Capability.Auth != nil {
		return t.Capability.Auth
	}
	if t.Service.Auth != nil {
		return t.Service.Auth
	}
	for _, f := range t.Service.Interfaces {
		if f.Auth != nil {
			return f.Auth
		}
	}
	return &wayfind.Auth{Unknown: true}
}

// needsCredential reports whether every alternative requires a credential.
func needsCredential(a *wayfind.Auth) bool {
	for _, alternative := range a.Requirements {
		if !slices.ContainsFunc(alternative, func(r wayfind.Requirement) bool { return a.Schemes[r.Scheme].Kind != wayfind.SchemeNone }) {
			return false
		}
	}
	return len(a.Requirements) > 0
}

func addSchemes(out *sitecheck.Offer, a *wayfind.Auth) {
	if a == nil {
		return
	}
	for _, s := range a.Schemes {
		if !slices.Contains(out.Kinds, s.Kind) {
			out.Kinds = append(out.Kinds, s.Kind)
		}
	}
	slices.Sort(out.Kinds)
}

// originOf returns the origin of an address, which may be a template.
func originOf(u string) string {
	scheme, rest, ok := strings.Cut(u, "://")
	if !ok {
		return u
	}
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}
