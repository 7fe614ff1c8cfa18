package sitecheck_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/show/sitecheck"
)

// forbidDots makes each place below /.well-known/ refuse.
func forbidDots(in *sitecheck.Input, status int, v wayfind.Verdict, reason string) {
	for i := range in.Site.Probes {
		if p := &in.Site.Probes[i]; strings.Contains(p.URL, "/.well-known/") {
			p.Verdict, p.Status, p.Reason = v, status, reason
		}
	}
	add(in, probe("/llms.txt", wayfind.VerdictAbsent, 404, "llmstxt"))
}

// everywhere makes each place but robots.txt answer alike, with a header and a body.
func everywhere(in *sitecheck.Input, v wayfind.Verdict, status int, reason string, a sitecheck.Answer, redirects ...string) {
	in.Site.Sources = in.Site.Sources[2:]
	in.Site.Probes = []wayfind.Probe{probe("/robots.txt", wayfind.VerdictFound, 200, "robots")}
	in.Site.Probes[0].Format = "robots"
	for _, path := range []string{"/.well-known/agent-card.json", "/.well-known/mcp.json", "/llms.txt"} {
		p := probe(path, v, status)
		p.Reason, p.Redirects = reason, redirects
		add(in, p)
		in.Answers[origin+path] = a
	}
	for _, u := range redirects {
		in.Answers[u] = a
	}
}

// served is an answer with a field, and with a body.
func served(field, value, body string) sitecheck.Answer {
	h := http.Header{}
	h.Set(field, value)
	return sitecheck.Answer{Status: 200, Header: h, Body: []byte(body)}
}

// site is a set-up: what it changes, the rule that says it, and parts of its reason and of its mend.
type site struct {
	change         func(*sitecheck.Input)
	id             string
	status         sitecheck.Status
	why, mend, not string
}

func (s *site) check(t *testing.T) {
	t.Helper()
	in := ready()
	s.change(in)
	r := sitecheck.Check(in)
	got := r.Result(s.id)
	if got.Status != s.status || !strings.Contains(got.Why, s.why) || !strings.Contains(got.Mend, s.mend) || s.not != "" && strings.Contains(got.Why+got.Mend, s.not) {
		t.Errorf("%s: %s: %s\n%s", s.id, got.Status, got.Why, got.Mend)
	}
	if s.status != sitecheck.Pass && s.id != "llmstxt" && s.id != "mcp" && r.Level != 0 {
		t.Errorf("level %d", r.Level)
	}
}

// alike is everywhere as a change.
func alike(v wayfind.Verdict, status int, reason string, a sitecheck.Answer, redirects ...string) func(*sitecheck.Input) {
	return func(in *sitecheck.Input) { everywhere(in, v, status, reason, a, redirects...) }
}

// walled is a site behind a wall, which the errors name.
func walled(status int, says string) func(*sitecheck.Input) {
	return func(in *sitecheck.Input) {
		everywhere(in, wayfind.VerdictBlocked, status, "firewall", sitecheck.Answer{})
		for i := range in.Site.Probes[1:] {
			in.Site.Probes[i+1].Error = `match "https://shop.example/x": blocked (firewall): ` + says
		}
	}
}

func sites() map[string]site {
	none := sitecheck.Answer{}
	html := func(server string) sitecheck.Answer { return served("Server", server, "<!doctype html>") }
	soft, fail := wayfind.VerdictSoft404, sitecheck.Fail
	return map[string]site{
		"a challenge":          {walled(403, "Cloudflare challenges programs"), "open", fail, "Cloudflare challenges programs at 3 places, first /.well-known/agent-card.json (status 403)", "action Skip", ""},
		"a challenge of AWS":   {walled(202, "AWS WAF challenges programs"), "open", fail, "AWS WAF challenges programs", "scope-down", "Cloudflare"},
		"a wall of nobody":     {walled(403, ""), "open", fail, "a firewall answers instead of the site", "pass the firewall", "Cloudflare"},
		"a login":              {walled(302, "Okta asks for a login"), "open", fail, "Okta asks for a login", "out of the login", "single-page"},
		"a wall is no absence": {walled(403, "Okta asks for a login"), "not_found", sitecheck.Unanswered, "see open", "", ""},

		"a password for all":     {alike(wayfind.VerdictProtected, 401, "", served("WWW-Authenticate", "Basic realm=x", "")), "open", fail, "3 places answer with status 401", "auth_basic off", ""},
		"payment for all":        {alike(wayfind.VerdictProtected, 402, "price", served("Crawler-Price", "USD 1", "")), "open", fail, "402", "pay per crawl", ""},
		"a deployment":           {alike(wayfind.VerdictProtected, 401, "", served("Server", "Vercel", "<title>Authentication Required</title>")), "open", fail, "401", "Deployment Protection", ""},
		"no login that is known": {alike(wayfind.VerdictProtected, 401, "", none), "open", fail, "401", "without a credential", "nginx"},

		"a rate limit":               {alike(wayfind.VerdictThrottled, 429, "", none), "open", sitecheck.Unanswered, "3 places answer with status 429", "about 40 requests", "nginx"},
		"a rate limit of nginx":      {alike(wayfind.VerdictThrottled, 429, "", html("nginx/1.27")), "open", sitecheck.Unanswered, "429", "limit_req", ""},
		"a rate limit of Cloudflare": {alike(wayfind.VerdictThrottled, 429, "", html("cloudflare")), "open", sitecheck.Unanswered, "429", "rate limiting rules", ""},
		"a pause":                    {alike(wayfind.VerdictThrottled, 0, "not_before", none), "open", sitecheck.Unanswered, "3 places give no answer, first /.well-known/agent-card.json (not before)", "asks for a pause", "limit_req"},

		"maintenance": {alike(wayfind.VerdictThrottled, 503, "", none), "open", sitecheck.Unanswered, "503", "If it is maintenance", "40 requests"},
		"a server that asks for a pause once": {func(in *sitecheck.Input) {
			everywhere(in, wayfind.VerdictThrottled, 503, "", none)
			in.Site.Probes[1].Status, in.Site.Probes[1].Reason = 0, "not_before"
		}, "open", sitecheck.Unanswered, "2 places answer with status 503, first /.well-known/mcp.json", "asks for a pause", ""},
		"a price of nobody":          {alike(wayfind.VerdictProtected, 402, "price", none), "open", fail, "402", "the offers of the site", "Cloudflare"},
		"a server that is down":      {alike(wayfind.VerdictUnreachable, 502, "server_error", none), "open", sitecheck.Unanswered, "3 places answer with status 502", "in its log", "Cloudflare"},
		"a server behind Cloudflare": {alike(wayfind.VerdictUnreachable, 522, "server_error", served("Server", "cloudflare", "error code: 522")), "open", sitecheck.Unanswered, "522", "the addresses of Cloudflare", ""},
		"a server without a name":    {alike(wayfind.VerdictUnreachable, 0, "dns_not_found", none), "open", sitecheck.Unanswered, "3 places give no answer, first /.well-known/agent-card.json (dns not found)", "cannot reach", "challenge"},
		"a home page that is read for its links": {func(in *sitecheck.Input) {
			everywhere(in, soft, 200, "html", html("x"), origin+"/login")
			p := probe("/", wayfind.VerdictOtherFormat, 200, "links")
			p.Reason = "aside"
			add(in, p)
		}, "open", fail, "3 places redirect to /login", "out of the login", ""},

		"a login of the site":     {alike(soft, 200, "html", html("x"), origin+"/login?next=1"), "open", fail, "3 places redirect to /login, which shows a page for people", "out of the login", "single-page"},
		"a password page":         {alike(soft, 200, "html", served("Powered-By", "Shopify", `<input type="password">`), origin+"/enter"), "open", fail, "/enter", "Online Store", ""},
		"everything elsewhere":    {alike(soft, 200, "html", html("x"), "https://login.example/a"), "open", fail, "https://login.example/a", "the host that everything redirects to", ""},
		"pages that do not exist": {alike(soft, 200, "html", html("x"), origin+"/"), "not_found", fail, "3 places redirect to /, which shows a page for people", "redirects it to another page", "single-page"},
		"a plugin of WordPress":   {alike(soft, 200, "html", served("Link", `<https://shop.example/wp-json/>; rel="https://api.w.org/"`, "<html>"), origin+"/"), "not_found", fail, "", "In WordPress", ""},

		"an application":               {alike(soft, 200, "html", html("x")), "not_found", fail, "3 places answer with status 200, first /.well-known/agent-card.json", "the page of the application", "In "},
		"an application at Netlify":    {alike(soft, 200, "html", html("Netlify")), "not_found", fail, "", "In Netlify", ""},
		"an application at Vercel":     {alike(soft, 200, "html", html("Vercel")), "not_found", fail, "", "vercel.json", ""},
		"an application at Pages":      {alike(soft, 200, "html", html("cloudflare")), "not_found", fail, "", "404.html", ""},
		"an application in S3":         {alike(soft, 200, "html", html("AmazonS3")), "not_found", fail, "", "custom error responses", ""},
		"an application of nginx":      {alike(soft, 200, "html", html("nginx")), "not_found", fail, "", "try_files $uri =404", ""},
		"an application of Apache":     {alike(soft, 200, "html", html("Apache/2.4")), "not_found", fail, "", "RewriteCond", ""},
		"an application of Caddy":      {alike(soft, 200, "html", html("Caddy")), "not_found", fail, "", "file_server", ""},
		"an application of Express":    {alike(soft, 200, "html", served("X-Powered-By", "Express", "<html>")), "not_found", fail, "", "sendStatus(404)", ""},
		"JSON for any path":            {alike(soft, 200, "canary", none), "not_found", fail, "200", "Answer 404 below", ""},
		"other JSON for each path":     {alike(wayfind.VerdictUnrecognised, 200, "", none), "not_found", fail, "200", "Answer 404 below", ""},
		"202":                          {alike(wayfind.VerdictUnrecognised, 202, "status", none), "not_found", fail, "3 places answer with status 202", "Answer 404 below", ""},
		"204":                          {alike(wayfind.VerdictAbsent, 204, "", none), "not_found", fail, "204", "Answer 404 below", ""},
		"a store of objects":           {alike(wayfind.VerdictAbsent, 403, "canary", served("Server", "AmazonS3", "<Error><Code>AccessDenied</Code></Error>")), "not_found", fail, "3 places answer with status 403", "s3:ListBucket", ""},
		"a store of Google":            {alike(wayfind.VerdictAbsent, 403, "canary", served("Server", "UploadServer", "does not have storage.objects.list access")), "not_found", fail, "403", "Google Cloud Storage", ""},
		"a gateway":                    {alike(wayfind.VerdictAbsent, 403, "canary", served("Server", "x", `{"message":"Missing Authentication Token"}`)), "not_found", fail, "403", "MISSING_AUTHENTICATION_TOKEN", ""},
		"401 for what is not there":    {alike(wayfind.VerdictAbsent, 401, "canary", none), "not_found", fail, "401", "only for paths that exist", ""},
		"405":                          {alike(wayfind.VerdictEndpointLike, 405, "", none), "not_found", fail, "3 places answer with status 405", "no route for GET", ""},
		"500":                          {alike(wayfind.VerdictUnreachable, 500, "server_error", none), "not_found", fail, "3 places answer with status 500", "in its log", ""},
		"a redirect that is forbidden": {alike(wayfind.VerdictAbsent, 301, "redirect_limit", none), "not_found", sitecheck.Unanswered, "no place without a document", "", ""},
		"no answer":                    {alike(wayfind.VerdictUnreachable, 0, "timeout", none), "not_found", sitecheck.Unanswered, "no place without a document", "", ""},

		"one place is protected": {func(in *sitecheck.Input) { add(in, probe("/agents", wayfind.VerdictProtected, 401)) }, "not_found", sitecheck.Pass, "", "", ""},
		"one place fails":        {func(in *sitecheck.Input) { add(in, probe("/ai", wayfind.VerdictUnreachable, 500)) }, "not_found", sitecheck.Pass, "", "", ""},
		"texts that nobody reads": {func(in *sitecheck.Input) {
			add(in, probe("/agents.md", wayfind.VerdictUnrecognised, 200))
			add(in, probe("/.well-known/agents.md", wayfind.VerdictUnrecognised, 200))
		}, "not_found", sitecheck.Pass, "", "", ""},
		"a document that says no": {func(in *sitecheck.Input) {
			p := probe("/.well-known/mcp.json", wayfind.VerdictAbsent, 200)
			p.Reason = "negative"
			add(in, p)
		}, "not_found", sitecheck.Pass, "", "", ""},
		"Markdown as a web page": {func(in *sitecheck.Input) { mistype(in, "nginx", "\ufeff\n# Shop") }, "llmstxt", fail, "/llms.txt is Markdown that is served as text/html", "text/markdown md", ""},
		"Markdown of Apache":     {func(in *sitecheck.Input) { mistype(in, "Apache", "# Shop") }, "llmstxt", fail, "", "AddType", ""},
		"Markdown is there":      {func(in *sitecheck.Input) { mistype(in, "x", "# Shop") }, "not_found", sitecheck.Pass, "", "", ""},
		"a page is no Markdown":  {func(in *sitecheck.Input) { mistype(in, "x", "<h1>Shop") }, "not_found", fail, "", "", ""},
		"a slash": {func(in *sitecheck.Input) {
			p := probe("/.well-known/mcp.json", wayfind.VerdictAbsent, 301, "mcp")
			in.Answers[p.URL] = served("Location", "/.well-known/mcp.json/", "")
			add(in, p)
		}, "mcp", sitecheck.Absent, `redirects to "/.well-known/mcp.json/", and its specification follows no such redirect`, "adds a slash", ""},
	}
}

// mistype makes /llms.txt a web page by its type.
func mistype(in *sitecheck.Input, server, body string) {
	p := probe("/llms.txt", wayfind.VerdictSoft404, 200, "llmstxt")
	p.Reason = "html"
	in.Answers[p.URL] = served("Server", server, body)
	add(in, p)
}

// A redirect to another name of the site that keeps the path is no redirect to a page for people.
func TestAnotherNameOfTheSiteIsNoPageForPeople(t *testing.T) {
	in := ready()
	everywhere(in, wayfind.VerdictSoft404, 200, "html", sitecheck.Answer{})
	for i := range in.Site.Probes[1:] {
		p := &in.Site.Probes[i+1]
		p.Redirects = []string{strings.Replace(p.URL, "shop.example", "www.shop.example", 1)}
	}
	r := sitecheck.Check(in)
	if got := r.Result("not_found"); r.Result("open").Status != sitecheck.Pass || !strings.Contains(got.Mend, "the page of the application") {
		t.Errorf("open: %s; not_found: %s\n%s", r.Result("open").Why, got.Why, got.Mend)
	}
}

// Each set-up is said with the rule that it breaks and with the setting to change. A product is named only
// where an answer proves it.
func TestSetUpsAreSaid(t *testing.T) {
	for name, s := range sites() {
		t.Run(name, s.check)
	}
}

// dots are servers with a rule against names with a dot.
func dots() map[string]site {
	forbid := func(server string) func(*sitecheck.Input) {
		return func(in *sitecheck.Input) {
			in.Answers[origin+"/.well-known/api-catalog"] = served("Server", server, "")
			forbidDots(in, 403, wayfind.VerdictAbsent, "canary")
		}
	}
	fail, pass := sitecheck.Fail, sitecheck.Pass
	return map[string]site{
		"nginx":     {forbid("nginx/1.27.0"), "well_known", fail, "the server answers 403 for all 3 places below /.well-known/, also for a path that cannot exist, and 404 for /llms.txt", "location ^~ /.well-known/", ""},
		"Apache":    {forbid("Apache"), "well_known", fail, "", "RedirectMatch", ""},
		"LiteSpeed": {forbid("LiteSpeed"), "well_known", fail, "", "In LiteSpeed", ""},
		"Caddy":     {forbid("Caddy"), "well_known", fail, "", "not path", ""},
		"IIS":       {forbid("Microsoft-IIS/10.0"), "well_known", fail, "", "hidden segments", ""},
		"another":   {forbid("x"), "well_known", fail, "", "names that begin with a dot", "In "},
		"a wall": {func(in *sitecheck.Input) {
			forbidDots(in, 403, wayfind.VerdictBlocked, "firewall")
			in.Site.Probes[0].Error = "blocked (firewall): Cloudflare refuses programs"
		}, "well_known", fail, "answers 403", "action Skip", ""},
		"500": {func(in *sitecheck.Input) { forbidDots(in, 500, wayfind.VerdictUnreachable, "server_error") }, "well_known", fail, "answers 500", "", "cannot exist"},
		"one is there": {func(in *sitecheck.Input) {
			forbid("nginx")(in)
			add(in, probe("/.well-known/ai", wayfind.VerdictFound, 200))
		}, "well_known", pass, "", "", ""},
		"one is absent": {func(in *sitecheck.Input) {
			forbid("nginx")(in)
			add(in, probe("/.well-known/ai", wayfind.VerdictAbsent, 404))
		}, "well_known", pass, "", "", ""},
		"all are refused":       {alike(wayfind.VerdictAbsent, 403, "canary", sitecheck.Answer{}), "well_known", pass, "", "", ""},
		"all places are walled": {walled(403, "Okta asks for a login"), "well_known", sitecheck.Unanswered, "see open", "", ""},
		"no place answers":      {alike(wayfind.VerdictUnreachable, 0, "tls", sitecheck.Answer{}), "well_known", sitecheck.Unanswered, "see open", "", ""},
		"several reasons": {func(in *sitecheck.Input) {
			forbid("nginx")(in)
			add(in, probe("/.well-known/ai", wayfind.VerdictUnreachable, 500))
		}, "well_known", pass, "", "", ""},
	}
}

// A rule against names with a dot is the first thing that is said.
func TestARuleAgainstDotsComesFirst(t *testing.T) {
	for name, s := range dots() {
		t.Run(name, s.check)
	}
	in := ready()
	forbidDots(in, 403, wayfind.VerdictAbsent, "canary")
	r := sitecheck.Check(in)
	if r.Checks[0].ID != "well_known" || r.Next[0].Check != "well_known" || !strings.Contains(r.Next[0].Text, "leave /.well-known/ out of it") {
		t.Errorf("%+v", r.Next[0])
	}
}

// The rule about robots.txt reads the body behind a redirect.
func TestRobotsReadsTheLastAnswer(t *testing.T) {
	in := ready()
	in.Site.Sources[2].FinalURL = "https://www.shop.example/robots.txt"
	in.Answers[origin+"/robots.txt"] = sitecheck.Answer{Status: 301, Body: []byte("moved")}
	for body, want := range map[string]sitecheck.Status{"User-agent: *": sitecheck.Pass, "nothing": sitecheck.Fail} {
		in.Answers["https://www.shop.example/robots.txt"] = sitecheck.Answer{Status: 200, Body: []byte(body)}
		if got := sitecheck.Check(in).Result("robots"); got.Status != want {
			t.Errorf("%q: %s (%s)", body, got.Status, got.Why)
		}
	}
	delete(in.Answers, "https://www.shop.example/robots.txt")
	if got := sitecheck.Check(in).Result("robots"); got.Status != sitecheck.Pass {
		t.Errorf("the body of a redirect is read: %s", got.Why)
	}
}

// The same answers give the same report.
func TestTheWorstAnswerIsTheSameEachTime(t *testing.T) {
	first := ""
	for range 20 {
		in := ready()
		for _, status := range []int{403, 405} {
			for i := range 2 {
				v := wayfind.VerdictProtected
				if status == 405 {
					v = wayfind.VerdictEndpointLike
				}
				add(in, probe(fmt.Sprintf("/%d/%d", status, i), v, status))
			}
		}
		why := sitecheck.Check(in).Result("not_found").Why
		if first == "" {
			first = why
		}
		if why != first {
			t.Fatalf("%s, then %s", first, why)
		}
	}
}

// The report lists what the places said, the most frequent answer first.
func TestAnswersAreListed(t *testing.T) {
	in := ready()
	walled(403, "Cloudflare challenges programs")(in)
	r := sitecheck.Check(in)
	var lines []string
	for i := range r.Answers {
		lines = append(lines, r.Answers[i].Text(r.Origin))
	}
	want := "3 places: blocked, status 403, Cloudflare challenges programs; first /.well-known/agent-card.json\n1 place: found, status 200; /robots.txt"
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Places at the site's own host are paths too, in a report and in one that it is compared with.
func TestAnswersOfTheSitesOwnHost(t *testing.T) {
	in := ready()
	walled(403, "Cloudflare challenges programs")(in)
	in.Site.Host = "www." + strings.TrimPrefix(in.Site.Origin, "https://")
	for i := range in.Site.Probes {
		in.Site.Probes[i].URL = strings.Replace(in.Site.Probes[i].URL, in.Site.Origin, in.Site.Asked(), 1)
	}
	r := sitecheck.Check(in)
	for i := range r.Answers {
		if text := r.Answers[i].Text(r.Asked()); strings.Contains(text, "https:") {
			t.Error(text)
		}
	}
	if r.Compare(r); r.Asked() != in.Site.Asked() || r.Baseline.Host != in.Site.Host {
		t.Errorf("asked %s, baseline at %q", r.Asked(), r.Baseline.Host)
	}
}

// A robots.txt against all well-known places is the first step of each level: nothing that is published
// there is read before it changes. A rule against one of them is a step of its own level.
func TestARobotsTxtAgainstAllPlacesComesFirst(t *testing.T) {
	for _, all := range []bool{true, false} {
		in := ready()
		in.Site.Services, in.Site.Sources = nil, nil // nothing is described
		for i := range in.Site.Probes {
			p := &in.Site.Probes[i]
			if strings.HasSuffix(p.URL, "/robots.txt") {
				continue
			}
			p.RobotsDisallowed, p.Verdict, p.Status = all || i == 0, wayfind.VerdictAbsent, 404
		}
		r := sitecheck.Check(in)
		if r.Result("robots_allow").Status != sitecheck.Fail || len(r.Next) == 0 || (r.Next[0].Check == "robots_allow") != all {
			t.Errorf("all %t: level %d, next %+v", all, r.Level, r.Next)
		}
	}
}
