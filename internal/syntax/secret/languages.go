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
	// asked are the names that only questions have.
	asked *named
	// codes are words for a code, shown words of how a person gets to see one, and public words of codes that
	// are no secret.
	codes, shown, public *named
}

var languages = sync.OnceValue(func() *named {
	n := newNamed()
	n.asked, n.codes, n.shown, n.public = newNamed(), newNamed(), newNamed(), newNamed()
	for line := range strings.Lines(languageTable) {
		language, names, ok := strings.Cut(line, ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		kind, of, _ := strings.Cut(language, " ")
		switch kind {
		case "ask":
			n.asked.add(names, of != "English")
		case "code":
			n.codes.add(names, false)
		case "shown":
			n.shown.add(names, false)
		case "public":
			n.public.add(names, false)
		default:
			n.add(names, language != "English")
		}
	}
	return n
})

func newNamed() *named { return &named{whole: make(map[string]bool)} }

// add adds names, which are separated by commas. If inflected is set, those of one word are stems too.
func (n *named) add(names string, inflected bool) {
	for name := range strings.SplitSeq(names+","+inASCII.Replace(names), ",") {
		words := foldedWords(name)
		n.most = max(n.most, len(words))
		whole := strings.Join(words, "")
		if isUnspaced(name) {
			n.parts = append(n.parts, whole)
			continue
		}
		if len(words) == 1 && len(whole) > 4 && inflected && !n.whole[whole] {
			n.stems = append(n.stems, whole)
		}
		n.whole[whole] = true
	}
}

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
	words = foldedWords(name)
	return words, languages().endIn(words, inflected)
}

// endIn returns where one of the names ends among words, or 0.
func (n *named) endIn(words []string, inflected bool) int {
	for i, word := range words {
		for _, part := range n.parts {
			if strings.HasSuffix(word, part) || inflected && strings.Contains(word, part) {
				return i + 1
			}
		}
		var joined strings.Builder
		for j := i; j < len(words) && j < i+n.most; j++ {
			if joined.WriteString(words[j]); n.whole[joined.String()] {
				return j + 1
			}
		}
		if !inflected {
			continue
		}
		for _, stem := range n.stems {
			if rest, ok := strings.CutPrefix(word, stem); ok && utf8.RuneCountInString(rest) <= maxEnding {
				return i + 1
			}
		}
	}
	return 0
}

// asksFor reports whether words of a question ask for a secret: by its name, or for a code that one person
// gets to see.
func (n *named) asksFor(words []string) bool {
	return n.endIn(words, true) > 0 || n.asked.endIn(words, true) > 0 ||
		n.codes.endIn(words, true) > 0 && n.shown.endIn(words, true) > 0 && n.public.endIn(words, true) == 0
}

// minSpelled is the minimum number of letters that stand alone and are read as one word.
const minSpelled = 4

// respelled joins letters that stand alone, as in "p a s s w o r d" or "p.i.n.c.o.d.e": a person reads them as
// a word.
func respelled(words []string) (list []string) {
	var run []string
	end := func() {
		if len(run) >= minSpelled {
			run = []string{strings.Join(run, "")}
		}
		list, run = append(list, run...), nil
	}
	for _, word := range words {
		if utf8.RuneCountInString(word) == 1 {
			run = append(run, word)
			continue
		}
		end()
		list = append(list, word)
	}
	end()
	return list
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
