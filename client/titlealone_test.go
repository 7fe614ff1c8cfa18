package client_test

import (
	"errors"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// A text with a title alone is an agents.md at the place of that format, unless the server answers a
// path that cannot exist with the same text.
func TestATitleAloneIsADocumentUnlessEachPathHasIt(t *testing.T) {
	for text, alone := range map[string]string{"# My Blog\n\nArticles.\n": "My Blog", "## Contact\n\na@b.example\n": ""} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			markdown := clienttest.Page{Body: text, Header: map[string][]string{"Content-Type": {"text/markdown"}}}
			internet.Host("blog.example", clienttest.Pages{}).Handle("/.well-known/agents.md", markdown)
			internet.Host("every.example", markdown)
			c := newClient(t, internet, withFormats(formats.All()...))
			site, err := c.Resolve(t.Context(), "blog.example")
			if err != nil || len(site.Services) != 1 || site.Services[0].Name != alone {
				t.Errorf("%q: %v", text, err)
			}
			if site, err := c.Resolve(t.Context(), "every.example"); !errors.Is(err, wayfind.ErrNotFound) {
				t.Errorf("%q at each path: %v, %d services", text, err, len(site.Services))
			}
		})
	}
}
