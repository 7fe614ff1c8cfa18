package clienttest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing/fstest"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// A client asks a site that is not there. In a test, use New and
// Internet.Client, which need no clean-up.
func Example() {
	internet, stop := clienttest.Start()
	defer stop()
	internet.Host("shop.example", clienttest.Pages{
		"/.well-known/agent": `{
			"spec_version": "1.0", "name": "Shop", "base_url": "https://shop.example",
			"description": "Sells things.",
			"auth": {"type": "none"},
			"capabilities": [{"name": "list_offers", "description": "List offers.", "detail_url": "/offers.json"}]
		}`,
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
		fmt.Println(service.Name, capability.Key)
	}
	// Output: Shop adp:list_offers
}

// A page that fails once, then redirects.
func ExampleSequence() {
	internet, stop := clienttest.Start()
	defer stop()
	host := internet.Host("shop.example", clienttest.Pages{"/new": "here"})
	host.Handle("/old", clienttest.Sequence(
		clienttest.Page{Status: http.StatusServiceUnavailable},
		clienttest.Redirect(http.StatusMovedPermanently, "/new"),
	))

	c := &http.Client{Transport: internet.Transport()}
	for range 2 {
		resp, err := c.Get("https://shop.example/old")
		if err != nil {
			fmt.Println(err)
			return
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		fmt.Printf("%s %q\n", resp.Status, body)
	}
	fmt.Println(host.Paths())
	// Output:
	// 503 Service Unavailable ""
	// 200 OK "here"
	// [/old /old /new]
}

// A connection that is cut and a certificate that expired.
func ExampleHost_FailConn() {
	internet, stop := clienttest.Start()
	defer stop()
	host := internet.Host("shop.example", clienttest.Pages{"/": "welcome"})
	host.FailConn(
		clienttest.AtHandshake(clienttest.Reset),
		clienttest.ExpiredCert(),
		clienttest.ConnFault{}, // from now on all is well
	)

	c := &http.Client{Transport: internet.Transport()}
	for range 3 {
		resp, err := c.Get("https://shop.example/")
		if err == nil {
			_ = resp.Body.Close()
		}
		fmt.Println(err == nil)
	}
	fmt.Println(host.Dials(), "connections,", len(host.Requests()), "request")
	// Output:
	// false
	// false
	// true
	// 3 connections, 1 request
}

// What "wayfind resolve --save testdata/shop shop.example" wrote is served
// again. In a test, use the function Replay, and go:embed or os.DirFS.
func ExampleInternet_Replay() {
	testdata := fstest.MapFS{
		"index.txt": {Data: []byte(`wayfind recording 1
https://shop.example/.well-known/agent shop.example/well-known_agent.http
https://shop.example/agents.md failed body truncated
`)},
		"shop.example/well-known_agent.http": {Data: []byte(`HTTP/1.1 200 OK
Content-Type: application/json

{"spec_version": "1.0", "name": "Shop", "description": "Sells things.", "base_url": "https://shop.example",
 "auth": {"type": "none"},
 "capabilities": [{"name": "list_offers", "description": "List offers.", "detail_url": "/offers.json"}]}
`)},
	}
	internet, stop := clienttest.Start()
	defer stop()
	if err := internet.Replay(testdata); err != nil {
		fmt.Println(err)
		return
	}
	site, err := internet.Client().Resolve(context.Background(), "shop.example")
	if err != nil {
		fmt.Println(err)
		return
	}
	for service, capability := range site.Capabilities() {
		fmt.Println(service.Name, capability.Key)
	}
	for _, probe := range site.Probes {
		if probe.Verdict != wayfind.VerdictAbsent {
			fmt.Println(probe.Verdict, probe.URL)
		}
	}
	// Output:
	// Shop adp:list_offers
	// found https://shop.example/.well-known/agent
	// unreachable https://shop.example/agents.md
}
