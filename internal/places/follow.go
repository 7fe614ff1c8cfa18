package places

import (
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// Inside is the place of a document within some indexes that were asked for at c.
func (c Candidate) Inside(indexes int) Candidate {
	c.Depth, c.Indexes = max(c.Depth, 1), c.Indexes+indexes
	return c
}

// Follow makes candidates of the links of a document that discovery follows, those
// to the document's own origin first, each group in the order of the document.
// Lazy links are left to Describe, and those to a format that is not read are
// never followed. URLs after the first of a link are fallbacks.
//
// Documents are followed as far as most links from a place. From an index, which
// index says, to another one is no such link, but no more than [parse.MaxIndexes] may
// stand within each other: deep counts the links that lead further.
func Follow(from Candidate, index bool, most int, links []parse.Link, formats []*parse.Format) (more []Candidate, deep int) {
	at := from
	at.Depth++
	if index {
		at = from.Inside(1)
	}
	for _, l := range links {
		claimants, toIndex := readersOf(l, formats)
		switch {
		case l.Lazy || len(claimants) == 0 || most <= 0:
			continue
		case at.Indexes > parse.MaxIndexes, toIndex && at.Indexes == parse.MaxIndexes:
			deep++
			continue
		case !toIndex && at.Depth > most:
			continue
		}
		for i, u := range l.URLs {
			c := Candidate{
				URL: u, Accept: defaultAccept, Depth: at.Depth, Indexes: at.Indexes, Index: toIndex,
				From: from.URL, Version: l.Version, Placed: l.Placed, Auth: l.Auth, Limits: parse.Limits{}.WithDefaults(),
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
			if index { // entries of an index elsewhere are not asked for, not even by a detour
				c.Limits.SameSiteOnly = true
			}
			if i > 0 {
				c.After = []string{l.URLs[i-1]}
			}
			more = append(more, c)
		}
	}
	slices.SortStableFunc(more, func(a, b Candidate) int { return away(a.URL, from.URL) - away(b.URL, from.URL) })
	return more, deep
}

// readersOf are the formats that a link is for, and whether it leads to an index.
func readersOf(l parse.Link, formats []*parse.Format) (list []*parse.Format, index bool) {
	if l.Format == "" {
		return formats, false
	}
	list = slices.DeleteFunc(slices.Clone(formats), func(f *parse.Format) bool { return f.Name != l.Format })
	return list, len(list) > 0 && list[0].Index
}

// away is 0 for a URL of the same origin and 1 for any other.
func away(ref, from string) int {
	u, err := url.Parse(ref)
	own, err2 := url.Parse(from)
	if err != nil || err2 != nil || u.Scheme != own.Scheme || !strings.EqualFold(u.Host, own.Host) {
		return 1
	}
	return 0
}

// Key is the same for all spellings of a URL that mean one resource (RFC 3986
// §6.2.2): without fragment, and with nothing percent-encoded that need not be.
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

// KeyOf is the key of a URL in text; of a text that is none, the text.
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

// isKey reports whether a URL is its own key, as the places of formats are: canonical,
// and without a query.
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

// plainly decodes the unreserved characters (RFC 3986 §2.3) and writes what stays
// encoded in capitals.
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
