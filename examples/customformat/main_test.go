package main

import (
	"testing"

	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// TestLaws checks that the format obeys the laws of all formats.
func TestLaws(t *testing.T) {
	parsetest.Run(t, Helpdesk(),
		parsetest.Doc{Name: "good", URL: "https://shop.example/.well-known/helpdesk.json", MediaType: "application/json",
			Body: []byte(`{"helpdesk": "Shop", "topics": [{"id": "returns", "text": "How to send things back"}]}`)},
		parsetest.Doc{Name: "bad", URL: "https://shop.example/.well-known/helpdesk.json", MediaType: "application/json",
			Body: []byte(`{"helpdesk": 1, "topics": [{}, 2, {"id": []}]}`)},
	)
}

func Example() {
	if err := run(); err != nil {
		panic(err)
	}
	// Output:
	// Shop helpdesk:returns How to send things back
	// error helpdesk.missing required member "id" is missing
}
