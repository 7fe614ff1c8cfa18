package mcp_test

import (
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/mcp"
	"github.com/wayfindhq/wayfind/parse"
)

// At MCP's own places an address under a word for a transport is the address of the server, in
// any group of members.
func TestAnAddressInAGroupIsTheServers(t *testing.T) {
	for body, want := range map[string]string{
		`{"name": "a", "version": "1", "mcp_pack": {"sse_endpoint": "https://shop.example/sse", "tools": 3}}`: "sse https://shop.example/sse",
		`{"name": "a", "connect": {"http": "https://shop.example/mcp", "docs": "https://shop.example/docs"}}`: "streamable-http https://shop.example/mcp",
		`{"name": "a", "mcpServers": {"http": {"url": "https://shop.example/mcp", "type": "sse"}}}`:           "sse https://shop.example/mcp",
		`{"name": "a", "connect": {"docs": "https://shop.example/docs"}}`:                                     "",
		`{"name": "a", "pricing": {"http": "https://shop.example/prices"}}`:                                   "",
	} {
		in, got := served(t, ":"+mcp.PathJSON, []byte(body)), ""
		if mcp.Format().Match(in).Level > 0 {
			r, err := mcp.Format().Parse(in)
			if err != nil {
				t.Fatal(err)
			}
			for i := range r.Services {
				for _, f := range r.Services[i].Interfaces {
					got += f.Transport + " " + f.URL
				}
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// Tools at a place of MCP are read, regardless of a place, or an empty member for a place, next
// to them. An address that is marked as an address of MCP is the address of the server.
func TestToolsWithoutANameAreReadBesideAPlace(t *testing.T) {
	const tools = `"tools": [{"name": "find", "inputSchema": {"type": "object"}}]`
	for beside, faces := range map[string]int{
		`"url": "https://shop.example/"`: 0, `"endpoints": {}`: 0, `"endpoint": ""`: 0, `"remotes": []`: 0, `"transport": {}`: 0, `"url": "https://shop.example/mcp"`: 1,
	} {
		in := served(t, ":"+mcp.PathJSON, []byte("{"+beside+", "+tools+"}"))
		if claim := mcp.Format().Match(in); claim.Level != parse.Exact {
			t.Errorf("%s: %+v", beside, claim)
			continue
		}
		r, err := mcp.Format().Parse(in)
		if err != nil || len(r.Services) != 1 || len(r.Services[0].Capabilities) != 1 || len(r.Services[0].Interfaces) != faces {
			t.Errorf("%s: %v, %+v", beside, err, r)
		}
	}
}
