package parse

import (
	"slices"
	"strings"
)

// Template is a parsed URL or reference with variables (RFC 6570). The zero Template has no
// text and no variables.
type Template struct {
	parts []part
}

// part is a piece of a template: a literal, or an expression (RFC 6570 §2).
type part struct {
	text  string   // as written, braces included
	names []string // of the variables; empty for a literal
	op    string   // the operator (RFC 6570 §2.2): "", "+", "?" …
	plain bool     // an expression of level 1: {name}
}

// ParseTemplate parses a URL or reference. A text without braces is a template without
// variables. ok is false if braces do not match, are nested or contain no name. Rewrite other
// notations for variables, such as {{name}} and /:name, first.
func ParseTemplate(text string) (t Template, ok bool) {
	for text != "" {
		open := strings.IndexAny(text, "{}")
		if open < 0 {
			t.parts = append(t.parts, part{text: text})
			return t, true
		}
		length := strings.IndexAny(text[open+1:], "{}")
		if text[open] == '}' || length < 0 || text[open+1+length] == '{' {
			return Template{}, false
		}
		if open > 0 {
			t.parts = append(t.parts, part{text: text[:open]})
		}
		end := open + length + 2
		e, ok := expression(text[open:end])
		if !ok {
			return Template{}, false
		}
		t.parts, text = append(t.parts, e), text[end:]
	}
	return t, true
}

// expression parses "{name}" and, beyond level 1, operators, lists and modifiers.
// "{name=things/*}" is read as the variable name.
func expression(text string) (part, bool) {
	p := part{text: text}
	inner := text[1 : len(text)-1]
	list := strings.TrimLeft(inner, "+#./;?&")
	if p.op = inner[:len(inner)-len(list)]; len(p.op) > 1 {
		return p, false
	}
	for item := range strings.SplitSeq(list, ",") {
		if i := strings.IndexAny(item, "=:*"); i >= 0 {
			item = item[:i]
		}
		if item == "" {
			return p, false
		}
		p.names = append(p.names, item)
	}
	p.plain = len(p.names) == 1 && p.names[0] == inner && !strings.ContainsFunc(inner, notVariable)
	return p, true
}

// notVariable reports whether c must not be part of the name of a variable (RFC 6570 §2.3).
func notVariable(c rune) bool {
	return c != '_' && c != '.' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
}

// IsZero reports whether this is the zero Template.
func (t Template) IsZero() bool { return len(t.parts) == 0 }

// String returns the text that was parsed.
func (t Template) String() string {
	var b strings.Builder
	for _, p := range t.parts {
		b.WriteString(p.text)
	}
	return b.String()
}

// Names returns the variables, each once, in order. It returns nil if there are none.
func (t Template) Names() []string {
	var list []string
	seen := map[string]bool{}
	for _, p := range t.parts {
		for _, n := range p.names {
			if !seen[n] {
				seen[n] = true
				list = append(list, n)
			}
		}
	}
	return list
}

// Filled returns the text with all variables replaced, so that the text around them can be
// checked. Variables are replaced with a digit because it is valid in a port as well. An
// expression that makes a query becomes nothing.
func (t Template) Filled() string { return t.filled("1") }

func (t Template) filled(digit string) string {
	var b strings.Builder
	for _, p := range t.parts {
		switch {
		case p.names == nil:
			b.WriteString(p.text)
		case p.makesQuery():
		case p.op == "" || p.op == "+":
			b.WriteString(digit)
		default: // RFC 6570 §3.2.4 to §3.2.7: the operator is written
			b.WriteString(p.op + digit)
		}
	}
	return b.String()
}

func (p *part) makesQuery() bool { return p.op == "?" || p.op == "&" }

// simple reports whether every expression is only a name ("{id}", RFC 6570 level 1), the one
// form that the model has.
func (t Template) simple() bool {
	return !slices.ContainsFunc(t.parts, func(p part) bool { return p.names != nil && !p.plain })
}

// Place returns the part of the URL that contains a variable: "path" (which includes host and
// port), or "query" in {?name} and after a question mark. It returns "" for a name that is not
// a variable. If the variable occurs twice, the first place is returned.
func (t Template) Place(name string) string {
	query := false
	for _, p := range t.parts {
		query = query || p.makesQuery() || p.names == nil && strings.Contains(p.text, "?")
		switch {
		case !slices.Contains(p.names, name):
		case query:
			return "query"
		default:
			return "path"
		}
	}
	return ""
}
