package callresult

import (
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/weblink"
)

// Next is the next page, as a service names it. It is data of the service: a model may send
// its Arguments, but no request is sent automatically.
type Next struct {
	// URL is the URL of the page, on the origin of the request. If the service names a cursor
	// instead, Name is the member that contains it, and Value is the cursor.
	URL   *url.URL
	Name  string
	Value string
	// Given are the arguments for the page if the publisher's links define them.
	Given []Argument
	// Elsewhere is true if the page is on another origin, or its URL is not valid. All other
	// fields are then empty.
	Elsewhere bool
}

// Argument is one argument of a call, with its value as JSON.
type Argument struct {
	Name  string
	Value []byte
}

// maxCursor is the maximum length of a cursor in bytes.
const maxCursor = 4 << 10

// nextOf finds the next page: from a link (RFC 8288), from a link of the publisher's OpenAPI
// document, or from a member of the answer with a known name.
func nextOf(a *Answer, root jsonscan.Node) *Next {
	if ref := weblink.Find(a.Header["Link"], "next"); ref != "" {
		if u := a.near(ref); u != nil {
			return &Next{URL: u}
		}
		return &Next{Elsewhere: true}
	}
	if given := a.linked(root); given != nil {
		return &Next{Given: given}
	}
	if root.Kind() != jsonscan.Object {
		return nil
	}
	for _, at := range around(root) {
		for _, name := range cursors() {
			if n := a.cursor(at, name); n != nil {
				return n
			}
		}
	}
	return nil
}

// around returns the objects in which services put the next page.
func around(root jsonscan.Node) []jsonscan.Node {
	list := []jsonscan.Node{root}
	for _, name := range [...]string{"meta", "metadata", "pagination", "paging", "page", "links", "_links", "page_info", "pageInfo", "response_metadata", "cursors"} {
		if n := root.Get(name); n.Kind() == jsonscan.Object {
			list = append(list, n)
			for _, name := range [...]string{"cursors", "pagination", "links"} {
				if c := n.Get(name); c.Kind() == jsonscan.Object {
					list = append(list, c)
				}
			}
		}
	}
	return list
}

// cursors returns the names of members that contain the next page.
func cursors() []string {
	return []string{
		"next_cursor", "nextCursor", "next_page_token", "nextPageToken", "next_token", "nextToken", "NextToken", "continuation_token", "continuationToken",
		"@odata.nextLink", "nextLink", "next_link", "next_url", "nextUrl", "next_page", "nextPage", "next", "end_cursor", "endCursor", "after",
	}
}

// cursor reads the next page from a member.
func (a *Answer) cursor(at jsonscan.Node, name string) *Next {
	v := at.Get(name)
	if v.Kind() == jsonscan.Object {
		v = v.Get("href")
	}
	value, _ := v.Str()
	if v.Kind() == jsonscan.Number && (name == "next_page" || name == "nextPage") {
		value = string(v.Raw())
	}
	if value == "" || len(value) > maxCursor {
		return nil
	}
	for _, more := range [...]string{"has_next_page", "hasNextPage", "has_more", "hasMore"} {
		if yes, said := at.Get(more).Bool(); said && !yes {
			return nil
		}
	}
	if strings.HasPrefix(value, "/") || strings.HasPrefix(value, "?") || strings.Contains(value, "://") {
		if u := a.near(value); u != nil {
			return &Next{URL: u}
		}
		return &Next{Elsewhere: true}
	}
	return &Next{Name: name, Value: value}
}

// Arguments returns the arguments to change in a call for the next page: values of declared
// parameters. It returns nil if the page cannot be expressed in this way.
func (n *Next) Arguments(params []wayfind.Param, sent *url.URL) []Argument {
	switch {
	case n == nil || n.Elsewhere:
		return nil
	case n.URL != nil:
		return n.changed(params, sent)
	case n.Given != nil:
		return n.declared(params)
	}
	want := folded(n.Name)
	for _, prefix := range [...]string{"@odata.", "next", "end"} {
		want = strings.TrimPrefix(want, prefix)
	}
	if folded(n.Name) == "next" {
		want = "cursor"
	}
	names := []string{want, folded(n.Name)}
	switch want {
	case "cursor", "token", "after":
		names = append(names, "cursor", "after", "startingafter", "startcursor", "pagetoken", "token")
	case "pagetoken", "continuationtoken":
		names = append(names, "token", "cursor")
	}
	for _, name := range names {
		for i := range params {
			if p := &params[i]; folded(p.Name) == name && (p.In == "query" || p.In == "body" || p.In == "") && !p.Whole {
				return []Argument{{p.Name, valueOf(p, n.Value)}}
			}
		}
	}
	return nil
}

// changed returns the fields of the query that differ from the query of sent. It returns nil
// if the path differs, or if a field is not a parameter.
func (n *Next) changed(params []wayfind.Param, sent *url.URL) (list []Argument) {
	if sent == nil || n.URL.EscapedPath() != sent.EscapedPath() {
		return nil
	}
	before, after := sent.Query(), n.URL.Query()
	for i := range params {
		p := &params[i]
		values, ok := after[p.Name]
		if p.In != "query" || p.Whole || !ok || slices.Equal(values, before[p.Name]) {
			continue
		}
		if len(values) != 1 || len(values[0]) > maxCursor {
			return nil
		}
		list = append(list, Argument{p.Name, valueOf(p, values[0])})
		delete(after, p.Name)
	}
	for name, values := range after {
		if !slices.Equal(values, before[name]) {
			return nil
		}
	}
	return list
}

// valueOf returns a text as JSON, in the type of the parameter.
func valueOf(p *wayfind.Param, text string) []byte {
	if p.Type == "integer" || p.Type == "number" {
		if doc, err := jsonscan.Scan([]byte(text)); err == nil && doc.Root().Kind() == jsonscan.Number {
			return []byte(text)
		}
	}
	return jsonscan.AppendQuote(nil, text)
}

// fieldMarks removes the separators in a name.
var fieldMarks = strings.NewReplacer("_", "", "-", "", "[", "", "]", "")

// folded returns a name in lower case, without the separators between its words.
func folded(name string) string {
	return fieldMarks.Replace(strings.ToLower(name))
}
