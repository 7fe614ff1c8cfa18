package llmstxt_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// Reference links have the targets of their definitions (CommonMark §6.3), which are no entries and no text
// of their own. A definition that no link names is listed.
func TestReferenceLinks(t *testing.T) {
	r := read(t, `# Kettles

> Sells kettles.

## Docs

- [Care][care]: how to care
- [Use  Manual][]
- [prices]
- [gone][nothing]
- [whole](/whole.md)
- [own (text)](not a link)

[Care]: /care.md "A title"
[use manual]: <https://k.example/use.md>
[prices]: /prices.md
[care]: /second.md
[own (text)]: /own.md

`+"```"+`
[code]: /code.md
`+"```"+`

## More

[other]: /other.md
[^1]: /note.md
`)
	var got []string
	for _, d := range r.Documents {
		got = append(got, d.Title+" "+strings.TrimPrefix(d.URL, "https://shop.example"))
	}
	want := []string{"Care /care.md", "Use Manual https://k.example/use.md", "prices /prices.md", "whole /whole.md", "own (text) /own.md", "other /other.md"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	if r.Documents[0].Description != "how to care" || r.Documents[0].Section != "Docs" {
		t.Errorf("%+v", r.Documents[0])
	}
}
