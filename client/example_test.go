package client_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache/memory"
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

// Options do not change. To reload them, make another Client over the same Store, let it serve new
// calls, and shut the old one down. What the old Client has stored, the new one need not request.
// Both need the same Network.View, if they have one.
func ExampleClient_Shutdown() {
	internet, stop := clienttest.Start()
	defer stop()
	shop := internet.Host("shop.example", clienttest.Pages{"/llms.txt": "# Shop\n\n> Everything you need.\n"})
	store, err := memory.New(1 << 20) // in a program disk.Open or redis.Open
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()

	var current atomic.Pointer[client.Client]
	reload := func(timeout time.Duration) error {
		opts := internet.Options()
		opts.Store, opts.Network.View, opts.Timeout = store, "shops", timeout
		c, err := client.New(opts)
		if err != nil {
			return err // the old Client goes on
		}
		if old := current.Swap(c); old != nil {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			return old.Shutdown(ctx)
		}
		return nil
	}
	for _, timeout := range []time.Duration{20 * time.Second, 5 * time.Second} {
		if err := reload(timeout); err != nil {
			fmt.Println(err)
			return
		}
		before := len(shop.Requests())
		site, err := current.Load().Resolve(context.Background(), "shop.example")
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(site.Services[0].Name, "requests:", len(shop.Requests()) > before)
	}
	if err := current.Load().Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Shop requests: true
	// Shop requests: false
}
