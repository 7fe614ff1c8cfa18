package adp_test

import (
	"fmt"

	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/parse"
)

func Example() {
	in := &parse.Input{Body: []byte(`{
		"spec_version": "1.0",
		"name": "Postbox",
		"description": "Sends letters and tells where they are.",
		"base_url": "https://api.postbox.example/v1",
		"auth": {"type": "api_key", "header": "X-Api-Key"},
		"capabilities": [
			{"name": "send_letter", "description": "Sends a letter", "detail_url": "/capabilities/send_letter"}
		]
	}`)}
	reading, err := adp.Format().Parse(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range reading.Services[0].Capabilities {
		fmt.Println(c.ID, c.DetailURLs[0])
	}
	for _, d := range reading.Diagnostics {
		fmt.Println(d.Severity, d.Code, d.Pointer)
	}
	// Output:
	// send_letter https://api.postbox.example/v1/capabilities/send_letter
	// warning adp.ambiguous_prefix /auth
	// info adp.base_url_path /base_url
}
