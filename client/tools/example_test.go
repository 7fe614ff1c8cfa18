package tools_test

import (
	"context"
	"fmt"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

func Example() {
	internet, stop := clienttest.Start()
	defer stop()
	internet.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": api})
	c, err := client.New(internet.Options())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	box, err := tools.Load(context.Background(), c, []string{"shop.example"}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range box.Skipped() {
		fmt.Println("skipped:", s.Key, s.Code)
	}
	defs := box.Render(tools.AnthropicMessages, &tools.RenderOptions{Query: "refund an order", Tokens: 60})
	fmt.Printf("%s\n", defs.Tools)
	// Output:
	// skipped: openapi:openapi/loop ref_cycle
	// [{"name":"refund_order","description":"From shop.example: Give the money of an order back.","input_schema":{"type":"object","properties":{"reason":{"type":"string"}}}}]
}
