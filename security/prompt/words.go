package prompt

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// words are kinds of words, one bit each.
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
	wordTool // or the name of one
	wordBcc
	wordSend
	wordPrivate
	wordAddress
)

// wordsOf sorts the words of the rules below, in lower case: English, German,
// French, Spanish, Portuguese, Italian, Dutch, Polish, Russian, Turkish, Arabic
// and Hindi.
func wordsOf(word string) words {
	switch word {
	case "ignore", "disregard", "forget", "override", "overrule",
		"ignoriere", "ignorieren", "vergiss", "missachte", "ignorez", "oublie", "oubliez", "ignora", "ignorad", "ignoren",
		"olvida", "olvide", "esqueça", "esquece", "dimentica", "negeer", "vergeet", "zignoruj", "zapomnij",
		"игнорируй", "игнорируйте", "проигнорируй", "забудь", "забудьте", "تجاهل":
		return wordIgnore
	case "görmezden", "unut", "yoksay", "अनदेखा", "भूल":
		return wordIgnoreLast
	case "previous", "previously", "prior", "above", "preceding", "earlier", "foregoing",
		"vorherigen", "vorherige", "vorigen", "bisherigen", "obigen", "précédentes", "précédents", "antérieures",
		"anteriores", "previas", "previos", "anterior", "precedenti", "vorige", "eerdere", "poprzednie", "wcześniejsze",
		"предыдущие", "предыдущих", "прежние", "önceki", "السابقة", "पिछले":
		return wordPrevious
	case "instruction", "instructions", "prompt", "prompts", "directive", "directives", "guidelines", "messages",
		"anweisung", "anweisungen", "vorgaben", "consignes", "instrucciones", "instruções", "istruzioni",
		"instructies", "instrukcje", "polecenia", "инструкции", "инструкций", "указания", "talimatları", "talimatlar",
		"التعليمات", "निर्देशों", "निर्देश":
		return wordInstruction
	case "not", "don", "dont", "never", "nicht", "niemals", "ne", "no", "nunca", "não", "non", "niet", "nie", "не", "without", "ohne", "sans", "sin":
		return wordNot
	case "follow", "obey":
		return wordFollow
	case "tell", "telling", "inform", "informing", "informe", "dis", "dites", "dire", "sag", "sage", "digas", "diga",
		"vertel", "mów", "говори", "говорите", "сообщай", "сообщайте":
		return wordTell
	case "mention", "reveal", "disclose", "say":
		return wordMention
	case "to":
		return wordTo
	case "from":
		return wordFrom
	case "hide", "conceal", "secret":
		return wordHide
	case "user", "nutzer", "benutzer", "utilisateur", "usuario", "usuário", "utente", "gebruiker", "użytkownikowi",
		"пользователю", "человеку", "human":
		return wordUser
	case "before", "whenever":
		return wordBefore
	case "using", "calling", "invoking", "running", "executing":
		return wordUse
	case "use", "call", "invoke", "run", "execute":
		return wordUse | wordCall
	case "tool", "tools", "function":
		return wordTool
	case "bcc":
		return wordBcc
	case "send", "post", "upload", "forward", "transmit", "email", "exfiltrate", "leak", "submit":
		return wordSend
	case "conversation", "transcript", "chat", "history", "ssh", "env", "id_rsa", "memory", "credentials", "passwords":
		return wordPrivate
	}
	return 0
}

// step is a kind of word, and how many words it may come after the one before.
type step struct {
	kinds words
	gap   int
}

// wordRule is a class and the words by which it is known.
type wordRule struct {
	class string
	steps [4]step // those after the last have no kinds
}

// wordRules has the rules. Each finds a request, not a topic: a text that
// speaks of prompts or of passwords is not enough.
func wordRules() [10]wordRule {
	return [...]wordRule{
		{classOverride, [4]step{{wordIgnore, 0}, {wordPrevious, 4}, {wordInstruction, 4}}},
		{classOverride, [4]step{{wordIgnore, 0}, {wordInstruction, 4}, {wordPrevious, 4}}},
		{classOverride, [4]step{{wordPrevious, 0}, {wordInstruction, 2}, {wordIgnoreLast, 3}}},
		{classOverride, [4]step{{wordNot, 0}, {wordFollow, 2}, {wordPrevious, 3}, {wordInstruction, 3}}},
		{classSecrecy, [4]step{{wordNot, 0}, {wordTell, 2}, {wordUser, 4}}},
		{classSecrecy, [4]step{{wordNot, 0}, {wordMention, 2}, {wordTo, 6}, {wordUser, 2}}},
		{classSecrecy, [4]step{{wordHide, 0}, {wordFrom, 5}, {wordUser, 2}}},
		{classSteering, [4]step{{wordBefore, 0}, {wordUse, 3}, {wordCall, 9}, {wordTool, 4}}},
		{classExfiltration, [4]step{{wordBcc, 0}, {wordAddress, 4}}},
		{classExfiltration, [4]step{{wordSend, 0}, {wordPrivate, 6}, {wordAddress, 10}}},
	}
}

// progress is the part of a rule that was seen.
type progress struct {
	next  int // step
	last  int // number of the word that was taken last
	start int // offset of the first
}

// maxWord is the longest word that is looked at, in bytes.
const maxWord = 30

// words reads the text word by word and moves the rules on. The end of a
// sentence or paragraph ends them.
func (s *injections) words() {
	rules := wordRules()
	var states [len(rules)]progress
	var buffer [maxWord + utf8.UTFMax]byte
	n := 0
	for i := 0; i < len(s.text); {
		end := wordEnd(s.text, i)
		if end == i {
			if sentenceEnds(s.text[i:]) {
				states = [len(rules)]progress{}
			}
			_, size := utf8.DecodeRuneInString(s.text[i:])
			i += size
			continue
		}
		n++
		kinds := kindsOf(s.text, i, end, buffer[:0])
		for r := range rules {
			if kinds != 0 && states[r].advance(&rules[r], kinds, n, i) {
				s.add(rules[r].class, states[r].start)
				states[r] = progress{}
			}
		}
		s.role(i, end)
		i = end
	}
}

// advance takes a word, and reports whether it completes the rule.
func (p *progress) advance(rule *wordRule, kinds words, n, at int) bool {
	step := rule.steps[p.next]
	begins := kinds&rule.steps[0].kinds != 0
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

// wordEnd is where the word at an offset ends: letters, marks, digits and the
// low line. It is the offset itself when there is none.
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

// kindsOf classifies a word by itself and by the text after it. buffer takes the
// word in lower case.
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
		buffer = utf8.AppendRune(buffer, unicode.ToLower(r))
		name = name || r == '_' && i > start
		i += size
	}
	kinds := wordsOf(string(buffer))
	if name || start > 0 && s[start-1] == '`' {
		kinds |= wordTool
	}
	if kinds == wordUser && (strings.HasPrefix(after, "'s") || strings.HasPrefix(after, "’s")) {
		return 0 // a thing of the user's, not the user
	}
	return kinds
}

// role looks for a word before a colon that names a speaker: "SYSTEM:" behind
// anything but a word, "Human:" where a line begins.
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
	default:
		return
	}
	s.add(classRole, start)
}
