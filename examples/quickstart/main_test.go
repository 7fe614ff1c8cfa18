package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// Example asks the site in memory, because there is no argument.
func Example() {
	if err := run(nil); err != nil {
		fmt.Println(err)
	}
	// Output:
	// MailForge can send_email: Send an email
	// call: POST https://example.com/api/emails
}

// TestHowTo checks the descriptions of capabilities without a request: a skill, a sentence, a
// tool, an agent.
func TestHowTo(t *testing.T) {
	internet, stop := clienttest.Start()
	defer stop()
	internet.Host("shop.example.com", clienttest.Pages{
		"/.well-known/agent-card.json": `{"name": "Shop", "description": "Sells shoes", "version": "1.0.0", "supportedInterfaces": [
			{"url": "https://shop.example.com/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}], "capabilities": {},
			"defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
			"skills": [{"id": "fit", "name": "Fit", "description": "Says which shoe fits", "tags": ["shoes"]}]}`,
	})
	c, err := client.New(internet.Options())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	site, err := c.Resolve(context.Background(), "shop.example.com")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for d, err := range c.DescribeAll(context.Background(), site) {
		if err != nil {
			t.Fatal(err)
		}
		asked++
		if got := howTo(d); !strings.Contains(got, "no contract") {
			t.Errorf("%s: %q", d.Capability.Key, got)
		}
	}
	if asked == 0 {
		t.Error("no capability")
	}
}
