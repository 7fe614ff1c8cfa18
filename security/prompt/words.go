package prompt

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// words are kinds of words, one bit for each.
type words uint32

const (
	wordIgnore words = 1 << iota
	wordIgnoreLast
	wordPrevious
	wordInstruction
	wordNot
	wordFollow
	wordTell
	wordMention
	wordTo
	wordFrom
	wordHide
	wordUser
	wordBefore
	wordUse
	wordCall
	wordTool // also the name of a tool
	wordBcc
	wordSend
	wordPrivate
	wordAddress
	wordNotTell // "not" and "tell" in one word
	wordCalled
	wordMust
	wordFirst
	wordOther
	wordYou
	wordNow
	wordMode
	wordOwnTool // a tool of this library
)

// step is a kind of word, and the maximum distance from the word before it, in words.
type step struct {
	kinds words
	gap   int
}

// wordRule is a class and the words that identify it.
type wordRule struct {
	class string
	steps [4]step // unused steps have no kinds
}

// wordRules are the rules. Each finds a request, not a topic: a text that only mentions prompts
// or passwords does not match.
var wordRules = sync.OnceValue(func() *[19]wordRule {
	return &[...]wordRule{
		{classOverride, [4]step{{wordIgnore, 0}, {wordPrevious, 4}, {wordInstruction, 4}}},
		{classOverride, [4]step{{wordIgnore, 0}, {wordInstruction, 4}, {wordPrevious, 4}}},
		{classOverride, [4]step{{wordPrevious, 0}, {wordInstruction, 2}, {wordIgnoreLast, 3}}},
		{classOverride, [4]step{{wordInstruction, 0}, {wordPrevious, 2}, {wordIgnoreLast, 3}}},
		{classOverride, [4]step{{wordYou, 0}, {wordNow, 2}, {wordMode, 4}}},
		{classOverride, [4]step{{wordNot, 0}, {wordFollow, 2}, {wordPrevious, 3}, {wordInstruction, 3}}},
		{classSecrecy, [4]step{{wordNot, 0}, {wordTell, 2}, {wordUser, 4}}},
		{classSecrecy, [4]step{{wordTell, 0}, {wordNot, 1}, {wordUser, 3}}},
		{classSecrecy, [4]step{{wordNotTell, 0}, {wordUser, 3}}},
		{classSecrecy, [4]step{{wordUser, 0}, {wordNotTell, 2}}},
		{classSecrecy, [4]step{{wordNot, 0}, {wordMention, 2}, {wordTo, 6}, {wordUser, 2}}},
		{classSecrecy, [4]step{{wordHide, 0}, {wordFrom, 5}, {wordUser, 2}}},
		{classSteering, [4]step{{wordBefore, 0}, {wordUse, 3}, {wordCall, 9}, {wordTool, 4}}},
		{classSteering, [4]step{{wordMust, 0}, {wordCalled, 2}, {wordFirst, 3}}},
		{classSteering, [4]step{{wordFirst, 0}, {wordCall, 1}, {wordTool, 2}}},
		{classSteering, [4]step{{wordBefore, 0}, {wordOther, 2}, {wordTool, 2}}},
		{classSteering, [4]step{{wordOwnTool, 0}}},
		{classExfiltration, [4]step{{wordBcc, 0}, {wordAddress, 4}}},
		{classExfiltration, [4]step{{wordSend, 0}, {wordPrivate, 6}, {wordAddress, 10}}},
	}
})

// progress is the part of a rule that has matched.
type progress struct {
	next  int // the index of the next step
	last  int // the number of the last word that matched
	start int // the offset of the first word
}

// maxWord is the maximum length of a word, in bytes. Longer words are ignored.
const maxWord = 96

// words reads the text word by word and advances the rules. The end of a sentence or paragraph
// resets them.
func (s *injections) words() {
	m := matcher{injections: s, rules: wordRules()}
	for i := 0; i < len(s.text); {
		end := wordEnd(s.text, i)
		if end == i {
			if sentenceEnds(s.text[i:]) {
				m.states = [len(m.rules)]progress{}
			}
			_, size := utf8.DecodeRuneInString(s.text[i:])
			i += size
			continue
		}
		m.word(i, end)
		s.role(i, end)
		i = end
	}
}

// matcher advances the rules.
type matcher struct {
	*injections
	rules  *[19]wordRule
	states [19]progress
	n      int // the number of the current word
	buffer [maxWord + utf8.UTFMax]byte
}

// word processes a word, and then the parts of a name such as ignore_all_rules.
func (m *matcher) word(start, end int) {
	m.n++
	m.take(start, end)
	if strings.IndexByte(m.text[start:end], '_') < 0 {
		return
	}
	at := m.n
	for from := start; from < end; {
		to := strings.IndexByte(m.text[from:end], '_')
		if to < 0 {
			to = end - from
		}
		if m.n++; to > 0 {
			m.take(from, from+to)
		}
		from += to + 1
	}
	m.n = at // a name is one word
}

func (m *matcher) take(start, end int) {
	kinds := kindsOf(m.text, start, end, m.buffer[:0])
	for r := range m.rules {
		if kinds != 0 && m.states[r].advance(&m.rules[r], kinds, m.n, start) {
			m.add(m.rules[r].class, m.states[r].start)
			m.states[r] = progress{}
		}
	}
}

// advance processes a word, and reports whether it completes the rule.
func (p *progress) advance(rule *wordRule, kinds words, n, at int) bool {
	step := rule.steps[p.next]
	begins := kinds&rule.steps[0].kinds != 0
	if begins && rule.steps[1].kinds == 0 {
		p.start = at
		return true
	}
	switch {
	case p.next > 0 && n-p.last <= step.gap && kinds&step.kinds != 0:
		p.next, p.last = p.next+1, n
		return p.next == len(rule.steps) || rule.steps[p.next].kinds == 0
	case p.next > 0 && n-p.last < step.gap && !(p.next == 1 && begins):
		return false
	}
	if *p = (progress{}); begins {
		*p = progress{next: 1, last: n, start: at}
	}
	return false
}

// wordEnd returns the offset after the word at an offset. A word consists of letters, marks,
// digits and underscores. If there is no word, wordEnd returns the offset itself.
func wordEnd(s string, i int) int {
	for i < len(s) {
		b := s[i]
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', b == '_':
			i++
			continue
		case b < utf8.RuneSelf:
			return i
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if !unicode.In(r, unicode.L, unicode.M, unicode.N) {
			return i
		}
		i += size
	}
	return i
}

// sentenceEnds reports whether punctuation ends a sentence or a paragraph.
func sentenceEnds(rest string) bool {
	switch rest[0] {
	case '.', '!', '?':
		return len(rest) == 1 || rest[1] == ' ' || rest[1] == '\n'
	case '\n':
		return len(rest) > 1 && rest[1] == '\n'
	case '"': // of a string inside JSON
		return len(rest) > 1 && strings.IndexByte(",:]}", rest[1]) >= 0
	}
	return false
}

// kindsOf classifies a word by its own text and by the text after it. buffer receives the word
// in the form in which it is compared.
func kindsOf(s string, start, end int, buffer []byte) words {
	after := s[end:]
	switch {
	case strings.HasPrefix(after, "://"):
		return wordAddress
	case strings.HasPrefix(after, "@") && wordEnd(after, 1) > 1:
		return wordAddress
	case end-start > maxWord:
		return 0
	}
	name := false
	for i := start; i < end; {
		r, size := utf8.DecodeRuneInString(s[i:end])
		buffer = text.AppendFolded(buffer, r)
		name = name || r == '_' && i > start
		i += size
	}
	kinds := phrases().words[string(buffer)]
	if name || start > 0 && s[start-1] == '`' {
		kinds |= wordTool
	}
	if kinds == wordUser && (strings.HasPrefix(after, "'s") || strings.HasPrefix(after, "’s")) {
		return 0 // a thing of the user, not the user
	}
	return kinds
}

// role looks for a word before a colon that names a speaker: "SYSTEM:" after anything except a
// word, "Human:" at the beginning of a line.
func (s *injections) role(start, end int) {
	if end == len(s.text) || s.text[end] != ':' {
		return
	}
	before := strings.TrimRight(s.text[:start], " #*-")
	lineBegin := before != "" && before[len(before)-1] == '\n'
	switch s.text[start:end] {
	case "SYSTEM", "ASSISTANT", "DEVELOPER":
		if before != "" && !lineBegin && strings.IndexByte("`>\"", before[len(before)-1]) < 0 && !strings.HasSuffix(before, "<!") {
			return
		}
	case "Human", "Assistant":
		if !lineBegin {
			return
		}
	case "System":
		if before != "" && !lineBegin || !hasFold(strings.TrimLeft(s.text[end:], ": "), "you ") {
			return
		}
	default:
		return
	}
	s.add(classRole, start)
}
