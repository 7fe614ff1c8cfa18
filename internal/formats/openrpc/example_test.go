package openrpc_test

import (
	"fmt"
	"net/url"

	"github.com/wayfindhq/wayfind/internal/formats/openrpc"
	"github.com/wayfindhq/wayfind/parse"
)

func Example() {
	u := &url.URL{Scheme: "https", Host: "pets.example", Path: "/openrpc.json"}
	in := &parse.Input{URL: u, FinalURL: u, Body: []byte(`{
		"openrpc": "1.3.2", "info": {"title": "Pets", "version": "1"}, "servers": [{"url": "/rpc"}],
		"methods": [{
			"name": "get_pet", "paramStructure": "by-position",
			"params": [{"name": "id", "required": true, "schema": {"type": "integer"}}],
			"result": {"name": "pet", "schema": {"$ref": "#/components/schemas/Pet"}}
		}],
		"components": {"schemas": {"Pet": {"type": "object", "properties": {"parent": {"$ref": "#/components/schemas/Pet"}}}}}
	}`)}
	reading, err := openrpc.Format().Parse(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	service := reading.Services[0]
	method := service.Capabilities[0]
	fmt.Println(method.Kind, method.Invocation.Operation, "via", service.Interfaces[0].URL)
	fmt.Println(string(method.Input))
	fmt.Println(string(method.Output))
	// Output:
	// rpc_method get_pet via https://pets.example/rpc
	// {"type":"array","prefixItems":[{"type":"integer"}],"minItems":1,"maxItems":1}
	// {"$ref":"#/$defs/Pet","$defs":{"Pet":{"type":"object","properties":{"parent":{"$ref":"#/$defs/Pet"}}}}}
}

// ExampleDiscover reads the answer of an endpoint to a request for its document.
func ExampleDiscover() {
	endpoint := &url.URL{Scheme: "https", Host: "pets.example", Path: "/rpc"}
	// POST openrpc.DiscoverRequest to the endpoint.
	answer := []byte(`{"jsonrpc": "2.0", "id": 1, "result": {
		"openrpc": "1.4.0", "info": {"title": "Pets", "version": "1"},
		"methods": [{"name": "ping", "params": []}]
	}}`)
	reading, err := openrpc.Discover(&parse.Input{URL: endpoint, FinalURL: endpoint, Body: answer})
	if err != nil {
		fmt.Println(err)
		return
	}
	service := reading.Services[0]
	fmt.Println(reading.Authority, service.Interfaces[0].URL, service.Capabilities[0].ID)

	_, err = openrpc.Discover(&parse.Input{URL: endpoint, FinalURL: endpoint, Body: []byte(`{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}}`)})
	fmt.Println(err)
	// Output:
	// live https://pets.example/rpc ping
	// parse: nothing found (absent): the server has no method rpc.discover
}
