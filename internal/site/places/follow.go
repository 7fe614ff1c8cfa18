package places

import (
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// Inside returns the candidate for a document inside nested indexes, of which c is the outermost.
func (c *Candidate) Inside(indexes int) *Candidate {
	inside := *c
	inside.Depth, inside.Indexes = max(c.Depth, 1), c.Indexes+indexes
	return &inside
}

// Follow returns candidates for the links of a document that discovery follows. Links to the
// document's own origin come first. Each group is in the order of the document. Describe
// follows lazy links, and links to a format that is not read are never followed. The second and
// further URLs of a link are fallbacks.
//
// Discovery follows at most most links in a row from a place. A link to the next page of a list is not
// counted; at most [MaxPages] follow the first. A link from an index to another
// index is not counted, but at most [parse.MaxIndexes] indexes may be nested. index is true if
// the document is an index. further are the candidates that exceed most, and deep is the number of
// links that exceed the nesting.
func Follow(from *Candidate, index bool, most int, links []parse.Link, formats []*parse.Format) (more, further []Candidate, deep int) {
	at := *from
	at.Depth++
	if index {
		at = *from.Inside(1)
	}
	for _, l := range links {
		claimants, toIndex := readersOf(l, formats)
		switch {
		case l.Lazy || len(claimants) == 0, l.Page && from.Pages >= MaxPages:
			continue
		case most <= 0:
			further = append(further, Candidate{URL: l.URLs[0], Depth: at.Depth, From: from.URL})
			continue
		case at.Indexes > parse.MaxIndexes, toIndex && at.Indexes == parse.MaxIndexes:
			deep++
			continue
		case !toIndex && !l.Page && at.Depth > most:
			further = append(further, Candidate{URL: l.URLs[0], Depth: at.Depth, From: from.URL})
			continue
		}
		for i, u := range l.URLs {
			c := Candidate{
				URL: u, Accept: defaultAccept, Depth: at.Depth, Indexes: at.Indexes, Index: toIndex,
				From: from.URL, Version: l.Version, Placed: l.Placed, Auth: l.Auth, Limits: parse.Limits{}.WithDefaults(),
			}
			if l.Page {
				c.Depth, c.Pages = from.Depth, from.Pages+1
			}
			if l.SHA256 != "" {
				c.SHA256 = []string{l.SHA256}
			}
			if l.Format != "" {
				c.Formats = claimants
			}
			if len(claimants) == 1 {
				c.Limits, c.Accept = claimants[0].Limits.WithDefaults(), AcceptOf(claimants[0])
			}
			if index || l.Page { // entries on other sites are not requested, not even after a redirect
				c.Limits.SameSiteOnly = true
			}
			if i > 0 {
				c.After = []string{l.URLs[i-1]}
			}
			more = append(more, c)
		}
	}
	slices.SortStableFunc(more, func(a, b Candidate) int { return away(a.URL, from.URL) - away(b.URL, from.URL) })
	return more, further, deep
}

// MaxPages is the number of pages of a list after the first.
const MaxPages = 20

// readersOf returns the formats for which a link is meant, and reports whether it leads to an
// index.
func readersOf(l parse.Link, formats []*parse.Format) (list []*parse.Format, index bool) {
	if l.Format == "" {
		return formats, false
	}
	list = slices.DeleteFunc(slices.Clone(formats), func(f *parse.Format) bool { return f.Name != l.Format })
	return list, len(list) > 0 && list[0].Index
}

// away returns 0 for a URL of the same origin and 1 for any other.
func away(ref, from string) int {
	u, err := url.Parse(ref)
	own, err2 := url.Parse(from)
	if err != nil || err2 != nil || u.Scheme != own.Scheme || !strings.EqualFold(u.Host, own.Host) {
		return 1
	}
	return 0
}

// Key returns the same key for all spellings of a URL that mean the same resource (RFC 3986
// §6.2.2): without a fragment, and without unnecessary percent-encoding.
func Key(u *url.URL) string {
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	key := strings.ToLower(u.Scheme) + "://" + strings.ToLower(u.Host) + plainly(path)
	if u.RawQuery != "" {
		key += "?" + plainly(u.RawQuery)
	}
	return key
}

// KeyOf returns the key of a URL. If the text is not a URL, KeyOf returns the text.
func KeyOf(ref string) string {
	if isKey(ref) {
		return ref
	}
	u, err := url.Parse(ref)
	if err != nil {
		return ref
	}
	return Key(u)
}

// isKey reports whether a URL is its own key, like the places of formats: canonical and without
// a query.
func isKey(ref string) bool {
	rest, ok := strings.CutPrefix(ref, "https://")
	at := strings.IndexByte(rest, '/')
	if !ok || at < 0 {
		return false
	}
	for i := range len(rest) {
		b := rest[i]
		lower := 'a' <= b && b <= 'z' || '0' <= b && b <= '9' || b == '-' || b == '.'
		if !lower && (i < at || b != '/' && b != '_' && b != '~' && (b < 'A' || 'Z' < b)) {
			return false
		}
	}
	return true
}

// plainly decodes the unreserved characters (RFC 3986 §2.3) and writes the remaining escapes in
// capitals.
func plainly(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' || i+2 >= len(text) {
			b.WriteByte(text[i])
			continue
		}
		code := text[i : i+3]
		i += 2
		if c, err := url.PathUnescape(code); err == nil && isUnreserved(c) {
			b.WriteString(c)
		} else {
			b.WriteString(strings.ToUpper(code))
		}
	}
	return b.String()
}

func isUnreserved(c string) bool {
	return len(c) == 1 && (c[0] >= '0' && c[0] <= '9' || c[0]|0x20 >= 'a' && c[0]|0x20 <= 'z' || strings.Contains("-._~", c))
}
