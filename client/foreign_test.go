package client_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// listedBy are the documents that a Site lists, with their relations.
func listedBy(site *wayfind.Site) (list []string) {
	for _, d := range site.Documents {
		list = append(list, d.Rel+" "+d.URL)
	}
	slices.Sort(list)
	return list
}

// Addresses in documents of no format are reported, and followed within the site if a document may
// be there. Documents behind them rank as linked.
func TestAddressesInAForeignDocumentAreFollowed(t *testing.T) {
	api := page(`{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {"/orders": {"get": {"operationId": "orders", "responses": {}}}}}`)
	for name, row := range map[string]struct{ path, body string }{
		"a home-made agent.json": {"/.well-known/agent.json", `{"name": "Shop", "mcp_endpoint": "https://shop.example/mcp", "api": {"openapi": "/openapi/v1.json"},
			"a2a": {"agent_card": "https://agent.other.example/card.json"}, "website": "https://shop.example/"}`},
		"a registration": {"/.well-known/agent-registration.json", `{"type": "https://eips.ethereum.org/EIPS/eip-8004#registration-v1", "name": "Shop", "services": [
			{"name": "MCP", "endpoint": "https://shop.example/mcp"}, {"name": "OpenAPI", "endpoint": "https://shop.example/openapi/v1.json"},
			{"name": "A2A", "endpoint": "https://agent.other.example/card.json"}, {"name": "email", "endpoint": "mailto:a@shop.example"}]}`},
		"agent facts": {"/.well-known/agent-facts", `{"agent_name": "Shop", "endpoints": {"static": ["https://shop.example/ask"], "mcp": "/mcp", "openapi_url": "/openapi/v1.json", "a2a": "https://agent.other.example/card.json"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			want := []string{"a2a https://agent.other.example/card.json", "mcp https://shop.example/mcp", "openapi https://shop.example/openapi/v1.json"}
			alone, err := client.Parse(t.Context(), []byte(row.body), &client.ParseOptions{URL: "https://shop.example" + row.path})
			if err != nil || len(alone.Site.Services) > 0 || alone.Verdict == wayfind.VerdictFound || !slices.Equal(listedBy(alone.Site), want) {
				t.Errorf("alone: %v, %s, services %+v, documents %q", err, alone.Verdict, alone.Site.Services, listedBy(alone.Site))
			}
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", nil).Handle("/openapi/v1.json", api).Handle("/.well-known/agent.json", page(row.body))
				other := internet.Host("agent.other.example", nil)
				p := offering(time.Hour, "find")
				site, err := newClient(t, internet, withFormats(formats.All()...), func(o *client.Options) { o.Live = []client.LiveProber{p} }).Resolve(t.Context(), "shop.example")
				if err != nil || !slices.Equal(listedBy(site), want) {
					t.Fatalf("%v, documents %q, want %q", err, listedBy(site), want)
				}
				if asked(host)["/mcp"] != 0 || asked(host)["/openapi/v1.json"] != 1 || len(asked(other)) != 0 {
					t.Errorf("asked: %v, and another site: %v", asked(host), asked(other))
				}
				p.want(t, "a server of the origin", map[string]int{"https://shop.example/mcp": 1})
				for _, s := range site.Sources {
					switch {
					case s.Format == "openapi" && s.Authority != wayfind.AuthorityLinked, s.Format == "links" && s.Authority != wayfind.AuthorityProse:
						t.Errorf("%s is %s", s.Format, s.Authority)
					}
				}
				if _, c := site.Capability("openapi:openapi-v1/orders"); c == nil {
					t.Errorf("the API is not read: %v", skillKeys(site))
				}
			})
		})
	}
}

// Foreign documents that lead to each other and to very many others cost no more than
// the links of a page do.
func TestForeignDocumentsEndWhereLinksEnd(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		var many []string
		for i := range 200 {
			many = append(many, fmt.Sprintf(`{"type": "mcp", "url": "https://shop.example/docs/%d.json"}`, i))
		}
		host := internet.Host("shop.example", nil)
		host.Handle("/.well-known/agent.json", page(`{"name": "Shop", "mcp_url": "/a.json", "servers": [`+strings.Join(many, ", ")+`]}`))
		host.Handle("/a.json", page(`{"mcp_url": "/.well-known/agent.json", "openapi": "/a.json", "mcp": "/b.json"}`))
		host.Handle("/b.json", page(`{"mcp_url": "/a.json"}`))
		site, _ := newClient(t, internet, withFormats(formats.All()...)).Resolve(t.Context(), "shop.example")
		followed := 0
		for path, n := range asked(host) {
			if n > 1 {
				t.Errorf("%s is asked for %d times", path, n)
			}
			if strings.HasPrefix(path, "/docs/") || path == "/a.json" || path == "/b.json" {
				followed++
			}
		}
		if followed == 0 || followed > 16 || len(site.Services) > 0 {
			t.Errorf("%d documents were followed, services %+v", followed, site.Services)
		}
	})
}
