package uritemplate

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrSyntax is the error for a template that cannot be read.
var ErrSyntax = errors.New("uritemplate: it is not a template of RFC 6570")

// ErrPrefix is the error for a template that requires a prefix of a list or of an associative
// array (RFC 6570 §2.4.1).
var ErrPrefix = errors.New("uritemplate: a prefix is required of a value that has several parts")

// maxPrefix is the maximum length of a prefix (RFC 6570 §2.4.1).
const maxPrefix = 9999

// Template is a parsed template. It is immutable.
type Template struct {
	parts []part
}

// part is a literal, in the form of the result, or an expression.
type part struct {
	literal   string
	operator  byte
	variables []variable
}

type variable struct {
	name    string
	explode bool
	prefix  int // 0: the whole value
}

// Parse reads a template. The error is [ErrSyntax].
func Parse(text string) (*Template, error) {
	t := &Template{}
	for text != "" {
		open := strings.IndexAny(text, "{}")
		if open < 0 {
			open = len(text)
		}
		if open > 0 {
			literal, ok := literal(text[:open])
			if !ok {
				return nil, ErrSyntax
			}
			t.parts = append(t.parts, part{literal: literal})
		}
		if text = text[open:]; text == "" {
			break
		}
		end := strings.IndexByte(text, '}')
		if text[0] != '{' || end < 0 {
			return nil, ErrSyntax
		}
		p, ok := expression(text[1:end])
		if !ok {
			return nil, ErrSyntax
		}
		t.parts, text = append(t.parts, p), text[end+1:]
	}
	return t, nil
}

// literal returns the text between expressions (RFC 6570 §3.1). Characters that a URL must not
// contain are percent-encoded.
func literal(text string) (string, bool) {
	var dst []byte
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ' || c == 0x7F:
			return "", false
		case unreserved(c) || Reserved(c) || Escaped(text[i:]):
			dst = append(dst, c)
		default:
			dst = AppendPercent(dst, c)
		}
	}
	return string(dst), utf8.ValidString(text)
}

// expression reads the text in braces (RFC 6570 §2.2).
func expression(text string) (p part, ok bool) {
	if text != "" && strings.IndexByte("+#./;?&", text[0]) >= 0 {
		p.operator, text = text[0], text[1:]
	}
	for spec := range strings.SplitSeq(text, ",") {
		v := variable{name: spec}
		if name, found := strings.CutSuffix(spec, "*"); found {
			v.name, v.explode = name, true
		} else if name, digits, found := strings.Cut(spec, ":"); found {
			n, err := strconv.Atoi(digits)
			if err != nil || digits[0] < '1' || digits[0] > '9' || n > maxPrefix {
				return p, false
			}
			v.name, v.prefix = name, n
		}
		if !validName(v.name) {
			return p, false
		}
		p.variables = append(p.variables, v)
	}
	return p, true
}

// validName reports whether a variable may have this name (RFC 6570 §2.3).
func validName(name string) bool {
	dot := true // a dot must not follow
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '.' && !dot:
			dot = true
			continue
		case Escaped(name[i:]):
			i += 2
		case c != '_' && !alphanumeric(c):
			return false
		}
		dot = false
	}
	return !dot
}

// Names returns the names of the variables in their order, without duplicates.
func (t *Template) Names() (names []string) {
	for _, p := range t.parts {
		for _, v := range p.variables {
			if !slices.Contains(names, v.name) {
				names = append(names, v.name)
			}
		}
	}
	return names
}

// Expand returns the template with the values of its variables. The error is [ErrPrefix].
func (t *Template) Expand(value func(name string) Value) (string, error) {
	var dst []byte
	for i := range t.parts {
		p := &t.parts[i]
		if p.variables == nil {
			dst = append(dst, p.literal...)
			continue
		}
		var err error
		if dst, err = p.expand(dst, value); err != nil {
			return "", err
		}
	}
	return string(dst), nil
}

// expand appends the result of an expression (RFC 6570 §3.2.1).
func (p *part) expand(dst []byte, value func(name string) Value) ([]byte, error) {
	s := styleOf(p.operator)
	before := s.First
	for _, v := range p.variables {
		val := value(v.name)
		if !val.Defined() {
			continue
		}
		if v.prefix > 0 {
			if val.kind != text {
				return nil, ErrPrefix
			}
			val.text = prefix(val.text, v.prefix)
		}
		dst = s.Append(append(dst, before...), v.name, val, v.explode)
		before = s.Sep
	}
	return dst, nil
}

// prefix returns the beginning of a text, in characters.
func prefix(s string, most int) string {
	for i := range s {
		if most == 0 {
			return s[:i]
		}
		most--
	}
	return s
}
