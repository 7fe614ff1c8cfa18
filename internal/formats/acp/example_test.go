package acp_test

import (
	"fmt"
	"net/url"

	"github.com/wayfindhq/wayfind/internal/formats/acp"
	"github.com/wayfindhq/wayfind/parse"
)

func Example() {
	u := &url.URL{Scheme: "https", Host: "shop.example", Path: acp.Path}
	in := &parse.Input{URL: u, FinalURL: u, Body: []byte(`{
		"protocol": {"name": "acp", "version": "2026-01-30", "supported_versions": ["2026-01-30", "2025-09-29"]},
		"api_base_url": "https://shop.example/api", "transports": ["rest"], "capabilities": {"services": ["checkout"]}
	}`)}
	reading, err := acp.Format().Parse(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	service := reading.Services[0]
	fmt.Println(service.Interfaces[0].URL, service.Interfaces[0].Versions)
	fmt.Println(service.Capabilities[0].ID)
	for _, d := range reading.Diagnostics {
		fmt.Println(d.Severity, d.Code)
	}
	// Output:
	// https://shop.example/api [2025-09-29 2026-01-30]
	// checkout
	// error acp.version_order
}
