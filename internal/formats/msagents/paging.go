package msagents

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/weblink"
	"github.com/wayfindhq/wayfind/parse"
)

// extent is the part of a list that a document contains, as the document declares it.
type extent uint8

const (
	// complete: no member declares that there is more.
	complete extent = iota
	// paged: the document is a page, and does not declare the number of pages.
	paged
	// partial: there is more.
	partial
)

// The design leaves pages to a later version ("page/per_page") and defines no members for
// them. These are the members in common use.

// nextMembers returns the members that lead to the next page unless they are empty.
func nextMembers() []string {
	return []string{"next", "next_url", "nextUrl", "nextLink", "next_link", "@odata.nextLink", "next_page", "nextPage",
		"next_page_token", "nextPageToken", "page_token", "pageToken", "next_cursor", "nextCursor", "cursor",
		"continuation_token", "continuationToken", "has_more", "hasMore", "has_next", "hasNext"}
}

// totalMembers returns the members with the number of all agents.
func totalMembers() []string {
	return []string{"total", "total_count", "totalCount", "total_items", "totalItems", "count", "@odata.count"}
}

// sizeMembers returns the members with the number of agents on a page, and placeMembers the
// members with the number of the page.
func sizeMembers() []string {
	return []string{"per_page", "perPage", "page_size", "pageSize", "limit"}
}

func placeMembers() []string { return []string{"page", "offset", "skip"} }

// pagesMembers returns the members with the number of pages.
func pagesMembers() []string { return []string{"pages", "total_pages", "totalPages", "page_count"} }

// wrapMembers returns the members that are objects with any of the others.
func wrapMembers() []string {
	return []string{"pagination", "paging", "page_info", "pageInfo", "links", "_links", "meta"}
}

// pageMembers returns all of them.
func pageMembers() []string {
	return slices.Concat(nextMembers(), totalMembers(), sizeMembers(), placeMembers(), pagesMembers(), wrapMembers())
}

// onlyPages reports whether an object has only a list and members for paging.
func onlyPages(root parse.Node, list string) bool {
	return root.HasOnly(append(pageMembers(), list)...)
}

// span is the part of a list that a document contains, and the way to the next part.
type span struct {
	extent
	at    parse.Node // the member that declares it
	later bool       // other pages precede it
	ref   string     // the reference of the next page, or ""
	// query is the parameter of the next page and its value, if the document numbers its pages.
	query, value string
}

// pages returns the span of a list of n agents.
func pages(root parse.Node, n int) span {
	best := spanOf(root, n)
	for _, wrap := range append(wrapMembers(), "page") {
		if inner := spanOf(root.Get(wrap), n); inner.extent > best.extent || inner.extent == best.extent && best.ref == "" && inner.ref != "" {
			best = inner
		}
	}
	return best
}

// spanOf reads the members of one object.
func spanOf(obj parse.Node, n int) span {
	if obj.Kind() != parse.Object {
		return span{}
	}
	s := numbered(obj, n)
	for _, m := range nextMembers() {
		next := obj.Get(m)
		if !leads(next) {
			continue
		}
		s.extent, s.at = partial, next
		if s.ref = reference(next); s.ref != "" {
			break
		}
		if page, ok := next.Int(); ok && strings.Contains(strings.ToLower(m), "page") {
			s.query, s.value = "page", strconv.FormatInt(page, 10)
			break
		}
	}
	return s
}

// numbered reads the numbers of an object: which page, how many, of which size.
func numbered(obj parse.Node, n int) span {
	name, place := number(obj, placeMembers())
	sized, size := number(obj, sizeMembers())
	_, total := number(obj, totalMembers())
	at, count := number(obj, pagesMembers())
	isPage := name == "page" || name == ""
	first := int64(0) // the number of agents before this page
	switch {
	case !isPage:
		first = max(place, 0)
	case place > 1:
		first = (place - 1) * max(size, int64(n))
	}
	s := span{later: first > 0, query: name, value: strconv.FormatInt(first+int64(n), 10)}
	last := max(place, 1) // the number of pages up to this one
	if isPage {
		s.value = strconv.FormatInt(last+1, 10)
	}
	if name == "page" && place == 0 { // counted from 0
		s.value = "1"
	}
	if !isPage { // an offset counts agents
		last = (first + int64(n)) / max(int64(n), 1)
	}
	if name == "" && sized != "" && sized != "limit" { // per_page belongs to page
		s.query = "page"
	}
	switch {
	case at != "" && count > last:
		s.extent, s.at = partial, obj.Get(at)
	case total > first+int64(n):
		at, _ = number(obj, totalMembers())
		s.extent, s.at = partial, obj.Get(at)
	case at != "" || total >= 0:
	case first > 0:
		s.extent, s.at = paged, obj.Get(name)
	case size >= 0 && n > 0 && size <= int64(n):
		s.extent, s.at = paged, obj.Get(sized)
	}
	return s
}

// number returns the first of some members that is a number, or "" and -1. Numbers beyond a billion are
// none of agents.
func number(obj parse.Node, members []string) (name string, value int64) {
	for _, m := range members {
		if v, ok := obj.Get(m).Int(); ok && v >= 0 && v <= 1_000_000_000 {
			return m, v
		}
	}
	return "", -1
}

// leads reports whether the value of a member leads to more: a text, the number of a page, a
// non-empty object, or true.
func leads(n parse.Node) bool {
	switch n.Kind() {
	case parse.String:
		text, _ := n.Str()
		return text != ""
	case parse.Bool:
		yes, _ := n.Bool()
		return yes
	case parse.Object:
		return n.Len() > 0
	}
	page, ok := n.Int()
	return ok && page > 0
}

// reference returns the URL reference in the value of a member, as a text or as a link object, or "".
// A cursor is none.
func reference(n parse.Node) string {
	if n.Kind() == parse.Object {
		n = n.Get("href")
	}
	text, _ := n.Str()
	if strings.HasPrefix(text, "?") || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://") {
		return text
	}
	return ""
}

// partial reports a list that has more, by its members or by a link in the header of the
// response (RFC 8288 §3). It returns a link to the next page, or none.
func (r *reader) partial(in *parse.Input, root parse.Node, n int) []parse.Link {
	s := pages(root, n)
	if ref := weblink.Find(in.Header.Values("Link"), "next"); ref != "" {
		s.extent, s.at, s.ref = partial, root, ref
	}
	base := cmp.Or(in.FinalURL, in.URL)
	switch {
	case s.extent == complete && s.later && (base == nil || base.RawQuery == ""):
		r.Report(rulePartial, root, "the list is the last of several pages; nothing leads to the pages before it, so they are not read")
		return nil
	case s.extent == complete:
		return nil
	case s.extent == paged:
		r.Report(rulePartial.AsInfo(), s.at, "the list is a page of %d agents and does not say whether it is the last", n)
		return nil
	}
	u := nextURL(in, s)
	if u == "" {
		r.Report(rulePartial, s.at, "the list says that there are more agents than the %d of this page; nothing names the next page at the place of the list, so they are not read", n)
		return nil
	}
	r.Report(rulePartial.AsInfo(), s.at, "the list says that there are more agents than the %d of this page; the next page is %q", n, u)
	return []parse.Link{{URLs: []string{u}, Role: "next", Format: name, Page: true}}
}

// nextURL returns the URL of the next page. It differs from that of the document only in its query:
// other resources of the site are no page of its list.
func nextURL(in *parse.Input, s span) string {
	base := cmp.Or(in.FinalURL, in.URL)
	if base == nil || !placeOf(in).list() {
		return ""
	}
	next := *base
	next.Fragment, next.RawFragment = "", ""
	if s.ref != "" {
		ref, err := base.Parse(s.ref)
		if err != nil || !strings.EqualFold(ref.Host, base.Host) || ref.EscapedPath() != base.EscapedPath() || ref.User != nil {
			return ""
		}
		next.RawQuery = ref.RawQuery
	} else if s.query != "" {
		q := next.Query()
		q.Set(s.query, s.value)
		next.RawQuery = q.Encode()
	}
	if next.RawQuery == base.RawQuery || len(next.RawQuery) > maxURL {
		return ""
	}
	return next.String()
}
