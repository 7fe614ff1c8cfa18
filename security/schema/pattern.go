package schema

import (
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf16"
)

// The limits of patterns. A pattern that exceeds them is not matched.
const (
	maxPattern      = 512    // bytes
	maxInstructions = 4_000  // of one pattern, with its repetitions expanded
	maxAllPatterns  = 50_000 // instructions of all patterns of a schema
)

// compile translates a pattern of JSON Schema, which is an ECMA-262 pattern, into RE2.
// Look-around, back-references and large repetitions have no equivalent in RE2.
func (r *reader) compile(text string) *pattern {
	p := &pattern{text: text}
	if len(text) > maxPattern {
		r.count.Add(1)
		return p
	}
	r.count.Text(len(text) * 16)
	t := translator{in: text, plain: true}
	if !t.run() {
		return p
	}
	p.plain, p.boundary = t.plain, t.boundary
	tree, err := syntax.Parse(t.out.String(), syntax.Perl)
	if err != nil {
		return p
	}
	p.size = instructions(tree)
	if p.size > maxInstructions || r.patternSize+p.size > maxAllPatterns {
		return p
	}
	r.patternSize += p.size
	r.count.Add(p.size / 8)
	if re, err := regexp.Compile(t.out.String()); err == nil {
		p.re = re
	}
	return p
}

// instructions estimates the size of a program for a pattern.
func instructions(re *syntax.Regexp) int {
	size := 1
	switch re.Op {
	case syntax.OpLiteral:
		size = len(re.Rune)
	case syntax.OpCharClass:
		size = 1 + len(re.Rune)/32
	}
	for _, sub := range re.Sub {
		size = min(size+instructions(sub), maxInstructions+1)
	}
	if re.Op == syntax.OpRepeat {
		size *= max(re.Min, re.Max, 1)
	}
	return min(size, maxInstructions+1)
}

// translator rewrites ECMA-262 (§22.2.1) as RE2.
type translator struct {
	in              string
	out             strings.Builder
	class           bool // inside [ ]
	plain, boundary bool
}

// White space in ECMA-262 (§22.2.2.9), and the characters that its dot matches.
const (
	ecmaSpace = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	ecmaDot   = `[^\n\r\x{2028}\x{2029}]`
)

// run translates the pattern, and reports whether it has an equivalent.
func (t *translator) run() bool {
	for t.in != "" {
		c := t.in[0]
		switch {
		case c == '\\':
			if !t.escape() {
				return false
			}
			continue
		case t.class && c == '[':
			t.out.WriteString(`\[`)
		case t.class && c == ']':
			t.class = false
			t.out.WriteByte(c)
		case t.class:
			t.out.WriteByte(c)
		case c == '.':
			t.out.WriteString(ecmaDot)
		case c == '[':
			if !t.open() {
				return false
			}
			continue
		case c == '(' && strings.HasPrefix(t.in, "(?"):
			if !t.group() {
				return false
			}
			continue
		default:
			t.out.WriteByte(c)
		}
		t.in = t.in[1:]
	}
	return !t.class
}

// open enters a class. "[]" matches nothing and "[^]" everything.
func (t *translator) open() bool {
	switch {
	case strings.HasPrefix(t.in, "[^]"):
		t.out.WriteString(`[\x{0}-\x{10ffff}]`)
		t.in = t.in[3:]
	case strings.HasPrefix(t.in, "[]"):
		t.out.WriteString(`[^\x{0}-\x{10ffff}]`)
		t.in = t.in[2:]
	case strings.HasPrefix(t.in, "[^"):
		t.class = true
		t.out.WriteString("[^")
		t.in = t.in[2:]
	default:
		t.class = true
		t.out.WriteByte('[')
		t.in = t.in[1:]
	}
	return true
}

// group copies groups that are non-capturing or named.
func (t *translator) group() bool {
	if strings.HasPrefix(t.in, "(?:") {
		t.out.WriteString("(?:")
		t.in = t.in[3:]
		return true
	}
	if len(t.in) > 3 && t.in[2] == '<' && t.in[3] != '=' && t.in[3] != '!' {
		t.plain = false
		t.out.WriteString("(?")
		t.in = t.in[2:]
		return true
	}
	return false
}

// escape rewrites the characters after a backslash.
func (t *translator) escape() bool {
	if len(t.in) < 2 {
		return false
	}
	c := t.in[1]
	switch c {
	case 'd', 'D', 'w', 'W', 't', 'n', 'r', 'f', 'v', 'B':
		t.out.WriteString(t.in[:2])
	case 's':
		if t.class {
			t.out.WriteString(ecmaSpace)
			break
		}
		t.out.WriteString("[" + ecmaSpace + "]")
	case 'S':
		if t.class {
			return false
		}
		t.out.WriteString("[^" + ecmaSpace + "]")
	case 'b':
		if t.class {
			t.out.WriteString(`\x08`)
			break
		}
		t.boundary = true
		t.out.WriteString(`\b`)
	case '0':
		t.out.WriteString(`\x00`)
	case 'x', 'u':
		t.plain = t.plain && c == 'x'
		return t.unicode(c)
	case 'c':
		t.plain = false
		return t.control()
	case 'p', 'P':
		return t.property()
	default:
		return t.punctuation(c)
	}
	t.in = t.in[2:]
	return true
}

// punctuation copies characters that represent themselves after a backslash. The remaining
// letters and digits are back-references, or have another meaning in RE2.
func (t *translator) punctuation(c byte) bool {
	if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
		return false
	}
	if c < 0x80 {
		t.out.WriteByte('\\')
	}
	t.out.WriteByte(c)
	t.in = t.in[2:]
	return true
}

// unicode rewrites \xHH, \uHHHH and \u{H…}. A surrogate pair is one character.
func (t *translator) unicode(kind byte) bool {
	digits, size := "", 0
	switch rest := t.in[2:]; {
	case kind == 'x' && len(rest) >= 2:
		digits, size = rest[:2], 4
	case kind == 'u' && strings.HasPrefix(rest, "{"):
		end := strings.IndexByte(rest, '}')
		if end < 0 {
			return false
		}
		digits, size = rest[1:end], end+3
	case kind == 'u' && len(rest) >= 4:
		digits, size = rest[:4], 6
	}
	v, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || v > 0x10ffff {
		return false
	}
	t.in = t.in[size:]
	r := rune(v)
	if utf16.IsSurrogate(r) {
		if len(t.in) < 6 || t.in[:2] != `\u` {
			return false
		}
		low, err := strconv.ParseUint(t.in[2:6], 16, 32)
		if r = utf16.DecodeRune(r, rune(low)); err != nil || r == 0xfffd {
			return false
		}
		t.in = t.in[6:]
	}
	t.out.WriteString(`\x{` + strconv.FormatInt(int64(r), 16) + "}")
	return true
}

// control rewrites \cA.
func (t *translator) control() bool {
	if len(t.in) < 3 {
		return false
	}
	c := t.in[2] &^ 0x20
	if c < 'A' || c > 'Z' {
		return false
	}
	t.out.WriteString(`\x{` + strconv.FormatInt(int64(c%32), 16) + "}")
	t.in = t.in[3:]
	return true
}

// property rewrites \p{…}, whose names are longer in ECMA-262.
func (t *translator) property() bool {
	end := strings.IndexByte(t.in, '}')
	if end < 0 || t.in[2] != '{' {
		return false
	}
	name := t.in[3:end]
	for _, prefix := range [...]string{"General_Category=", "gc=", "Script=", "sc=", "Script_Extensions=", "scx="} {
		name = strings.TrimPrefix(name, prefix)
	}
	switch name {
	case "Letter":
		name = "L"
	case "Lowercase_Letter":
		name = "Ll"
	case "Uppercase_Letter":
		name = "Lu"
	case "Mark":
		name = "M"
	case "Number":
		name = "N"
	case "Decimal_Number", "digit":
		name = "Nd"
	case "Punctuation", "punct":
		name = "P"
	case "Symbol":
		name = "S"
	case "Separator":
		name = "Z"
	}
	t.plain = false
	t.out.WriteString(t.in[:2] + "{" + name + "}")
	t.in = t.in[end+1:]
	return true
}
