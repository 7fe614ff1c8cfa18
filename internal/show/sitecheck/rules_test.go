package sitecheck_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/show/sitecheck"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// Each rule says all that its publisher needs, and its specification has an address.
func TestRulesAreWhole(t *testing.T) {
	known := map[string]bool{}
	for _, r := range sitecheck.Rules() {
		if known[r.ID] {
			t.Errorf("%s: twice", r.ID)
		}
		known[r.ID] = true
		for what, text := range map[string]string{"group": r.Group, "title": r.Title, "asks": r.Asks, "passes": r.Passes, "gain": r.Gain, "mend": r.Mend} {
			if text == "" {
				t.Errorf("%s: no %s", r.ID, what)
			}
		}
		if r.Group != "The result" && !strings.HasPrefix(r.Spec.URL, "https://") {
			t.Errorf("%s: the specification has no address", r.ID)
		}
	}
}

// Each format that is read has a rule of its name. OAuth metadata are two standards.
func TestEachFormatHasARule(t *testing.T) {
	var ids []string
	for _, r := range sitecheck.Rules() {
		ids = append(ids, r.ID)
	}
	for _, f := range formats.All() {
		if f.Name != "oauth" && !slices.Contains(ids, f.Name) {
			t.Errorf("%s has no rule", f.Name)
		}
	}
}

// Each check of the scanner that publishers use most has a rule, which names the check if
// it judges otherwise.
func TestEachCheckOfScannersHasARule(t *testing.T) {
	byID := map[string]sitecheck.Rule{}
	for _, r := range sitecheck.Rules() {
		byID[r.ID] = r
	}
	for check, id := range map[string]string{
		"robotsTxt": "robots", "sitemap": "sitemap", "linkHeaders": "links", "dnsAid": "dns", "markdownNegotiation": "markdown",
		"robotsTxtAiRules": "ai_rules", "contentSignals": "content_signals", "webBotAuth": "webbotauth", "apiCatalog": "apicatalog",
		"oauthDiscovery": "oauth_server", "oauthProtectedResource": "oauth_resource", "authMd": "registration", "mcpServerCard": "mcp",
		"a2aAgentCard": "a2a", "webMcp": "webmcp", "ard": "aicatalog", "ucp": "ucp",
	} {
		if !strings.Contains(byID[id].Scanners, check+":") {
			t.Errorf("%s: the rule %q does not compare itself with it", check, id)
		}
	}
	for _, id := range []string{"agentskills", "x402", "mpp", "acp", "ap2"} {
		if byID[id].ID == "" {
			t.Errorf("no rule %q", id)
		}
	}
}

// readAs are the formats of the documents to copy, if their places do not say.
var readAs = map[string]string{"described": "apicatalog", "index": "aicatalog", "tools": "openapi", "ai_rules": "robots", "content_signals": "robots", "oauth_resource": "oauth"}

// A document to copy breaks no rule of its format, over https and on a server under
// development.
func TestDocumentsToCopyAreSound(t *testing.T) {
	site := &wayfind.Site{Origin: "https://shop.example"}
	for _, status := range []int{404, 200} {
		site.Probes = append(site.Probes, wayfind.Probe{URL: site.Origin + "/x", Verdict: wayfind.VerdictAbsent, Status: status})
	}
	var names []string
	for _, f := range formats.All() {
		names = append(names, f.Name)
	}
	report := sitecheck.Check(&sitecheck.Input{Site: site, Formats: names, Offer: sitecheck.Offer{Kinds: []wayfind.SchemeKind{wayfind.SchemeOAuth2}}})
	n := 0
	for _, c := range report.Checks {
		d := c.Document
		if d == nil {
			continue
		}
		n++
		want := readAs[c.ID]
		if want == "" {
			want = c.ID
		}
		r, err := client.Parse(t.Context(), []byte(d.Content), &client.ParseOptions{URL: site.Origin + d.Place, ContentType: d.MediaType, Full: true})
		if err != nil || r.Format != want || !r.Usable && want != "robots" || len(r.Diagnostics) > 0 {
			t.Errorf("%s: %v, read as %q, usable %v: %v\n%s", c.ID, err, r.Format, r.Usable, r.Diagnostics, d.Content)
		}
	}
	if n < 10 {
		t.Errorf("%d documents", n)
	}
}

// A level does not depend on luck: while a place was not asked because the time was over, no rule of a level
// passes, and the reason is that one.
func TestALevelNeedsAllPlaces(t *testing.T) {
	const origin = "https://shop.example"
	report := func(reason string) *sitecheck.Report {
		site := &wayfind.Site{Origin: origin, Probes: []wayfind.Probe{
			{URL: origin + "/.well-known/agent", Verdict: wayfind.VerdictAbsent, Status: 404},
			{URL: origin + "/openapi.json", Verdict: wayfind.VerdictSkipped, Reason: reason},
		}}
		return sitecheck.Check(&sitecheck.Input{Site: site})
	}
	passed := 0
	for _, c := range report("budget").Checks {
		if c.Status == sitecheck.Pass {
			passed++
		}
	}
	hurried := report("deadline")
	if passed == 0 || hurried.Level != 0 {
		t.Errorf("%d rules pass with all places, level %d without", passed, hurried.Level)
	}
	for _, l := range hurried.Levels {
		for _, id := range l.Checks {
			if c := hurried.Result(id); c.Status == sitecheck.Pass {
				t.Errorf("%s passes: %s", id, c.Why)
			}
		}
	}
}
