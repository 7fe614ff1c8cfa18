package robots

import (
	"iter"
	"strings"

	"github.com/jimsmart/grobotstxt"
)

// kind is the meaning of a line for the parser.
type kind uint8

// The kinds. The zero kind is a line that the parser does not read: a comment, a blank line,
// or a line that is not a record.
const (
	none kind = iota
	userAgent
	allow
	disallow
	sitemap
	other
)

// field returns the name of the fields of a kind (§2.2), or "" if there are several.
func (k kind) field() string {
	switch k {
	case userAgent:
		return "user-agent"
	case allow:
		return "allow"
	case disallow:
		return "disallow"
	case sitemap:
		return "sitemap"
	}
	return ""
}

// line is a parsed line of a file.
type line struct {
	// text is the line without its comment; field and value are its two halves.
	text, field, value string
	// colon is set if a colon divides the halves, as it should.
	colon bool
	// long is set if the line is longer than maxLine.
	long bool
	// number is the line number. LF and CRLF are counted, as in editors; a CR alone ends a line
	// too.
	number int
}

// maxLine is the number of bytes of a line that are read. It is the limit of Google's parser,
// eight times the longest URL of old browsers.
const maxLine = 2083*8 - 1

// kindOf returns the kind of a line, as the parser reads it.
func kindOf(text string) kind {
	if strings.HasPrefix(text, "\xef") {
		text = " " + text // in the middle of a file this is not a byte order mark
	}
	var k noted
	grobotstxt.Parse(text, &k)
	return kind(k)
}

// split yields the lines of a text, which end with CR, LF or CRLF (§2.2). CRLF contains an
// empty line, which has no effect.
func split[T string | []byte](text T) iter.Seq[line] {
	return func(yield func(line) bool) {
		number := 1
		for len(text) > 0 {
			end := 0
			for end < len(text) && text[end] != '\r' && text[end] != '\n' {
				end++
			}
			if !yield(takeApart(string(text[:end]), number)) {
				return
			}
			if end < len(text) && text[end] == '\n' {
				number++
			}
			text = text[min(end+1, len(text)):]
		}
	}
}

// takeApart divides a line as the parser does: at the colon or, if there is none, between two
// words.
func takeApart(written string, number int) line {
	l := line{number: number, long: len(written) > maxLine}
	if l.long {
		written = strings.ToValidUTF8(written[:maxLine], "")
	}
	written, _, _ = strings.Cut(written, "#")
	l.text = strings.TrimSpace(written)
	l.field, l.value, l.colon = strings.Cut(l.text, ":")
	if i := strings.IndexAny(l.text, " \t"); !l.colon && i >= 0 {
		if value := strings.TrimSpace(l.text[i:]); !strings.ContainsAny(value, " \t") {
			l.field, l.value = l.text[:i], value
		}
	}
	l.field, l.value = strings.TrimSpace(l.field), strings.TrimSpace(l.value)
	return l
}

// noted is the kind of the line as the parser reads it.
type noted kind

// HandleRobotsStart does nothing.
func (*noted) HandleRobotsStart() {}

// HandleRobotsEnd does nothing.
func (*noted) HandleRobotsEnd() {}

// HandleUserAgent notes a line that begins a group.
func (k *noted) HandleUserAgent(int, string) { *k = noted(userAgent) }

// HandleAllow notes a rule.
func (k *noted) HandleAllow(int, string) { *k = noted(allow) }

// HandleDisallow notes a rule.
func (k *noted) HandleDisallow(int, string) { *k = noted(disallow) }

// HandleSitemap notes a sitemap.
func (k *noted) HandleSitemap(int, string) { *k = noted(sitemap) }

// HandleUnknownAction notes any other record.
func (k *noted) HandleUnknownAction(int, string, string) { *k = noted(other) }

// isProduct reports whether the parser accepts a character in a product token. It accepts the
// characters of a token of RFC 9110. §2.2.1 has only letters, "-" and "_".
func isProduct(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("~#$%'*+-.^_`|", c)
}

// product returns the text that the parser takes for the product token of a user agent: "*",
// even if white space and more text follow it, or the beginning of the value. It returns "" if
// the value names no agent.
func product(value string) string {
	if len(value) > 1 && value[0] == '*' && strings.IndexByte(" \t\v\f", value[1]) >= 0 {
		return "*"
	}
	token := value
	if i := strings.IndexFunc(value, func(c rune) bool { return !isProduct(c) }); i >= 0 {
		token = value[:i]
	}
	if token == "*" && value != "*" {
		return ""
	}
	return token
}
