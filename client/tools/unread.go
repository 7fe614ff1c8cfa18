package tools

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/resolve"
)

// unread reports the documents that cannot be read, and the documents that the documents of a
// site link to and that could not be read.
func (l *loader) unread(site *wayfind.Site) {
	domain := urlref.Host(site.Origin)
	for i := range site.Probes {
		p := &site.Probes[i]
		aboutAuth := p.From == "" && slices.Equal(p.Formats, []string{authFormat})
		if p.Verdict.Unreadable() && !aboutAuth || p.From != "" && p.Verdict != wayfind.VerdictFound && !(p.Verdict == wayfind.VerdictSkipped && leads(site, p.URL)) {
			l.skip(unreadProbe(domain, p))
		}
	}
	l.beyond(site.Diagnostics, domain)
	l.partialLists(site.Diagnostics, domain, "")
	for i := range site.Documents {
		d := &site.Documents[i]
		if d.Verdict != "" || !slices.Contains([]string{"catalog-entry", "service-desc"}, d.Rel) || leads(site, d.URL) || isAddress(site, d.URL) || inside(d) {
			continue
		}
		why := "a catalogue names it, and no format reads such a document"
		if d.MediaType != "" {
			why = fmt.Sprintf("a catalogue names it as %q, which no format reads", text.Head(d.MediaType, 100))
		}
		s := problem(domain, string(wayfind.VerdictSkipped), errors.New(why))
		s.URL = d.URL
		l.skip(s)
	}
}

// beyond reports the parts of documents that exceed a limit.
func (l *loader) beyond(diags []wayfind.Diagnostic, domain string) {
	for i := range diags {
		if d := &diags[i]; d.TooLarge != nil {
			s := tooLarge(domain, d.Source, *d.TooLarge)
			s.Reason = text.Head(d.Message, 300)
			l.skip(s)
		}
	}
}

// partialList is the code for a list that is not complete: see mcp.PartialList.
const partialList = "mcp.partial"

// unreadFiles is the code for documents that belong to another one and are not read.
const unreadFiles = "document.files"

// partialLists reports lists that are not complete: a server has refused the rest, or the rest
// is in a document that is not read.
func (l *loader) partialLists(diags []wayfind.Diagnostic, domain, key string) {
	for i := range diags {
		if d := &diags[i]; d.Code == partialList || d.Code == unreadFiles && d.Severity != wayfind.SeverityInfo && d.TooLarge == nil {
			s := problem(domain, CodeIncomplete, errors.New(d.Message))
			s.Key, s.URL = key, d.Source
			l.skip(s)
		}
	}
}

// leads reports whether a document belongs to a service or a capability that Describe completes.
func leads(site *wayfind.Site, url string) bool {
	for i := range site.Services {
		s := &site.Services[i]
		if slices.Contains(s.DetailURLs, url) ||
			slices.ContainsFunc(s.Capabilities, func(c wayfind.Capability) bool { return slices.Contains(c.DetailURLs, url) }) {
			return true
		}
	}
	return false
}

// isAddress reports whether a URL is the address of a service.
func isAddress(site *wayfind.Site, url string) bool {
	return slices.ContainsFunc(site.Services, func(s wayfind.Service) bool {
		return slices.ContainsFunc(s.Interfaces, func(f wayfind.Interface) bool { return f.URL == url })
	})
}

// inside reports whether an entry of a catalogue contains its document.
func inside(d *wayfind.Document) bool {
	return slices.ContainsFunc(d.Sources, func(r wayfind.Ref) bool { return strings.HasPrefix(d.URL, r.Source+"#") })
}

// unfollowed has the reasons why a document to which another one links was not asked for.
var unfollowed = map[string]string{
	resolve.ReasonBudget:          "Limits.Budget of the Client left no request for it",
	resolve.ReasonDepth:           "it lies more links away than Limits.Follow of the Client allows",
	resolve.ReasonRefused:         "its URL may not be requested",
	string(wayfind.CodeCrossSite): "it lies on another site, which is not asked",
}

// unreadProbe returns the entry for a document that could not be read.
func unreadProbe(domain string, p *wayfind.Probe) Skipped {
	if p.TooLarge != nil {
		return tooLarge(domain, p.URL, *p.TooLarge)
	}
	code, why := cmp.Or(p.Reason, string(p.Verdict)), p.Error
	from := cmp.Or(p.From, "the site")
	switch {
	case why != "":
	case p.Verdict == wayfind.VerdictSkipped && unfollowed[p.Reason] != "":
		why = from + " names it, and " + unfollowed[p.Reason]
	default:
		why = fmt.Sprintf("the document that %s names was not read: %s", from, p.Verdict)
	}
	return Skipped{Domain: domain, URL: p.URL, Code: code, Reason: text.Head(why, 300), Asked: p.Verdict.Answered(),
		Err: wayfind.NewError("load", p.URL, wayfind.Code(code), errors.New(why)).WithKind(p.Verdict.Kind())}
}

// tooLarge returns the entry for a document, or a part of it, that exceeds a limit.
func tooLarge(domain, url string, limit wayfind.TooLarge) Skipped {
	return Skipped{Domain: domain, URL: url, Code: string(wayfind.CodeTooLarge), Reason: limit.Error(), Size: limit.Size, Limit: limit.Limit, Asked: true,
		Err: wayfind.NewError("load", url, wayfind.CodeTooLarge, &limit)}
}
