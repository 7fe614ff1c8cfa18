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

// group is a section of level 2 with the sections of higher levels below it,
// which only divide it.
type group struct {
	meaning  meaning
	sections []parse.Section
}

// head is the section with the heading of the group.
func (g *group) head() parse.Section { return g.sections[0] }

// outline is a document as the protocol sees it.
type outline struct {
	// title is the section of the first heading of level 1, nil without one.
	title *parse.Section
	// titles are the further ones.
	titles []parse.Section
	// groups in the order of the document, those without a meaning included.
	groups []group
	// loose are sections without a group: text before the first heading, and
	// higher levels below no heading of level 2.
	loose []parse.Section
}

// outlineOf sorts the sections of a text.
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

// with returns the groups that have a meaning.
func (o *outline) with(m meaning) []group {
	var found []group
	for _, g := range o.groups {
		if g.meaning == m {
			found = append(found, g)
		}
	}
	return found
}

// meaningOf reads the heading of a section: one of the names in any case of
// ASCII letters; marks of emphasis around it and a colon behind it do not
// count. British spelling and the two other ways to write "cannot" are taken
// for the same.
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

// lower maps ASCII letters to lower case and nothing else: Unicode has letters
// that become ASCII ones.
func lower(s string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'A' && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}, s)
}

// hides returns the meaning that a heading would have without invisible
// characters, "" when it has none of them.
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
	// paragraphs as written; there is at least one.
	paragraphs []string
	line       int
	// parents are the texts of the items it lies in, outermost first, each cut
	// to maxParent bytes: every item repeats those around it.
	parents []string
	// heading is the title of the section of a higher level that it is in.
	heading string
}

// text is all of the item, as written.
func (i *item) text() string { return strings.Join(i.paragraphs, "\n\n") }

// maxParent bounds the text that an item repeats of one around it, in bytes.
const maxParent = 80

// items returns the list items of a group, however deep. Empty ones are left
// out. rest reports whether the group has anything else.
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

// prose returns the paragraphs of a group that are in no list, as items.
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
