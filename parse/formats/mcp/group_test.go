package mcp_test

import (
	"testing"

	"github.com/wayfindhq/wayfind/parse/formats/mcp"
)

// At MCP's own places an address below a word for a transport is the server's, in
// whichever group of members a publisher has put it.
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
