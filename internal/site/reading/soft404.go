package reading

import (
	"strings"
	"unicode"

	"github.com/wayfindhq/wayfind/parse"
)

// maxTitle is the number of bytes of a text that are searched for its title.
const maxTitle = 2 << 10

// saysNotFound recognises a Markdown page whose title is "not found". Servers that convert pages to
// Markdown on request convert their error pages as well, and answer with 200.
func saysNotFound(in *parse.Input) bool {
	if in.MediaType != "" && !strings.HasPrefix(in.MediaType, "text/") {
		return false
	}
	text := string(in.Body[:min(len(in.Body), maxTitle)])
	switch words(markdownTitle(strings.TrimLeft(text, "\ufeff \t\r\n"))) {
	case "404", "error 404", "404 error", "not found", "404 not found", "page not found", "404 page not found", "error 404 not found":
		return true
	}
	return false
}

// markdownTitle returns the first heading of a text, or the title in its front matter.
func markdownTitle(text string) string {
	front := strings.HasPrefix(text, "---\n") || strings.HasPrefix(text, "---\r\n")
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		title, named := strings.CutPrefix(line, "title:")
		switch {
		case i == 0 && front, line == "":
		case front && named:
			return title
		case front && line == "---":
			front = false
		case !front:
			if heading := strings.TrimLeft(line, "#"); heading != line {
				return heading
			}
			return ""
		}
	}
	return ""
}

// words returns the words of a title in lower case, separated by one blank.
func words(title string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(title), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }), " ")
}
