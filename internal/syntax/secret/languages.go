package secret

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

//go:embed languages.txt
var languageTable string

// named are the names of secrets in many languages, folded and without blanks. most is the largest number
// of words in one.
type named struct {
	whole map[string]bool
	// parts are the names in scripts without blanks between words, where a name can stand inside others.
	parts []string
	// stems are the names of one word, but for those in English.
	stems []string
	most  int
}

var languages = sync.OnceValue(func() *named {
	n := &named{whole: make(map[string]bool)}
	for line := range strings.Lines(languageTable) {
		language, names, ok := strings.Cut(line, ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for name := range strings.SplitSeq(names+","+inASCII.Replace(names), ",") {
			words := foldedWords(name)
			n.most = max(n.most, len(words))
			whole := strings.Join(words, "")
			if isUnspaced(name) {
				n.parts = append(n.parts, whole)
				continue
			}
			if len(words) == 1 && len(whole) > 4 && language != "English" && !n.whole[whole] {
				n.stems = append(n.stems, whole)
			}
			n.whole[whole] = true
		}
	}
	return n
})

// inASCII writes letters as programmers do, who have the letters of ASCII alone.
var inASCII = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "å", "aa", "ø", "oe", "æ", "ae", "ß", "ss")

// isUnspaced reports whether a text is in a script without blanks between words, or whose words have
// endings in it, as in Korean.
func isUnspaced(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
	})
}

// maxEnding is the largest number of letters that a language adds to a name, in a text.
const maxEnding = 3

// mentions returns the words of a text, and where the name of a secret in any language ends among them,
// or 0. If inflected is set, a name may have an ending.
func mentions(name string, inflected bool) (words []string, end int) {
	n := languages()
	words = foldedWords(name)
	for i, word := range words {
		for _, part := range n.parts {
			if strings.HasSuffix(word, part) || inflected && strings.Contains(word, part) {
				return words, i + 1
			}
		}
		var joined strings.Builder
		for j := i; j < len(words) && j < i+n.most; j++ {
			if joined.WriteString(words[j]); n.whole[joined.String()] {
				return words, j + 1
			}
		}
		if !inflected {
			continue
		}
		for _, stem := range n.stems {
			if rest, ok := strings.CutPrefix(word, stem); ok && utf8.RuneCountInString(rest) <= maxEnding {
				return words, i + 1
			}
		}
	}
	return words, 0
}

// namesInAnyLanguage reports whether the value under a name is a secret, because the name ends with that
// of one.
func namesInAnyLanguage(name string) bool {
	words, end := mentions(name, false)
	return end > 0 && end == len(words)
}

// foldedWords splits a text into words without case, accents and look-alike letters. Words begin after
// anything but a letter, and at a capital after a small letter.
func foldedWords(name string) (words []string) {
	var word []byte
	cut := func() {
		if len(word) > 0 {
			words = append(words, string(word))
			word = nil
		}
	}
	last := rune(0)
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsMark(r):
			cut()
		case unicode.IsUpper(r) && unicode.IsLower(last):
			cut()
			fallthrough
		default:
			word = text.AppendFolded(word, r)
		}
		last = r
	}
	cut()
	return words
}
