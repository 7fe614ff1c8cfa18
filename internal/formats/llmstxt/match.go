package llmstxt

import (
	"path"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// match recognises texts whose lists are links. At a place of the format, any text with a
// title, with such a list, or of URLs is recognised. Elsewhere titles and lists are common:
// there a list must be in a section and mostly consist of links, and only a summary makes it
// certain.
func match(in *parse.Input) parse.Claim {
	if in.HTML() || !in.Sectioned() && !isOwnPlace(in) {
		return parse.Claim{}
	}
	if _, err := in.JSON(); err == nil {
		return parse.Claim{}
	}
	text, err := in.Markdown()
	if err != nil {
		return parse.Claim{}
	}
	s := signsOf(text)
	switch {
	case isOwnPlace(in) && s.titled && s.links > 0:
		return parse.Claim{Level: parse.Exact}
	case isOwnPlace(in) && (s.titled || s.links > 0 || listsURLs(text)):
		return parse.Claim{Level: parse.Likely}
	case !s.titled || s.front || s.agents || s.listed == 0:
		return parse.Claim{}
	case s.summary && s.listed*2 >= s.items:
		return parse.Claim{Level: parse.Exact}
	case s.listed*4 >= s.items*3:
		return parse.Claim{Level: parse.Likely}
	}
	return parse.Claim{}
}

// isOwnPlace reports whether the file was requested, or found, under its name.
func isOwnPlace(in *parse.Input) bool {
	return in.URL != nil && path.Base(in.URL.Path) == path.Base(Path) || in.FinalURL != nil && path.Base(in.FinalURL.Path) == path.Base(Path)
}

// signs are the evidence for a text.
type signs struct {
	// titled is set if there is a heading of level 1.
	titled bool
	// summary is set if a quote is the first block below the title.
	summary bool
	// links is the number of list items that begin with a link. listed is the number of those in a
	// section, and items the number of all items there.
	links, listed, items int
	// front is set if there is front matter, which the format does not have.
	front bool
	// agents is set if a section lists permissions or restrictions of agents, as in agents.md.
	agents bool
}

func signsOf(text *parse.Markdown) signs {
	_, front := text.FrontText()
	s := signs{front: front}
	for _, sec := range text.Sections() {
		if sec.Level == 1 && !s.titled {
			s.titled = true
			s.summary = len(sec.Blocks) > 0 && isQuote(sec.Blocks[0])
		}
		switch strings.ToLower(sec.Title) {
		case "can", "cannot", "can not", "can't", "mcp":
			s.agents = s.agents || sec.Level == 2
		}
		for _, b := range sec.Blocks {
			if b.Kind != parse.BlockItem {
				continue
			}
			below := sec.Level >= 2
			if below {
				s.items++
			}
			if strings.HasPrefix(strings.TrimLeft(b.Text, "*_!"), "[") && strings.Contains(b.Text, "](") {
				s.links++
				if below {
					s.listed++
				}
			}
		}
	}
	return s
}

// listsURLs reports whether at least half of the lines of a text are URLs, with or without
// text about them.
func listsURLs(text *parse.Markdown) bool {
	urls, all := 0, 0
	for _, sec := range text.Sections() {
		for _, b := range sec.Blocks {
			for line := range strings.SplitSeq(b.Text, "\n") {
				all++
				if isEntry(b, line) {
					urls++
				}
			}
		}
	}
	return urls > 0 && urls*2 >= all
}

// isEntry reports whether a line is a URL, optionally with a label in front
// ("Docs: https://…") or, in a list item, with any text in front. Text may follow the URL.
func isEntry(b parse.Block, line string) bool {
	if b.Kind != parse.BlockParagraph && b.Kind != parse.BlockItem {
		return false
	}
	links := linksOf(line[:min(len(line), maxTitle+maxDestination)], nil)
	if len(links) == 0 || links[0].form != bare || links[0].start > maxTitle {
		return false
	}
	before := strings.TrimRight(line[:links[0].start], " \t<")
	return b.Kind == parse.BlockItem || before == "" || strings.HasSuffix(before, ":")
}

func isQuote(b parse.Block) bool {
	return b.Kind == parse.BlockParagraph && strings.HasPrefix(b.Text, ">")
}
