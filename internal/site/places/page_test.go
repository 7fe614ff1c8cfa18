package places_test

import (
	"testing"

	"github.com/wayfindhq/wayfind/internal/site/places"
)

// A URL names a document only if it contains more than its origin.
func TestAURLWithAPathOrAQueryNamesAPage(t *testing.T) {
	for s, want := range map[string]string{
		"https://shop.example/llms.txt":        "https://shop.example/llms.txt",
		"HTTPS://Shop.Example:8443/A?b#c":      "https://shop.example:8443/A?b#c",
		"https://Bücher.example/llms.txt":      "https://xn--bcher-kva.example/llms.txt",
		"https://shop.example?page=2":          "https://shop.example?page=2",
		"http://LOCALHOST:8080/agents.md":      "http://localhost:8080/agents.md",
		"http://[::1]/agents.md":               "http://[::1]/agents.md",
		"https://shop.example":                 "",
		"https://shop.example/":                "",
		"shop.example/llms.txt":                "",
		"shop.example":                         "",
		"mailto:user@shop.example":             "",
		"https://shop.example/%zz":             "",
		"https://user:secret@shop.example/a/b": "https://user:secret@shop.example/a/b",
		"":                                     "",
	} {
		page, ok := places.PageOf(s)
		got := ""
		if ok {
			got = page.String()
		}
		if got != want {
			t.Errorf("PageOf(%q) = %q, want %q", s, got, want)
		}
	}
}
