package aicatalog_test

import (
	"fmt"
	"net/url"

	"github.com/wayfindhq/wayfind/internal/formats/aicatalog"
	"github.com/wayfindhq/wayfind/parse"
)

func Example() {
	u := &url.URL{Scheme: "https", Host: "shop.example", Path: aicatalog.PathCatalog}
	in := &parse.Input{URL: u, FinalURL: u, Body: []byte(`{"specVersion": "1.0", "host": {"displayName": "Shop"}, "entries": [
		{"identifier": "urn:air:shop.example:orders", "type": "application/mcp-server-card+json", "url": "https://mcp.shop.example/card", "displayName": "Orders"},
		{"identifier": "urn:air:shop.example:prices", "type": "text/csv", "url": "https://shop.example/prices.csv", "displayName": "Prices"}
	]}`)}
	reading, err := aicatalog.Format().Parse(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range reading.Documents {
		fmt.Println(d.Title, d.MediaType, d.URL)
	}
	for _, l := range reading.Links {
		fmt.Println("followed as", l.Format, l.URLs)
	}
	// Output:
	// Orders application/mcp-server-card+json https://mcp.shop.example/card
	// Prices text/csv https://shop.example/prices.csv
	// followed as mcp [https://mcp.shop.example/card]
}
