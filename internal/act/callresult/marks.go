package callresult

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// An answer with a status of success may not be the answer of the tool: it may be the page of
// a proxy or of a login, or a part. Neither the status nor the schema reveals that.

// mark records the unusual features of a whole answer.
func (s *Shown) mark(a *Answer) {
	page := isHTML(s.Media) || looksLikeHTML(a.Body)
	s.Page = page && !declares(a.Declared, s.Media)
	s.Undeclared = s.Media != "" && !declares(a.Declared, s.Media) && (len(a.Declared) > 0 || page)
	s.Login = page && asksForPassword(a.Body)
	s.Partial = a.Status == http.StatusPartialContent
}

// Odd reports whether there are Diagnostics.
func (s *Shown) Odd() bool {
	return s.Malformed || s.Undeclared || s.Login || s.Partial || s.Mismatch != nil
}

// Notes returns the unusual features of an answer for a model, in words of this package.
func (s *Shown) Notes() (list []string) {
	switch {
	case s.Login:
		list = append(list, "The answer is a page with a form that asks for a password, so the call was probably not made; only the user can log in.")
	case s.Undeclared:
		list = append(list, "The answer has a media type that the service does not declare; it may not be the answer of the tool.")
	case s.Malformed:
		list = append(list, "The answer is not what its media type says.")
	}
	if s.Partial {
		list = append(list, "The service says that the answer is a part of a longer one.")
	}
	return list
}

// declares reports whether a media type is in a list, in which "*" matches any name. A JSON
// media type in the list matches all JSON media types.
func declares(list []string, media string) bool {
	return slices.ContainsFunc(list, func(declared string) bool {
		declared, _, _ = strings.Cut(strings.ToLower(declared), ";")
		declared = strings.TrimSpace(declared)
		family, sub, _ := strings.Cut(declared, "/")
		own, _, _ := strings.Cut(media, "/")
		return declared == media || isJSON(declared) && isJSON(media) || sub == "*" && (family == "*" || family == own)
	})
}

func isHTML(media string) bool { return media == "text/html" || media == "application/xhtml+xml" }

// looksLikeHTML reports whether a body begins like an HTML page, whatever its media type.
func looksLikeHTML(body []byte) bool {
	head := bytes.TrimLeft(body, "\ufeff \t\r\n")
	begins := func(with string) bool {
		return len(head) >= len(with) && strings.EqualFold(string(head[:len(with)]), with)
	}
	return begins("<!doctype html") || begins("<html")
}

// asksForPassword reports whether a page has an input field for a password.
func asksForPassword(page []byte) bool {
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return false
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			if t.DataAtom == atom.Input && slices.ContainsFunc(t.Attr, func(a html.Attribute) bool {
				return a.Key == "type" && strings.EqualFold(strings.TrimSpace(a.Val), "password")
			}) {
				return true
			}
		}
	}
}
