// Package weblink reads the values of Link header fields (RFC 8288 §3).
package weblink

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/quotedstring"
)

// Link is one link-value.
type Link struct {
	Target string
	Params map[string]string // by name in lower case; the first value of a name is used
}

// Has reports whether a link has a relation, which is in lower case.
func (l Link) Has(relation string) bool {
	return slices.Contains(strings.Fields(strings.ToLower(l.Params["rel"])), relation)
}

// Find returns the target of the first link with a relation, or "".
func Find(fields []string, relation string) string {
	for _, field := range fields {
		for field = Trim(field); field != ""; field = Trim(field) {
			l, rest, ok := Cut(field)
			if ok && l.Has(relation) {
				return l.Target
			}
			field = rest
		}
	}
	return ""
}

// Trim removes what may precede a link-value.
func Trim(field string) string { return strings.TrimLeft(field, ", \t") }

// Cut takes the first link-value from a trimmed field that is not empty, as RFC 8288 appendix B.2
// reads it. ok is false for text that is not a link-value; rest then begins after the next comma.
// Each byte is read a fixed number of times.
func Cut(field string) (l Link, rest string, ok bool) {
	if field[0] != '<' {
		_, rest, _ = strings.Cut(field, ",")
		return Link{}, rest, false
	}
	end := strings.IndexAny(field[1:], "<>") + 1
	if end == 0 {
		return Link{}, "", false // the target has no end
	}
	if field[end] == '<' { // another link begins there, or before
		_, rest, _ = strings.Cut(field, ",")
		return Link{}, rest, false
	}
	l, rest = Link{Target: strings.TrimSpace(field[1:end]), Params: map[string]string{}}, field[end+1:]
	for {
		rest = strings.TrimLeft(rest, " \t")
		if rest == "" || rest[0] == ',' {
			return l, rest, true
		}
		if rest[0] != ';' {
			_, rest, _ = strings.Cut(rest, ",")
			return Link{}, rest, false
		}
		var name, text string
		if name, text, rest, ok = param(strings.TrimLeft(rest[1:], " \t")); !ok {
			return Link{}, "", false
		}
		if _, again := l.Params[name]; name != "" && !again {
			l.Params[name] = text
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
