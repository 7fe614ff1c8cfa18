package prompt

import (
	"strings"

	"github.com/wayfindhq/wayfind/internal/text"
)

// Inert returns a text as a [Prompt] writes it, for a place that has no marks, such as the
// description of a tool. Tags, links, images, fences and tokens of chat templates are
// escaped, and a URL that leads to another origin than the document of from is reduced to
// its host. The text is cleaned, and keeps its lines.
func Inert(words string, from Provenance) string {
	words, _ = text.Clean(words, true, 0)
	b := &promptBlock{origin: originOfText(from.Source)}
	var out strings.Builder
	for line := range strings.Lines(words) {
		out.WriteString(b.inert(line))
	}
	return out.String()
}
