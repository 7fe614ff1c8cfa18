package ucp_test

import (
	"fmt"
	"net/url"

	"github.com/wayfindhq/wayfind/internal/formats/ucp"
	"github.com/wayfindhq/wayfind/parse"
)

func Example() {
	u := &url.URL{Scheme: "https", Host: "shop.example", Path: ucp.Path}
	in := &parse.Input{URL: u, FinalURL: u, Body: []byte(`{"ucp": {
		"version": "2026-08-25",
		"services": {"dev.ucp.shopping": [{"version": "2026-08-25", "transport": "rest", "endpoint": "https://shop.example/ucp/v1"}]},
		"capabilities": {
			"dev.ucp.shopping.checkout": [{"version": "2026-08-25", "schema": "https://ucp.dev/checkout.json"}],
			"dev.ucp.shopping.cart": [{"version": "2026-08-25", "schema": "https://evil.example/cart.json"}]
		},
		"payment_handlers": {}
	}}`)}
	reading, err := ucp.Format().Parse(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	service := reading.Services[0]
	fmt.Println(service.Interfaces[0].Protocol, service.Interfaces[0].URL)
	for _, c := range service.Capabilities {
		fmt.Println(c.ID)
	}
	for _, d := range reading.Diagnostics {
		fmt.Println(d.Severity, d.Code, d.Pointer)
	}
	// Output:
	// http https://shop.example/ucp/v1
	// dev.ucp.shopping.checkout
	// error ucp.authority /ucp/capabilities/dev.ucp.shopping.cart/0
}
