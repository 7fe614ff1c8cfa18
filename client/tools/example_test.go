package tools_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

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

// refunds calls f with the tools of a shop in memory.
func refunds(f func(ctx context.Context, c *client.Client, box *tools.Box) error) {
	internet, stop := clienttest.Start()
	defer stop()
	internet.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": api})
	c, err := client.New(internet.Options())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	ctx := context.Background()
	box, err := tools.Load(ctx, c, []string{"shop.example"}, nil)
	if err == nil {
		err = f(ctx, c, box)
	}
	if err != nil {
		fmt.Println(err)
	}
}

// The first Update has all tools. A later one has what has changed since.
func ExampleWatch() {
	refunds(func(ctx context.Context, c *client.Client, _ *tools.Box) error {
		for u, err := range tools.Watch(ctx, c, []string{"shop.example"}, nil) {
			if err != nil {
				return err
			}
			fmt.Println(u.Box.Len(), "tools; added:", u.Added)
			break // a program goes on with the next Update
		}
		return nil
	})
	// Output:
	// 2 tools; added: [listOrders refund_order]
}

// The prompt contains a search only. The model's search is answered with tools that it may call then.
func ExampleBox_Deferred() {
	refunds(func(_ context.Context, _ *client.Client, box *tools.Box) error {
		defs := box.Deferred(tools.AnthropicMessages, false)
		fmt.Println(len(defs.Names), "definitions are loaded later")
		answer, err := box.Answer(tools.AnthropicMessages, "toolu_1", []byte(`{"query": "give money back", "limit": 1}`), false)
		if err != nil {
			return err // it is about the arguments, and for the model
		}
		fmt.Printf("%s\n", answer)
		return nil
	})
	// Output:
	// 2 definitions are loaded later
	// [{"type":"tool_reference","tool_name":"refund_order"}]
}

// A part of the prompt is for tools: in full as far as there is room, then by a sentence, then by name.
func ExampleBox_Fit() {
	refunds(func(_ context.Context, _ *client.Client, box *tools.Box) error {
		s := box.Fit("refund an order", 100, nil)
		for _, t := range s.Full {
			fmt.Println("in full:", t.Name)
		}
		for _, b := range s.Brief {
			fmt.Println(b.Name+":", b.Text)
		}
		fmt.Println("left:", s.Left["shop.example"])
		return nil
	})
	// Output:
	// listOrders: All orders of a customer.
	// refund_order: Give the money of an order back.
	// left: 0
}

// alphabetical is a Ranker. One of your own compares embeddings.
type alphabetical struct{}

func (alphabetical) Rank(_ context.Context, _ string, list []*tools.Tool) (order []int, err error) {
	for i := range list {
		order = append(order, i)
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(list[a].Name, list[b].Name) })
	return order, nil
}

func ExampleBox_SearchRanked() {
	refunds(func(ctx context.Context, _ *client.Client, box *tools.Box) error {
		hits, err := box.SearchRanked(ctx, "order", 2, alphabetical{})
		if err != nil {
			return err // hits are those of Search then
		}
		for _, hit := range hits {
			fmt.Println(hit.Tool.Name)
		}
		return nil
	})
	// Output:
	// listOrders
	// refund_order
}

// A Box can be kept in a file. Opening it sends no request.
func ExampleOpen() {
	refunds(func(_ context.Context, _ *client.Client, box *tools.Box) error {
		saved, err := box.Save()
		if err != nil {
			return err
		}
		again, err := tools.Open(saved)
		if err != nil {
			return err
		}
		fmt.Println(again.Len(), "tools")
		return nil
	})
	// Output:
	// 2 tools
}
