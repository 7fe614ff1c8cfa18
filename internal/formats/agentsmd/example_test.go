package agentsmd_test

import (
	"fmt"

	"github.com/wayfindhq/wayfind/internal/formats/agentsmd"
	"github.com/wayfindhq/wayfind/parse"
)

func Example() {
	in := &parse.Input{Body: []byte(`---
version: "1.0"
mcp:
  endpoint: https://garden.example/mcp
---
# Garden Almanac

## Can
- Search plants by name
- Save a bed plan (authenticated)

## Cannot
- Order seeds on behalf of a person

## Behavior
- At most 2 requests/second
`)}
	reading, err := agentsmd.Format().Parse(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	service := reading.Services[0]
	fmt.Println(service.Name, service.Interfaces[0].Transport, service.Interfaces[0].URL)
	for _, c := range service.Capabilities {
		fmt.Println(c.ID, c.Auth != nil)
	}
	for _, p := range reading.Policies {
		fmt.Println(p.Kind, p.Text)
	}
	// Output:
	// Garden Almanac streamable-http https://garden.example/mcp
	// search-plants-by-name false
	// save-a-bed-plan true
	// cannot Order seeds on behalf of a person
	// rate_limit At most 2 requests/second
}
