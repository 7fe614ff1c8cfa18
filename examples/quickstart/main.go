// Quickstart asks a domain for its offers to agents and prints how to call the first
// capability.
//
//	go run ./examples/quickstart example.com
//
// Without an argument it asks a site in memory, so it runs offline.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	domain, opts := "example.com", (*client.Options)(nil)
	if len(args) > 0 {
		domain = args[0]
	} else {
		internet, stop := offline(domain)
		defer stop()
		opts = internet.Options()
	}
	c, err := client.New(opts)
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()

	site, err := c.Resolve(ctx, domain)
	if err != nil {
		return err
	}
	for service, capability := range site.Capabilities() {
		fmt.Printf("%s can %s: %s\n", service.Name, capability.ID, capability.Description)
	}
	for _, capability := range site.Capabilities() {
		detail, err := c.Describe(ctx, site, capability.Key)
		if err != nil {
			return err
		}
		fmt.Println("call:", howTo(detail))
		break
	}
	return nil
}

// howTo describes in one line how to call a capability. Some capabilities have no request: a
// skill of an agent is requested in a message, and a file is read.
func howTo(d *wayfind.Detail) string {
	if err := d.Capability.Check(); err != nil {
		return err.Error()
	}
	call := d.Capability.Invocation
	if place := call.URL + call.Template; place != "" {
		return call.Method + " " + place
	}
	return call.Operation + " by " + call.Via
}

// offline returns a site that needs no network.
func offline(domain string) (*clienttest.Internet, func()) {
	internet, stop := clienttest.Start()
	internet.Host(domain, clienttest.Pages{
		"/.well-known/agent": `{
			"spec_version": "1.0", "name": "MailForge", "base_url": "https://example.com",
			"description": "Transactional email API with templates and analytics.",
			"auth": {"type": "none"},
			"capabilities": [{"name": "send_email", "description": "Send an email", "detail_url": "/api/capabilities/send_email"}]
		}`,
		"/api/capabilities/send_email": `{
			"name": "send_email", "description": "Send an email.", "endpoint": "/api/emails", "method": "POST",
			"parameters": [{"name": "to", "type": "string", "required": true, "description": "Receiver"}],
			"request_example": {"method": "POST", "url": "https://example.com/api/emails"},
			"response_example": {"status": 202}
		}`,
	})
	return internet, stop
}
