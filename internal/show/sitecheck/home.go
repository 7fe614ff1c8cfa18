package sitecheck

import (
	"bytes"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// home is the content of the home page that a document for models can repeat: the publisher's own words.
type home struct {
	title, about string
	links        []page
}

// page is a page of the site that the home page links to.
type page struct{ name, url string }

// The bounds of a home page. The rest is not repeated.
const (
	maxHomeBytes = 1 << 20
	maxHomeLinks = 20
	maxHomeText  = 200 // runes of a title or a name
	maxHomeAbout = 500 // runes of the description
)

// homePage reads the home page that the site answered with. It is empty if none was read.
func (f *facts) homePage() (h home) {
	u := f.at("/")
	answer, known := f.Answers[u]
	if !known || answer.Status != http.StatusOK || !utf8.Valid(answer.Body) || !strings.Contains(answer.Header.Get("Content-Type"), "html") {
		return home{}
	}
	base, err := url.Parse(u)
	if err != nil {
		return home{}
	}
	reader := homeReader{base: base}
	reader.read(answer.Body[:min(len(answer.Body), maxHomeBytes)])
	h = reader.home
	h.title = siteTitle(reader.name, h.title)
	return h
}

// homeReader reads a page tag by tag, so that its cost is that of its bytes.
type homeReader struct {
	home
	base *url.URL
	name string // og:site_name
	into *strings.Builder
	href string
	text strings.Builder
}

func (r *homeReader) read(body []byte) {
	z := html.NewTokenizer(bytes.NewReader(body))
	hidden := 0
	for {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.TextToken:
			if r.into != nil && hidden == 0 && r.into.Len() < 4*maxHomeAbout {
				r.into.Write(z.Text())
			}
		case html.SelfClosingTagToken: // its text, if it could have one, does not begin
			r.start(attributes(z))
		case html.StartTagToken:
			tag, values := attributes(z)
			if tag == atom.Svg || tag == atom.Script || tag == atom.Style {
				hidden++
			}
			r.start(tag, values)
		case html.EndTagToken:
			name, _ := z.TagName()
			tag := atom.Lookup(name)
			if tag == atom.Svg || tag == atom.Script || tag == atom.Style {
				hidden = max(hidden-1, 0)
			}
			r.end(tag)
		}
	}
}

// attributes returns a tag with the attributes that the reader looks at.
func attributes(z *html.Tokenizer) (atom.Atom, map[string]string) {
	name, more := z.TagName()
	values := map[string]string{}
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch k := string(key); k {
		case "href", "name", "property", "content", "aria-label", "rel":
			values[k] = string(value)
		}
	}
	return atom.Lookup(name), values
}

func (r *homeReader) start(tag atom.Atom, values map[string]string) {
	switch tag {
	case atom.Title:
		if r.title == "" && r.into == nil {
			r.text.Reset()
			r.into = &r.text
		}
	case atom.Meta:
		switch strings.ToLower(values["name"] + values["property"]) {
		case "description":
			r.about = oneLine(values["content"], maxHomeAbout)
		case "og:description":
			if r.about == "" {
				r.about = oneLine(values["content"], maxHomeAbout)
			}
		case "og:site_name":
			r.name = oneLine(values["content"], maxHomeText)
		}
	case atom.A:
		r.end(atom.A)
		if u := r.own(values["href"]); u != "" && !strings.Contains(strings.ToLower(values["rel"]), "nofollow") {
			r.href = u
			r.text.Reset()
			r.into = &r.text
			if label := values["aria-label"]; label != "" {
				r.text.WriteString(label)
				r.into = nil
			}
		}
	}
}

func (r *homeReader) end(tag atom.Atom) {
	switch {
	case tag == atom.Title && r.into != nil && r.href == "":
		r.title, r.into = oneLine(r.text.String(), maxHomeText), nil
	case tag == atom.A && r.href != "":
		name := oneLine(r.text.String(), maxHomeText)
		known := slices.ContainsFunc(r.links, func(p page) bool { return p.url == r.href })
		if name != "" && !known && len(r.links) < maxHomeLinks {
			r.links = append(r.links, page{name, r.href})
		}
		r.href, r.into = "", nil
	}
}

// own returns the URL of a link to another page of the site that a model can read. A link to a file, to a
// place where a person logs in or buys, or to the home page itself is none.
func (r *homeReader) own(href string) string {
	u, err := r.base.Parse(strings.TrimSpace(href))
	if href == "" || err != nil || u.Scheme != r.base.Scheme || u.Host != r.base.Host || u.User != nil {
		return ""
	}
	u.Fragment, u.RawFragment = "", ""
	if strings.Trim(u.Path, "/") == "" && u.RawQuery == "" {
		return ""
	}
	ext := strings.ToLower(path.Ext(u.Path))
	for part := range strings.SplitSeq(strings.TrimSuffix(strings.ToLower(u.Path), ext), "/") {
		if slices.Contains(forPeople[:], strings.ReplaceAll(part, "-", "")) {
			return ""
		}
	}
	switch ext {
	case "", ".html", ".htm", ".php", ".asp", ".aspx", ".jsp", ".md", ".txt":
		return u.String()
	}
	return ""
}

// forPeople are segments of paths, without hyphens, below which only a person goes.
var forPeople = [...]string{"login", "signin", "logout", "signout", "register", "signup", "account", "myaccount", "cart", "basket", "checkout",
	"wishlist", "search", "wplogin", "wpadmin", "cdncgi"}

// siteTitle is the name of a site: the name that it states, else its title without the words for a home page.
func siteTitle(stated, title string) string {
	if stated != "" {
		return stated
	}
	for _, separator := range [...]string{" | ", " — ", " – ", " · ", " - ", ": "} {
		var parts []string
		for part := range strings.SplitSeq(title, separator) {
			if part = strings.TrimSpace(part); part != "" && !slices.Contains(homeWords[:], strings.ToLower(part)) {
				parts = append(parts, part)
			}
		}
		if len(parts) > 0 {
			title = strings.Join(parts, separator)
		}
	}
	return title
}

// homeWords are the titles of home pages that name no site.
var homeWords = [...]string{"home", "homepage", "home page", "startseite", "accueil", "inicio", "start", "welcome", "index"}

// oneLine is a text in one line without control characters, cut to a number of runes.
func oneLine(s string, most int) string {
	line := text.Printable(strings.Join(strings.Fields(s), " "))
	if runes := []rune(line); len(runes) > most {
		line = strings.TrimSpace(string(runes[:most])) + "…"
	}
	return line
}
