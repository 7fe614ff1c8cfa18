package llmstxt_test

import (
	"fmt"
	"net/url"

	"github.com/wayfindhq/wayfind/internal/formats/llmstxt"
	"github.com/wayfindhq/wayfind/parse"
)

func Example() {
	u := &url.URL{Scheme: "https", Host: "garden.example", Path: llmstxt.Path}
	reading, err := llmstxt.Format().Parse(&parse.Input{URL: u, FinalURL: u, Body: []byte(`# Garden Almanac

> When to sow what, for ten climates.

## Docs

- [Climates](/climates.md): how they are drawn
- [API](/openapi.json)

## Optional

- [History](https://almanac.example/history)
`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s\n", reading.Services[0].Name, reading.Services[0].Description)
	for _, d := range reading.Documents {
		fmt.Printf("%s: %s %s %q\n", d.Section, d.Title, d.URL, d.Description)
	}
	for _, l := range reading.Links {
		fmt.Println("follow", l.URLs[0], "for", l.Format)
	}
	// Output:
	// Garden Almanac: When to sow what, for ten climates.
	// Docs: Climates https://garden.example/climates.md "how they are drawn"
	// Docs: API https://garden.example/openapi.json ""
	// Optional: History https://almanac.example/history ""
	// follow https://garden.example/openapi.json for openapi
}
