package rank

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// words splits a text for searching: at anything but letters and digits, at the
// humps of identifiers and between letters and digits, in lower case. Scripts
// without spaces become pairs of characters. English stop words are left out, and
// English endings taken off.
func words(s string, most int) (list []string) {
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

// The classes of characters that words are split between.
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

// appendParts splits text without spaces: "getHTTPResponse2" is get, HTTP,
// Response and 2.
func appendParts(list []string, s string) []string {
	runes := []rune(s)
	for start := 0; start < len(runes); {
		end := start + 1
		kind := classOf(runes[start])
		for end < len(runes) && joins(runes, start, end, kind) {
			end++
		}
		list = appendWord(list, runes[start:end], kind)
		start = end
	}
	return list
}

// joins reports whether the character at end goes with those from start on.
func joins(runes []rune, start, end int, kind class) bool {
	next := classOf(runes[end])
	switch {
	case kind == digit || kind == dense:
		return next == kind
	case next == digit || next == dense:
		return false
	case next == lower:
		// ABCDef is ABC and Def.
		allUpper := end-start > 1 && classOf(runes[end-1]) == upper
		return !allUpper
	}
	if classOf(runes[end-1]) != upper {
		return false
	}
	// An upper-case letter that a lower-case one follows begins a word.
	return end+1 >= len(runes) || classOf(runes[end+1]) != lower
}

func appendWord(list []string, runes []rune, kind class) []string {
	if kind == dense {
		if len(runes) == 1 {
			return append(list, string(runes))
		}
		for i := range len(runes) - 1 {
			list = append(list, string(runes[i:i+2]))
		}
		return list
	}
	word := strings.ToLower(string(runes))
	if stopWord(word) {
		return list
	}
	return append(list, stem(word))
}

// stem takes English endings off words in Latin letters.
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

// stopWord reports words that do not describe a tool: Snowball's list of
// English stop words, and words of asking ("please", "want", "need", "may",
// "might").
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
