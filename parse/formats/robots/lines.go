package robots

import (
	"iter"
	"strings"

	"github.com/jimsmart/grobotstxt"
)

// kind is what a line is to the parser.
type kind uint8

// The kinds. The zero kind is a line that the parser does not read: a comment,
// a blank one, or one that is no record.
const (
	none kind = iota
	userAgent
	allow
	disallow
	sitemap
	other
)

// field is the name of the fields of a kind (§2.2), "" where there are several.
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

// line is a line of a file, taken apart.
type line struct {
	// text is the line without its comment, field and value its two halves.
	text, field, value string
	// colon: the halves are divided by a colon, as they should be.
	colon bool
	// long: the line goes on beyond maxLine.
	long bool
	// number counts LF and CRLF, as editors do; a CR alone ends a line too.
	number int
}

// maxLine is how much of a line is read, in bytes: that of Google's parser,
// eight times the longest URL of old browsers.
const maxLine = 2083*8 - 1

// kindOf asks the parser what a line is.
func kindOf(text string) kind {
	if strings.HasPrefix(text, "\xef") {
		text = " " + text // a byte order mark is none in the middle of a file
	}
	var k noted
	grobotstxt.Parse(text, &k)
	return kind(k)
}

// split yields the lines of a text, which end with CR, LF or CRLF (§2.2). There
// is an empty one within CRLF, which says nothing.
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

// takeApart divides a line as the parser does: at the colon, or where there is
// none, between two words.
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

// noted is the kind of the line that the parser sees.
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

// isProduct reports the bytes of which the parser makes a product token: those
// of a token of RFC 9110. §2.2.1 has letters, "-" and "_" only.
func isProduct(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("~#$%'*+-.^_`|", c)
}

// product is what the parser takes for the product token of a user agent: "*",
// also where more stands behind a blank, or the beginning of the value; "" when
// no agent is meant.
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
