package links

import (
	"bytes"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/wayfindhq/wayfind"
)

// head has the links and the wishes in the head of a page.
type head struct {
	links []link
	base  string
	// wishes are the meta elements of the TDM Reservation Protocol.
	wishes map[string]string
	line   int // of the first wish
}

// page reads the head of a page. It reads the tags one by one and builds no tree.
func (r *reader) page(body []byte) {
	h := readHead(body)
	base := r.in.FinalURL
	if h.base != "" {
		// HTML §2.4.3: a base that is not an address of a page is ignored.
		if u, err := resolve(strings.TrimSpace(h.base), base); err == nil {
			base = u
		}
	}
	for _, l := range h.links {
		r.add(l, base)
	}
	r.wish(h)
}

// readHead reads the tags of a page until its body begins.
func readHead(body []byte) (h head) {
	z := html.NewTokenizer(bytes.NewReader(body))
	line, next := 1, 1
	inText, hidden, depth := false, atom.Atom(0), 0 // hidden: within template or noscript
	for {
		kind := z.Next()
		line, next = next, next+bytes.Count(z.Raw(), []byte("\n"))
		if kind == html.ErrorToken {
			return h
		}
		if kind == html.TextToken {
			if !inText && hidden == 0 && len(bytes.Trim(z.Raw(), "\ufeff \t\r\n\f")) > 0 {
				return h // a text begins the body
			}
			continue
		}
		if kind == html.CommentToken || kind == html.DoctypeToken {
			continue
		}
		name, attributes := z.TagName()
		tag := atom.Lookup(name)
		if kind == html.EndTagToken {
			inText = false
			switch {
			case hidden != 0 && tag == hidden:
				if depth--; depth == 0 {
					hidden = 0
				}
			case hidden == 0 && (tag == atom.Head || tag == atom.Body || tag == atom.Html):
				return h
			}
			continue
		}
		switch {
		case hidden != 0:
			if tag == hidden && tag == atom.Template {
				depth++
			}
		case tag == atom.Template || tag == atom.Noscript:
			hidden, depth = tag, 1
		case tag == atom.Title || tag == atom.Script || tag == atom.Style:
			inText = true
		case tag == atom.Html || tag == atom.Head:
		case tag == atom.Link || tag == atom.Base || tag == atom.Meta:
			h.take(tag, attributesOf(z, attributes), line)
		default:
			return h // any other tag begins the body
		}
	}
}

// attributesOf returns the attributes of the current tag. The first attribute of a name is
// used.
func attributesOf(z *html.Tokenizer, more bool) map[string]string {
	all := map[string]string{}
	for more {
		var name, value []byte
		name, value, more = z.TagAttr()
		if _, again := all[string(name)]; !again {
			all[string(name)] = strings.ToValidUTF8(string(value), "\uFFFD")
		}
	}
	return all
}

// take records an element.
func (h *head) take(tag atom.Atom, has map[string]string, line int) {
	switch tag {
	case atom.Link:
		if to := strings.TrimSpace(has["href"]); to != "" && has["rel"] != "" {
			h.links = append(h.links, link{target: to, rel: has["rel"], mediaType: has["type"], title: has["title"], line: line})
		}
	case atom.Base:
		if h.base == "" {
			h.base = has["href"]
		}
	case atom.Meta:
		name := strings.ToLower(strings.TrimSpace(has["name"]))
		if name != reservation && name != reservationPolicy {
			return
		}
		if h.wishes == nil {
			h.wishes, h.line = map[string]string{}, line
		}
		if _, again := h.wishes[name]; !again {
			h.wishes[name] = strings.TrimSpace(has["content"])
		}
	}
}

// The names of the meta elements of the TDM Reservation Protocol, which are also the names of
// its header fields.
const (
	reservation       = "tdm-reservation"
	reservationPolicy = "tdm-policy"
)

// wish makes the meta elements a policy about the page. Values other than 0 and 1 are ignored.
func (r *reader) wish(h head) {
	reserved := h.wishes[reservation]
	if reserved != "0" && reserved != "1" {
		return
	}
	p := wayfind.Policy{Kind: "tdm", Values: map[string]string{reservation: reserved}, Paths: pathsOf(r.in.FinalURL), Sources: []wayfind.Ref{{Line: h.line}}}
	if u, err := resolve(h.wishes[reservationPolicy], r.in.FinalURL); err == nil {
		p.Values[reservationPolicy] = u.String()
	}
	r.reading.Policies = append(r.reading.Policies, p)
}

// pathsOf returns the path of one page, in the notation of the protocol.
func pathsOf(u *url.URL) []string {
	if u == nil {
		return nil
	}
	return []string{u.EscapedPath() + "$"}
}
