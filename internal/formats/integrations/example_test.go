package integrations_test

import (
	"fmt"
	"net/url"

	"github.com/wayfindhq/wayfind/internal/formats/integrations"
	"github.com/wayfindhq/wayfind/parse"
)

func Example() {
	u := &url.URL{Scheme: "https", Host: "shop.example", Path: integrations.Path}
	in := &parse.Input{URL: u, FinalURL: u, Body: []byte(`{
		"version": 3,
		"credentials": {"key": {"type": "api_key", "label": "Shop API key", "generateUrl": "https://shop.example/keys", "setup": "Create one."}},
		"surfaces": [{
			"slug": "shop-mcp", "name": "Shop MCP", "type": "mcp", "url": "https://mcp.shop.example/mcp", "transports": ["streamable-http"],
			"basis": {"via": "declared"},
			"auth": {"status": "required", "entries": [{"use": [{"id": "key", "mechanics": {"source": "http", "headerName": "Authorization", "scheme": "Bearer"}}]}]}
		}]
	}`)}
	reading, err := integrations.Format().Parse(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	service := reading.Services[0]
	fmt.Println(service.Interfaces[0].Protocol, service.Interfaces[0].URL)
	fmt.Println(service.Auth.Schemes["key"].HTTPScheme, service.Auth.Schemes["key"].SetupURL)
	// Output:
	// mcp https://mcp.shop.example/mcp
	// bearer https://shop.example/keys
}
