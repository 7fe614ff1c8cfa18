package rank

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// words splits a text for a search into words in lower case: at all characters but letters and
// digits, at the humps of identifiers, and between letters and digits. Scripts without spaces
// are split into pairs of characters. English stop words and endings are removed.
func words(s string, most int) []string { return appendWords(nil, s, most) }

// appendWords appends the first words of a text, at most most. They may be parts of the text,
// which then remains in memory.
func appendWords(list []string, s string, most int) []string {
	most += len(list)
	for len(s) > 0 && len(list) < most {
		start := strings.IndexFunc(s, isWord)
		if start < 0 {
			break
		}
		s = s[start:]
		end := strings.IndexFunc(s, func(r rune) bool { return !isWord(r) })
		if end < 0 {
			end = len(s)
		}
		list = appendParts(list, s[:end])
		s = s[end:]
	}
	return list[:min(len(list), most)]
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

// Words are split between characters of different classes.
type class int

const (
	lower class = iota
	upper
	digit
	dense // of a script without spaces
)

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf && r >= '0' && r <= '9', r >= utf8.RuneSelf && unicode.IsDigit(r):
		return digit
	case r >= utf8.RuneSelf && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai):
		return dense
	case unicode.IsUpper(r):
		return upper
	}
	return lower
}

// appendParts splits a text without spaces: "getHTTPResponse2" becomes get, HTTP, Response and
// 2.
func appendParts(list []string, s string) []string {
	for s != "" {
		end, kind := part(s)
		list = appendWord(list, s[:end], kind)
		s = s[end:]
	}
	return list
}

// part returns the end of the first part of a text, and its class.
func part(s string) (end int, kind class) {
	kind, end = next(s)
	last, one := kind, true
	for end < len(s) {
		class, size := next(s[end:])
		switch {
		case kind == digit || kind == dense:
			if class != kind {
				return end, kind
			}
		case class == digit || class == dense:
			return end, kind
		case class == lower:
			// ABCDef becomes ABC and Def.
			if last == upper && !one {
				return end, kind
			}
		case last != upper || startsHump(s[end+size:]):
			return end, kind
		}
		last, one = class, false
		end += size
	}
	return end, kind
}

// startsHump reports whether a lower-case letter follows, so that the upper-case letter before
// it begins a word.
func startsHump(rest string) bool {
	class, size := next(rest)
	return size > 0 && class == lower
}

// next returns the class and the size of the first character.
func next(s string) (class, int) {
	r, size := utf8.DecodeRuneInString(s)
	return classOf(r), size
}

// appendWord appends the word of a part, or the pairs of its characters.
func appendWord(list []string, part string, kind class) []string {
	if kind != dense {
		if word := strings.ToLower(part); !stopWord(word) {
			list = append(list, stem(word))
		}
		return list
	}
	_, first := utf8.DecodeRuneInString(part)
	if first == len(part) {
		return append(list, part)
	}
	for first < len(part) {
		_, second := utf8.DecodeRuneInString(part[first:])
		list = append(list, part[:first+second])
		part, first = part[first:], second
	}
	return list
}

// stem removes English endings from words in Latin letters.
func stem(word string) string {
	if len(word) <= 3 || word[0] >= utf8.RuneSelf {
		return word
	}
	if base, ok := strings.CutSuffix(word, "ies"); ok && len(base) > 1 {
		return base + "y"
	}
	for _, ending := range [...]string{"s", "ing", "ed"} {
		if base, ok := strings.CutSuffix(word, ending); ok && len(base) > 2 && !(ending == "s" && strings.HasSuffix(base, "s")) {
			word = base
		}
	}
	if base, ok := strings.CutSuffix(word, "e"); ok && len(base) > 2 {
		return base
	}
	return word
}

// stopWord reports whether a word does not describe a tool. The list consists of Snowball's
// English stop words and of words of requests ("please", "want", "need", "may", "might").
func stopWord(word string) bool {
	switch word {
	case "i", "me", "my", "myself", "we", "our", "ours", "ourselves", "you", "your", "yours", "yourself",
		"yourselves", "he", "him", "his", "himself", "she", "her", "hers", "herself", "it", "its", "itself",
		"they", "them", "their", "theirs", "themselves", "what", "which", "who", "whom", "this", "that", "these",
		"those", "am", "is", "are", "was", "were", "be", "been", "being", "have", "has", "had", "having", "do",
		"does", "did", "doing", "would", "should", "could", "ought", "a", "an", "the", "and", "but", "if", "or",
		"because", "as", "until", "while", "of", "at", "by", "for", "with", "about", "against", "between",
		"into", "through", "during", "before", "after", "above", "below", "to", "from", "up", "down", "in",
		"out", "on", "off", "over", "under", "again", "further", "then", "once", "here", "there", "when",
		"where", "why", "how", "all", "any", "both", "each", "few", "more", "most", "other", "some", "such",
		"no", "nor", "not", "only", "own", "same", "so", "than", "too", "very", "s", "t", "can", "will", "just",
		"don", "now", "im", "re", "ve", "ll", "please", "want", "need", "may", "might":
		return true
	}
	return false
}
