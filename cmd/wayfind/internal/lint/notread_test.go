package lint

import (
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// notReadDocuments are documents of kinds that are not read, by the names of the kinds.
func notReadDocuments() map[string]string {
	return map[string]string{
		"agentsjson":       `{"agentsJson": "0.1.0", "info": {}, "sources": [], "flows": []}`,
		"agentindex":       `{"agents": [{"dnsName": "chat._agents.shop.example", "name": "Chat"}]}`,
		"x402":             `{"x402Version": 2, "resources": [{"resource": "https://shop.example/paid", "accepts": [{"payTo": "0x1"}]}]}`,
		"erc8004":          `{"type": "https://eips.ethereum.org/EIPS/eip-8004#registration-v1", "name": "Shop", "services": [{"name": "web", "endpoint": "https://shop.example/"}]}`,
		"agentfacts":       `{"agent_name": "urn:agent:shop", "label": "Shop", "endpoints": {"static": []}}`,
		"anp":              `{"@context": {}, "@type": "ad:AgentDescription", "name": "Shop"}`,
		"oasf":             `{"schema_version": "0.7.0", "name": "shop", "locators": [{"type": "docker_image", "url": "https://shop.example/i"}], "skills": []}`,
		"agentpermissions": `{"metadata": {}, "resource_rules": [{"verb": "click", "selector": "*", "allowed": false}]}`,
		"jwks":             `{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}]}`,
		"tdmrep":           `{"tdm-reservation": 1, "tdm-policy": "https://shop.example/policy"}`,
		"cimd":             `{"client_id": "https://shop.example/client.json", "client_name": "Shop", "redirect_uris": ["https://shop.example/back"]}`,
		"shopagents":       "# Agent Instructions — Shop\n\nUse `https://shop.example/.well-known/ucp`.\n",
	}
}

// A document of a kind that is not read is named by its content, wherever it lies, when a
// domain is resolved, when it is parsed and when it is linted.
func TestADocumentThatIsNotReadIsNamedInEveryWay(t *testing.T) {
	for kind, body := range notReadDocuments() {
		for _, place := range []string{"/.well-known/ai", "/.well-known/agent", "/agent.json", "/.well-known/agent-card.json", "/.well-known/mcp.json", "/.well-known/ai-catalog.json", "/agents.md"} {
			u := "https://shop.example" + place
			parsed, err := client.Parse(t.Context(), []byte(body), &client.ParseOptions{URL: u})
			if err != nil || parsed.Verdict != wayfind.VerdictOtherFormat || parsed.Reason != kind {
				t.Errorf("parse %s at %s: %v, %+v", kind, place, err, parsed)
			}
			l := &linter{App: &ui.App{}, file: client.ParseOptions{URL: u}, body: []byte(body)}
			if report := l.report(u, parsed); report.Verdict != wayfind.VerdictOtherFormat || report.Reason != kind || report.NotRead == "" {
				t.Errorf("lint %s at %s: %s %q %q", kind, place, report.Verdict, report.Reason, report.NotRead)
			}
			internet := clienttest.New(t)
			internet.Host("shop.example", clienttest.Pages{place: body})
			site, _ := internet.Client().Resolve(t.Context(), "shop.example")
			i := slices.IndexFunc(site.Probes, func(p wayfind.Probe) bool { return strings.HasSuffix(p.URL, "shop.example"+place) })
			if i < 0 || site.Probes[i].Verdict != wayfind.VerdictOtherFormat || site.Probes[i].Reason != kind || len(site.Services) != 0 {
				t.Errorf("resolve %s at %s: %+v", kind, place, site.Probes[max(i, 0)])
			}
		}
	}
}
