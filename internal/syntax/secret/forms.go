package secret

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
)

// form is a secret in one encoding.
type form struct {
	plain string // with ASCII letters in lower case
	// letters are its letters and digits alone, folded, or "" if they are too few to be searched for
	// among other characters.
	letters string
}

// with adds a text in one encoding.
func (v Veil) with(written string) Veil {
	f := form{plain: lower(written)}
	if len(f.plain) < minSecret || slices.ContainsFunc(v, func(o form) bool { return o.plain == f.plain }) {
		return v
	}
	if own := string(lettersOf([]byte(f.plain), noTags)); isLikeNoWords(own, f.plain) {
		f.letters = own
	}
	return append(v, f)
}

// isLikeNoWords reports whether letters are searched for with other characters between them: words and
// numbers occur in texts that are none of the secret, such as a sentence, a date or a table.
func isLikeNoWords(letters, plain string) bool {
	if strings.ContainsAny(letters, "0123456789") && strings.ContainsAny(letters, "abcdefghijklmnopqrstuvwxyz") {
		return len(letters) >= minLetters
	}
	return len(letters) >= minAlike && len(letters) == len(plain)
}

const (
	// minLetters is the smallest number of letters and digits of a secret that is searched for with other
	// characters between them, and minAlike that of one with letters alone, or digits alone.
	minLetters = 10
	minAlike   = 20
	// enough is how much of a long secret is compared before it is hidden, with as much of it as there is: a text
	// that begins a long secret at each place costs no more.
	enough = 64
	// minInner is the shortest part of a base64 or base32 text that is searched for in others. Shorter
	// ones occur by chance.
	minInner = 6
)

// encodings returns the ways in which services write a secret: base64 and base32 at each place of
// their groups, as in base64 of "user:secret", base64 twice, UTF-16 in base64, and hexadecimal.
func encodings(s string) []string {
	list := []string{s, strings.ReplaceAll(s, " ", "+"), hex.EncodeToString([]byte(s))}
	once := inBase64([]byte(s))
	list = append(list, base64.RawStdEncoding.EncodeToString([]byte(s)), base64.RawURLEncoding.EncodeToString([]byte(s)))
	list = append(list, once...)
	for _, inner := range once {
		list = append(list, inBase64([]byte(inner))...)
	}
	list = append(list, inBase64(wide(s))...)
	list = append(list, inBase64([]byte(hex.EncodeToString([]byte(s))))...)
	list = append(list, hex.EncodeToString(wide(s)))
	return append(list, inner(base32.StdEncoding.WithPadding(base32.NoPadding), []byte(s), 5)...)
}

// wide returns a text in UTF-16 without the zero at one of its ends, which is the same in both byte
// orders for ASCII.
func wide(s string) []byte { return []byte(strings.Join(strings.Split(s, ""), "\x00")) }

// inBase64 returns the characters of base64 that depend on a text alone, in both alphabets (RFC 4648
// §4, §5), for each number of bytes that may be before it in its group.
func inBase64(own []byte) []string {
	return append(inner(base64.RawStdEncoding, own, 3), inner(base64.RawURLEncoding, own, 3)...)
}

// encoding is base32 or base64.
type encoding interface {
	EncodeToString(plain []byte) string
}

// inner returns the characters that depend on a text alone, for each number of bytes before it in a
// group of the given size.
func inner(e encoding, own []byte, group int) (list []string) {
	bits := 8 * group / map[int]int{3: 4, 5: 8}[group] // of a character
	for before := range group {
		written := e.EncodeToString(append(make([]byte, before, before+len(own)), own...))
		start, end := (8*before+bits-1)/bits, 8*(before+len(own))/bits
		if end-start >= minInner {
			list = append(list, written[start:end])
		}
	}
	return list
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

// searcher finds the forms of a Veil in several layers of a text.
type searcher struct {
	forms  Veil
	begins beginnings // of plain texts
	within beginnings // of letters
	spans  []span
}

func (v Veil) searcher() *searcher {
	s := &searcher{forms: v}
	for _, f := range v {
		s.begins.add(f.plain)
		if f.letters != "" {
			s.within.add(f.letters)
		}
	}
	return s
}

// beginnings is a set of the first four bytes of texts. It may contain others, so that one pass over
// a text finds the places where one of many may begin.
type beginnings struct {
	set [64]uint64
	any bool
}

func (b *beginnings) place(text []byte) (word, bit uint32) {
	hash := binary.LittleEndian.Uint32(text) * 0x9E3779B1 >> 20
	return hash >> 6, hash & 63
}

func (b *beginnings) add(text string) {
	word, bit := b.place([]byte(text[:minSecret]))
	b.set[word] |= 1 << bit
	b.any = true
}

// each calls found with each place of a text where one of the texts begins, and its length.
func (b *beginnings) each(in []byte, forms Veil, own func(form) string, found func(start, end int)) {
	for i := 0; b.any && i+minSecret <= len(in); i++ {
		if word, bit := b.place(in[i:]); b.set[word]&(1<<bit) == 0 {
			continue
		}
		most := 0
		for _, f := range forms {
			text := own(f)
			if n := min(len(text), enough); n > 0 && n <= len(in)-i && string(in[i:i+n]) == text[:n] {
				for n < len(text) && i+n < len(in) && in[i+n] == text[n] {
					n++
				}
				most = max(most, n)
			}
		}
		if most > 0 {
			found(i, i+most)
			i += max(0, most-enough)
		}
	}
}

// layers searches a text in each of its layers. If plain is not set, secrets with few letters are
// searched for in the text itself alone.
func (s *searcher) layers(u unescaped, plain bool) {
	s.spaced(u)
	for range maxLayers {
		next, some := u.unescape()
		if !some {
			break
		}
		if u = next; plain {
			s.plain(u)
		}
		s.spaced(u)
	}
}

// adder returns a function that adds spans of one pass over a layer, in their order.
func (s *searcher) adder(u unescaped) func(start, end int) {
	first := len(s.spans)
	return func(start, end int) {
		if u.at != nil {
			start, end = int(u.at[start]), int(u.at[end])
		}
		if n := len(s.spans); n > first && start <= s.spans[n-1].end {
			s.spans[n-1].end = max(s.spans[n-1].end, end)
			return
		}
		s.spans = append(s.spans, span{start, end})
	}
}

// plain adds the spans of the secrets in one layer of a text.
func (s *searcher) plain(u unescaped) {
	s.begins.each(lowered(u.text), s.forms, func(f form) string { return f.plain }, s.adder(u))
}

// spaced adds the spans of the secrets that have other characters between their letters.
func (s *searcher) spaced(u unescaped) {
	if !s.within.any {
		return
	}
	said := u.withoutInnerQuotes()
	for tags, have := noTags, tagsIn(said); tags <= have; tags++ {
		if tags&^have != 0 {
			continue
		}
		add := s.adder(u)
		places := letters{said: said, tags: tags}
		s.within.each(lettersOf(said, tags), s.forms, func(f form) string { return f.letters }, func(start, end int) {
			from, to := places.place(start), places.end(end)
			add(from, to)
		})
	}
}
