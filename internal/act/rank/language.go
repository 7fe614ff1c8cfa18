package rank

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Foreign reports whether a query seems to be in another language than the entries: they lack a
// word of the query that is not ASCII, or most of its words, and the query is not an English
// sentence.
func (x *Index) Foreign(query string) bool {
	asked := words(query, maxFieldWords)
	unknown := slices.DeleteFunc(slices.Clone(asked), func(word string) bool { return len(x.of(word)) > 0 })
	if slices.ContainsFunc(unknown, func(word string) bool {
		return strings.IndexFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0
	}) {
		return true
	}
	var asks speech
	asks.hear(query)
	return 2*len(unknown) > len(asked) && !(x.english && 5*asks.stops >= asks.words)
}

// speech contains the number of words of texts, and of the English stop words among them.
type speech struct{ words, stops int }

func (s *speech) hear(text string) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !isWord(r) }) {
		s.words++
		if stopWord(strings.ToLower(word)) {
			s.stops++
		}
	}
}

const (
	// sampled is the number of entries that are examined for their language.
	sampled = 200
	// leastWords is the number of words that are needed to decide that a text is not English. A
	// third of the words of an English text are stop words, and a twentieth of the words of a
	// German text.
	leastWords = 50
)

// language reports whether the descriptions of an Index are in English, if there is enough
// text.
func (b *builder) language() bool {
	var all speech
	for i := range min(len(b.x.names), sampled) {
		e := b.entry(i)
		b.count.Text(len(e.Text[Description]))
		all.hear(e.Text[Description])
	}
	return all.words < leastWords || 10*all.stops >= all.words
}
