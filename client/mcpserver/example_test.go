package mcpserver_test

import (
	"context"
	"fmt"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/mcpserver"
	"github.com/wayfindhq/wayfind/client/tools"
)

// The tools of a domain on a server of one's own. A site in memory takes the place of
// the Internet here.
func ExampleAddTools() {
	internet, stop := clienttest.Start()
	defer stop()
	internet.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": fmt.Sprintf(plugin, "shop.example"), "/openapi.json": operations("GET /api/orders listOrders")})
	c, err := client.New(internet.Options())
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	ctx := context.Background()
	box, err := tools.Load(ctx, c, []string{"shop.example"}, &tools.Options{Sites: true})
	if err != nil {
		log.Fatal(err)
	}
	caller, err := call.New(c, nil)
	if err != nil {
		log.Fatal(err)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "desk", Version: "1"}, nil)
	mcpserver.AddTools(server, caller, box)

	here, there := mcp.NewInMemoryTransports() // a host, such as a desktop application
	go func() { _ = server.Run(ctx, there) }()
	host, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, nil).Connect(ctx, here, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer host.Close()
	for tool, err := range host.Tools(ctx, nil) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(tool.Name)
	}
	// Output:
	// shop_example__listOrders
	// wayfind_call
	// wayfind_describe
	// wayfind_search
}
