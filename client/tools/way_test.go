package tools_test

import (
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// The way from a domain to a model's tools, and from the arguments of a model to a checked value.
func TestFromADomainToTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		n.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": api})
		box, err := tools.Load(t.Context(), n.Client(), []string{"shop.example"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defs := box.Render(tools.AnthropicMessages, nil)
		tool, err := box.Tool("listOrders")
		if err != nil {
			t.Fatal(err)
		}
		args, err := defs.Projections["listOrders"].Decode([]byte(`{"customer_id":"7"}`))
		if err != nil {
			t.Fatal(err)
		}
		if err := tool.Schema.Validate(args, 0); err != nil {
			t.Error(err)
		}
	})
}
