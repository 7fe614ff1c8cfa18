package sitecheck

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/internal/show/served"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// serverRules are about the behaviour of the server.
func serverRules() []Rule { return slices.Concat(reachRules(), headerRules()) }

func reachRules() []Rule {
	return []Rule{
		{
			ID: "open", Group: groupReach, Title: "Clients are let in", Spec: rfc("9110", "§15.5.4"),
			Asks: "all places of discovery", Passes: "no firewall answers instead of the site, and the site answers at one place at least",
			Gain:  "An agent reads the answer of the site instead of a page for browsers.",
			Mend:  "Let clients that are no browsers reach /.well-known/ and the documents behind it, without a challenge.",
			judge: judgeOpen, server: true,
		},
		{
			ID: "not_found", Group: groupReach, Title: "Absent places answer 404", Spec: rfc("9110", "§15.5.5"),
			Asks: "all places of discovery", Passes: "no place answers 200 with a web page, or with the page that the server shows for any path",
			Gain:     "An agent knows that there is nothing, and does not ask again for some time.",
			Mend:     "Answer 404 below /.well-known/, and for each path that the site does not have. A single-page application needs an exception for these paths.",
			Scanners: "Scanners judge each file by itself. Here one such answer fails the server, because it makes every absence doubtful.",
			judge:    judgeNotFound, server: true,
		},
		{
			ID: "robots_allow", Group: groupReach, Title: "robots.txt lets agents read the documents", Spec: rfc("9309", "§2.2.2"),
			Asks: "/robots.txt, for this client", Passes: "no rule forbids a place of discovery or an address of a tool",
			Gain:  "A client that obeys robots.txt reads the documents that were written for it.",
			Mend:  "Add `Allow: /.well-known/`, and the paths of the documents and of the API, to the group that forbids them.",
			judge: judgeAllowed,
		},
	}
}

// headerRules are about the answers with documents.
func headerRules() []Rule {
	return []Rule{
		{
			ID: "lifetimes", Group: groupReach, Title: "Documents can be kept", Spec: rfc("9111", "§4.2"),
			Asks: "the header of each document that was read", Passes: "each says how long it counts (Cache-Control, Expires) or has a validator (ETag, Last-Modified), and none says no-store",
			Gain:  "An agent keeps the answer, and asks again with If-None-Match instead of reading all of it again.",
			Mend:  "Send `Cache-Control: public, max-age=3600` and an ETag with each document for agents.",
			judge: judgeLifetimes, server: true,
		},
		{
			ID: "shared", Group: groupReach, Title: "Answers are the same for all clients", Spec: rfc("9111", "§7.3"),
			Asks: "the header of each document that was read", Passes: "none varies with cookies, with the program that asks, or with everything (Vary: *), and none sets a cookie",
			Gain:  "A cache between the site and its agents answers for the site.",
			Mend:  "Leave Set-Cookie out of the answers, and name only fields in Vary that the document depends on, such as Accept-Encoding.",
			judge: keeps("served.coding", "served.cookie", "served.vary"), server: true,
		},
		{
			ID: "at_its_place", Group: groupReach, Title: "Documents are served as their specifications demand", Spec: rfc("9110", "§15.4"),
			Asks: "the header of each document that was read", Passes: "clients in browsers can read an MCP server card (CORS), and no UCP profile is behind a redirect",
			Gain:  "Each client that keeps the specification reads the document.",
			Mend:  "Send `Access-Control-Allow-Origin: *` with a server card, and serve a profile at its place itself.",
			judge: keeps("served.cors", "served.redirect"), server: true,
		},
		{
			ID: "head", Group: groupReach, Title: "HEAD is answered like GET", Spec: rfc("9110", "§9.3.2"), full: true,
			Asks: "each document that was read, with HEAD", Passes: "each has the status of the answer to GET, its media type and its Cache-Control",
			Gain:  "A client that looks at the header before it loads a document finds it.",
			Mend:  "Answer HEAD with the status and the header of GET.",
			judge: second("served.head"), server: true,
		},
		{
			ID: "tls", Group: groupReach, Title: "The certificate will do for a while", Spec: rfc("5280", "§6.1.3"), full: true,
			Asks: "the connections of the answers to HEAD", Passes: "the certificate does not end soon, and the server sends the whole chain",
			Gain:  "Clients can connect tomorrow, and those with another list of authorities can too.",
			Mend:  "Renew the certificate in time, and configure the server with the whole chain.",
			judge: judgeTLS, server: true,
		},
	}
}

func judgeOpen(f *facts) finding {
	answered := 0
	for i := range f.Site.Probes {
		switch p := &f.Site.Probes[i]; {
		case p.Verdict == wayfind.VerdictBlocked:
			return fails(fmt.Sprintf("%s is answered by a firewall%s", f.short(p.URL), reason(p)), p.URL)
		case p.Verdict.Answered():
			answered++
		}
	}
	if answered == 0 {
		return finding{status: Unanswered, why: "no place gave an answer"}
	}
	return passes(fmt.Sprintf("%s gave an answer", humanize.Count(answered, "place")))
}

func judgeNotFound(f *facts) finding {
	n, first := 0, (*wayfind.Probe)(nil)
	for i := range f.Site.Probes {
		if p := &f.Site.Probes[i]; p.Verdict == wayfind.VerdictSoft404 {
			if n++; first == nil {
				first = p
			}
		}
	}
	if n > 0 {
		return fails(fmt.Sprintf("%s with status 200 and no document, first %s", humanize.Plural(n, "place answers", "places answer"), f.short(first.URL)), first.URL)
	}
	return passes("")
}

func judgeAllowed(f *facts) finding {
	var forbidden []string
	for i := range f.Site.Probes {
		if p := &f.Site.Probes[i]; p.RobotsDisallowed {
			forbidden = append(forbidden, p.URL)
		}
	}
	for _, c := range f.Site.Capabilities() {
		if c.RobotsDisallowed && c.Invocation != nil {
			forbidden = append(forbidden, c.Invocation.URL+c.Invocation.Template)
		}
	}
	if len(forbidden) > 0 {
		return fails(fmt.Sprintf("%s, first %s", humanize.Plural(len(forbidden), "address is forbidden", "addresses are forbidden"), f.short(forbidden[0])), forbidden[0])
	}
	return passes("")
}

// served calls look for each document whose answer is known, until it returns a reason, and returns
// the first reason as a fault.
func (f *facts) served(look func(*wayfind.Source, *Answer) string) finding {
	looked := 0
	for i := range f.Site.Sources {
		s := &f.Site.Sources[i]
		a, known := f.Answers[cmp.Or(s.FinalURL, s.URL)]
		if !known || a.Status != http.StatusOK {
			continue
		}
		looked++
		if why := look(s, &a); why != "" {
			return fails(f.short(s.URL)+": "+why, s.URL)
		}
	}
	if looked == 0 {
		return absent("no document was read whose header is known")
	}
	return passes(humanize.Count(looked, "header") + " looked at")
}

func judgeLifetimes(f *facts) finding {
	return f.served(func(_ *wayfind.Source, a *Answer) string { return served.Unkept(a.Header) })
}

// keeps judges the answers by rules of package served.
func keeps(codes ...string) func(*facts) finding {
	return func(f *facts) finding {
		return f.served(func(s *wayfind.Source, a *Answer) string {
			answer := served.Answer{URL: s.URL, Dialect: s.Dialect, Header: a.Header}
			if f.known == nil {
				f.known = formats.All()
			}
			if i := slices.IndexFunc(f.known, func(o *parse.Format) bool { return o.Name == s.Format }); i >= 0 {
				answer.Format = f.known[i]
			}
			if s.FinalURL != "" && s.FinalURL != s.URL {
				answer.Redirects = 1
			}
			return f.brokenBy(s, served.Judge(&answer), codes)
		})
	}
}

// brokenBy is the first rule with one of some codes that the answer with a document breaks, "" for
// none. --full has found more of them than the header tells. A wish only is no fault.
func (f *facts) brokenBy(s *wayfind.Source, more []wayfind.Diagnostic, codes []string) string {
	for _, d := range slices.Concat(more, f.Site.Diagnostics) {
		if d.Severity != wayfind.SeverityInfo && slices.Contains(codes, d.Code) && isOf(s, &d) {
			return fmt.Sprintf("%s (%s)", d.Message, humanize.Cite(*d.Spec))
		}
	}
	return ""
}

// second judges the answers to HEAD by rules of package served.
func second(codes ...string) func(*facts) finding {
	return func(f *facts) finding {
		looked, unsent := 0, ""
		for i := range f.Site.Sources {
			s := &f.Site.Sources[i]
			switch why, asked := f.Heads[s.URL]; {
			case !asked:
				continue
			case why != "":
				unsent = why
				continue
			}
			looked++
			if why := f.brokenBy(s, nil, codes); why != "" {
				return fails(f.short(s.URL)+": "+why, s.URL)
			}
		}
		switch {
		case looked > 0:
			return passes(humanize.Count(looked, "answer") + " looked at")
		case unsent != "":
			return unasked(unsent)
		}
		return absent("no document was read")
	}
}

func judgeTLS(f *facts) finding {
	if strings.HasPrefix(f.Site.Origin, "http:") {
		return inapplicable("a server under development is asked over http")
	}
	return second("served.chain", "served.expiry")(f)
}
