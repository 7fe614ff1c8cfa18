package callresult

import (
	"net/http"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
)

// Limits of a Problem.
const (
	maxProblemText   = 500 // code points
	maxProblemErrors = 10
)

// problemOf reads the service's description of its failure. It returns nil if it cannot be
// distinguished from other JSON.
func problemOf(a *Answer) *wayfind.Problem {
	mediaType, _ := mediaOf(a.Header)
	if !isJSON(mediaType) {
		return nil
	}
	doc, err := jsonscan.Scan(a.Body)
	if err != nil {
		return nil
	}
	root := doc.Root()
	if root.Kind() == jsonscan.Array && root.Len() == 1 {
		root = root.Child(0)
	}
	if root.Kind() != jsonscan.Object {
		return nil
	}
	p := &wayfind.Problem{
		Type: short(root.Get("type")), Title: short(root.Get("title")), Detail: short(root.Get("detail")), Instance: short(root.Get("instance")),
	}
	if status, ok := root.Get("status").Int(); ok && status >= 100 && status <= 599 {
		p.Status = int(status)
	}
	if mediaType != "application/problem+json" {
		readCommon(p, root)
	}
	p.Errors = placesOf(root)
	if p.Title == "" && p.Detail == "" && p.Type == "" && p.Errors == nil {
		return nil
	}
	return p
}

// readCommon reads formats of errors that are not problem details: {"error": {"message"}},
// {"error", "error_description"} (RFC 6749 §5.2), {"message"}.
func readCommon(p *wayfind.Problem, root jsonscan.Node) {
	at := root
	if e := root.Get("error"); e.Kind() == jsonscan.Object {
		at = e
	} else if p.Title == "" {
		p.Title = short(e)
	}
	for _, name := range [...]string{"message", "error_description", "description", "msg", "reason"} {
		if p.Detail == "" {
			p.Detail = short(at.Get(name))
		}
	}
	for _, name := range [...]string{"code", "type", "status"} {
		if p.Title == "" {
			p.Title = short(at.Get(name))
		}
	}
}

// placesOf reads the errors about single values.
func placesOf(root jsonscan.Node) (list []wayfind.ProblemError) {
	all := root.Get("errors")
	if all.Kind() != jsonscan.Array {
		all = root.Get("detail") // the format of FastAPI
	}
	if all.Kind() != jsonscan.Array {
		return nil
	}
	for i := range min(all.Len(), maxProblemErrors) {
		item := all.Child(i)
		e := wayfind.ProblemError{Detail: short(item), Pointer: short(item.Get("pointer"))}
		for _, name := range [...]string{"detail", "message", "msg", "title"} {
			if e.Detail == "" {
				e.Detail = short(item.Get(name))
			}
		}
		if source := item.Get("source"); e.Pointer == "" {
			e.Pointer = short(source.Get("pointer"))
		}
		if loc := item.Get("loc"); e.Pointer == "" && loc.Kind() == jsonscan.Array {
			for j := range min(loc.Len(), 8) {
				e.Pointer += "/" + short(loc.Child(j))
			}
		}
		if e.Detail != "" {
			list = append(list, e)
		}
	}
	return list
}

// short returns the text of a string or number, cleaned and cut; "" for other values.
func short(n jsonscan.Node) string {
	s, ok := n.Str()
	if n.Kind() == jsonscan.Number {
		s, ok = string(n.Raw()), true
	}
	if !ok {
		return ""
	}
	return secret.Veil(nil).Show(s, secret.Line, maxProblemText) // the credentials of the call were hidden in the body
}

// Suspicious returns the ways in which the texts of a problem address a model, in alphabetical
// order.
func Suspicious(p *wayfind.Problem) []string {
	list := []string{p.Type, p.Title, p.Detail, p.Instance}
	for _, e := range p.Errors {
		list = append(list, e.Detail, e.Pointer)
	}
	return suspicious(list...)
}

// mediaOf returns the media type of an answer in lower case, and its character set. The media
// type is "" if it is not valid.
func mediaOf(h http.Header) (mediaType, charset string) {
	mediaType, params, _ := strings.Cut(h.Get("Content-Type"), ";")
	mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	family, sub, ok := strings.Cut(mediaType, "/")
	if !ok || !plain(family) || !plain(sub) {
		return "", ""
	}
	for param := range strings.SplitSeq(params, ";") {
		if name, value, _ := strings.Cut(strings.TrimSpace(param), "="); strings.EqualFold(name, "charset") {
			charset = strings.ToLower(strings.Trim(value, `"`))
		}
	}
	return mediaType, charset
}

// plain reports whether a word may be used in a sentence of this package.
func plain(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || strings.IndexByte("+-._", c) >= 0 {
			continue
		}
		return false
	}
	return s != "" && len(s) <= 80
}

// isJSON reports whether a media type is JSON (RFC 6839 §3.1).
func isJSON(mediaType string) bool {
	return mediaType == "application/json" || mediaType == "text/json" || strings.HasSuffix(mediaType, "+json")
}
