package awp_test

import (
	"fmt"
	"net/url"

	"github.com/wayfindhq/wayfind/internal/formats/awp"
	"github.com/wayfindhq/wayfind/parse"
)

func Example() {
	u := &url.URL{Scheme: "https", Host: "air.example", Path: awp.Path}
	in := &parse.Input{URL: u, FinalURL: u, Body: []byte(`{
		"awp_version": "0.2",
		"domain": "air.example",
		"intent": "Search and book flights",
		"auth": {"type": "bearer", "required_for": ["cancel"]},
		"actions": [
			{"id": "search", "description": "Find flights", "auth_required": false,
			 "inputs": {"to": {"type": "airport_code", "required": true}}, "outputs": {"flights": "array[string]"},
			 "endpoint": "/api/flights", "method": "GET", "rate_limit": "30/minute"},
			{"id": "cancel", "description": "Cancel a booking", "auth_required": false,
			 "inputs": {"booking": {"type": "string", "required": true}}, "outputs": {},
			 "endpoint": "/api/bookings/{booking}", "method": "DELETE", "sensitivity": "irreversible"}
		],
		"dependencies": {"cancel": ["search"]}
	}`)}
	reading, err := awp.Format().Parse(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range reading.Services[0].Capabilities {
		confirm := c.Effects.NeedsConfirmation
		fmt.Println(c.ID, c.Invocation.Method, c.Invocation.URL+c.Invocation.Template, confirm != nil && *confirm, c.DependsOn)
	}
	for _, d := range reading.Diagnostics {
		fmt.Println(d.Severity, d.Code, d.Pointer)
	}
	// Output:
	// search GET https://air.example/api/flights false []
	// cancel DELETE https://air.example/api/bookings/{booking} true [search]
	// warning awp.auth_conflict /actions/1/auth_required
}
