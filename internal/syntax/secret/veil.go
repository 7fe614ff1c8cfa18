package secret

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// Veil is a list of secret texts that are removed from data of a site, because some services
// repeat the request. It contains them in each encoding that services use.
type Veil []form

// And adds a text, unless it is too short to be a secret.
func (v Veil) And(s string) Veil {
	if len(s) < minSecret || slices.ContainsFunc(v, func(f form) bool { return f.plain == lower(s) }) {
		return v
	}
	v = slices.Clone(v)
	for _, written := range encodings(s) {
		v = v.with(written)
	}
	return v
}

// AndField adds the parts of the value of a credential in a header field: see [FieldParts].
func (v Veil) AndField(value string) Veil {
	for _, part := range FieldParts(value) {
		v = v.And(part)
	}
	return v
}

// FieldParts returns the texts in the value of a header field that are secret: the whole value, the part
// after the name of a scheme (RFC 9110 §11.4), and the password of Basic (RFC 7617 §2).
func FieldParts(value string) []string {
	scheme, bare, named := strings.Cut(value, " ")
	if !named {
		return []string{value}
	}
	parts := []string{value, bare}
	if plain, err := base64.StdEncoding.DecodeString(bare); err == nil && strings.EqualFold(scheme, "Basic") {
		_, password, _ := strings.Cut(string(plain), ":")
		parts = append(parts, password)
	}
	return parts
}

// maxLayers is the maximum number of nested encodings that are decoded, such as JSON within a
// URL within JSON.
const maxLayers = 6

// span is a part of a text.
type span struct{ start, end int }

// Over replaces the texts in data of a site with a mark, whatever escapes of JSON, URLs, HTML and
// programming languages the data contain, and whatever is between the letters of a text. It keeps
// valid JSON valid.
func (v Veil) Over(said []byte, mark string) []byte {
	if len(v) == 0 || len(said) < minSecret {
		return said
	}
	s := v.searcher()
	plain := unescaped{text: said}
	s.plain(plain)
	s.layers(plain, true)
	if compact, some := plain.compact(); some { // an escape with a blank in it is still read
		s.layers(compact, false)
	}
	if s.spans == nil {
		return said
	}
	slices.SortFunc(s.spans, func(a, b span) int { return a.start - b.start })
	out := without(said, s.spans, mark)
	if isJSON(said) && !isJSON(out) { // it was a number, or began within an escape
		out = without(said, tokens(said, s.spans), `"`+mark+`"`)
	}
	return out
}

func isJSON(text []byte) bool {
	_, err := jsonscan.Scan(text)
	return err == nil
}

// without replaces parts of a text, which are in order and may overlap.
func without(said []byte, spans []span, mark string) (out []byte) {
	end := 0
	for _, s := range spans {
		if s.start >= end {
			out = append(append(out, said[end:s.start]...), mark...)
		}
		for s.end > s.start && said[s.end-1] <= ' ' { // removed blanks may be at the end
			s.end--
		}
		end = max(end, s.end)
	}
	return append(out, said[end:]...)
}

// tokens returns the strings, numbers and words of JSON that overlap the given spans, which are in order.
func tokens(raw []byte, spans []span) (list []span) {
	for i := 0; i < len(raw); {
		start := i
		switch c := raw[i]; {
		case c == '"':
			for i++; raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
			i++
		case isTokenByte(c):
			for i < len(raw) && (isTokenByte(raw[i]) || raw[i] == '.' || raw[i] == '+') {
				i++
			}
		default:
			i++
			continue
		}
		for len(spans) > 0 && spans[0].end <= start {
			spans = spans[1:]
		}
		if len(spans) > 0 && spans[0].start < i {
			list = append(list, span{start, i})
		}
	}
	return list
}
