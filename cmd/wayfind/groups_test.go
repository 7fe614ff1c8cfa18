package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// The demo publishes a document of every format, but of those that are asked for
// on request only.
func TestDemoHasEveryFormat(t *testing.T) {
	text := string(golden.Read(t, filepath.Join("testdata", "demo.jsonl")))
	for _, f := range formats.All() {
		if !strings.Contains(text, `"format":"`+f.Name+`"`) && f.Name != "oauth" {
			t.Errorf("no document of %s is in the demo", f.Name)
		}
	}
}

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
