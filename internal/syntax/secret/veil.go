package secret

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"html"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Veil is a list of secret texts that are removed from data of a site, because some services
// repeat the request. It contains them in lower case, in each encoding that services use, the
// longest first.
type Veil []string

// And adds a text, unless it is too short to be a secret.
func (v Veil) And(s string) Veil {
	if len(s) < 4 || slices.Contains(v, lower(s)) {
		return v
	}
	v = slices.Clone(v)
	for _, form := range []string{s, strings.ReplaceAll(s, " ", "+"), base64.RawStdEncoding.EncodeToString([]byte(s)), base64.RawURLEncoding.EncodeToString([]byte(s)), hex.EncodeToString([]byte(s))} {
		if form = lower(form); !slices.Contains(v, form) {
			v = append(v, form)
		}
	}
	slices.SortStableFunc(v, func(a, b string) int { return len(b) - len(a) }) // a text may contain another one
	return v
}

// AndField adds the value of a credential in a header field: the whole value, the part after the
// name of a scheme (RFC 9110 §11.4), and the password of Basic (RFC 7617 §2).
func (v Veil) AndField(value string) Veil {
	v = v.And(value)
	scheme, bare, named := strings.Cut(value, " ")
	if !named {
		return v
	}
	v = v.And(bare)
	if plain, err := base64.StdEncoding.DecodeString(bare); err == nil && strings.EqualFold(scheme, "Basic") {
		_, password, _ := strings.Cut(string(plain), ":")
		v = v.And(password)
	}
	return v
}

// lower returns a text with its ASCII letters in lower case. The length does not change.
func lower(s string) string { return string(lowered([]byte(s))) }

func lowered(text []byte) []byte {
	own := slices.Clone(text)
	for i, c := range own {
		if 'A' <= c && c <= 'Z' {
			own[i] = c + 'a' - 'A'
		}
	}
	return own
}

// maxLayers is the maximum number of nested encodings that are decoded, such as JSON within a
// URL within JSON.
const maxLayers = 4

// span is a part of a text.
type span struct{ start, end int }

// Over replaces the texts in data of a site with a mark, whatever escapes of JSON, URLs and HTML
// the data contain.
func (v Veil) Over(said []byte, mark string) []byte {
	if len(v) == 0 {
		return said
	}
	spans := v.in(said, nil, nil)
	plain := unescaped{text: said}
	for range maxLayers {
		next, some := plain.unescape()
		if !some {
			break
		}
		plain = next
		spans = v.in(plain.text, plain.at, spans)
	}
	if spans == nil {
		return said
	}
	slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })
	var out []byte
	end := 0
	for _, s := range spans {
		if s.start >= end {
			out = append(append(out, said[end:s.start]...), mark...)
		}
		end = max(end, s.end)
	}
	return append(out, said[end:]...)
}

// in adds the spans of the texts in a text. at maps each byte to its position in the original
// text; nil if text is the original.
func (v Veil) in(text []byte, at []uint32, spans []span) []span {
	small := lowered(text)
	for _, form := range v {
		for from := 0; ; {
			i := bytes.Index(small[from:], []byte(form))
			if i < 0 {
				break
			}
			own := span{from + i, from + i + len(form)}
			from = own.end
			if at != nil {
				own = span{int(at[own.start]), int(at[own.end])}
			}
			spans = append(spans, own)
		}
	}
	return spans
}

// unescaped is a text without escapes. at maps each byte, and the end, to its position in the
// original text; nil if text is the original.
type unescaped struct {
	text []byte
	at   []uint32
}

// unescape decodes one layer of escapes. some is true if there were any.
func (u unescaped) unescape() (next unescaped, some bool) {
	said := string(u.text)
	clean, _ := text.Clean(said, true, 0)
	visible := clean == said
	if visible && !bytes.ContainsAny(u.text, `%\&`) {
		return u, false
	}
	next.text, next.at = make([]byte, 0, len(u.text)), make([]uint32, 0, len(u.text)+1)
	from := func(i int) uint32 {
		if u.at == nil {
			return uint32(i)
		}
		return u.at[i]
	}
	for i := 0; i < len(u.text); {
		plain, n := escape(u.text[i:])
		if n == 0 && !visible {
			plain, n = unseen(u.text[i:])
		}
		if n == 0 {
			plain, n = u.text[i:i+1], 1
		} else {
			some = true
		}
		for range plain {
			next.at = append(next.at, from(i))
		}
		next.text = append(next.text, plain...)
		i += n
	}
	next.at = append(next.at, from(len(u.text)))
	return next, some
}

// unseen reads a character that cleaning removes, or replaces by another one. It is read as what a
// reader gets, because the text is cleaned after the secrets are removed, which would put a secret
// together again.
func unseen(said []byte) (plain []byte, n int) {
	if said[0] >= ' ' && said[0] < 0x7F {
		return nil, 0
	}
	_, n = utf8.DecodeRune(said)
	own := string(said[:n])
	if clean, _ := text.Clean(own, true, 0); clean != own {
		return []byte(clean), n
	}
	return nil, 0
}

// escape reads the escape at the beginning of a text. It returns the meaning and the length of
// the escape; 0 if there is none.
func escape(text []byte) (plain []byte, n int) {
	if len(text) < 2 {
		return nil, 0
	}
	switch text[0] {
	case '%':
		return octet(text[1:], 1)
	case '&':
		end := bytes.IndexByte(text[:min(len(text), 12)], ';') + 1
		if meaning := html.UnescapeString(string(text[:end])); meaning != string(text[:end]) {
			return []byte(meaning), end
		}
	case '\\':
		return backslash(text)
	}
	return nil, 0
}

// octet reads two hexadecimal digits. before is the length of the escape before them.
func octet(digits []byte, before int) (plain []byte, n int) {
	if len(digits) < 2 {
		return nil, 0
	}
	plain, err := hex.DecodeString(string(digits[:2]))
	if err != nil {
		return nil, 0
	}
	return plain, before + 2
}

// backslash reads an escape of JSON or JavaScript.
func backslash(text []byte) (plain []byte, n int) {
	switch text[1] {
	case '"', '\\', '/', '\'':
		return text[1:2], 2
	case 'n':
		return []byte{'\n'}, 2
	case 't':
		return []byte{'\t'}, 2
	case 'x':
		return octet(text[2:], 2)
	case 'u':
		r, ok := codeUnit(text)
		if !ok {
			return nil, 0
		}
		if second, ok := codeUnit(text[6:]); ok && utf16.IsSurrogate(r) {
			return utf8.AppendRune(nil, utf16.DecodeRune(r, second)), 12
		}
		return utf8.AppendRune(nil, r), 6
	}
	return nil, 0
}

// codeUnit reads "\u" with four digits.
func codeUnit(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	raw, err := hex.DecodeString(string(text[2:6]))
	if err != nil {
		return 0, false
	}
	return rune(raw[0])<<8 | rune(raw[1]), true
}
