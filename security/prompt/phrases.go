package prompt

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// phraseTable holds the words and phrases, so that speakers can review them.
//
//go:embed phrases.txt
var phraseTable string

// lexicon is the table in the form in which texts are compared with it.
type lexicon struct {
	words map[string]words
	pairs []phrase
}

// phrase consists of two parts that occur close to each other.
type phrase struct {
	first, second string
	class         string
}

var phrases = sync.OnceValue(func() *lexicon {
	l := &lexicon{words: map[string]words{}}
	for line := range strings.Lines(phraseTable) {
		head, list, found := strings.Cut(line, ":")
		if !found || line[0] == '#' {
			continue
		}
		entry, parts := strings.Fields(head), strings.Fields(list)
		if entry[0] == "pair" {
			l.pairs = append(l.pairs, phrase{parts[0], parts[1], entry[1]})
			continue
		}
		kind, known := kindNames()[entry[0]]
		if !known {
			panic("phrases: " + line) // a test reads the whole table
		}
		for _, word := range parts {
			var folded []byte
			for _, r := range word {
				folded = text.AppendFolded(folded, r)
			}
			l.words[string(folded)] |= kind
		}
	}
	return l
})

// kindNames returns the names of the kinds in the table.
func kindNames() map[string]words {
	return map[string]words{
		"ignore": wordIgnore, "ignore-last": wordIgnoreLast, "previous": wordPrevious, "instruction": wordInstruction,
		"not": wordNot, "follow": wordFollow, "tell": wordTell, "not-tell": wordNotTell, "mention": wordMention,
		"to": wordTo, "from": wordFrom, "hide": wordHide, "user": wordUser, "before": wordBefore,
		"using": wordUse, "call": wordUse | wordCall, "called": wordCalled, "must": wordMust, "first": wordFirst,
		"other": wordOther, "tool": wordTool, "own-tool": wordOwnTool | wordTool, "bcc": wordBcc, "send": wordSend,
		"private": wordPrivate, "you": wordYou, "now": wordNow, "mode": wordMode,
	}
}

// maxPhrase is the number of bytes after the first part that must contain the second part.
const maxPhrase = 60

// pairs looks for passages in scripts that put no blanks between words: Thai and, from U+3040
// on, Chinese, Japanese and Korean.
func (s *injections) pairs() {
	if strings.IndexFunc(s.text, func(r rune) bool { return r >= 0x3040 || 0xE00 <= r && r < 0xE80 }) < 0 {
		return
	}
	for _, p := range phrases().pairs {
		if at := strings.Index(s.text, p.first); at >= 0 {
			after := s.text[at+len(p.first):]
			if strings.Contains(after[:min(len(after), maxPhrase)], p.second) {
				s.add(p.class, at)
			}
		}
	}
}
