package aid_test

import (
	"fmt"
	"net/url"

	"github.com/wayfindhq/wayfind/internal/formats/aid"
	"github.com/wayfindhq/wayfind/parse"
)

func Example() {
	u := &url.URL{Scheme: "https", Host: "shop.example", Path: aid.Path}
	in := &parse.Input{URL: u, FinalURL: u, Body: []byte(`{"v": "aid2", "u": "https://mcp.shop.example/mcp", "p": "mcp", "a": "pat", "s": "Sells kettles."}`)}
	reading, err := aid.Format().Parse(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	service := reading.Services[0]
	fmt.Println(service.Interfaces[0].Protocol, service.Interfaces[0].URL, service.Auth.Schemes["pat"].HTTPScheme)
	// Output: mcp https://mcp.shop.example/mcp bearer
}
