package sitecheck_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/show/sitecheck"
)

const origin = "https://shop.example"

// probe is an answer at a place of formats.
func probe(path string, v wayfind.Verdict, status int, formats ...string) wayfind.Probe {
	return wayfind.Probe{URL: origin + path, Verdict: v, Status: status, Formats: formats}
}

// ready is a site at the highest level, made anew for each test.
func ready() *sitecheck.Input {
	source := func(format, path string) wayfind.Source {
		return wayfind.Source{Format: format, URL: origin + path, ETag: `"1"`}
	}
	header := http.Header{"Etag": {`"1"`}}
	return &sitecheck.Input{
		Formats: []string{"apicatalog", "aicatalog", "links", "openapi", "robots", "a2a", "ucp", "acp", "oauth", "agentsmd", "adp", "llmstxt", "mcp"},
		Site: &wayfind.Site{
			Origin:  origin,
			Sources: []wayfind.Source{source("apicatalog", "/.well-known/api-catalog"), source("openapi", "/openapi.json"), source("robots", "/robots.txt")},
			Probes: []wayfind.Probe{probe("/.well-known/api-catalog", wayfind.VerdictFound, 200, "apicatalog"), probe("/openapi.json", wayfind.VerdictFound, 200),
				probe("/robots.txt", wayfind.VerdictFound, 200, "robots"), probe("/.well-known/agent-card.json", wayfind.VerdictAbsent, 404, "a2a"),
				probe("/.well-known/ucp", wayfind.VerdictAbsent, 404, "ucp")},
			Policies: []wayfind.Policy{{Kind: "robots", Text: "User-agent: *"}},
			Services: []wayfind.Service{{ID: "openapi", Name: "Orders", Capabilities: []wayfind.Capability{{Key: "openapi:list"}}}},
		},
		Answers: map[string]sitecheck.Answer{
			origin + "/.well-known/api-catalog": {Status: 200, Header: header}, origin + "/openapi.json": {Status: 200, Header: header},
			origin + "/robots.txt": {Status: 200, Header: header, Body: []byte("User-agent: *\nAllow: /\n")},
		},
		Offer: sitecheck.Offer{Tools: 1, Vendors: []sitecheck.Vendor{{Name: "openai", Tools: 1}}},
	}
}

func add(in *sitecheck.Input, p wayfind.Probe) {
	in.Site.Probes = slices.DeleteFunc(in.Site.Probes, func(o wayfind.Probe) bool { return o.URL == p.URL })
	in.Site.Probes = append(in.Site.Probes, p)
}

// fault is a change of a ready site, with the status of the rule that it is about and the level.
type fault struct {
	change func(*sitecheck.Input)
	id     string
	want   sitecheck.Status
	level  int
}

func faults() map[string]fault {
	broken := wayfind.Diagnostic{}
	broken.Severity, broken.Code, broken.Message, broken.Source = wayfind.SeverityError, "openapi.missing", "required member \"info\" is missing", origin+"/openapi.json"
	foreign := broken
	foreign.Code = "a2a.missing"
	wish, header, listed := broken, broken, broken
	wish.Severity = wayfind.SeverityWarning
	header.Code, header.Spec = "served.cors", &wayfind.SpecRef{Title: "RFC 9110"} // a rule about headers judges it
	second := func(why, code string) func(*sitecheck.Input) {
		return func(in *sitecheck.Input) {
			d := header
			d.Code, d.Severity = code, wayfind.SeverityWarning
			in.Full, in.Heads = true, map[string]string{origin + "/openapi.json": why}
			in.Site.Diagnostics = append(in.Site.Diagnostics, d)
		}
	}
	listed.Code, listed.Source = "apicatalog.anchor", origin+"/.well-known/api-catalog"
	return map[string]fault{
		"a rule against names with a dot": {func(in *sitecheck.Input) { forbidDots(in, 403, wayfind.VerdictAbsent, "canary") }, "well_known", sitecheck.Fail, 0},
		"nothing":                         {func(*sitecheck.Input) {}, "apicatalog", sitecheck.Pass, 5},
		"a firewall":                      {func(in *sitecheck.Input) { add(in, probe("/x", wayfind.VerdictBlocked, 403)) }, "open", sitecheck.Fail, 0},
		"a page for any path":             {func(in *sitecheck.Input) { add(in, probe("/x", wayfind.VerdictSoft404, 200, "mcp")) }, "not_found", sitecheck.Fail, 0},
		"a page is no document":           {func(in *sitecheck.Input) { add(in, probe("/x", wayfind.VerdictSoft404, 200, "mcp")) }, "mcp", sitecheck.Absent, 0},
		"a broken MUST":                   {func(in *sitecheck.Input) { in.Site.Diagnostics = append(in.Site.Diagnostics, broken) }, "openapi", sitecheck.Fail, 2},
		"a MUST of another format":        {func(in *sitecheck.Input) { in.Site.Diagnostics = append(in.Site.Diagnostics, foreign) }, "openapi", sitecheck.Pass, 5},
		"a wish":                          {func(in *sitecheck.Input) { in.Site.Diagnostics = append(in.Site.Diagnostics, wish) }, "openapi", sitecheck.Pass, 5},
		"a fault of the header":           {func(in *sitecheck.Input) { in.Site.Diagnostics = append(in.Site.Diagnostics, header) }, "openapi", sitecheck.Pass, 5},
		"a catalogue that breaks MUST":    {func(in *sitecheck.Input) { in.Site.Diagnostics = append(in.Site.Diagnostics, listed) }, "index", sitecheck.Pass, 2},
		"a firewall that is busy":         {func(in *sitecheck.Input) { add(in, probe("/x", wayfind.VerdictBlocked, 503)) }, "open", sitecheck.Fail, 0},
		"no place answers": {func(in *sitecheck.Input) {
			in.Site.Probes = []wayfind.Probe{probe("/x", wayfind.VerdictUnreachable, 503)}
		}, "open", sitecheck.Unanswered, 0},
		"robots.txt forbids a tool": {func(in *sitecheck.Input) {
			in.Site.Services[0].Capabilities[0].RobotsDisallowed = true
			in.Site.Services[0].Capabilities[0].Invocation = &wayfind.Invocation{URL: origin, Template: "/orders"}
		}, "robots_allow", sitecheck.Fail, 4},
		"a manifest that browsers cannot read": {func(in *sitecheck.Input) { // it is a wish of the specification
			in.Site.Sources = append(in.Site.Sources, wayfind.Source{URL: origin + "/.well-known/agent", Format: "adp"})
			in.Answers[origin+"/.well-known/agent"] = sitecheck.Answer{Status: 200, Header: http.Header{"Cache-Control": {"max-age=60"}}}
		}, "at_its_place", sitecheck.Pass, 5},
		"an answer that is no success": {func(in *sitecheck.Input) {
			in.Answers[origin+"/openapi.json"] = sitecheck.Answer{Status: 404, Header: http.Header{}}
		}, "lifetimes", sitecheck.Pass, 5},
		"malformed, shared place": {func(in *sitecheck.Input) { add(in, probe("/agents.md", wayfind.VerdictMalformed, 200, "agentsmd")) }, "agentsmd", sitecheck.Fail, 2},
		"one place was not asked, the other was": {func(in *sitecheck.Input) {
			add(in, probe("/.well-known/agent.json", wayfind.VerdictSkipped, 0, "a2a"))
		}, "a2a", sitecheck.Absent, 5},
		"a catalogue was not asked for": {func(in *sitecheck.Input) {
			in.Formats = slices.DeleteFunc(in.Formats, func(s string) bool { return s == "apicatalog" })
			in.Site.Sources = in.Site.Sources[1:]
			add(in, probe("/", wayfind.VerdictFound, 200, "links"))
		}, "index", sitecheck.Unasked, 4},
		"a link of another page": {func(in *sitecheck.Input) {
			add(in, probe("/", wayfind.VerdictFound, 200, "links"))
			in.Site.Documents = []wayfind.Document{{URL: origin + "/openapi.json", Rel: "service-desc", Sources: []wayfind.Ref{{Source: origin + "/.well-known/api-catalog"}}}}
		}, "links", sitecheck.Absent, 5},
		"a link of the home page to a person": {func(in *sitecheck.Input) {
			add(in, probe("/", wayfind.VerdictFound, 200, "links"))
			in.Site.Documents = []wayfind.Document{{URL: origin + "/me", Rel: "author", Sources: []wayfind.Ref{{Source: origin + "/"}}}}
		}, "links", sitecheck.Absent, 5},
		"a link of the home page": {func(in *sitecheck.Input) {
			add(in, probe("/", wayfind.VerdictFound, 200, "links"))
			in.Site.Documents = []wayfind.Document{{URL: origin + "/openapi.json", Rel: "service-desc", Sources: []wayfind.Ref{{Source: origin + "/"}}}}
		}, "links", sitecheck.Pass, 5},
		"malformed": {func(in *sitecheck.Input) {
			add(in, probe("/.well-known/agent-card.json", wayfind.VerdictMalformed, 200, "a2a"))
		}, "a2a", sitecheck.Fail, 2},
		"another document": {func(in *sitecheck.Input) {
			add(in, probe("/.well-known/agent-card.json", wayfind.VerdictOtherFormat, 200, "a2a"))
		}, "a2a", sitecheck.Fail, 2},
		"another one, shared place": {func(in *sitecheck.Input) { add(in, probe("/agents.md", wayfind.VerdictUnrecognised, 200, "agentsmd")) }, "agentsmd", sitecheck.Absent, 5},
		"a document that says no": {func(in *sitecheck.Input) {
			add(in, probe("/.well-known/agent-card.json", wayfind.VerdictAbsent, 200, "a2a"))
		}, "a2a", sitecheck.Absent, 5},
		"no answer": {func(in *sitecheck.Input) {
			add(in, probe("/.well-known/agent-card.json", wayfind.VerdictUnreachable, 503, "a2a"))
		}, "a2a", sitecheck.Unanswered, 5},
		"not asked": {func(in *sitecheck.Input) {
			add(in, probe("/.well-known/agent-card.json", wayfind.VerdictSkipped, 0, "a2a"))
		}, "a2a", sitecheck.Unasked, 5},
		"a format is left out": {func(in *sitecheck.Input) { in.Formats = []string{"apicatalog", "openapi", "robots"} }, "a2a", sitecheck.Unasked, 5},
		"no shop":              {func(*sitecheck.Input) {}, "ucp", sitecheck.Inapplicable, 5},
		"a broken link": {func(in *sitecheck.Input) {
			gone := probe("/gone.json", wayfind.VerdictAbsent, 404)
			gone.From = origin + "/.well-known/api-catalog"
			add(in, gone)
		}, "links_lead", sitecheck.Fail, 2},
		"robots.txt forbids a place": {func(in *sitecheck.Input) { in.Site.Probes[0].RobotsDisallowed = true }, "robots_allow", sitecheck.Fail, 4},
		"no-store": {func(in *sitecheck.Input) {
			in.Answers[origin+"/openapi.json"] = sitecheck.Answer{Status: 200, Header: http.Header{"Cache-Control": {"no-store"}}}
		}, "lifetimes", sitecheck.Fail, 4},
		"neither lifetime nor validator": {func(in *sitecheck.Input) {
			in.Answers[origin+"/openapi.json"] = sitecheck.Answer{Status: 200, Header: http.Header{}}
		}, "lifetimes", sitecheck.Fail, 4},
		"no lifetime, and a validator": {func(in *sitecheck.Input) {
			in.Answers[origin+"/openapi.json"] = sitecheck.Answer{Status: 200, Header: http.Header{"Etag": {`"1"`}}}
		}, "lifetimes", sitecheck.Pass, 5},
		"a word that ends like max-age": {func(in *sitecheck.Input) {
			in.Answers[origin+"/openapi.json"] = sitecheck.Answer{Status: 200, Header: http.Header{"Cache-Control": {"s-max-age=60"}}}
		}, "lifetimes", sitecheck.Fail, 4},
		"a cookie": {func(in *sitecheck.Input) {
			in.Answers[origin+"/openapi.json"] = sitecheck.Answer{Status: 200, Header: http.Header{"Etag": {`"1"`}, "Set-Cookie": {"a=b"}}}
		}, "shared", sitecheck.Fail, 5},
		"an answer for each program": {func(in *sitecheck.Input) {
			in.Answers[origin+"/openapi.json"] = sitecheck.Answer{Status: 200, Header: http.Header{"Etag": {`"1"`}, "Vary": {"Accept, User-Agent"}}}
		}, "shared", sitecheck.Fail, 5},
		"an answer for each coding": {func(in *sitecheck.Input) {
			in.Answers[origin+"/openapi.json"] = sitecheck.Answer{Status: 200, Header: http.Header{"Etag": {`"1"`}, "Vary": {"Accept-Encoding"}}}
		}, "shared", sitecheck.Pass, 5},
		"a card that browsers cannot read": {func(in *sitecheck.Input) {
			in.Site.Sources = append(in.Site.Sources, wayfind.Source{URL: origin + "/card.json", Format: "mcp", Dialect: "server-card"})
			in.Answers[origin+"/card.json"] = sitecheck.Answer{Status: 200, Header: http.Header{"Etag": {`"1"`}}}
		}, "at_its_place", sitecheck.Fail, 5},
		"a profile behind a redirect": {func(in *sitecheck.Input) {
			in.Site.Sources = append(in.Site.Sources, wayfind.Source{URL: origin + "/.well-known/ucp", FinalURL: origin + "/ucp", Format: "ucp"})
			in.Answers[origin+"/ucp"] = sitecheck.Answer{Status: 200, Header: http.Header{"Etag": {`"1"`}}}
		}, "at_its_place", sitecheck.Fail, 5},
		"a coding that Vary does not name":  {second("", "served.coding"), "shared", sitecheck.Fail, 5},
		"HEAD has another answer":           {second("", "served.head"), "head", sitecheck.Fail, 5},
		"HEAD has the same answer":          {second("", "served.expiry"), "head", sitecheck.Pass, 5},
		"HEAD is not asked":                 {second("robots disallowed", "served.freshness"), "head", sitecheck.Unasked, 5},
		"the certificate ends soon":         {second("", "served.expiry"), "tls", sitecheck.Fail, 5},
		"a certificate is not sent":         {second("", "served.chain"), "tls", sitecheck.Fail, 5},
		"an older version of TLS is a wish": {second("", "served.tls"), "tls", sitecheck.Pass, 5},
		"a description needs no CORS":       {func(*sitecheck.Input) {}, "at_its_place", sitecheck.Pass, 5},
		"no rules for agents":               {func(in *sitecheck.Input) { in.Site.Policies = nil }, "ai_rules", sitecheck.Fail, 4},
		"no tools":                          {func(in *sitecheck.Input) { in.Offer = sitecheck.Offer{} }, "tools", sitecheck.Fail, 3},
		"nothing to call":                   {func(in *sitecheck.Input) { in.Offer, in.Site.Services = sitecheck.Offer{}, nil }, "tools", sitecheck.Absent, 3},
		"no word on authentication":         {func(in *sitecheck.Input) { in.Offer.Unclear = []string{"openapi"} }, "authentication", sitecheck.Fail, 3},
		"a reference that is refused": {func(in *sitecheck.Input) {
			in.Site.Services = append(in.Site.Services, wayfind.Service{ID: "aiplugin", Lazy: true, DetailURLs: []string{"http://localhost:5001/openapi.yaml"}})
			in.Offer.NotTools = []sitecheck.NotTool{{Key: "aiplugin", Reason: "only https is asked"}}
		}, "links_lead", sitecheck.Fail, 2},
		"a vendor gets none": {func(in *sitecheck.Input) {
			in.Offer.Vendors = append(in.Offer.Vendors, sitecheck.Vendor{Name: "gemini"})
		}, "tools", sitecheck.Fail, 3},
		"a conflict": {func(in *sitecheck.Input) {
			in.Site.Conflicts = []wayfind.Conflict{{Subject: "openapi:list", Field: "auth"}}
		}, "agreement", sitecheck.Fail, 4},
		"files have no server": {func(in *sitecheck.Input) { in.Files = true; add(in, probe("/x", wayfind.VerdictSoft404, 200)) }, "not_found", sitecheck.Unasked, 5},
		"files lead to a server": {func(in *sitecheck.Input) {
			in.Files = true
			gone := probe("/gone.json", wayfind.VerdictAbsent, 404)
			gone.From = origin + "/.well-known/api-catalog"
			add(in, gone)
		}, "links_lead", sitecheck.Unasked, 5},
		"the home page is not asked": {func(*sitecheck.Input) {}, "links", sitecheck.Unasked, 5},
	}
}

// One fault changes the rule that it is about, and the level follows from the rules.
func TestOneFaultChangesItsRule(t *testing.T) {
	for name, c := range faults() {
		t.Run(name, func(t *testing.T) {
			in := ready()
			c.change(in)
			r := sitecheck.Check(in)
			if got := r.Result(c.id); got.Status != c.want || r.Level != c.level {
				t.Errorf("%s: %s (%s), level %d; want %s and %d", c.id, got.Status, got.Why, r.Level, c.want, c.level)
			}
			if (len(r.Next) == 0) != (r.Level == 5) {
				t.Errorf("level %d, next %v", r.Level, r.Next)
			}
		})
	}
}

// extra is an answer to a request of --full, with the status of the rule that it is about.
type extra struct {
	key   string
	extra sitecheck.Extra
	id    string
	want  sitecheck.Status
}

func (e extra) input() *sitecheck.Input {
	in := ready()
	in.Full, in.Extra = true, map[string]sitecheck.Extra{e.key: e.extra}
	return in
}

func extras() map[string]extra {
	return map[string]extra{
		"a sitemap":               {"/sitemap.xml", sitecheck.Extra{Status: 200, Reason: "sitemaps"}, "sitemap", sitecheck.Pass},
		"a page in its place":     {"/sitemap.xml", sitecheck.Extra{Status: 200, Reason: "html"}, "sitemap", sitecheck.Fail},
		"no sitemap":              {"/sitemap.xml", sitecheck.Extra{Status: 404}, "sitemap", sitecheck.Absent},
		"no answer":               {"/sitemap.xml", sitecheck.Extra{Problem: "timeout"}, "sitemap", sitecheck.Unanswered},
		"Markdown":                {sitecheck.MarkdownKey, sitecheck.Extra{Status: 200, Header: http.Header{"Content-Type": {"text/markdown; charset=utf-8"}}}, "markdown", sitecheck.Pass},
		"HTML all the same":       {sitecheck.MarkdownKey, sitecheck.Extra{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}}, "markdown", sitecheck.Absent},
		"the page is elsewhere":   {sitecheck.MarkdownKey, sitecheck.Extra{Status: 301, Header: http.Header{"Location": {"https://www.shop.example/"}}}, "markdown", sitecheck.Unanswered},
		"keys of a bot":           {"/.well-known/http-message-signatures-directory", sitecheck.Extra{Status: 200, Reason: "webbotauth"}, "webbotauth", sitecheck.Pass},
		"no keys of a bot":        {"/.well-known/http-message-signatures-directory", sitecheck.Extra{Status: 404}, "webbotauth", sitecheck.Inapplicable},
		"prose for registration":  {"/auth.md", sitecheck.Extra{Status: 200, Reason: "authmd"}, "registration", sitecheck.Inapplicable},
		"OpenID metadata":         {"/.well-known/openid-configuration", sitecheck.Extra{Status: 200, Format: "oauth"}, "oauth_server", sitecheck.Pass},
		"an API demands payment":  {"/api", sitecheck.Extra{Status: 402, Demands: true}, "x402", sitecheck.Pass},
		"prices in a description": {"/openapi.json", sitecheck.Extra{Status: 200, Format: "openapi", Offers: []wayfind.Offer{{Protocol: "mpp"}}}, "mpp", sitecheck.Pass},
		"a link of the home page": {"/", sitecheck.Extra{Status: 200, Documents: []wayfind.Document{{Rel: "api-catalog", URL: origin + "/c", Sources: []wayfind.Ref{{Source: origin + "/"}}}}}, "links", sitecheck.Pass},
		"no link of it":           {"/", sitecheck.Extra{Status: 200}, "links", sitecheck.Absent},
	}
}

// The results of --full decide the rules that need them, and no rule says that it was not
// asked for want of --full.
func TestFullAsksTheRest(t *testing.T) {
	for name, c := range extras() {
		t.Run(name, func(t *testing.T) {
			r := sitecheck.Check(c.input())
			if got := r.Result(c.id); got.Status != c.want {
				t.Errorf("%s: %s (%s), want %s", c.id, got.Status, got.Why, c.want)
			}
			for _, check := range r.With(sitecheck.Unasked) {
				if check.Why == "--full asks" {
					t.Errorf("%s was not asked", check.ID)
				}
			}
		})
	}
}

// Each rule has a site that passes and one that fails, or has a reason why no site fails: its
// subject is an offer that a site need not make.
func TestEachRulePassesAndFails(t *testing.T) {
	noFault := map[string]string{
		"links": "a home page need not link to descriptions", "markdown": "a page need not be Markdown", "content_signals": "a site need not have wishes",
		"ap2": "a site need not sell", "x402": "a site need not sell", "mpp": "a site need not sell",
		"described": "a site need not have a document", "index": "a site need not have a catalogue",
	}
	unasked := map[string]string{"dns": "no records of DNS are asked", "webmcp": "only a browser can tell"}
	statuses := map[string]map[sitecheck.Status]bool{}
	note := func(in *sitecheck.Input) {
		for _, c := range sitecheck.Check(in).Checks {
			if statuses[c.ID] == nil {
				statuses[c.ID] = map[sitecheck.Status]bool{}
			}
			statuses[c.ID][c.Status] = true
		}
	}
	for _, f := range faults() {
		in := ready()
		f.change(in)
		note(in)
	}
	for _, e := range extras() {
		note(e.input())
	}
	for _, r := range sitecheck.Rules() { // a rule of a format
		for _, broken := range []bool{false, true} {
			note(withDocument(r.ID, origin+"/"+r.ID, broken))
		}
	}
	for _, broken := range []bool{false, true} {
		for _, place := range []string{"oauth-authorization-server", "oauth-protected-resource"} {
			note(withDocument("oauth", origin+"/.well-known/"+place, broken))
		}
	}
	registers := ready()
	registers.Site.Services[0].Auth = &wayfind.Auth{Registration: &wayfind.Registration{}}
	prose := extra{key: "/auth.md", extra: sitecheck.Extra{Status: 200, Reason: "authmd"}}.input()
	prose.Offer.Credentials = []string{"a token"}
	signals := ready()
	signals.Site.Policies = append(signals.Site.Policies, wayfind.Policy{Kind: "content_signal", Text: "ai-train=no"})
	pays := ready()
	pays.Site.Services[0].Tags = []string{"ap2"}
	empty := ready()
	empty.Site.Sources, empty.Full, empty.Extra = nil, true, map[string]sitecheck.Extra{"/": {Status: 200}}
	for _, in := range []*sitecheck.Input{registers, prose, signals, pays, empty,
		extra{key: "/.well-known/http-message-signatures-directory", extra: sitecheck.Extra{Status: 200, Reason: "html"}}.input()} {
		note(in)
	}
	for _, r := range sitecheck.Rules() {
		got := statuses[r.ID]
		all := slices.Sorted(maps.Keys(got))
		switch {
		case unasked[r.ID] != "":
			if len(all) != 1 || !got[sitecheck.Unasked] {
				t.Errorf("%s: %v, and %s", r.ID, all, unasked[r.ID])
			}
		case !got[sitecheck.Pass]:
			t.Errorf("%s: no site passes: %v", r.ID, all)
		case noFault[r.ID] != "":
			if got[sitecheck.Fail] || !got[sitecheck.Absent] && !got[sitecheck.Inapplicable] {
				t.Errorf("%s: %v, and %s", r.ID, all, noFault[r.ID])
			}
		case !got[sitecheck.Fail]:
			t.Errorf("%s: no site fails: %v", r.ID, all)
		}
	}
}

// withDocument is a ready site with a document of a format, which may break a MUST.
func withDocument(format, url string, broken bool) *sitecheck.Input {
	in := ready()
	in.Formats = append(in.Formats, format)
	in.Site.Sources = append(in.Site.Sources, wayfind.Source{Format: format, URL: url})
	if broken {
		var d wayfind.Diagnostic
		d.Severity, d.Code, d.Message, d.Source = wayfind.SeverityError, format+".missing", "required member \"name\" is missing", url
		in.Site.Diagnostics = append(in.Site.Diagnostics, d)
	}
	return in
}

// Prose about registration is a fault where a service needs a credential.
func TestProseDoesNotRegister(t *testing.T) {
	in := ready()
	in.Full, in.Extra = true, map[string]sitecheck.Extra{"/auth.md": {Status: 200, Reason: "authmd"}}
	in.Offer.Credentials = []string{"OAuth 2"}
	if got := sitecheck.Check(in).Result("registration"); got.Status != sitecheck.Fail {
		t.Errorf("%s (%s)", got.Status, got.Why)
	}
}

// A description that no document links to is named, with the catalogue that links to it.
func TestALonelyDescriptionIsLinked(t *testing.T) {
	in := ready()
	in.Site.Sources, in.Site.Services, in.Site.Probes = nil, nil, in.Site.Probes[3:]
	in.Full, in.Extra = true, map[string]sitecheck.Extra{"/openapi.json": {Status: 200, Format: "openapi"}}
	r := sitecheck.Check(in)
	if got := r.Result("openapi"); got.Status != sitecheck.Fail {
		t.Errorf("openapi: %s (%s)", got.Status, got.Why)
	}
	if r.Level != 1 || r.Next[0].Document.Place != "/.well-known/api-catalog" || r.Next[0].Document.Decide != "" {
		t.Errorf("level %d, next %+v", r.Level, r.Next)
	}
}

// A report that was written and read again compares as equal; a step back is one, and a
// doubt is none.
func TestBaseline(t *testing.T) {
	b, err := json.Marshal(sitecheck.Check(ready()))
	if err != nil {
		t.Fatal(err)
	}
	compare := func(in *sitecheck.Input) *sitecheck.Comparison {
		var earlier sitecheck.Report
		if err := json.Unmarshal(b, &earlier); err != nil {
			t.Fatal(err)
		}
		earlier.Checks = append(earlier.Checks, sitecheck.Result{ID: "retired", Status: sitecheck.Pass})
		r := sitecheck.Check(in)
		r.Compare(&earlier)
		return r.Baseline
	}
	same := &sitecheck.Comparison{Origin: origin, Level: 5, NotCompared: []sitecheck.Change{{ID: "retired", Before: sitecheck.Pass}}}
	if d := cmp.Diff(same, compare(ready())); d != "" {
		t.Errorf("the same site (-want +got):\n%s", d)
	}
	worse := ready()
	worse.Site.Conflicts = []wayfind.Conflict{{Subject: "s", Field: "auth"}}
	worse.Formats = slices.DeleteFunc(worse.Formats, func(s string) bool { return s == "apicatalog" })
	absent := ready()
	absent.Site.Sources = absent.Site.Sources[1:]
	if got := compare(absent).Lost; !slices.Contains(got, sitecheck.Change{ID: "apicatalog", Before: sitecheck.Pass, Now: sitecheck.Absent}) {
		t.Errorf("a document that is gone is no loss: %v", got)
	}
	got := compare(worse)
	if d := cmp.Diff([]sitecheck.Change{{ID: "agreement", Before: sitecheck.Pass, Now: sitecheck.Fail}}, got.Lost); d != "" {
		t.Errorf("lost (-want +got):\n%s", d)
	}
	if !slices.Contains(got.NotCompared, sitecheck.Change{ID: "apicatalog", Before: sitecheck.Pass, Now: sitecheck.Unasked}) {
		t.Errorf("not compared: %v", got.NotCompared)
	}
}

// Every status has words, and an unknown one has too.
func TestStatusesHaveWords(t *testing.T) {
	for _, s := range append(sitecheck.Statuses(), "later") {
		if s.Text() == "" {
			t.Errorf("%q has no words", s)
		}
	}
	if sitecheck.Status("later").Known() || sitecheck.Status("later").Lost() || !sitecheck.Absent.Known() || sitecheck.Unasked.Known() {
		t.Error("facts of statuses")
	}
}
