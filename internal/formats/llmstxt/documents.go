package llmstxt

import (
	"errors"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// maxHints is the number of links to other descriptions that are followed: each is a request.
const maxHints = 10

// maxTitle is the longest text before a bare URL that is used as its title, in bytes.
const maxTitle = 120

// block reads the links of a paragraph or list item, and reports whether it begins with one:
// then it is only an entry of a list.
func (r *reader) block(b parse.Block) (entry bool) {
	if isURLList(b) {
		return r.urlList(b)
	}
	links := linksOf(b.Text, r.refs)
	if p, ok := pathOf(b); ok && (len(links) == 0 || links[0].start > p.start) {
		links = append([]link{p}, links...)
	}
	line, counted := b.Line, 0
	for i, l := range links {
		line += strings.Count(b.Text[counted:l.start], "\n")
		counted = l.start
		d := wayfind.Document{Rel: "documentation", Title: plainText(l.title), Section: r.heading, Optional: r.optional, Sources: at(line)}
		if first := i == 0 && b.Kind == parse.BlockItem; first {
			before := strings.Trim(b.Text[:l.start], "*_`<:–—- \t")
			entry = before == "" || l.form == bare && len(before) <= maxTitle
			if l.form != named && entry {
				d.Title = plainText(before)
			}
			if entry {
				d.Description = notesOf(b.Text[l.end:])
			}
		}
		r.document(d, l)
	}
	return entry
}

// isURLList reports whether each line of a paragraph is an entry.
func isURLList(b parse.Block) bool {
	if b.Kind != parse.BlockParagraph {
		return false
	}
	for line := range strings.SplitSeq(b.Text, "\n") {
		if !isEntry(b, line) {
			return false
		}
	}
	return true
}

// urlList reads the lines of a paragraph as items.
func (r *reader) urlList(b parse.Block) (entries bool) {
	entries, at := true, b.Line
	for line := range strings.SplitSeq(b.Text, "\n") {
		entries = r.block(parse.Block{Kind: parse.BlockItem, Line: at, End: at, Text: line}) && entries
		at++
	}
	return entries
}

// pathOf reads an item that begins with the path of a file: "/openapi.json - …".
func pathOf(b parse.Block) (link, bool) {
	text := strings.TrimLeft(b.Text, "*_")
	start := len(b.Text) - len(text)
	if b.Kind != parse.BlockItem || !strings.HasPrefix(text, "/") {
		return link{}, false
	}
	word := text
	if i := strings.IndexFunc(text, endsURL); i >= 0 {
		word = text[:i]
	}
	word = trimURL(word)
	if !strings.Contains(path.Base(word), ".") && !strings.HasPrefix(word, "/.well-known/") {
		return link{}, false
	}
	return link{form: bare, url: word, start: start, end: start + len(word)}, true
}

// notesOf returns the text after a link, which is about it.
func notesOf(text string) string {
	return strings.TrimSpace(strings.TrimLeft(text, "*_`>):–—- \t\n"))
}

// document lists a link, and follows it if another format has its description there.
func (r *reader) document(d wayfind.Document, l link) {
	line := d.Sources[0].Line
	u, ok := r.resolve(l, line)
	if !ok {
		return
	}
	format, hint := hintOf(u)
	if l.form == coded && !hint {
		return // an example
	}
	open := !hint && r.opens && mayDescribe(u)
	d.URL = u.String()
	if l.form != coded && schemeOf(l.url) > 0 {
		d.URL = l.url // as written
	}
	switch {
	case r.listed[d.URL]:
		r.repeat(d)
		return
	case len(r.reading.Documents) == parse.DefaultItems:
		r.more++
		return
	}
	r.listed[d.URL] = true
	r.reading.Documents = append(r.reading.Documents, d)
	if l.form != named {
		r.ReportLine(ruleBareURL, line, "the URL %q is no link with a name", l.url)
	}
	link := parse.Link{URLs: []string{d.URL}, Role: "document", Format: format}
	switch {
	case open:
		r.open = append(r.open, link)
	case hint:
		if r.hints++; r.hints <= maxHints {
			r.reading.Links = append(r.reading.Links, link)
		}
	}
}

// follow adds the links of sections about APIs after those whose URL names a format, up to the same limit.
func (r *reader) follow() {
	n := min(len(r.open), max(0, maxHints-r.hints))
	r.reading.Links = append(r.reading.Links, r.open[:n]...)
	r.hints += len(r.open)
}

// namesAPIs reports whether a heading is about descriptions of APIs or servers, such as "OpenAPI Specs",
// "API reference" or "MCP".
func namesAPIs(heading string) bool {
	words := strings.FieldsFunc(strings.ToLower(heading), func(c rune) bool { return !unicode.IsLetter(c) })
	return slices.ContainsFunc(words, func(w string) bool {
		switch w {
		case "api", "apis", "openapi", "openrpc", "swagger", "mcp", "agent", "agents":
			return true
		}
		return false
	})
}

// mayDescribe reports whether the file at a URL may be a description, by the end of its name: JSON or YAML. A name
// without an end counts if its last segment says that it is JSON or YAML, such as "v1-json".
func mayDescribe(u *url.URL) bool {
	file := strings.ToLower(path.Base(u.Path))
	for _, end := range [...]string{"json", "yaml", "yml"} {
		before, ok := strings.CutSuffix(file, end)
		if ok && (before == "" || strings.ContainsAny(before[len(before)-1:], ".-_")) {
			return true
		}
	}
	return strings.EqualFold(file, "openapi") || strings.EqualFold(file, "swagger")
}

// repeat keeps the text about a document that is already listed, as long as there is room.
func (r *reader) repeat(d wayfind.Document) {
	r.again++
	size := len(d.Title) + len(d.Description)
	if size == 0 || !r.fits(size, d.Sources[0].Line) {
		return
	}
	members := []rawjson.Member{{Name: "line", Value: rawjson.QuoteInt(int64(d.Sources[0].Line))}, {Name: "title", Value: rawjson.Quote(d.Title)}}
	if d.Description != "" {
		members = append(members, rawjson.Member{Name: "description", Value: rawjson.Quote(d.Description)})
	}
	r.repeated = append(r.repeated, rawjson.Obj(members...))
}

// resolve returns the URL of a link. References are relative to the place of
// the file (RFC 3986 §5.1.3).
func (r *reader) resolve(l link, line int) (u *url.URL, ok bool) {
	if strings.HasPrefix(l.url, "#") {
		return nil, false // a place in this file
	}
	err := urlref.CheckLink(l.url)
	ref, malformed := url.Parse(l.url)
	switch {
	case err != nil:
	case malformed != nil:
		err = errors.New("it is not a URL")
	case ref.Scheme == "mailto" || ref.Scheme == "tel":
		r.ReportLine(ruleNoPage, line, "the link %q leads to no page; it is not listed", l.url)
		return nil, false
	case ref.Scheme != "":
		u, err = urlref.AbsoluteURL(l.url)
	case r.base == nil:
		err = errors.New("it is relative to a site that is not known")
	default:
		u = r.base.ResolveReference(ref)
	}
	if err == nil {
		return u, true
	}
	if l.form != coded {
		r.ReportLine(ruleBadLink, line, "the link %q is not listed: %s", l.url, err)
	}
	return nil, false
}

// hintOf reports whether another format may have a document at a URL, by its last segment or
// because it is a well-known place. format is the name of the format, if the place belongs to
// only one.
func hintOf(u *url.URL) (format string, ok bool) {
	switch file := strings.ToLower(path.Base(u.Path)); file {
	case "openapi.json", "openapi.yaml", "openapi.yml", "swagger.json", "swagger.yaml", "swagger.yml":
		return "openapi", true
	case "agent-card.json":
		return "a2a", true
	case "ai-plugin.json":
		return "aiplugin", true
	case "mcp.json", "server-card.json", "server-cards.json":
		return "mcp", true
	case "openrpc.json":
		return "openrpc", true
	case "agent.json", "agents.json":
		return "", true // of several formats
	default:
		return "", strings.HasPrefix(u.Path, "/.well-known/") && !strings.HasSuffix(file, ".txt")
	}
}
