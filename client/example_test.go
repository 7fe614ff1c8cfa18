package client_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// A site in memory takes the place of the Internet here; with nil options the
// same code asks real domains.
func Example() {
	internet, stop := clienttest.Start()
	defer stop()
	internet.Host("shop.example", clienttest.Pages{
		"/.well-known/agent": `{"spec_version": "1.0", "name": "Shop", "description": "Everything you need.", "base_url": "https://shop.example",
			"auth": {"type": "none"}, "capabilities": [{"name": "find", "description": "Find a product", "detail_url": "/agent/find"}]}`,
		"/agent/find": `{"name": "find", "description": "Find a product", "endpoint": "/api/find", "method": "GET",
			"parameters": [{"name": "q", "type": "string", "required": true, "description": "Words"}],
			"request_example": {"method": "GET", "url": "/api/find?q=tea"}, "response_example": {"status": 200, "body": []}}`,
	})

	c, err := client.New(internet.Options())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	site, err := c.Resolve(context.Background(), "shop.example")
	if err != nil {
		fmt.Println(err)
		return
	}
	for service, capability := range site.Capabilities() {
		fmt.Println(service.Name, capability.Key, capability.Description)
	}
	d, err := c.Describe(context.Background(), site, "adp:find")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Capability.Invocation.Method, d.Capability.Invocation.URL, d.Capability.Params[0].Name)

	_, err = c.Resolve(context.Background(), "nobody.example")
	fmt.Println(errors.Is(err, wayfind.ErrUnreachable))
	// Output:
	// Shop adp:find Find a product
	// GET https://shop.example/api/find q
	// true
}

func ExampleParse() {
	result, err := client.Parse(context.Background(), []byte(`{"spec_version": "1.0", "name": "Shop"}`), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Verdict, result.Usable)
	// Output:
	// unrecognised false
}

func ExampleWithTrace() {
	internet, stop := clienttest.Start()
	defer stop()
	internet.Host("shop.example", clienttest.Pages{})
	c, err := client.New(internet.Options())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	for range 2 {
		var trace client.Trace
		_, _ = c.Resolve(client.WithTrace(context.Background(), &trace), "shop.example")
		fmt.Println("from memory:", trace.FromMemory, "asked:", len(trace.Fetches) > 0)
	}
	// Output:
	// from memory: false asked: true
	// from memory: true asked: false
}
