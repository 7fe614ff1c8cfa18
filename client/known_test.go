package client_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// Documents of formats that are not read are reported by name, each with its reason in the list of
// absences. They add neither a service nor any other fact.
func TestDocumentsThatAreNotReadAreReportedByName(t *testing.T) {
	absent := map[string]bool{}
	for _, a := range formats.Absences() {
		absent[a.Name] = true
	}
	for _, f := range formats.OnRequest() {
		absent[f.Name] = true // by default
	}
	for _, row := range []struct{ path, body, want string }{
		{"/.well-known/agents.json", `{"agentsJson": "0.1.0", "info": {}, "sources": [], "flows": []}`, "agentsjson"},
		{"/agents.txt", "User-agent: *\nAllow: /\n\nManifest: https://shop.example/llms.txt\n", "agentstxt"},
		{"/agents.txt", "Agent-Name: shop\nAgent-Description: Sells.\n", "agentstxt"},
		{"/.well-known/agents.txt", "# Agents\n\nEverybody is welcome.\n", "agentstxt"},
		{"/ai.txt", "# ai.txt\nUser-Agent: *\nDisallow: *.jpg\n", "aitxt"},
		{"/ai.txt", "Please cite us.\n", "aitxt"},
		{"/.well-known/ai.txt", "User-agent: *\nDisallow: /\n", "aitxt"},
		{"/.well-known/agent-permissions.json", `{"metadata": {}, "resource_rules": [{"verb": "click", "selector": "*", "allowed": false}]}`, "agentpermissions"},
		{"/agent-permissions.json", `{"permissions": {"training": "block"}}`, "agentpermissions"},
		{"/x.json", `{"resource_rules": []}`, "agentpermissions"},
		{"/.well-known/nlweb.json", `{"name": "Blog", "ask": "https://shop.example/ask"}`, "nlweb"},
		{"/.well-known/agent-descriptions", `{"@type": "CollectionPage", "items": [{"@type": "ad:AgentDescription", "name": "a", "@id": "https://shop.example/ad.json"}]}`, "anp"},
		{"/ad.json", `{"@context": {"ad": "https://x.example/ad#"}, "@type": "ad:AgentDescription", "name": "Hotel"}`, "anp"},
		{"/record.json", `{"schema_version": "0.7.0", "name": "a", "skills": [{"name": "b"}], "locators": [{"type": "docker_image", "url": "x"}]}`, "oasf"},
		{"/.well-known/agent-index.json", `{"version": 1, "agents": [{"name": "docs", "dnsName": "_docs._mcp._agents.shop.example"}]}`, "agentindex"},
		{"/.well-known/x402", `{"x402Version": 2, "items": []}`, "x402"},
		{"/.well-known/x402.json", `{"version": 1, "resources": ["GET /1.jpg"]}`, "x402"},
		{"/.well-known/x402", `{"endpoints": [{"path": "/a", "price": "0.01"}]}`, "x402"},
		{"/x.json", `{"network": "base", "payTo": "0x0", "resources": []}`, "x402"},
		{"/x.json", `{"accepts": [{"scheme": "exact", "payTo": "0x0"}]}`, "x402"},
		{"/.well-known/webmcp.json", `{"tools": [{"name": "find"}]}`, "webmcp"},
		{"/.well-known/http-message-signatures-directory", `{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "a"}]}`, "webbotauth"},
		{"/jwks.json", `{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "a"}]}`, "jwks"},
		{"/.well-known/tdmrep.json", `[{"location": "/", "tdm-reservation": 1}]`, "tdmrep"},
		{"/.well-known/tdmrep.json", `{"tdmrep": [{"location": "/", "tdm-reservation": 0}]}`, "tdmrep"},
		{"/.well-known/tdmrep.json", `{"tdm_reservation": 1}`, "tdmrep"},
		{"/client.json", `{"client_id": "https://shop.example/client.json", "redirect_uris": ["https://shop.example/cb"]}`, "cimd"},
		{"/agents.md", "# Agent Instructions — Shop\n\n## Commerce Protocol (UCP)\n\n- `GET https://shop.example/.well-known/ucp`\n", "shopagents"},
		{"/auth.md", "# auth.md\n\nPOST your name to https://shop.example/register.\n", "authmd"},
		{"/.well-known/auth.md", "# Authentication\n\nNone is needed.\n", "authmd"},
		{"/pricing.md", "# Pricing\n\nPro: $9\n", "pricingmd"},
		{"/llms-full.txt", "# Shop\n\n> All pages\n\n## Guide\n\nText.\n", "llmsfull"},
		{"/sitemap.xml", "<?xml version=\"1.0\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"></urlset>", "sitemaps"},
	} {
		r := parseText(t, row.body, &client.ParseOptions{URL: "https://shop.example" + row.path})
		if r.Verdict != wayfind.VerdictOtherFormat || r.Reason != row.want || r.Usable {
			t.Errorf("%s %s: %s %q, want %q", row.path, row.body, r.Verdict, r.Reason, row.want)
		}
		if len(r.Site.Services)+len(r.Site.Documents)+len(r.Site.Policies)+len(r.Site.Sources) != 0 {
			t.Errorf("%s %s gives %+v", row.path, row.body, r.Site)
		}
		if !absent[row.want] {
			t.Errorf("%q has no reason in the list of absences", row.want)
		}
	}
}

// A published text for agents of a shop is reported by name at each of its places, and so are
// published texts about registration.
func TestPublishedTextsAreReportedByName(t *testing.T) {
	for folder, row := range map[string]struct {
		want  string
		paths []string
	}{
		"agents-md-shopify": {"shopagents", []string{"/agents.md", "/.well-known/agents.md", "/llms-full.txt"}},
		"auth-md":           {"authmd", []string{"/auth.md"}},
	} {
		for _, file := range golden.Files(t, golden.Field(t, folder), "*") {
			body := golden.Read(t, file)
			for _, path := range row.paths {
				r := parseText(t, string(body), &client.ParseOptions{URL: "https://shop.example" + path})
				if r.Verdict != wayfind.VerdictOtherFormat || r.Reason != row.want || r.Usable {
					t.Errorf("%s at %s: %s %q %q", file, path, r.Format, r.Verdict, r.Reason)
				}
				leads := slices.ContainsFunc(r.Diagnostics, func(d wayfind.Diagnostic) bool { return strings.Contains(d.Message, "/.well-known/ucp") })
				if leads != (row.want == "shopagents") {
					t.Errorf("%s at %s leads to a profile: %t, %v", file, path, leads, r.Diagnostics)
				}
			}
		}
	}
}

// A document of another format at the wrong place is reported by name to a client that does not
// read the format.
func TestADocumentAtAWrongPlaceIsReportedByName(t *testing.T) {
	for body, want := range map[string]string{
		`{"linkset": [{"anchor": "https://shop.example/"}]}`:                        "apicatalog",
		`{"skills": [{"name": "a", "description": "b", "files": ["SKILL.md"]}]}`:    "agentskills",
		`{"entries": [{"identifier": "urn:air:shop.example:a", "type": "a/b"}]}`:    "aicatalog",
		`{"ucp": {"version": "2026-08-25", "services": {}}}`:                        "ucp",
		`{"protocol": {"name": "acp"}, "api_base_url": "https://shop.example/api"}`: "acp",
		`{"keys": [{"kty": "RSA", "n": "a", "e": "AQAB"}]}`:                         "jwks",
		`{"x402Version": 1, "accepts": []}`:                                         "x402",
		`[{"location": "/a", "tdm-reservation": 1}]`:                                "tdmrep",
	} {
		for _, path := range []string{"/.well-known/agent", "/agent.json", "/.well-known/mcp.json", "/llms.txt"} {
			r := parseText(t, body, &client.ParseOptions{URL: "https://shop.example" + path, Formats: withoutFormats("apicatalog", "agentskills", "aicatalog", "ucp", "acp", "links")})
			if r.Verdict != wayfind.VerdictOtherFormat || r.Reason != want {
				t.Errorf("%s at %s: %s %q, want %q", body, path, r.Verdict, r.Reason, want)
			}
		}
	}
}

// The tools of a page are not MCP tools, in any notation.
func TestToolsOfAPageAreNotMCPTools(t *testing.T) {
	const tools = `"tools": [{"name": "find", "description": "Finds.", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}}]`
	for _, body := range []string{`{` + tools + `}`, `{"name": "shop", "version": "1.0.0", ` + tools + `}`,
		`{"serverInfo": {"name": "shop"}, "transport": {"type": "streamable-http", "endpoint": "/mcp"}, ` + tools + `}`, `{"jsonrpc": "2.0", "id": 1, "result": {` + tools + `}, "tools": []}`} {
		r := parseText(t, body, &client.ParseOptions{URL: "https://shop.example/.well-known/webmcp.json"})
		if r.Verdict != wayfind.VerdictOtherFormat || r.Reason != "webmcp" || len(r.Site.Services) != 0 {
			t.Errorf("%s: %s %q %+v", body, r.Verdict, r.Reason, r.Site.Services)
		}
	}
}

// A text with the grammar of robots.txt is recognised only at a place that has no other meaning.
func TestATextLikeRobotsIsOneAtItsPlaceOnly(t *testing.T) {
	const text = "User-agent: *\nDisallow: /private\nSitemap: https://shop.example/sitemap.xml\n"
	for path, want := range map[string]string{"/robots.txt": "robots", "/cms/robots": "robots", "/ai.txt": "", "/.well-known/ai.txt": "", "/agents.txt": "", "/.well-known/agents.txt": ""} {
		if r := parseText(t, text, &client.ParseOptions{URL: "https://shop.example" + path}); r.Format != want {
			t.Errorf("%s: read as %q, want %q", path, r.Format, want)
		}
	}
}

// What has no marks is nothing, at any place.
func TestADocumentWithoutMarksIsUnknown(t *testing.T) {
	for _, body := range []string{`{}`, `[]`, `{"name": "x"}`, `{"keys": []}`, `{"keys": ["a"]}`, `{"resources": []}`, `{"tools": {}}`, `{"permissions": []}`,
		`{"@type": "CollectionPage"}`, `{"client_id": "a"}`, `{"agents": ["*"]}`, `"text"`, `7`, `{"x402": "no"}`} {
		for _, path := range []string{"/x.json", "/.well-known/x402", "/.well-known/webmcp.json", "/.well-known/tdmrep.json", "/.well-known/nlweb.json", "/.well-known/agent-permissions.json"} {
			if r := parseText(t, body, &client.ParseOptions{URL: "https://shop.example" + path}); r.Verdict == wayfind.VerdictOtherFormat || r.Verdict == wayfind.VerdictFound {
				t.Errorf("%s at %s: %s %q", body, path, r.Verdict, r.Reason)
			}
		}
	}
	for _, body := range []string{"<!doctype html><title>x</title>", "", "{", strings.Repeat("\x00", 100)} {
		for _, path := range []string{"/ai.txt", "/agents.txt"} {
			if r := parseText(t, body, &client.ParseOptions{URL: "https://shop.example" + path}); r.Verdict == wayfind.VerdictOtherFormat {
				t.Errorf("%q at %s: %s %q", body, path, r.Verdict, r.Reason)
			}
		}
	}
}
