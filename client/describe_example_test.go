package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/security"
)

// exampleShop is a site in memory with an OpenAPI description. It wants a key.
func exampleShop() (*client.Client, *wayfind.Site, func(), error) {
	internet, stop := clienttest.Start()
	host := internet.Host("shop.example.com", clienttest.Pages{
		"/llms.txt": "# Shop\n\n> Shoes.\n\n## API\n\n- [OpenAPI](/openapi.json): the whole API\n",
		"/openapi.json": `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "servers": [{"url": "https://shop.example.com"}],
			"components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}, "security": [{"key": []}],
			"paths": {"/shoes": {"get": {"operationId": "listShoes", "summary": "List shoes",
				"parameters": [{"name": "size", "in": "query", "schema": {"type": "integer"}}], "responses": {"200": {"description": "shoes"}}}},
				"/orders": {"post": {"operationId": "order", "summary": "Order shoes",
				"requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "required": ["shoe"],
					"properties": {"shoe": {"type": "string"}}}}}}, "responses": {"201": {"description": "ordered"}}}}}}`,
	})
	host.Handle("/shoes", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `["boots"]`)
	}))
	c, err := client.New(internet.Options())
	if err != nil {
		return nil, nil, stop, err
	}
	site, err := c.Resolve(context.Background(), "shop.example.com")
	return c, site, stop, err
}

// Describe returns how to call a capability. If there is no request to make, Invocation is nil and
// Check returns the reason.
func ExampleClient_Describe() {
	c, site, stop, err := exampleShop()
	defer stop()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	d, err := c.Describe(context.Background(), site, "openapi:openapi/listShoes")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := d.Capability.Check(); err != nil {
		fmt.Println("there is nothing to call:", err)
		return
	}
	fmt.Println(d.Capability.Invocation.Method, d.Capability.Invocation.URL)
	for _, p := range d.Capability.Params {
		fmt.Println(p.Name, p.In, p.Type)
	}
	_, err = c.Describe(context.Background(), site, "openapi:openapi/listShoe")
	fmt.Println(strings.HasSuffix(err.Error(), `did you mean "openapi:openapi/listShoes"?`))
	// Output:
	// GET https://shop.example.com/shoes
	// size query integer
	// true
}

// DescribeAll describes every capability, and reads a document that has many of them
// once.
func ExampleClient_DescribeAll() {
	c, site, stop, err := exampleShop()
	defer stop()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	for d, err := range c.DescribeAll(context.Background(), site) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(d.Capability.Key, string(d.Capability.Input))
	}
	// Output:
	// openapi:openapi/listShoes {"type":"object","properties":{"size":{"type":"integer"}}}
	// openapi:openapi/order {"type":"object","properties":{"shoe":{"type":"string"}},"required":["shoe"]}
}

// A request to a service goes through the guard of the Client. Its credential travels
// in the context, and to no other origin than its own; a header field with one is
// refused.
func ExampleClient_HTTP() {
	c, _, stop, err := exampleShop()
	defer stop()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	const origin = "https://shop.example.com"
	ctx := client.WithCredential(context.Background(), security.Credential{Origin: origin, Field: "X-Key", Value: "secret"})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+"/shoes?size=41", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := c.HTTP(origin).Do(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	fmt.Println(resp.StatusCode, string(body), err)

	req.Header.Set("Authorization", "Bearer secret")
	_, err = c.HTTP(origin).Do(req)
	fmt.Println(err != nil)
	// Output:
	// 200 ["boots"] <nil>
	// true
}
