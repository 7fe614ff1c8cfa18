package prompt

import (
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Inert returns a text in the form in which a [Prompt] writes it, for a place that has no
// marks, such as the description of a tool. Tags, links, images, fences and tokens of chat
// templates are escaped. A URL that leads to another origin than the document in from is
// reduced to its host. The text is cleaned, and keeps its lines.
func Inert(words string, from Provenance) string {
	words, _ = text.Clean(words, true, 0)
	b := blockOf(from)
	var out strings.Builder
	for line := range strings.Lines(words) {
		out.WriteString(b.inert(line))
	}
	return out.String()
}
