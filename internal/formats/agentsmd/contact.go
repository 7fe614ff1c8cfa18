package agentsmd

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// contacts reads the section of contacts (§3): the first email address, the first URL,
// and the text, unless the address or the URL is the whole text. Its URLs and forms are
// never used.
func (r *reader) contacts() {
	var texts []string
	for _, g := range r.outline.with(contact) {
		for _, s := range g.sections {
			for _, b := range s.Blocks {
				if b.Text != "" && (b.Kind == parse.BlockItem || b.Kind == parse.BlockParagraph) {
					texts = append(texts, b.Text)
				}
			}
		}
		if len(texts) == 0 {
			r.ReportLine(ruleContact, g.head().Line, "the section %q is empty", g.head().Title)
		}
	}
	if len(texts) == 0 {
		return
	}
	text := strings.Join(texts, "\n")
	c := &wayfind.Contact{}
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\n<>()[]|,;\"'`", c) }) {
		word = strings.TrimRight(word, ".:!?")
		if address, ok := mailAddress(word); ok && c.Email == "" {
			c.Email = address
		}
		if c.URL == "" && isURL(word) {
			c.URL = word
		}
	}
	if text != c.Email && text != c.URL {
		c.Text = text
	}
	r.service.Contact = c
}

// mailAddress reads a common email address, whose local part and domain have plain
// characters only (RFC 5321 §4.1.2 allows more).
func mailAddress(word string) (address string, ok bool) {
	word = strings.Trim(word, "*_")
	if len(word) > 7 && lower(word[:7]) == "mailto:" {
		word, _, _ = strings.Cut(word[7:], "?")
	}
	local, domain, found := strings.Cut(word, "@")
	plain := func(s, more string) bool {
		return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
			return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && !strings.ContainsRune(more, c)
		})
	}
	dotted := strings.Contains(strings.Trim(domain, "."), ".") && strings.Trim(domain, ".-") == domain
	return word, found && len(word) <= 254 && dotted && plain(local, ".!#$%&*+-/=?^_~") && plain(domain, ".-")
}

// isURL reports whether word is an http or https URL without variables.
func isURL(word string) bool {
	if urlref.CheckReference(word) != nil || strings.ContainsAny(word, "{}") {
		return false
	}
	_, err := urlref.AbsoluteURL(word)
	return err == nil
}
