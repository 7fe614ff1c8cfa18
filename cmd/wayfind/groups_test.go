package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// --formats is completed word by word, with the names of formats and groups.
func TestCompleteFormats(t *testing.T) {
	for _, before := range []string{"", "adp,", "adp,field,"} {
		got, directive := completeFormats(nil, nil, before+"s")
		for _, want := range []string{"all", "seeds", "field", "ucp", "robots"} {
			if !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, before+want+"\t") }) {
				t.Errorf("after %q: no %q in %v", before, want, got)
			}
		}
		if directive&cobra.ShellCompDirectiveNoFileComp == 0 {
			t.Errorf("after %q: files are completed", before)
		}
	}
}

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

// A group after --formats is its formats in client.Options.
func TestFormatsOfGroups(t *testing.T) {
	for _, g := range formats.Groups() {
		var o client.Options
		n := network{formats: []string{g.Name}}
		if err := n.setFormats(&o); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range o.Formats {
			got = append(got, f.Name)
		}
		if !slices.Equal(got, g.Formats) {
			t.Errorf("%s: %v, want %v", g.Name, got, g.Formats)
		}
		if _, err := client.New(&o); err != nil {
			t.Errorf("%s: %v", g.Name, err)
		}
	}
}
