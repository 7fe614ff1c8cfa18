package llmstxt

import (
	"strings"
	"unicode"
)

// link is a link in a text.
type link struct {
	form form
	// title is the text between the brackets of a named link.
	title, url string
	// start and end are its bytes in the text.
	start, end int
}

// form is the notation of a link.
type form uint8

const (
	// named: "[title](url)".
	named form = iota
	// bare: the URL alone, with or without "<>".
	bare
	// coded: the URL or path alone between backticks.
	coded
)

// The limits of the scanner keep its time linear.
const (
	// maxDestination is the longest URL between parentheses, in bytes.
	maxDestination = 2048
	// maxParens bounds the nesting of parentheses in it.
	maxParens = 4
	// maxTicks is the largest number of backticks that open code. For each number, the end is
	// searched in vain only once.
	maxTicks = 3
)

// scanner finds the links of a text, in linear time.
type scanner struct {
	text  string
	refs  references
	links []link
	// open are the brackets that may still be closed.
	open []bracket
}

type bracket struct {
	at    int
	image bool
}

// linksOf returns the links of a text in their order. A link contains no other link. refs are the targets
// of reference links.
func linksOf(text string, refs references) []link {
	s := scanner{text: text, refs: refs}
	for i := 0; i < len(text); {
		switch text[i] {
		case '\\':
			i += 2
		case '`':
			i = s.code(i)
		case '[':
			s.open = append(s.open, bracket{i, i > 0 && text[i-1] == '!'})
			i++
		case ']':
			i = s.closing(i)
		case 'h', 'H':
			i = s.bare(i)
		default:
			i++
		}
	}
	return s.links
}

// code skips code. A single word in it, a URL or a path, is a link.
func (s *scanner) code(at int) (next int) {
	n := ticks(s.text[at:])
	if n > maxTicks {
		return at + n
	}
	for i := at + n; ; {
		j := strings.IndexByte(s.text[i:], '`')
		if j < 0 {
			return at + n
		}
		i += j
		m := ticks(s.text[i:])
		if m == n {
			word := strings.TrimSpace(s.text[at+n : i])
			if isWord(word) && (word[0] == '/' || schemeOf(word) > 0) {
				s.links = append(s.links, link{form: coded, url: word, start: at, end: i + n})
			}
			return i + n
		}
		i += m
	}
}

// ticks returns the number of backticks at the beginning of a text.
func ticks(text string) int {
	return len(text) - len(strings.TrimLeft(text, "`"))
}

// isWord reports whether a text has no white space.
func isWord(text string) bool {
	return text != "" && len(text) <= maxDestination && !strings.ContainsFunc(text, unicode.IsSpace)
}

// closing reads the link that a bracket closes. Images are not links, but may be in the title
// of a link.
func (s *scanner) closing(at int) (next int) {
	if len(s.open) == 0 {
		return at + 1
	}
	b := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	url, end, ok := "", 0, false
	if strings.HasPrefix(s.text[at+1:], "(") {
		url, end, ok = destination(s.text, at+2)
	}
	if !ok {
		url, end, ok = s.refs.at(s.text, b.at, at)
	}
	if !ok {
		return at + 1
	}
	for len(s.links) > 0 && s.links[len(s.links)-1].start > b.at {
		s.links = s.links[:len(s.links)-1] // it was part of the title
	}
	if !b.image {
		s.links = append(s.links, link{form: named, title: s.text[b.at+1 : at], url: url, start: b.at, end: end})
		s.open = s.open[:0]
	}
	return end
}

// destination reads the URL after an opening parenthesis, and drops a title in quotes.
// Parentheses in the URL come in pairs.
func destination(text string, at int) (url string, end int, ok bool) {
	at += blanks(text[at:])
	if strings.HasPrefix(text[at:], "<") {
		rest := text[at+1 : min(at+1+maxDestination, len(text))]
		i := strings.IndexAny(rest, "<>\n")
		if i < 0 || rest[i] != '>' {
			return "", 0, false
		}
		url, at = rest[:i], at+1+i+1
	} else {
		n := plain(text[at:])
		url, at = text[at:at+n], at+n
	}
	at += blanks(text[at:])
	if at < len(text) && (text[at] == '"' || text[at] == '\'') {
		i := strings.IndexByte(text[at+1:], text[at])
		if i < 0 {
			return "", 0, false
		}
		at += i + 2
		at += blanks(text[at:])
	}
	return url, at + 1, strings.HasPrefix(text[at:], ")")
}

// blanks returns the length of the white space at the beginning of a text, including at most
// one line end.
func blanks(text string) int {
	n := len(text) - len(strings.TrimLeft(text, " \t"))
	if strings.HasPrefix(text[n:], "\n") {
		n += 1 + len(text[n+1:]) - len(strings.TrimLeft(text[n+1:], " \t"))
	}
	return n
}

// plain returns the length of a URL without "<>" at the beginning of a text.
func plain(text string) int {
	depth := 0
	for i := range min(len(text), maxDestination) {
		switch c := text[i]; {
		case c <= ' ':
			return i
		case c == '(':
			if depth++; depth > maxParens {
				return i
			}
		case c == ')':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return min(len(text), maxDestination)
}

// bare reads a URL that is written in the text without markup.
func (s *scanner) bare(at int) (next int) {
	scheme := schemeOf(s.text[at:])
	if scheme == 0 || at > 0 && isASCIILetter(s.text[at-1]) {
		return at + 1
	}
	rest := s.text[at:]
	end := strings.IndexFunc(rest, endsURL)
	if end < 0 {
		end = len(rest)
	}
	next = at + end
	if end < len(rest) && (rest[end] == '{' || rest[end] == '[') {
		return next // "https://shop.example/{id}" leads nowhere
	}
	url := trimURL(rest[:end])
	if len(url) > scheme {
		s.links = append(s.links, link{form: bare, url: url, start: at, end: at + len(url)})
	}
	return next
}

// schemeOf returns the length of "http://" or "https://" at the beginning of a text, or 0 if
// there is neither.
func schemeOf(text string) int {
	for _, scheme := range [...]string{"https://", "http://"} {
		if len(text) >= len(scheme) && strings.EqualFold(text[:len(scheme)], scheme) {
			return len(scheme)
		}
	}
	return 0
}

func isASCIILetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// endsURL reports whether a character ends a URL in a text: white space, signs that enclose
// URLs, and the punctuation of other scripts.
func endsURL(c rune) bool {
	return c <= ' ' || strings.ContainsRune("<>\"`[]{}|\\^", c) || c >= 0x7f && !unicode.IsLetter(c) && !unicode.IsDigit(c)
}

// trimURL removes the punctuation of the sentence around a URL, and a closing parenthesis that
// was opened before it.
func trimURL(url string) string {
	extra := strings.Count(url, ")") - strings.Count(url, "(")
	for url != "" {
		last := url[len(url)-1]
		switch {
		case last == ')' && extra > 0:
			extra--
		case strings.IndexByte(".,;:!?'*_~", last) < 0:
			return url
		}
		url = url[:len(url)-1]
	}
	return url
}
