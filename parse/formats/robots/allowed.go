package robots

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/jimsmart/grobotstxt"

	"github.com/wayfindhq/wayfind/parse"
)

// Allowed reports whether the rules of a robots.txt let a client go to a URL.
// token is the client's product token (§2.2.1), in any case; target is an
// absolute URL or a path with its query.
//
// All groups for the token count together; without one, those for "*"; without
// any, everything is allowed. The longest match wins, and Allow where two are
// of one length. /robots.txt is always allowed (§2.2.2). A web page has no
// rules, and of a longer file the first [MaxBytes] count. What is no URL is not
// allowed: nobody can tell which rule it falls under.
//
// The time is in proportion to the file, and to the path for each rule.
func Allowed(body []byte, token, target string) bool {
	u, err := url.Parse(target)
	if err != nil || u.Opaque != "" {
		return false
	}
	path := pathOf(u)
	if path == Path || (&parse.Input{Body: body}).HTML() {
		return true
	}
	whole, _ := cut(body)
	m := grobotstxt.NewRobotsMatcher()
	m.MatchStrategy = strategy{path: path}
	// The strategy has the path: the URL is for form's sake.
	return m.AgentAllowed(string(whole), token, "/")
}

// pathOf is what the patterns are held against: path and query.
func pathOf(u *url.URL) string {
	path := u.EscapedPath()
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	if u.RawQuery != "" || u.ForceQuery {
		path += "?" + u.RawQuery
	}
	return canonical(path)
}

// cut returns the part of a file that counts. Of a file that may have been cut
// before, by whoever fetched it, the last line is not known to be whole.
func cut(body []byte) (whole []byte, dropped bool) {
	if len(body) < MaxBytes {
		return body, false
	}
	whole = body[:MaxBytes]
	return whole[:bytes.LastIndexAny(whole, "\r\n")+1], true
}

// strategy matches patterns against one path in linear time. The library's own
// takes the product of both lengths, for every rule.
type strategy struct{ path string }

// MatchAllow returns the length of a pattern that matches, else -1. One with a
// control character is damaged and allows nothing.
func (s strategy) MatchAllow(_, pattern string) int {
	if strings.ContainsFunc(pattern, isControl) {
		return -1
	}
	return s.match(pattern)
}

// MatchDisallow returns the length of a pattern that matches, else -1. Of a
// damaged one counts what stands before the damage, which forbids more.
func (s strategy) MatchDisallow(_, pattern string) int {
	if i := strings.IndexFunc(pattern, isControl); i >= 0 {
		pattern = pattern[:i]
	}
	return s.match(pattern)
}

func isControl(c rune) bool { return c < ' ' || c == 0x7f }

func (s strategy) match(pattern string) int {
	pattern = canonical(pattern)
	if matches(s.path, pattern) {
		return len(pattern)
	}
	return -1
}

// matches reports whether a pattern matches the beginning of a path (§2.2.3):
// "*" is any text, and "$" at the end of the pattern the end of the path. What
// stands between two stars is looked for from the left, so nothing is read
// twice.
func matches(path, pattern string) bool {
	pattern, toEnd := strings.CutSuffix(pattern, "$")
	part, pattern, more := strings.Cut(pattern, "*")
	rest, ok := strings.CutPrefix(path, part)
	for ok && more {
		part, pattern, more = strings.Cut(pattern, "*")
		if !more && toEnd {
			return strings.HasSuffix(rest, part)
		}
		_, rest, ok = strings.Cut(rest, part)
	}
	return ok && (!toEnd || rest == "")
}

// canonical brings paths and patterns into the form in which §2.2.2 compares
// them: octets outside ASCII are percent-encoded, unreserved characters are
// not, and hexadecimal digits are upper-case.
func canonical(s string) string {
	if !strings.ContainsFunc(s, func(c rune) bool { return c == '%' || c >= 0x80 }) {
		return s
	}
	const digits = "0123456789ABCDEF"
	out := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); i++ {
		c := s[i]
		encoded := c >= 0x80
		if c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			c = unhex(s[i+1])<<4 | unhex(s[i+2])
			i += 2
			encoded = !isUnreserved(c)
		}
		if encoded {
			out = append(out, '%', digits[c>>4], digits[c&15])
		} else {
			out = append(out, c)
		}
	}
	return string(out)
}

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func unhex(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// isUnreserved reports the unreserved characters of RFC 3986 §2.3.
func isUnreserved(c byte) bool {
	return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte("-._~", c) >= 0
}
