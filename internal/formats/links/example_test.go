package links_test

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/wayfindhq/wayfind/internal/formats/links"
	"github.com/wayfindhq/wayfind/parse"
)

func Example() {
	u, err := url.Parse("https://shop.example/")
	if err != nil {
		fmt.Println(err)
		return
	}
	reading, err := links.Format().Parse(&parse.Input{
		URL: u, FinalURL: u,
		Header: http.Header{"Link": {`</openapi.json>; rel="service-desc", </manual>; rel="service-doc"`}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range reading.Documents {
		fmt.Println(d.Rel, d.URL)
	}
	fmt.Println("followed:", reading.Links[0].URLs)
	// Output:
	// service-desc https://shop.example/openapi.json
	// service-doc https://shop.example/manual
	// followed: [https://shop.example/openapi.json]
}
