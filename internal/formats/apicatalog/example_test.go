package apicatalog_test

import (
	"fmt"
	"net/url"

	"github.com/wayfindhq/wayfind/internal/formats/apicatalog"
	"github.com/wayfindhq/wayfind/parse"
)

func Example() {
	u := &url.URL{Scheme: "https", Host: "shop.example", Path: apicatalog.Path}
	in := &parse.Input{URL: u, FinalURL: u, Body: []byte(`{"linkset": [{
		"anchor": "https://api.shop.example/v1",
		"service-desc": [{"href": "https://shop.example/openapi.json", "type": "application/json"}],
		"service-doc": [{"href": "https://shop.example/docs", "type": "text/html"}]
	}]}`)}
	reading, err := apicatalog.Format().Parse(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	service := reading.Services[0]
	fmt.Println(service.ID, service.Interfaces[0].URL, service.DocsURL)
	fmt.Println(reading.Links[0].Role, reading.Links[0].URLs)
	// Output:
	// api-shop-example-v1 https://api.shop.example/v1 https://shop.example/docs
	// service-desc [https://shop.example/openapi.json]
}
