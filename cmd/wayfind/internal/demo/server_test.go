package demo

import (
	"testing"

	"github.com/wayfindhq/wayfind/client"
)

// The documents that the demo publishes for shops and indexes violate no MUST of their formats.
func TestDemoIsSound(t *testing.T) {
	for name, place := range map[string]string{
		"shoes.example": "/.well-known/ucp", "pantry.example": "/.well-known/acp.json", "market.example.com": "/.well-known/ard.json",
		"recipes.example": "/.well-known/agent-skills/index.json", "transit.example": "/.well-known/api-catalog",
	} {
		body, err := siteFiles.ReadFile("sites/" + name + place)
		if err != nil {
			t.Fatal(err)
		}
		r, err := client.Parse(t.Context(), body, &client.ParseOptions{URL: "https://" + name + place})
		if err != nil || !r.Usable || len(r.Diagnostics) != 0 {
			t.Errorf("%s%s: %v, usable %v, %v", name, place, err, r.Usable, r.Diagnostics)
		}
	}
}
