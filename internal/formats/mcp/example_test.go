package mcp_test

import (
	"fmt"
	"net/url"

	"github.com/wayfindhq/wayfind/internal/formats/mcp"
	"github.com/wayfindhq/wayfind/parse"
)

func Example() {
	in := &parse.Input{
		FinalURL: &url.URL{Scheme: "https", Host: "shop.example", Path: mcp.PathCard},
		Body: []byte(`{
			"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
			"name": "com.example/shop", "version": "1.0.0", "description": "Searches the shop.",
			"remotes": [{"type": "http", "url": "https://shop.example/mcp",
				"headers": [{"name": "X-API-Key", "isRequired": true, "isSecret": true}]}]
		}`),
	}
	reading, err := mcp.Format().Parse(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range reading.Services[0].Interfaces {
		fmt.Println(f.Protocol, f.Transport, f.URL, f.Auth.Schemes["x-api-key"].Kind)
	}
	for _, d := range reading.Diagnostics {
		fmt.Println(d.Severity, d.Code, d.Pointer)
	}
	// Output:
	// mcp streamable-http https://shop.example/mcp api_key
	// error mcp.transport /remotes/0/type
}

func ExampleReadPage() {
	page, err := mcp.ReadPage("tools/list", &parse.Input{Body: []byte(`{"jsonrpc": "2.0", "id": 1, "result": {
		"tools": [{"name": "find", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}],
		"nextCursor": "", "ttlMs": 60000, "cacheScope": "public"
	}}`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := page.Capabilities[0]
	fmt.Println(c.Kind, c.ID, c.Claimed, *c.Effects.ReadOnly, c.Invocation.Via, c.Invocation.Operation)
	fmt.Printf("%q %v %t\n", *page.Next, *page.TTL, page.Private)
	// Output:
	// tool find false true mcp find
	// "" 1m0s false
}
