package schema

import "strings"

// portable reports whether every vendor accepts a pattern that RE2 can match. OpenAI compiles the
// patterns of a schema with Python's re, and refuses the whole request if it cannot.
func portable(pattern string) bool {
	t := dialects{in: pattern}
	for t.in != "" {
		if !t.token() {
			return false
		}
	}
	return true
}

// dialects reads a pattern for what other dialects of regular expressions lack.
type dialects struct {
	in     string
	class  bool      // inside [ ]
	before component // of the class
	anchor bool      // an assertion is before; Python repeats none
}

// component is the part of a class that was read last.
type component int

const (
	noComponent component = iota
	oneCharacter
	severalCharacters // \d, \w or \s
	openRange         // a character and "-"
	openSet           // \d, \w or \s, and "-"
)

// token reads one character, one escape or the start of a class or group.
func (t *dialects) token() bool {
	c := t.in[0]
	switch {
	case c == '\\':
		return t.escape()
	case t.class && c == ']':
		t.class = false
	case t.class && c == '-' && t.before == oneCharacter:
		t.before = openRange
	case t.class && c == '-' && t.before == severalCharacters:
		t.before = openSet
	case t.class:
		return t.component(oneCharacter, 1)
	case c == '[':
		t.in = strings.TrimPrefix(t.in[1:], "^")
		t.class, t.before, t.anchor = true, noComponent, false
		return !strings.HasPrefix(t.in, "]")
	case t.anchor && strings.IndexByte("*+?{", c) >= 0, strings.HasPrefix(t.in, "(?<"), upTo(t.in):
		return false
	}
	t.anchor = !t.class && (c == '^' || c == '$')
	t.in = t.in[1:]
	return true
}

// upTo reports whether a text begins with a repetition of Python that has no minimum, such as {,5}.
// For other dialects it is five characters, and Python refuses one that has nothing to repeat.
func upTo(in string) bool {
	digits, found := strings.CutPrefix(in, "{,")
	return found && strings.HasPrefix(strings.TrimLeft(digits, "0123456789"), "}")
}

// escape reads a backslash and the rest of its escape.
func (t *dialects) escape() bool {
	c := t.in[1]
	if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
		if strings.IndexByte("dDwWsSbBtnrfvxu", c) < 0 || strings.HasPrefix(t.in, `\u{`) {
			return false
		}
	}
	several := strings.IndexByte("dDwWsS", c) >= 0
	t.anchor = !t.class && (c == 'b' || c == 'B')
	switch {
	case !t.class:
		t.in = t.in[2:]
		return true
	case several:
		return t.component(severalCharacters, 2)
	case c == 'x':
		return t.component(oneCharacter, min(4, len(t.in)))
	case c == 'u':
		return t.component(oneCharacter, min(6, len(t.in)))
	}
	return t.component(oneCharacter, 2)
}

// component reads a part of a class. A set cannot be the end of a range.
func (t *dialects) component(kind component, size int) bool {
	if t.before == openSet || t.before == openRange && kind == severalCharacters {
		return false
	}
	if t.before == openRange {
		kind = noComponent
	}
	t.before, t.in = kind, t.in[size:]
	return true
}
