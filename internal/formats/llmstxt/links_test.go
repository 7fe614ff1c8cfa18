package llmstxt_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/llmstxt"
)

// Links are in order, they do not overlap, and each is part of the text.
func FuzzLinks(f *testing.F) {
	for _, text := range []string{
		"[a](b)", "[a [b](c) d](e)", "![a](b) [![c](d)](e)", "`https://a.example` https://b.example/(c).", "[https://a.example](<b c> \"d\")", "``` ` ``[a](b)`` \\[c](d)",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, l := range llmstxt.LinksOf(text) {
			if l.Start < last || l.End <= l.Start || l.End > len(text) || !strings.Contains(text[l.Start:l.End], l.URL) {
				t.Fatalf("%q: %+v behind byte %d", text, l, last)
			}
			last = l.End
		}
	})
}
