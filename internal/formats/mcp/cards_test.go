package mcp_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
)

// placeCard, placeManifest and placeServer are places of the
// documents below.
const (
	placeCard     = "https://example.com/.well-known/mcp/server-card.json"
	placeManifest = "https://example.com/.well-known/mcp.json"
	placeServer   = "https://example.com/server.json"
)

// endpointURL is the endpoint of the server in the documents below.
const endpointURL = "https://example.com/mcp"

// parsed reads a document like "wayfind parse".
func parsed(t *testing.T, place, body string) *client.ParseResult {
	t.Helper()
	if !json.Valid([]byte(body)) {
		t.Fatalf("the test's document is no JSON: %s", body)
	}
	r, err := client.Parse(t.Context(), []byte(body), &client.ParseOptions{URL: place})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wantEndpoint checks that a document is of MCP and names endpointURL.
func wantEndpoint(t *testing.T, r *client.ParseResult) {
	t.Helper()
	var urls []string
	for _, s := range r.Site.Services {
		for _, i := range s.Interfaces {
			if i.Protocol == "mcp" {
				urls = append(urls, i.URL)
			}
		}
	}
	if r.Format != "mcp" || r.Verdict != wayfind.VerdictFound || !slices.Contains(urls, endpointURL) {
		t.Errorf("%s %s, endpoints %q, want mcp found with %s", r.Format, r.Verdict, urls, endpointURL)
	}
}

// card returns a Server Card with a further member.
func card(more string) string {
	return `{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
		"name": "example.shop/shop", "version": "1", "description": "A shop.",
		"remotes": [{"type": "streamable-http", "url": "` + endpointURL + `"}]` + more + `}`
}

// TestACardWithMembersOfOtherFormatsIsACard checks that its $schema makes a document a Server
// Card (SEP-2127). A member of another format does not change that.
func TestACardWithMembersOfOtherFormatsIsACard(t *testing.T) {
	for _, more := range []string{
		`, "skills": []`, `, "skills": [{"id": "x", "name": "x"}]`, `, "supportedInterfaces": []`,
		`, "openapi": "https://example.com/openapi.json"`, `, "openapi": {"url": "/openapi.json"}`, `, "swagger": null`,
	} {
		t.Run(more, func(t *testing.T) { wantEndpoint(t, parsed(t, placeCard, card(more))) })
	}
}

// The description to which a card links is a document of the site.
func TestTheDescriptionThatACardLinksToIsOfTheSite(t *testing.T) {
	r := parsed(t, placeCard, card(`, "openapi": "https://example.com/api/description.json"`))
	wantEndpoint(t, r)
	if !strings.Contains(asJSON(t, r), "https://example.com/api/description.json") {
		t.Errorf("the link is lost: %s", asJSON(t, r))
	}
}

// At MCP's own places, a document that names a URL of the site for a transport of MCP is a
// document of MCP, regardless of its other members.
func TestAURLForATransportMakesADocumentOneOfMCP(t *testing.T) {
	for _, body := range []string{
		`{"name": "shop", "x": 1, "transport": {"type": "streamable-http", "url": "U"}}`,
		`{"name": "shop", "x": 1, "transports": {"streamableHttp": {"url": "U"}}}`,
		`{"name": "shop", "x": 1, "transports": {"sse": {"endpoint": "/mcp"}}}`,
		`{"server": {"name": "shop", "url": "U"}}`,
		`{"servers": [{"name": "shop", "url": "U"}], "x": 1}`,
		`{"serverInfo": {"name": "shop", "version": "1", "url": "U"}, "x": 1}`,
		`{"name": "shop", "mcp_server": "U", "x": 1}`,
		`{"name": "shop", "mcp_endpoint": "U", "x": 1}`,
		`{"name": "shop", "streamable_http_endpoint": "U", "x": 1}`,
	} {
		t.Run(body, func(t *testing.T) {
			for _, place := range []string{placeManifest, placeCard} {
				wantEndpoint(t, parsed(t, place, strings.ReplaceAll(body, `"U"`, `"`+endpointURL+`"`)))
			}
		})
	}
}

// asJSON returns the whole reading.
func asJSON(t *testing.T, r *client.ParseResult) string {
	t.Helper()
	b, err := json.Marshal(r.Site)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestACardWithoutRemotesIsACard checks that a card without remotes is a card (SEP-2127,
// "remotes" is optional), with the name and the version of a server.
func TestACardWithoutRemotesIsACard(t *testing.T) {
	r := parsed(t, placeCard, `{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
		"name": "example.shop/shop", "version": "1.2.3", "description": "A shop."}`)
	if r.Verdict != wayfind.VerdictFound || len(r.Site.Services) != 1 || r.Site.Services[0].Name != "example.shop/shop" || r.Site.Services[0].Version != "1.2.3" {
		t.Errorf("%s (%s), services %+v", r.Verdict, r.Reason, r.Site.Services)
	}
	for _, d := range r.Diagnostics {
		if d.Severity == wayfind.SeverityError {
			t.Errorf("%s: %s", d.Code, d.Message)
		}
	}
}

// TestMembersBesideAListOfServersAreKept checks the members next to a list of servers.
func TestMembersBesideAListOfServersAreKept(t *testing.T) {
	const beside = `"name": "Shoe shop", "version": "3.7.1", "license": "Apache-2.0",
		"tools": [{"name": "find_shoes", "description": "Finds shoes."}], "resources": [{"uri": "shop://catalogue", "name": "catalogue"}], `
	for name, list := range map[string]string{
		"mcpServers": `"mcpServers": {"shop": {"type": "http", "url": "https://example.com/mcp"}}`,
		"servers":    `"mcpVersion": "1", "servers": [{"name": "shop", "transport": "streamable-http", "url": "https://example.com/mcp"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			r := parsed(t, placeManifest, "{"+beside+list+"}")
			wantEndpoint(t, r)
			for _, word := range []string{"Shoe shop", "3.7.1", "Apache-2.0", "find_shoes", "shop://catalogue"} {
				if !strings.Contains(asJSON(t, r), word) {
					t.Errorf("%q is lost", word)
				}
			}
		})
	}
}

// withHeader returns a server.json with one header of its remote.
func withHeader(header string) string {
	return `{"$schema": "https://static.modelcontextprotocol.io/schemas/2025-09-29/server.schema.json", "name": "io.example/shop",
		"version": "1", "description": "A shop.", "remotes": [{"type": "streamable-http", "url": "` + endpointURL + `", "headers": [` + header + `]}]}`
}

// If a document does not state whether a secret is required, this does not mean that nothing is
// required.
func TestSilenceAboutASecretDoesNotMeanThatNothingIsNeeded(t *testing.T) {
	r := parsed(t, placeServer, withHeader(`{"name": "X-Api-Key", "isSecret": true}`))
	wantEndpoint(t, r)
	for _, s := range r.Site.Services {
		for _, auth := range []*wayfind.Auth{s.Auth, s.Interfaces[0].Auth} {
			if auth == nil || len(auth.Requirements) == 0 {
				t.Errorf("auth %+v", auth)
				continue
			}
			for _, alternative := range auth.Requirements {
				if slices.ContainsFunc(alternative, func(q wayfind.Requirement) bool { return auth.Schemes[q.Scheme].Kind == wayfind.SchemeNone }) {
					t.Errorf("an alternative says that nothing is needed: %+v", auth.Requirements)
				}
			}
		}
	}
}

// live returns a manifest with tools in one of the places where publishers write them.
func live(members string) string {
	return `{"serverInfo": {"name": "shop", "version": "1"}, "transport": {"type": "streamable-http", "url": "` + endpointURL + `"}, ` + members + `}`
}

// TestHintsOfThePublisherWin checks that a publisher's statement about a tool is used, also if
// it is not inside "annotations", and that a default of the specification only applies without
// a statement (MCP, ToolAnnotations).
func TestHintsOfThePublisherWin(t *testing.T) {
	r := parsed(t, placeManifest, live(`"tools": [
		{"name": "read", "inputSchema": {"type": "object"}, "readOnly": true},
		{"name": "add", "inputSchema": {"type": "object"}, "destructive": false, "idempotent": true, "annotations": {"title": "Add"}}]`))
	want := map[string][3]string{"read": {"true", "", ""}, "add": {"", "false", "true"}}
	for _, c := range r.Site.Capabilities() {
		if c.Effects == nil {
			t.Errorf("%s has no effects", c.Name)
			continue
		}
		for i, got := range []*bool{c.Effects.ReadOnly, c.Effects.Destructive, c.Effects.Idempotent} {
			if word := want[c.Name][i]; word != "" && (got == nil || *got != (word == "true")) {
				t.Errorf("%s: hint %d is not %s: %s", c.Name, i, word, asJSON(t, r))
			}
		}
	}
}

// TestToolsUnderCapabilitiesAreTools checks tools inside capabilities.
func TestToolsUnderCapabilitiesAreTools(t *testing.T) {
	r := parsed(t, placeManifest, live(`"capabilities": {"tools": [{"name": "find", "description": "Finds shoes.", "inputSchema": {"type": "object"}}]}`))
	var names []string
	for _, c := range r.Site.Capabilities() {
		names = append(names, c.Name)
	}
	if !slices.Equal(names, []string{"find"}) {
		t.Errorf("tools %q", names)
	}
}

// TestInputsOfPackagesAreKept checks that the purpose of the variables and arguments of a
// package, and whether they are required and secret, is kept (server.json, Input).
func TestInputsOfPackagesAreKept(t *testing.T) {
	r := parsed(t, placeServer, `{"$schema": "https://static.modelcontextprotocol.io/schemas/2025-09-29/server.schema.json",
		"name": "io.example/shop", "version": "1", "description": "A shop.", "packages": [{"registryType": "npm", "identifier": "@example/shop",
		"version": "1", "transport": {"type": "stdio"},
		"environmentVariables": [{"name": "SHOP_TOKEN", "description": "The token of the shop", "isRequired": true, "isSecret": true},
			{"name": "SHOP_REGION", "default": "eu-west-7"}],
		"packageArguments": [{"type": "named", "name": "--shop", "description": "Which of the shops", "isRequired": true}]}]}`)
	for _, word := range []string{"The token of the shop", "eu-west-7", "Which of the shops", `"isRequired":true`, `"isSecret":true`} {
		if text := strings.ReplaceAll(strings.ReplaceAll(asJSON(t, r), `"required":true`, `"isRequired":true`), `"secret":true`, `"isSecret":true`); !strings.Contains(text, word) {
			t.Errorf("%q is lost: %s", word, text)
		}
	}
}

// TestTheAuthorizationServerOfACardIsKept checks that the link of a card to metadata is kept,
// from which a client learns how to authenticate (MCP, Authorization).
func TestTheAuthorizationServerOfACardIsKept(t *testing.T) {
	r := parsed(t, placeManifest, live(`"authentication": {"required": true, "schemes": ["oauth2"], "authorizationServer": "https://auth.example.com",
		"protectedResource": "https://example.com/.well-known/oauth-protected-resource"}`))
	wantEndpoint(t, r)
	var kept []string
	for _, s := range r.Site.Services {
		if s.Auth != nil {
			for _, scheme := range s.Auth.Schemes {
				kept = append(kept, scheme.MetadataURL)
			}
		}
	}
	if !slices.ContainsFunc(kept, func(u string) bool {
		return strings.HasPrefix(u, "https://auth.example.com") || u == "https://example.com/.well-known/oauth-protected-resource"
	}) {
		t.Errorf("metadata at %q", kept)
	}
}

// TestAServerFileMayListSeveral checks a server.json that is a list of servers.
func TestAServerFileMayListSeveral(t *testing.T) {
	wantEndpoint(t, parsed(t, placeServer, "["+withHeader("")+"]"))
}
