package mcp_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/mcp"
	"github.com/wayfindhq/wayfind/parse"
)

// The home page beside an address is no endpoint, and the transport that a document states is that of its
// address, whatever the names of both.
func TestAnEndpointHasTheTransportOfItsDocument(t *testing.T) {
	const home, at = "https://shop.example/", "https://shop.example/mcp"
	for name, row := range map[string]struct {
		body string
		want []string
	}{
		"mcp_endpoint":              {`"transport": "streamable-http", "mcp_endpoint": "` + at + `"`, []string{"streamable-http " + at}},
		"mcp_endpoint and url":      {`"transport": "streamable-http", "url": "` + home + `", "mcp_endpoint": "` + at + `"`, []string{"streamable-http " + at}},
		"endpoint and url":          {`"transport": "sse", "url": "https://shop.example", "endpoint": "` + at + `"`, []string{"sse " + at}},
		"server_url and a list":     {`"server_url": "` + at + `", "transports": ["streamable-http", "sse"]`, []string{"streamable-http " + at, "sse " + at}},
		"mcpEndpoint and an object": {`"mcpEndpoint": "` + at + `", "transport": {"type": "streamable-http"}`, []string{"streamable-http " + at}},
		"url at the root alone":     {`"transport": "streamable-http", "url": "` + home + `"`, []string{"streamable-http " + home}},
		"its own word":              {`"transport": "streamable-http", "sse_url": "https://shop.example/sse", "mcp_url": "` + at + `"`, []string{"sse https://shop.example/sse", "streamable-http " + at}},
	} {
		u := &url.URL{Scheme: "https", Host: "shop.example", Path: "/.well-known/mcp.json"}
		in := &parse.Input{URL: u, FinalURL: u, Body: []byte(`{"name": "Shop", "protocol": "MCP", ` + row.body + `}`)}
		read, err := mcp.Format().Parse(in)
		if err != nil || len(read.Services) != 1 {
			t.Fatalf("%s: %v, %v", name, read, err)
		}
		var got []string
		for _, f := range read.Services[0].Interfaces {
			got = append(got, strings.TrimSpace(f.Transport+" "+f.URL))
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
		for _, d := range read.Diagnostics {
			if strings.Contains(d.Message, "url") && strings.Contains(d.Message, "missing") {
				t.Errorf("%s: %s", name, d.Message)
			}
		}
	}
}
