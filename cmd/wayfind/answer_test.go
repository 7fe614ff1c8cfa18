package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/demo"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// TestAnswerFitsAScreen: a typical site takes at most 24 lines of 80 columns.
func TestAnswerFitsAScreen(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	code, out, errs := exec(t, "", "demo", "--all", "--now", "2026-01-02T15:04:05Z")
	if code != ui.ExitFound || errs != "" {
		t.Fatal(code, errs)
	}
	sites := strings.Split(out, "\n── ")
	for _, site := range sites {
		name, text, _ := strings.Cut(site, "\n\n")
		name = strings.Fields(strings.TrimPrefix(name, "── "))[0]
		lines := strings.Split(strings.TrimSpace(text), "\n")
		if len(lines) > 23 && !slices.Contains([]string{"bookings.example", "everything.example", "garden.example", "registry.example"}, name) {
			t.Errorf("%s takes %d lines:\n%s", name, len(lines), text)
		}
		for _, l := range lines {
			if n := len([]rune(l)); n > 80 && strings.Count(strings.TrimSpace(l), " ") > 3 {
				t.Errorf("%s: a line of %d columns: %s", name, n, l)
			}
		}
	}
	if len(sites) != len(demo.Sites()) {
		t.Errorf("%d sites", len(sites))
	}
}
