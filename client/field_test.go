package client_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// From the bare domain one Resolve finds the catalogue, the server card on a sibling
// host that it lists, the OpenAPI document behind the API catalog and a skill, each
// over one connection for its host.
func TestOneResolveOfAllIndexes(t *testing.T) {
	const (
		site    = "https://shop.com"
		sibling = "https://mcp.shop.com"
		skill   = "---\nname: refund\ndescription: Refunds an order.\n---\n# Refund\n\nAsk for the order first.\n"
		api     = `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, "paths": {"/orders": {"get": {"operationId": "listOrders", "responses": {"200": {"description": "ok"}}}}}}`
	)
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.com", clienttest.Pages{
			"/.well-known/ai-catalog.json": `{"specVersion": "1.0", "host": {"displayName": "Shop"}, "entries": [{"identifier": "urn:air:shop.com:orders",
				"displayName": "Orders", "type": "application/mcp-server-card+json", "url": "` + sibling + `/card.json"}]}`,
			"/.well-known/api-catalog": `{"linkset": [{"anchor": "` + site + `/api", "service-desc": [{"href": "` + site + `/openapi.json"}]}]}`,
			"/.well-known/agent-skills/index.json": fmt.Sprintf(`{"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
				"skills": [{"name": "refund", "type": "skill-md", "description": "Refunds.", "url": "/refund.md", "digest": "sha256:%x"}]}`, sha256.Sum256([]byte(skill))),
			"/openapi.json": api,
			"/refund.md":    skill,
		})
		other := internet.Host("mcp.shop.com", clienttest.Pages{
			"/card.json": `{"name": "com.shop/orders", "description": "Orders.", "version": "1.0.0", "remotes": [{"type": "streamable-http", "url": "` + sibling + `/mcp"}]}`,
		})
		c := newClient(t, internet, byDefault)
		got, err := c.Resolve(t.Context(), "shop.com")
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, source := range got.Sources {
			found = append(found, source.Format+" "+strings.TrimPrefix(source.URL, "https://"))
		}
		slices.Sort(found)
		if d := cmp.Diff([]string{
			"agentskills shop.com/.well-known/agent-skills/index.json", "aicatalog shop.com/.well-known/ai-catalog.json",
			"apicatalog shop.com/.well-known/api-catalog", "mcp mcp.shop.com/card.json", "openapi shop.com/openapi.json",
		}, found); d != "" {
			t.Errorf("sources (-want +got):\n%s", d)
		}
		for _, key := range []string{"agentskills:refund", "openapi:openapi/listOrders"} {
			if service, _ := got.Capability(key); service == nil {
				t.Errorf("%s was not found", key)
			}
		}
		card := slices.IndexFunc(got.Services, func(s wayfind.Service) bool { return strings.HasPrefix(s.ID, "mcp:") })
		if card < 0 || got.Services[card].Interfaces[0].URL != sibling+"/mcp" {
			t.Errorf("the server on the sibling host: %+v", got.Services)
		}
		if host.Conns() != 1 || other.Conns() != 1 || slices.Contains(other.Paths(), "/mcp") || slices.Contains(host.Paths(), "/refund.md") {
			t.Errorf("%d and %d connections, asked for %v and %v", host.Conns(), other.Conns(), host.Paths(), other.Paths())
		}
		d, err := c.Describe(t.Context(), got, "agentskills:refund")
		if err != nil || d.Content == nil || d.Content.Text != skill || !d.Content.Verified {
			t.Errorf("the skill: %+v, %v", d, err)
		}
	})
}

// The card of a server is asked for below its address, if a document on the site names
// the server and has no card of it: once, and not on another site.
func TestTheCardOfAServerIsAskedForBelowItsAddress(t *testing.T) {
	const card = `{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json", "name": "com.shop/orders", "description": "Orders and returns.",
		"version": "2.1.0", "title": "Orders", "remotes": [{"type": "streamable-http", "url": "https://api.shop.com/v1/mcp"}]}`
	config := `{"mcpServers": {"orders": {"url": "https://api.shop.com/v1/mcp"}, "other": {"url": "https://vendor.net/mcp"}}}`
	for name, pages := range map[string]clienttest.Pages{
		"named by a configuration": {"/.well-known/mcp.json": config},
		"with a card already":      {"/.well-known/mcp/server-card.json": card},
	} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("shop.com", pages)
			api := internet.Host("api.shop.com", clienttest.Pages{"/v1/mcp/server-card": card})
			vendor := internet.Host("vendor.net", nil)
			site, err := internet.Client().Resolve(t.Context(), "shop.com")
			if err != nil {
				t.Fatal(err)
			}
			named := pages["/.well-known/mcp.json"] != ""
			if got := asked(api)["/v1/mcp/server-card"]; got > 1 || (got == 1) != named || len(vendor.Paths()) != 0 {
				t.Errorf("%s: asked %v and %v", name, asked(api), vendor.Paths())
			}
			at := slices.IndexFunc(site.Services, func(s wayfind.Service) bool { return s.Version == "2.1.0" })
			if at < 0 || len(site.Services[at].Interfaces) != 1 {
				t.Errorf("%s: %+v", name, site.Services)
			}
		})
	}
}
