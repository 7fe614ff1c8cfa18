package aiplugin_test

import (
	"fmt"
	"net/url"

	"github.com/wayfindhq/wayfind/internal/formats/aiplugin"
	"github.com/wayfindhq/wayfind/parse"
)

func Example() {
	u := &url.URL{Scheme: "https", Host: "shop.example", Path: aiplugin.Path}
	in := &parse.Input{URL: u, FinalURL: u, Body: []byte(`{
		"schema_version": "v1", "name_for_human": "Shop", "name_for_model": "shop",
		"description_for_human": "Sells things.", "description_for_model": "Use it to buy.",
		"auth": {"type": "oauth", "client_url": "https://shop.example/authorize", "authorization_url": "https://shop.example/token"},
		"api": {"type": "openapi", "url": "/openapi.yaml"},
		"logo_url": "/logo.png", "contact_email": "a@shop.example", "legal_info_url": "/legal"
	}`)}
	reading, err := aiplugin.Format().Parse(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	flow := reading.Services[0].Auth.Schemes["oauth"].Flows[0]
	fmt.Println(flow.AuthorizationURL, flow.TokenURL)
	fmt.Println(reading.Links[0].Format, reading.Links[0].URLs)
	for _, d := range reading.Diagnostics {
		fmt.Println(d.Severity, d.Code)
	}
	// Output:
	// https://shop.example/authorize https://shop.example/token
	// openapi [https://shop.example/openapi.yaml]
	// info aiplugin.deprecated
	// warning aiplugin.relative_api_url
}
