package agentsmd

import (
	"slices"
	"strings"
	"unicode"

	"github.com/wayfindhq/wayfind/parse"
)

// meaning is the subject of a section (§3).
type meaning string

// The sections that have a meaning.
const (
	can       meaning = "can"
	cannot    meaning = "cannot"
	behaviour meaning = "behavior"
	contact   meaning = "contact"
	gateway   meaning = "mcp"
)

// group is a section of level 2 and the sections of deeper levels below it, which only
// divide it.
type group struct {
	meaning  meaning
	sections []parse.Section
}

// head returns the section with the heading of the group.
func (g *group) head() parse.Section { return g.sections[0] }

// outline is the structure of a document in terms of the protocol.
type outline struct {
	// title is the section of the first heading of level 1, nil if there is none.
	title *parse.Section
	// titles are the sections of the further headings of level 1.
	titles []parse.Section
	// groups are in the order of the document and include groups without a meaning.
	groups []group
	// loose are the sections without a group: text before the first heading, and
	// deeper levels without a heading of level 2 above them.
	loose []parse.Section
}

// outlineOf returns the outline of the sections of a text.
func outlineOf(sections []parse.Section) outline {
	var o outline
	open := false
	for i := range sections {
		s := sections[i]
		switch {
		case s.Level == 1 && o.title == nil:
			o.title = &sections[i]
		case s.Level == 1:
			o.titles = append(o.titles, s)
		case s.Level == 2:
			o.groups = append(o.groups, group{meaningOf(s.Title), []parse.Section{s}})
		case s.Level > 2 && open:
			last := &o.groups[len(o.groups)-1]
			last.sections = append(last.sections, s)
		default:
			o.loose = append(o.loose, s)
		}
		open = s.Level == 2 || open && s.Level > 2
	}
	return o
}

// with returns the groups that have the given meaning.
func (o *outline) with(m meaning) []group {
	var found []group
	for _, g := range o.groups {
		if g.meaning == m {
			found = append(found, g)
		}
	}
	return found
}

// meaningOf returns the meaning of a heading, "" if it has none. The case of ASCII
// letters, marks of emphasis around the heading and a colon after it make no
// difference. The British spelling and two other ways to write "cannot" are accepted.
func meaningOf(title string) meaning {
	switch words := strings.Join(strings.Fields(lower(strings.Trim(title, "*_`: "))), " "); words {
	case "can":
		return can
	case "cannot", "can not", "can't", "can’t":
		return cannot
	case "behavior", "behaviour", "behavior rules", "behaviour rules":
		return behaviour
	case "contact":
		return contact
	case "mcp", "mcp gateway":
		return gateway
	}
	return ""
}

// lower converts ASCII letters to lower case and changes no other character, because
// Unicode has letters whose lower case is an ASCII letter.
func lower(s string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'A' && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}, s)
}

// hides returns the meaning that a heading would have without its invisible
// characters, and "" if it has no such characters.
func hides(title string) meaning {
	visible := strings.Map(func(c rune) rune {
		if unicode.In(c, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Cc) {
			return -1
		}
		return c
	}, title)
	if visible == title {
		return ""
	}
	return meaningOf(visible)
}

// item is a list item of a group.
type item struct {
	// paragraphs are the paragraphs as written. There is at least one.
	paragraphs []string
	line       int
	// parents are the texts of the items around this one, outermost first. Each is cut
	// to maxParent bytes, because every item repeats the items around it.
	parents []string
	// heading is the title of the deeper section that contains the item, empty if it
	// is directly in the group.
	heading string
}

// text returns the whole item, as written.
func (i *item) text() string { return strings.Join(i.paragraphs, "\n\n") }

// maxParent bounds the repeated text of each item around an item, in bytes.
const maxParent = 80

// items returns the list items of a group at any depth. Empty items are omitted. rest
// is true if the group has other content.
func (g *group) items() (list []item, rest bool) {
	for i, s := range g.sections {
		heading := ""
		if i > 0 {
			heading = s.Title
		}
		var open []string
		last := -1
		for _, b := range s.Blocks {
			switch {
			case b.Kind == parse.BlockItem:
				open = append(open[:min(b.Depth-1, len(open))], short(b.Text))
				last = -1
				if b.Text == "" {
					continue
				}
				parents := slices.DeleteFunc(slices.Clone(open[:len(open)-1]), func(s string) bool { return s == "" })
				last = len(list)
				list = append(list, item{paragraphs: []string{b.Text}, line: b.Line, parents: parents, heading: heading})
			case b.Depth > 0 && last >= 0 && b.Kind == parse.BlockParagraph:
				list[last].paragraphs = append(list[last].paragraphs, b.Text)
			default:
				rest = true
			}
		}
	}
	return list, rest
}

// prose returns the paragraphs of a group outside of lists, as items.
func (g *group) prose() []item {
	var list []item
	for i, s := range g.sections {
		heading := ""
		if i > 0 {
			heading = s.Title
		}
		for _, b := range s.Blocks {
			if b.Kind == parse.BlockParagraph && b.Depth == 0 {
				list = append(list, item{paragraphs: []string{b.Text}, line: b.Line, heading: heading})
			}
		}
	}
	return list
}

// oneLine joins the lines of a text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// short returns the beginning of a text, on one line and cut between words.
func short(text string) string {
	if len(text) <= maxParent {
		return oneLine(text)
	}
	words := strings.Fields(text[:maxParent])
	return strings.ToValidUTF8(strings.Join(words[:max(len(words)-1, min(len(words), 1))], " "), "") + "…"
}
