package client_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

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

// A list of domains, which may come from a file line by line. Sites come in the
// order of completion.
func ExampleClient_ResolveAll() {
	internet, stop := clienttest.Start()
	defer stop()
	internet.Host("docs.example", clienttest.Pages{"/llms.txt": "# Docs\n\n> All about it.\n\n- [One](https://docs.example/one.md)\n"})
	c, err := client.New(internet.Options())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	domains := slices.Values([]string{"docs.example", "nobody.example", "no domain"})
	found, failed := 0, 0
	for site, err := range c.ResolveAll(context.Background(), domains, &client.BatchOptions{InFlight: 8}) {
		if err != nil { // site is nil when the target did not parse
			failed++
			continue
		}
		fmt.Println(site.Origin, site.Sources[0].Format)
		found++
	}
	fmt.Println(found, "found,", failed, "failed")
	// Output:
	// https://docs.example llmstxt
	// 1 found, 2 failed
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
