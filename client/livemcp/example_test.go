package livemcp_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/livemcp"
	mcpdocument "github.com/wayfindhq/wayfind/internal/formats/mcp"
	"github.com/wayfindhq/wayfind/parse"
)

// A site in memory takes the place of the Internet here. Its card names a server, which lists its
// tools.
func Example() {
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "find", Description: "Finds a product.", InputSchema: map[string]any{"type": "object"}}, nil)

	internet, stop := clienttest.Start()
	defer stop()
	internet.Host("shop.example", clienttest.Pages{
		"/.well-known/mcp/server-card.json": `{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
			"name": "example.shop/shop", "version": "1", "description": "A shop.",
			"remotes": [{"type": "streamable-http", "url": "https://shop.example/mcp"}]}`,
	}).Handle("/mcp", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))

	opts := internet.Options()
	opts.Formats = []*parse.Format{mcpdocument.Format()}
	opts.Live = []client.LiveProber{livemcp.New(nil)}
	c, err := client.New(opts)
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
	for _, capability := range site.Capabilities() {
		fmt.Println(capability.Key, capability.Claimed, capability.Description)
	}
	// Output: mcp:mcp/find false Finds a product.
}
