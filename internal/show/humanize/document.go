package humanize

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/security/cards"
)

// Cite names a part of a specification by its number, or by its heading in quotes.
func Cite(s wayfind.SpecRef) string {
	if first := strings.TrimLeft(s.Section, "§0123456789."); s.Section == "" || first != s.Section {
		return s.String()
	}
	return s.Title + `, "` + s.Section + `"`
}

// Format names a format with its version and its dialect. The dialect is omitted if the version
// begins with it: "3.0" and "3.0.3".
func Format(format, version, dialect string) string {
	switch {
	case strings.HasPrefix(version, dialect):
		dialect = ""
	case strings.Contains(version, "://"): // the address of a schema; the dialect is its version
		version = ""
	}
	return strings.Join(slices.DeleteFunc([]string{show(format), show(version), show(dialect)}, func(s string) bool { return s == "" }), " ")
}

// Signatures describes in a few words what the signatures of a document prove.
func Signatures(list []wayfind.Signature) string {
	var parts []string
	for i := range list {
		parts = append(parts, signatureText(&list[i]))
	}
	return strings.Join(parts, "; ")
}

func signatureText(s *wayfind.Signature) string {
	key := "a key without a name"
	if s.KeyID != "" {
		key = "the key " + show(OneLine(s.KeyID, 40))
	}
	switch {
	case s.Status == cards.Valid && s.KeySource == cards.KeyPinned:
		return "signed with " + key + ", which is pinned"
	case s.Status == cards.Valid:
		return "signed with " + key + " of the site"
	case s.Status == cards.Unverified:
		return "signature by " + key + " not checked"
	}
	return "signature by " + key + " does not count: " + show(string(s.Code))
}

// Listed returns the entries of indexes that were not requested. They have a media type or an
// identifier, which only an index gives.
func Listed(site *wayfind.Site) (list []*wayfind.Document) {
	asked := make(map[string]bool, len(site.Probes))
	for i := range site.Probes {
		asked[site.Probes[i].URL] = true
	}
	for i := range site.Documents {
		d := &site.Documents[i]
		if (d.Identifier != "" || d.MediaType != "") && !asked[d.URL] {
			list = append(list, d)
		}
	}
	return list
}

// OneLine returns the first line, cut to n letters.
func OneLine(s string, n int) string {
	s, _, _ = strings.Cut(s, "\n")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	short, _ := text.Clean(s, false, n-1)
	return short + "…"
}
