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
