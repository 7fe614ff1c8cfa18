package call_test

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// BenchmarkCall is beside BenchmarkBare what a call costs over its request.
func BenchmarkCall(b *testing.B) {
	net, stop := clienttest.Start()
	defer stop()
	net.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/orders" {
			okay(w, r)
			return
		}
		clienttest.Pages{"/openapi.json": shopDocument, "/.well-known/ai-plugin.json": plugin}.ServeHTTP(w, r)
	}))
	c := net.Client()
	box, err := tools.Load(context.Background(), c, []string{"shop.example"}, nil)
	if err != nil {
		b.Fatal(err)
	}
	caller, err := call.New(c, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("Call", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := caller.Call(context.Background(), box, "listOrders", []byte(`{"q":"a"}`)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Bare", func(b *testing.B) {
		b.ReportAllocs()
		bare := c.HTTPForCalls("https://shop.example")
		for b.Loop() {
			resp, err := bare.Get("https://shop.example/api/orders?q=a")
			if err != nil {
				b.Fatal(err)
			}
			_, _ = io.ReadAll(resp.Body)
			_ = resp.Body.Close()
		}
	})
}
