package links

import (
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/quotedstring"
)

// value is one link-value of a Link field (RFC 8288 §3).
type value struct {
	target string
	params map[string]string // by name in lower case; the first value of a name is used
}

// next takes the first link-value from a field, as RFC 8288 appendix B.2 reads it. ok is false
// for text that is not a link-value; rest then begins after the next comma. Each byte is read
// a fixed number of times.
func next(field string) (v value, rest string, ok bool) {
	end := strings.IndexAny(field[1:], "<>") + 1
	if field[0] == '<' && end == 0 {
		return value{}, "", false // the target has no end
	}
	if field[0] != '<' || field[end] == '<' {
		_, rest, _ = strings.Cut(field, ",")
		return value{}, rest, false
	}
	v, rest = value{target: strings.TrimSpace(field[1:end]), params: map[string]string{}}, field[end+1:]
	for {
		rest = strings.TrimLeft(rest, " \t")
		if rest == "" || rest[0] == ',' {
			return v, rest, true
		}
		if rest[0] != ';' {
			_, rest, _ = strings.Cut(rest, ",")
			return value{}, rest, false
		}
		var name, text string
		if name, text, rest, ok = param(strings.TrimLeft(rest[1:], " \t")); !ok {
			return value{}, "", false
		}
		if _, again := v.params[name]; name != "" && !again {
			v.params[name] = text
		}
	}
}

// param takes a parameter from the text after a semicolon (appendix B.3). The only fault that
// it detects is a quoted text without an end.
func param(s string) (name, text, rest string, ok bool) {
	end := strings.IndexAny(s, "=;,")
	if end < 0 {
		end = len(s)
	}
	name, rest = strings.ToLower(strings.TrimRight(s[:end], " \t")), s[end:]
	if !strings.HasPrefix(rest, "=") {
		return name, "", rest, true
	}
	rest = strings.TrimLeft(rest[1:], " \t")
	if strings.HasPrefix(rest, `"`) {
		text, rest, ok = quotedstring.Cut(rest[1:])
		return name, text, rest, ok
	}
	if end = strings.IndexAny(rest, ";,"); end < 0 {
		end = len(rest)
	}
	return name, strings.TrimRight(rest[:end], " \t"), rest[end:], true
}

// field reads the lines of a Link field.
func (r *reader) field(lines []string) {
	left, broken := MaxBytes, false
	for _, line := range lines {
		if len(line) > left {
			line, left = cutField(line[:left]), 0
			r.ReportLine(ruleTruncated, 0, "the Link field is longer than %d bytes; lines beyond that were not read", MaxBytes)
		}
		left -= len(line)
		for line = strings.TrimLeft(line, ", \t"); line != ""; line = strings.TrimLeft(line, ", \t") {
			v, rest, ok := next(line)
			line = rest
			if !ok {
				broken = true
				continue
			}
			r.header(v)
		}
		if left == 0 {
			break
		}
	}
	if broken {
		r.ReportLine(ruleSyntax, 0, "a part of the Link field is no link; it is ignored")
	}
}

// cutField returns the beginning of a field up to the last comma, so that no link is read in
// part.
func cutField(line string) string { return line[:max(0, strings.LastIndexByte(line, ','))] }
