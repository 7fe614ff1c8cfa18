package call_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

func Example() {
	internet, stop := clienttest.Start()
	defer stop()
	api := document("", operation("get", "/stock/{item}", "stock", `, "parameters": [{"name": "item", "in": "path", "required": true, "schema": {"type": "string"}}]`),
		operation("post", "/orders", "order", ""))
	internet.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": api}).
		Handle("/stock/lamp", clienttest.Page{Header: http.Header{"Content-Type": {"application/json"}}, Body: `{"left": 3}`})
	c, err := client.New(internet.Options())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	ctx := context.Background()
	box, err := tools.Load(ctx, c, []string{"shop.example"}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	caller, err := call.New(c, nil)
	if err != nil {
		fmt.Println(err)
		return
	}

	res, err := caller.Call(ctx, box, "stock", []byte(`{"item": "lamp"}`))
	fmt.Printf("%s %v\n", res.Model.JSON, err)
	res, _ = caller.Call(ctx, box, "order", nil)
	fmt.Println(res.Model.Text)
	// Output:
	// {"left": 3} <nil>
	// A person must agree to this call first; do not call again before that. (it changes something)
}
