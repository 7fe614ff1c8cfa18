package sitecheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"

	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// resultRules are about the result for an agent.
func resultRules() []Rule {
	return []Rule{
		{
			ID: "described", Group: groupResult, Title: "A document for agents is found",
			Asks: "all documents", Passes: "a document that was written for agents is read; robots.txt, links, OAuth metadata and an API description to which no document links are none",
			Gain:  "An agent has a place to begin.",
			Mend:  "Publish one document that says what the site offers. For an API that is an API catalogue that leads to its OpenAPI description; for pages alone it is llms.txt.",
			judge: judgeDescribed, copy: copyFirst,
		},
		{
			ID: "correct", Group: groupResult, Title: "No document breaks a MUST",
			Asks: "the documents that were found", Passes: "each can be read, and keeps the MUSTs of its specification",
			Gain:     "Another client reads the same: few are as lenient as this one.",
			Mend:     "Mend the documents that fail. \"wayfind lint\" explains each fault, and reads every detail.",
			Scanners: "Scanners ask for a few members of each document. Here each MUST of the specification counts.",
			judge:    judgeCorrect,
		},
		{
			ID: "links_lead", Group: groupResult, Title: "Links to descriptions lead to them", Spec: rfc("8288", "§2"),
			Asks: "the documents that were followed", Passes: "each link that was followed leads to a document that is read",
			Gain:  "An agent reaches each service that a document lists.",
			Mend:  "Correct the link, or publish the document at its address.",
			judge: judgeLinksLead,
		},
		{
			ID: "tools", Group: groupResult, Title: "A model gets tools",
			Asks: "the definitions of all capabilities, as \"wayfind tools\" reads them", Passes: "each vendor gets one tool at least",
			Gain:     "A model can call the site. Without tools it can only read.",
			Mend:     "Describe the operations with their arguments and addresses: as OpenAPI, in an MCP server or as an A2A agent. Of an MCP server whose card lists no tools, --live asks the server.",
			Scanners: "Scanners do not ask whether anything can be called.",
			judge:    judgeTools, copy: copyOpenAPI,
		},
		{
			ID: "authentication", Group: groupResult, Title: "Each tool says how to authenticate",
			Asks: "the services that have tools", Passes: "each says how, or that nothing is needed",
			Gain:  "An agent asks the person for the right credential, once, instead of trying.",
			Mend:  "In OpenAPI, write `security` and `components.securitySchemes`; a description that has neither says that nothing is needed. In an agent card, write securitySchemes and securityRequirements (before 1.0: `security`); `\"securityRequirements\": [{\"schemes\": {}}]` says that nothing is needed. Of an MCP server, publish /.well-known/oauth-protected-resource; --live asks the server itself.",
			judge: judgeAuthentication,
		},
		{
			ID: "index", Group: groupResult, Title: "One place leads to everything", Spec: rfc("9727", "§2"),
			Asks: "the catalogues and the links of the home page", Passes: "an API catalogue, an AI Catalog or a link of the home page leads on",
			Gain:  "An agent finds a new service without asking at thirty places.",
			Mend:  "Publish a catalogue that lists the documents that were found.",
			judge: judgeIndex, copy: copyIndex,
		},
		{
			ID: "agreement", Group: groupResult, Title: "Documents agree",
			Asks: "all documents", Passes: "no two documents state different facts about the same thing",
			Gain:  "An agent does what the publisher meant. With two statements it takes the more cautious one.",
			Mend:  "Let one document state the fact, or all the same.",
			judge: judgeAgreement,
		},
	}
}

// besides are formats that are no offer to agents.
var besides = [...]string{"robots", "links", "oauth", "tdmrep"}

func judgeDescribed(f *facts) finding {
	var urls []string
	unlinked := ""
	for i := range f.Site.Sources {
		switch s := &f.Site.Sources[i]; {
		case slices.Contains(besides[:], s.Format):
		case s.Authority == wayfind.AuthorityConventional:
			unlinked = f.short(s.URL) + " is an API description, and no document links to it"
		default:
			urls = append(urls, s.URL)
		}
	}
	if len(urls) == 0 {
		return finding{status: Absent, why: unlinked, mend: f.beginning()}
	}
	return passes(humanize.Count(len(urls), "document"), urls...)
}

func judgeCorrect(f *facts) finding {
	if f.status("described") != Pass {
		return absent("there is no document")
	}
	var failed []string
	out := finding{status: Fail}
	for _, id := range slices.Sorted(maps.Keys(f.found)) {
		if own := f.found[id]; own.document {
			failed = append(failed, id)
			out.faults = append(out.faults, own.faults...)
			out.places = append(out.places, own.places...)
		}
	}
	if len(failed) == 0 {
		return passes("")
	}
	slices.Sort(out.places)
	out.places, out.why = slices.Compact(out.places), "see "+strings.Join(failed, ", ")
	return out
}

func judgeLinksLead(f *facts) finding {
	if f.status("described") != Pass {
		return absent("there is no document")
	}
	elsewhere := passes("")
	for i := range f.Site.Probes {
		p := &f.Site.Probes[i]
		broken := p.From != "" && p.Verdict != wayfind.VerdictFound && p.Verdict.Answered()
		switch {
		case broken && f.Files && p.Verdict == wayfind.VerdictAbsent:
			elsewhere = finding{status: Unasked, why: f.short(p.URL) + " is no file here, and its server may have it", unserved: true}
		case broken:
			return fails(fmt.Sprintf("%s leads to %s: %s%s", f.short(p.From), f.short(p.URL), words(string(p.Verdict)), reason(p)), p.URL)
		}
	}
	for i := range f.Site.Documents {
		d := &f.Site.Documents[i]
		if d.Verdict != "" && d.Verdict != wayfind.VerdictFound && d.Verdict != wayfind.VerdictAbsent && d.Verdict.Answered() {
			return fails(fmt.Sprintf("%q leads to %s: %s", d.Rel, f.short(d.URL), words(string(d.Verdict))), d.URL)
		}
	}
	for i := range f.Site.Services {
		s := &f.Site.Services[i]
		if !s.Lazy || len(s.Capabilities) > 0 {
			continue
		}
		for _, t := range f.Offer.NotTools {
			if t.Key == s.ID { // the document that it refers to was not read
				return fails(t.text(), s.DetailURLs...)
			}
		}
	}
	return elsewhere
}

func judgeTools(f *facts) finding {
	o := &f.Offer
	if o.Problem != "" {
		return finding{status: Unanswered, why: o.Problem}
	}
	for _, v := range o.Vendors {
		if v.Tools == 0 && o.Tools > 0 {
			return fails(fmt.Sprintf("%s gets none of %s", v.Name, humanize.Count(o.Tools, "tool")))
		}
	}
	n := 0
	for _, c := range f.Site.Capabilities() {
		if c.Kind != wayfind.KindSkillFile && c.Kind != wayfind.KindStatement { // these are read
			n++
		}
	}
	switch {
	case o.Tools > 0:
		return passes(humanize.Count(o.Tools, "tool"))
	case n > 0:
		return fails(fmt.Sprintf("none of %s is a tool", humanize.Plural(n, "capability", "capabilities")) + o.reason())
	}
	return absent("nothing that can be called is described" + o.reason())
}

func judgeAuthentication(f *facts) finding {
	switch o := &f.Offer; {
	case o.Tools == 0:
		return absent("there are no tools")
	case len(o.Unclear) > 0:
		return f.unclear()
	case len(o.Credentials) == 0:
		return passes("nothing is needed")
	}
	return passes(strings.Join(f.Offer.Credentials, "; "))
}

// unclear is the finding of tools that do not say how to authenticate, with a fault for each.
func (f *facts) unclear() finding {
	list := f.Offer.UnclearTools
	out := fails(fmt.Sprintf("not said by %s of %s", humanize.Count(len(list), "tool"), strings.Join(f.Offer.Unclear, ", ")))
	for i := range list {
		t := &list[i]
		out.faults = append(out.faults, Fault{Message: fmt.Sprintf("%q does not say how to authenticate", t.Tool), Source: t.Source, Pointer: t.Pointer, Mend: authMends[t.Format]})
	}
	return out
}

// authMends say how to state authentication, by format.
var authMends = map[string]string{
	"openapi": "Write `\"security\": [{\"SCHEME\": []}]` with a scheme of components.securitySchemes, at the operation or for the whole document; `\"security\": []` says that nothing is needed.",
	"a2a":     "Write securitySchemes and securityRequirements (before 1.0: `security`); `\"securityRequirements\": [{\"schemes\": {}}]` says that nothing is needed.",
	"mcp":     "Publish /.well-known/oauth-protected-resource; --live asks the server itself.",
}

func judgeIndex(f *facts) finding {
	asked := true
	for _, id := range [...]string{"apicatalog", "aicatalog", "links"} {
		found := f.found[id]
		if found.status == Pass || len(found.faults) > 0 { // it is read all the same
			return passes("see "+id, found.places...)
		}
		asked = asked && found.status.Known()
	}
	if !asked {
		return unasked("see apicatalog, aicatalog and links")
	}
	return absent("")
}

func judgeAgreement(f *facts) finding {
	if f.status("described") != Pass {
		return absent("there is no document")
	}
	if len(f.Site.Conflicts) == 0 {
		return passes("")
	}
	c := &f.Site.Conflicts[0]
	return fails(fmt.Sprintf("%s, first %q of %q: %s", humanize.Count(len(f.Site.Conflicts), "conflict"), c.Field, c.Subject, c.Message))
}
