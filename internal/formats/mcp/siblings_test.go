package mcp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
)

// TestSpellingsOfEndpointsOfMCPAreRead checks the many ways to mark an address of MCP. No other
// member hides the address.
func TestSpellingsOfEndpointsOfMCPAreRead(t *testing.T) {
	const others = `, "openapi": {"paths": {}}, "swagger": "/api.json", "entries": [], "x": {"url": "https://example.com/other"}`
	for _, body := range []string{
		`{"mcp": "U"M}`, `{"mcp": {"url": "U"}M}`, `{"mcpUrl": "U"M}`, `{"mcp_server_url": "U"M}`, `{"sse_url": "/mcp"M}`, `{"httpUrl": "U"M}`,
		`{"url": "U", "type": "streamable-http"M}`, `{"name": "a", "url": "U", "transport": "http"M}`, `{"protocol": "mcp", "endpoint": "U"M}`,
		`{"endpoints": {"mcp": {"url": "U"}, "web": "https://example.com/"}M}`, `{"endpoints": [{"type": "sse", "url": "U"}, {"type": "rest", "url": "https://example.com/"}]M}`,
		`{"remotes": {"streamable-http": {"url": "U"}}M}`, `{"remotes": [{"type": "sse", "url": "U"}]M}`, `{"transport": {"url": "U"}M}`,
		`{"server": {"name": "a", "remotes": [{"type": "sse", "url": "U"}]}M}`, `{"mcpServers": [{"name": "a", "url": "U"}]M}`,
		`{"servers": [{"name": "a", "endpoint": "U"}]M}`, `{"mcp": {"streamable_http": "U"}M}`, `{"mcp": {"sse": {"url": "U"}, "docs": "/docs"}M}`,
		`{"connection": {"protocol": "mcp", "url": "U"}M}`, `{"title": "Shop", "agent_access": {"type": "streamable-http", "endpoint": "U"}M}`, `[{"name": "a", "transport": "sse", "url": "U"M}]`,
	} {
		t.Run(body, func(t *testing.T) {
			for _, more := range []string{"", others} {
				wantEndpoint(t, parsed(t, placeManifest, strings.NewReplacer(`"U"`, `"`+endpointURL+`"`, "M", more).Replace(strings.ReplaceAll(body, "MCP", "mcp"))))
			}
		})
	}
	for _, body := range []string{
		`{"name": "a", "authorization_endpoint": "https://example.com/mcp"}`, `{"name": "a", "transports": [{"type": "stdio", "command": "a"}], "x": 1}`,
		`{"mcp_endpoint": "ask us"}`, `{"mcp_endpoint": "javascript:alert(1)"}`, `{"mcp": {"enabled": true}}`,
		`{"connection": {"protocol": "https", "url": "https://example.com/api"}}`, `{"mcp": {"docs": "https://example.com/docs"}}`,
		`{"transports": [{"type": "https", "url": "https://example.com/api"}]}`,
	} {
		if r := parsed(t, placeManifest, body); r.Usable && len(r.Site.Services[0].Interfaces) > 0 {
			t.Errorf("%s: an interface was made up: %+v", body, r.Site.Services[0].Interfaces)
		}
	}
}

// Packages and remotes of a server.json are optional too. An unusable address is a different
// case.
func TestARegistryEntryWithoutPackagesAndRemotesIsRead(t *testing.T) {
	const head = `{"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json", "name": "io.example/shop", "version": "1", "description": "A shop."`
	if r := parsed(t, placeServer, head+`}`); r.Verdict != wayfind.VerdictFound || r.Site.Services[0].Name != "io.example/shop" {
		t.Errorf("%s (%s)", r.Verdict, r.Reason)
	}
	if r := parsed(t, placeServer, head+`, "remotes": [{"type": "sse", "url": "javascript:x"}]}`); r.Verdict != wayfind.VerdictMalformed || r.Format != "mcp" {
		t.Errorf("%q %s (%s)", r.Format, r.Verdict, r.Reason)
	}
}

// Information next to several servers is a separate service, or belongs to the server with the
// same place. Its authentication applies to servers without a statement about authentication.
func TestWhatStandsBesideSeveralServersIsAServiceOfItsOwn(t *testing.T) {
	const list = `"servers": [{"name": "a", "transport": "sse", "url": "https://example.com/a"}, {"name": "b", "transport": "sse", "url": "https://example.com/b", "authentication": "none"}]`
	r := parsed(t, placeManifest, `{"name": "Shops", "authentication": {"schemes": ["bearer"]}, "tools": [{"name": "find", "inputSchema": {"type": "object"}}], `+list+`}`)
	if len(r.Site.Services) != 3 || r.Site.Services[2].Name != "Shops" || len(r.Site.Services[2].Capabilities) != 1 || r.Site.Services[2].Capabilities[0].Invocation != nil {
		t.Fatalf("%s", asJSON(t, r))
	}
	if a, b := r.Site.Services[0].Auth, r.Site.Services[1].Auth; a == nil || a.Schemes["bearer"].Kind == "" || b == nil || b.Schemes["none"].Kind == "" {
		t.Errorf("auth %+v, %+v", a, b)
	}
	r = parsed(t, placeManifest, `{"version": "7", "url": "https://example.com/b", "transport": "sse", `+list+`}`)
	if len(r.Site.Services) != 2 || r.Site.Services[1].Version != "7" || r.Site.Services[0].Version != "" {
		t.Errorf("%s", asJSON(t, r))
	}
}

// TestASecretThatIsNotRequiredLeavesTheChoice checks that a secret that is not required is
// optional, and that the default is marked.
func TestASecretThatIsNotRequiredLeavesTheChoice(t *testing.T) {
	free := parsed(t, placeServer, withHeader(`{"name": "X-Api-Key", "isSecret": true, "isRequired": false}`)).Site.Services[0].Auth
	if _, ok := free.Schemes["none"]; !ok || free.Schemes["x-api-key"].Defaulted != nil {
		t.Errorf("auth %+v", free)
	}
	kept := parsed(t, placeServer, withHeader(`{"name": "X-Api-Key", "isSecret": true}, {"name": "X-More", "isSecret": true}`)).Site.Services[0].Auth
	if len(kept.Requirements) != 1 || len(kept.Requirements[0]) != 2 || !slices.Equal(kept.Schemes["x-api-key"].Defaulted, []string{"required"}) {
		t.Errorf("auth %+v", kept)
	}
}

// If two hints contradict each other, the hint in the right place is used, and the other is
// reported.
func TestOfTwoContradictingHintsTheOneInItsPlaceCounts(t *testing.T) {
	r := parsed(t, placeManifest, live(`"tools": [{"name": "a", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false}, "readOnly": true}]`))
	if e := r.Site.Services[0].Capabilities[0].Effects; *e.ReadOnly || slices.Contains(e.Defaulted, "readOnly") {
		t.Errorf("effects %+v", e)
	}
	if !slices.ContainsFunc(r.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "mcp.hints" && d.Pointer == "/tools/0/readOnly" }) {
		t.Errorf("diagnostics %+v", r.Diagnostics)
	}
}

// TestNoSecretOfAPackageIsKept checks that neither the default nor the value of a secret is
// kept.
func TestNoSecretOfAPackageIsKept(t *testing.T) {
	const secret = "sk_live_0123456789"
	r := parsed(t, placeServer, `{"$schema": "https://static.modelcontextprotocol.io/schemas/2025-09-29/server.schema.json", "name": "io.example/shop", "version": "1",
		"description": "A shop.", "packages": [{"registryType": "npm", "identifier": "a", "transport": {"type": "stdio"}, "environmentVariables":
		[{"name": "A", "isSecret": true, "default": "`+secret+`"}, {"name": "B_TOKEN", "value": "`+secret+`"}, {"name": "C", "isSecret": true, "placeholder": "`+secret+`"}],
		"packageArguments": [{"type": "named", "name": "--key", "isSecret": true, "value": "`+secret+`", "description": "The key"}]}]}`)
	if text := asJSON(t, r); strings.Contains(text, secret) || !strings.Contains(text, "The key") {
		t.Errorf("%s", text)
	}
}
