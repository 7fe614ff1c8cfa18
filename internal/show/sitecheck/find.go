package sitecheck

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// findRules are about the ways to a description.
func findRules() []Rule {
	list := formats.All()
	return []Rule{
		{
			ID: "apicatalog", Group: groupFind, Title: "API catalogue", Spec: rfc("9727", "§2"),
			Asks: "/.well-known/api-catalog", Passes: "it is a linkset that is read, and keeps its MUSTs",
			Gain:     "An agent finds the description of each API from the domain alone.",
			Mend:     "Publish /.well-known/api-catalog as application/linkset+json, with a service-desc link to each description.",
			Scanners: "apiCatalog: a linkset with one API. Here a broken MUST fails, such as another media type.",
			judge:    reads("apicatalog"), copy: copyCatalog,
		},
		{
			ID: "aicatalog", Group: groupFind, Title: "AI Catalog (ARD)", Spec: specOf(list, "aicatalog"),
			Asks: "/.well-known/ard.json, /.well-known/ai-catalog.json", Passes: "one is read, and keeps its MUSTs",
			Gain:     "An agent finds agents, servers and skills in one list.",
			Mend:     "Publish /.well-known/ai-catalog.json with an entry for each agent, server, API and skill.",
			Scanners: "ard: asks for ai-catalog.json alone and wants specVersion, host and entries. Here both places of the drafts count.",
			judge:    reads("aicatalog"), copy: copyAICatalog,
		},
		{
			ID: "links", Group: groupFind, Title: "Links of the home page", Spec: rfc("8288", "§3"),
			Asks: "/", Passes: "a Link field or a link element leads to a description: api-catalog, service-desc, describedby and the like",
			Gain:     "An agent that starts at the home page finds the descriptions.",
			Mend:     "Send `Link: </.well-known/api-catalog>; rel=\"api-catalog\"` with the home page.",
			Scanners: "linkHeaders: the field alone. Here elements in the head of the page count too, because clients read them (RFC 8288 §3.3 leaves the place open). Where a catalogue was found, discovery does not ask for the page.",
			judge:    judgeLinks,
		},
		{
			ID: "llmstxt", Group: groupFind, Title: "llms.txt", Spec: specOf(list, "llmstxt"),
			Asks: "/llms.txt", Passes: "it is Markdown with a heading, and is read",
			Gain:  "A model reads the subject of the site and the pages that matter in a few hundred tokens.",
			Mend:  "Publish /llms.txt: a heading, a summary, and lists of links with one sentence each.",
			judge: reads("llmstxt"), copy: copyLLMs,
		},
		{
			ID: "sitemap", Group: groupFind, Title: "Sitemap", Spec: wayfind.SpecRef{Title: "Sitemaps XML format", URL: "https://www.sitemaps.org/protocol.html"}, full: true,
			Asks: "the first Sitemap of robots.txt, else /sitemap.xml", Passes: "it is a sitemap in XML",
			Gain:     "A crawler finds all pages. It says nothing about what an agent can do.",
			Mend:     "Publish /sitemap.xml, and name it in robots.txt.",
			Scanners: "sitemap: counts for level 1. Here it counts for no level, because it describes nothing for agents.",
			judge:    judgeSitemap,
		},
		{
			ID: "markdown", Group: groupFind, Title: "Pages as Markdown", Spec: rfc("9110", "§12.5.1"), full: true,
			Asks: "/ with Accept: text/markdown", Passes: "the answer is text/markdown",
			Gain:     "A model reads a page without its markup.",
			Mend:     "Answer `Accept: text/markdown` with the page as Markdown, and add `Vary: Accept`.",
			Scanners: "markdownNegotiation: is level 3 by itself. Here it counts for no level: it helps to read pages, not to use a service.",
			judge:    judgeMarkdown,
		},
		{
			ID: "dns", Group: groupFind, Title: "Records in DNS (DNS-AID, AID)", Spec: wayfind.SpecRef{Title: "RFC 9460", URL: "https://www.rfc-editor.org/rfc/rfc9460"},
			Asks: "SVCB, HTTPS and TXT records below the name", Passes: "a record leads to a description",
			Gain:     "An agent finds a service without a request to the site.",
			Mend:     "Publish a document at a well-known place. Clients read these first.",
			Scanners: "dnsAid: any SVCB or HTTPS record passes, also one for browsers. Such a record describes nothing for agents.",
			judge:    never("this program asks for no records of DNS"),
		},
	}
}

// agentRelations are relations that lead to descriptions.
var agentRelations = [...]string{"api-catalog", "ai-catalog", "ard", "service-desc", "service-doc", "service-meta", "describedby",
	"agent-card", "agent-description", "agent-skills", "llms-txt", "mcp-server", "mcp-server-card"}

func judgeLinks(f *facts) finding {
	if !slices.Contains(f.Formats, "links") {
		return unasked("--formats leaves it out")
	}
	home := f.at("/")
	documents := f.Site.Documents
	if extra, asked := f.Extra["/"]; asked {
		documents = slices.Concat(documents, extra.Documents)
	}
	for i := range documents {
		d := &documents[i]
		fromHome := slices.ContainsFunc(d.Sources, func(r wayfind.Ref) bool { return r.Source == home })
		if fromHome && slices.Contains(agentRelations[:], d.Rel) {
			return passes(fmt.Sprintf("%q leads to %s", d.Rel, f.short(d.URL)), home)
		}
	}
	if extra, asked := f.Extra["/"]; asked && extra.Unsent == "" {
		return extra.without(f, "/", absent("no link of it leads to a description"))
	}
	i := slices.IndexFunc(f.Site.Probes, func(p wayfind.Probe) bool { return p.URL == home && slices.Contains(p.Formats, "links") })
	if i < 0 || f.Site.Probes[i].Verdict == wayfind.VerdictSkipped {
		return unasked("a catalogue was found, so discovery does not ask for it; --full asks")
	}
	if p := &f.Site.Probes[i]; !p.Verdict.Answered() {
		return finding{status: Unanswered, why: "/: " + words(string(p.Verdict)) + reason(p)}
	}
	return absent("no link of it leads to a description")
}

func judgeSitemap(f *facts) finding {
	place := f.sitemap()
	extra := f.Extra[place]
	if extra.Reason == "sitemaps" {
		return passes(place+" is a sitemap", f.at(place))
	}
	return extra.without(f, place, fails(place+" is no sitemap in XML", f.at(place)))
}

func judgeMarkdown(f *facts) finding {
	extra := f.Extra[MarkdownKey]
	media, _, _ := strings.Cut(extra.Header.Get("Content-Type"), ";")
	switch {
	case extra.Unsent != "":
		return unasked(extra.Unsent)
	case extra.Problem != "":
		return finding{status: Unanswered, why: extra.Problem}
	case extra.Status == http.StatusOK && strings.EqualFold(strings.TrimSpace(media), "text/markdown"):
		return passes("/ is answered as text/markdown", f.at("/"))
	case extra.Status >= 300 && extra.Status <= 399:
		return finding{status: Unanswered, why: fmt.Sprintf("/ redirects to %q; check that host", extra.Header.Get("Location"))}
	case extra.Status == http.StatusOK:
		return absent(fmt.Sprintf("/ is answered as %q", media))
	}
	return absent(fmt.Sprintf("/ is answered with status %d", extra.Status))
}
