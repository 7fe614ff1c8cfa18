package robots

import (
	"bytes"
	"net/url"
	"strings"
	"unicode"

	"github.com/jimsmart/grobotstxt"

	"github.com/wayfindhq/wayfind/parse"
)

// Allowed reports whether the rules of a robots.txt let a client request a URL. It is
// [RulesFor] for a single URL.
func Allowed(body []byte, token, target string) bool {
	return RulesFor(body, token).Allowed(target)
}

// Rules are the rules of a robots.txt for one client, read once for many URLs. They do not
// change.
type Rules struct {
	own, everyone ruleset
	// named is set if a group names the client. The rules for all clients are then ignored.
	named bool
}

// RulesFor returns the rules for a product token (§2.2.1), in any case.
//
// All groups for the token apply together. If there are none, the groups for "*" apply. If
// there are none either, everything is allowed. A web page has no rules, and only the first
// [MaxBytes] of a longer file are read.
func RulesFor(body []byte, token string) *Rules {
	if (&parse.Input{Body: body}).HTML() {
		return &Rules{}
	}
	whole, _ := cut(body)
	g := &grouping{token: token, rules: &Rules{}}
	grobotstxt.Parse(string(whole), g)
	g.rules.own.prepare()
	g.rules.everyone.prepare()
	return g.rules
}

// Allowed reports whether the client may request a URL: an absolute one, or a path with its
// query. The longest match decides, and Allow if two have the same length. /robots.txt is
// always allowed (§2.2.2). A text that is not a URL is not allowed, because no rule can be
// found for it.
//
// The time is proportional to the number of rules with stars, and to the length of the path
// for each: see [Rules.Steps].
func (r *Rules) Allowed(target string) bool {
	u, err := url.Parse(target)
	if err != nil || u.Opaque != "" {
		return false
	}
	path := pathOf(u)
	if path == Path {
		return true
	}
	return r.counting().allow(path)
}

// Steps bounds the work of Allowed for a URL. A step is the comparison of a rule with up to
// 128 bytes of the URL, or one more star of a rule.
func (r *Rules) Steps(target string) int {
	return r.counting().steps(len(target))
}

// counting returns the rules that apply to the client.
func (r *Rules) counting() *ruleset {
	if r.named {
		return &r.own
	}
	return &r.everyone
}

// grouping collects the rules that apply, grouped as by Google's parser (§2.2.1).
type grouping struct {
	token string
	rules *Rules
	// own and everyone are set if the open group is for the client or for all clients. closed is
	// set if the group has a rule, so that the next user agent begins another group.
	own, everyone, closed bool
}

// HandleUserAgent begins a group, or adds an agent to a group without rules. A star is valid
// even if white space and more text follow it.
func (g *grouping) HandleUserAgent(_ int, value string) {
	if g.closed {
		g.own, g.everyone, g.closed = false, false, false
	}
	if value != "" && value[0] == '*' && (len(value) == 1 || unicode.IsSpace(rune(value[1]))) {
		g.everyone = true
		return
	}
	if i := strings.IndexFunc(value, func(c rune) bool { return !isProduct(c) }); i >= 0 {
		value = value[:i]
	}
	if strings.EqualFold(value, g.token) {
		g.own, g.rules.named = true, true
	}
}

// HandleAllow handles an Allow line. A line with a control character is damaged and allows
// nothing. A line for "/a/index.html" allows "/a/" as well.
func (g *grouping) HandleAllow(_ int, value string) {
	if i := strings.LastIndexByte(value, '/'); i >= 0 && strings.HasPrefix(value[i:], "/index.htm") && !strings.ContainsFunc(value[:i], isControl) {
		g.add(value[:i+1]+"$", true)
	}
	if strings.ContainsFunc(value, isControl) {
		value = ""
	}
	g.add(value, true)
}

// HandleDisallow handles a Disallow line. Only the part before the damage is used of a damaged
// line, which forbids more.
func (g *grouping) HandleDisallow(_ int, value string) {
	if i := strings.IndexFunc(value, isControl); i >= 0 {
		value = value[:i]
	}
	g.add(value, false)
}

// add adds a rule to the open group. An empty rule ends the list of agents, and has no other
// effect.
func (g *grouping) add(pattern string, allow bool) {
	g.closed = g.closed || g.own || g.everyone
	switch {
	case g.own:
		g.rules.own.add(canonical(pattern), allow)
	case g.everyone:
		g.rules.everyone.add(canonical(pattern), allow)
	}
}

// HandleRobotsStart, HandleRobotsEnd, HandleSitemap and HandleUnknownAction have no effect on
// rules.
func (g *grouping) HandleRobotsStart()                      {}
func (g *grouping) HandleRobotsEnd()                        {}
func (g *grouping) HandleSitemap(int, string)               {}
func (g *grouping) HandleUnknownAction(int, string, string) {}

func isControl(c rune) bool { return c < ' ' || c == 0x7f }

// pathOf returns the text that the patterns are compared with: path and query.
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

// cut returns the part of a file that is used. If a file may have been cut when it was
// fetched, its last line may be incomplete and is dropped.
func cut(body []byte) (whole []byte, dropped bool) {
	if len(body) < MaxBytes {
		return body, false
	}
	whole = body[:MaxBytes]
	return whole[:bytes.LastIndexAny(whole, "\r\n")+1], true
}

// canonical converts paths and patterns into the form in which §2.2.2 compares them: octets
// outside ASCII are percent-encoded, unreserved characters are not, and hexadecimal digits are
// upper-case.
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

// isUnreserved reports whether c is an unreserved character (RFC 3986 §2.3).
func isUnreserved(c byte) bool {
	return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte("-._~", c) >= 0
}
