package msagents

import (
	"slices"
	"strings"

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

// pages returns the extent of a list of n agents, and the member that declares it.
func pages(root parse.Node, n int) (at parse.Node, e extent) {
	at, e = extentOf(root, n)
	for _, wrap := range wrapMembers() {
		if inner, deeper := extentOf(root.Get(wrap), n); deeper > e {
			at, e = inner, deeper
		}
	}
	if inner, deeper := extentOf(root.Get("page"), n); deeper > e {
		at, e = inner, deeper
	}
	return at, e
}

// extentOf checks the members of one object.
func extentOf(obj parse.Node, n int) (at parse.Node, e extent) {
	if obj.Kind() != parse.Object {
		return parse.Node{}, complete
	}
	for _, m := range nextMembers() {
		if next := obj.Get(m); leads(next) {
			return next, partial
		}
	}
	for _, m := range totalMembers() {
		if total, ok := obj.Get(m).Int(); ok && total > int64(n) {
			return obj.Get(m), partial
		}
	}
	for _, m := range pagesMembers() {
		if count, ok := obj.Get(m).Int(); ok && count > 1 {
			return obj.Get(m), partial
		}
	}
	for _, m := range placeMembers() {
		if page, ok := obj.Get(m).Int(); ok && page > 1 {
			return obj.Get(m), partial
		}
	}
	for _, m := range sizeMembers() {
		if size, ok := obj.Get(m).Int(); ok && n > 0 && size <= int64(n) {
			return obj.Get(m), paged
		}
	}
	return parse.Node{}, complete
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

// partial reports a list that has more, by its members or by a link in the header of the
// response (RFC 8288 §3).
func (r *reader) partial(in *parse.Input, root parse.Node, n int) {
	at, e := pages(root, n)
	switch {
	case e == partial:
		r.Report(rulePartial, at, "the list says that there are more agents than the %d of this page; they are not read", n)
	case linksNext(in):
		r.Report(rulePartial, root, "the response links to a next page, which is not read")
	case e == paged:
		r.Report(rulePartial.AsInfo(), at, "the list is a page of %d agents and does not say whether it is the last", n)
	}
}

// linksNext reports whether the header has a link to a next page.
func linksNext(in *parse.Input) bool {
	return slices.ContainsFunc(in.Header.Values("Link"), func(field string) bool {
		for parameter := range strings.FieldsFuncSeq(strings.ToLower(field), func(c rune) bool { return c == ';' || c == ',' }) {
			name, value, _ := strings.Cut(parameter, "=")
			if strings.TrimSpace(name) == "rel" && slices.Contains(strings.Fields(strings.Trim(value, ` "`)), "next") {
				return true
			}
		}
		return false
	})
}
