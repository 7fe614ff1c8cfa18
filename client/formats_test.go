package client_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// The rules of the seeds' formats, seen from outside.

func allFormats(o *client.Options) { o.Formats = formats.All() }

const (
	aiDocument = `{"aiendpoint": "1.0", "service": {"name": "Shop", "description": "Sells things"},
		"capabilities": [{"id": "find", "description": "Find a product", "endpoint": "/api/products", "method": "GET", "params": {"q": "string, required — words"}},
			{"id": "order", "description": "Order a product", "endpoint": "/api/orders", "method": "POST"}], "auth": {"type": "none"}}`
	awpDocument = `{"awp_version": "0.2", "domain": "shop.example", "intent": "Sell things", "auth": {"required_for": ["buy"], "type": "bearer"},
		"actions": [{"id": "search", "description": "Search", "auth_required": false, "inputs": {"q": {"type": "string", "required": true}}, "outputs": {}, "endpoint": "/api/products", "method": "GET"},
			{"id": "buy", "description": "Buy", "auth_required": true, "inputs": {}, "outputs": {}, "endpoint": "/api/orders", "method": "POST", "requires_human_confirmation": true}]}`
	agentsDocument = "---\nversion: \"1.0\"\nmcp:\n  endpoint: https://shop.example/mcp\n---\n\n# Shop\n\nSells things.\n\n## Can\n\n- Find products\n\n## Cannot\n\n- Change prices\n"
	msDocument     = `{"agents": [{"name": "clerk", "description": "Answers questions"}]}`
)

func everything() clienttest.Pages {
	return clienttest.Pages{
		wellKnown: manifest("shop.example", "/d/order"), "/.well-known/ai": aiDocument, "/agent.json": awpDocument,
		"/.well-known/agents.md": agentsDocument, "/agents/v1": msDocument,
	}
}

// A domain that publishes all of the seeds' formats gives one Site.
func TestEverything(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", everything())
		c := newClient(t, internet, allFormats)
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		var sources []string
		for _, s := range site.Sources {
			sources = append(sources, s.Format)
		}
		if d := cmp.Diff([]string{"adp", "aidiscovery", "awp", "msagents", "agentsmd"}, sources); d != "" {
			t.Errorf("sources by authority (-want +got):\n%s", d)
		}
		_, find := site.Capability("awp:search")
		if find == nil || find.Key != "aidiscovery:find" {
			t.Fatalf("the same call of two documents is not one capability: %+v", find)
		}
		_, order := site.Capability("awp:buy")
		if order == nil || order.Effects.NeedsConfirmation == nil || !*order.Effects.NeedsConfirmation {
			t.Errorf("the more cautious word is lost: %+v", order)
		}
		if len(order.Auth.Requirements) != 1 || order.Auth.Schemes[order.Auth.Requirements[0][0].Scheme].Kind == wayfind.SchemeNone {
			t.Errorf("required beats none: %+v", order.Auth)
		}
		if _, lazy := site.Capability("adp:order"); !slices.Contains(lazy.Related, "aidiscovery:order") {
			t.Errorf("adp:order is related to %v", lazy.Related)
		}
		if !slices.ContainsFunc(site.Conflicts, func(c wayfind.Conflict) bool { return c.Subject == "aidiscovery:order" && c.Field == "auth" }) {
			t.Errorf("conflicts %+v", site.Conflicts)
		}
		if host.Conns() != 1 {
			t.Errorf("%d connections", host.Conns())
		}
		// Merging does not change the readings: a second merge has the same result.
		before, _ := json.Marshal(site.Services)
		c.Invalidate("shop.example")
		again, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if after, _ := json.Marshal(again.Services); string(after) != string(before) {
			t.Errorf("a second merge differs:\n%s\n%s", before, after)
		}
	})
}

// FirstMatch stops at the first usable document, in order of authority.
func TestFirstMatchOfAll(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		pages := everything()
		delete(pages, wellKnown)
		host := internet.Host("shop.example", pages)
		c := newClient(t, internet, allFormats, func(o *client.Options) { o.Mode = client.FirstMatch })
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil || len(site.Services) != 1 || site.Services[0].ID != "aidiscovery" {
			t.Errorf("%v, %+v", err, site.Services)
		}
		if d := cmp.Diff([]string{wellKnown, "/.well-known/ai"}, host.Paths()); d != "" {
			t.Errorf("asked for (-want +got):\n%s", d)
		}
	})
}

// AI Discovery Endpoint §4.3: an absence is valid for a day, whatever the header, even for Refresh.
func TestAbsenceOfAIDiscovery(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Page{Status: 404, Header: http.Header{"Cache-Control": {"no-store, max-age=0"}}})
		c := newClient(t, internet, allFormats)
		count := func() int {
			return len(slices.DeleteFunc(host.Paths(), func(p string) bool { return p != "/.well-known/ai" && p != "/ai" }))
		}
		for range 3 {
			_, _ = c.Resolve(t.Context(), "shop.example")
			_, _ = c.Refresh(t.Context(), "shop.example")
			time.Sleep(7 * time.Hour)
		}
		if n := count(); n != 2 {
			t.Errorf("asked %d times within a day: %v", n, host.Paths())
		}
		time.Sleep(4 * time.Hour)
		if _, _ = c.Resolve(t.Context(), "shop.example"); count() != 4 {
			t.Errorf("asked %d times after a day, want each place once more", count())
		}
	})
}

// The agents.md protocol allows one request an hour, whatever the header.
func TestAgentsMDIsAskedForOnceAnHour(t *testing.T) {
	for name, page := range map[string]clienttest.Page{
		"no-store":  {Body: agentsDocument, Header: http.Header{"Cache-Control": {"no-store"}}},
		"max-age=0": {Body: agentsDocument, Header: http.Header{"Cache-Control": {"max-age=0"}}},
		"500":       {Status: 500},
		"404":       {Status: 404, Header: http.Header{"Cache-Control": {"no-store"}}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", clienttest.Pages{})
				page.Header = page.Header.Clone()
				host.Handle("/.well-known/agents.md", page)
				c := newClient(t, internet, allFormats)
				for range 6 {
					_, _ = c.Resolve(t.Context(), "shop.example")
					_, _ = c.Refresh(t.Context(), "shop.example")
					time.Sleep(9 * time.Minute)
				}
				for _, path := range []string{"/.well-known/agents.md", "/agents.md"} {
					if n := len(slices.DeleteFunc(host.Paths(), func(p string) bool { return p != path })); n > 1 {
						t.Errorf("%s was asked %d times within an hour", path, n)
					}
				}
			})
		})
	}
}

// An agents.md that a redirect takes to another site is absent, and the other site is not asked.
func TestAgentsMDStaysOnItsSite(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{})
		host.Handle("/.well-known/agents.md", clienttest.Redirect(302, "https://evil.example.net/agents.md"))
		evil := internet.Host("evil.example.net", clienttest.Pages{"/agents.md": agentsDocument})
		site, err := newClient(t, internet, allFormats).Resolve(t.Context(), "shop.example")
		if !errors.Is(err, wayfind.ErrNotFound) || len(evil.Paths()) != 0 {
			t.Errorf("%v; the other site was asked for %v", err, evil.Paths())
		}
		if probed(site)["/.well-known/agents.md"] != wayfind.VerdictAbsent {
			t.Errorf("verdicts %v", probed(site))
		}
	})
}

// An MCP endpoint on another site is shown, and would need approval.
func TestMCPEndpointTrust(t *testing.T) {
	for endpoint, want := range map[string]wayfind.Trust{
		"https://shop.example.com/mcp":     wayfind.TrustSameOrigin,
		"https://api.example.com/mcp":      wayfind.TrustSameSite,
		"https://mcp.other.example.net/":   wayfind.TrustNeedsApproval,
		"http://shop.example.com/mcp":      wayfind.TrustSameOrigin, // over https
		"http://api.example.com/mcp":       wayfind.TrustCrossSite,
		"https://shop.example.com.evil.io": wayfind.TrustNeedsApproval,
	} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			body := strings.Replace(agentsDocument, "https://shop.example/mcp", endpoint, 1)
			internet.Host("shop.example.com", clienttest.Pages{"/.well-known/agents.md": body})
			site, err := newClient(t, internet, allFormats).Resolve(t.Context(), "shop.example.com")
			if err != nil || len(site.Services[0].Interfaces) != 1 || site.Services[0].Interfaces[0].Trust != want {
				t.Errorf("%s: %v, %+v, want %s", endpoint, err, site.Services, want)
			}
		})
	}
}

// An agent.json about another domain has the authority of a third party.
func TestADocumentAboutAnotherDomainIsTheClaimOfAStranger(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/agent.json": strings.Replace(awpDocument, "shop.example", "bank.com", 1)})
		site, err := newClient(t, internet, allFormats).Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if site.Sources[0].Trust != wayfind.TrustCrossSite || site.Services[0].Capabilities[0].Trust != wayfind.TrustCrossSite {
			t.Errorf("source %s, capability %s", site.Sources[0].Trust, site.Services[0].Capabilities[0].Trust)
		}
		if !slices.ContainsFunc(site.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "awp.domain_mismatch" }) {
			t.Errorf("diagnostics %v", site.Diagnostics)
		}
	})
}
