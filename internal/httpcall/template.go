package httpcall

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/uritemplate"
)

// piece is a literal of a template, or a variable.
type piece struct {
	text     string
	variable bool
}

// target is the URL that a template becomes.
type target struct {
	// origin is scheme and authority as they are written.
	origin string
	// path and query are the rest, up to a fragment.
	path, query []piece
	hasQuery    bool
	// fixed is how the path begins whatever the values are, and slashes how many it
	// has.
	fixed   string
	slashes int
	// written are the path and the query with values.
	writtenPath, writtenQuery string
	// filled are the variables that got a value, and their parameters; nil for a variable
	// that the document has no parameter for.
	filled map[string]*wayfind.Param
}

// parse takes the template apart. A fragment is never sent: one without variables is left
// out, and one with variables has a meaning that no request has.
func (op *Operation) parse() target {
	text := op.Invocation.Template
	if text == "" {
		text = op.Invocation.URL
	}
	text, fragment := op.cutFragment(text)
	if strings.ContainsAny(fragment, "{}") {
		refuse(CodeFragment, "", "")
	}
	scheme, rest, found := strings.Cut(text, "://")
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	authority := rest[:end]
	switch {
	case found && strings.ContainsAny(scheme+authority, "{}"):
		refuse(CodeAuthority, "", "")
	case !found || scheme != "https" && scheme != "http" || authority == "" || strings.ContainsAny(authority, "@\\"):
		refuse(CodeTemplate, "", "")
	}
	t := target{origin: text[:len(scheme)+len("://")+end]}
	path, query, hasQuery := strings.Cut(rest[end:], "?")
	if path == "" {
		path = "/"
	}
	t.path, t.query, t.hasQuery = op.pieces(path), op.pieces(query), hasQuery
	for i, piece := range t.path {
		if !piece.variable {
			if i == 0 {
				t.fixed = piece.text
			}
			t.slashes += strings.Count(piece.text, "/")
		}
	}
	return t
}

// cutFragment cuts a template before "#", and before "{#": RFC 6570 writes that character
// for it. The name of a parameter may have one too.
func (op *Operation) cutFragment(text string) (before, fragment string) {
	for i := range len(text) {
		if text[i] != '#' {
			continue
		}
		open := strings.LastIndexByte(text[:i], '{')
		end := strings.IndexByte(text[i:], '}')
		switch {
		case open < 0 || strings.Contains(text[open:i], "}"):
			return text[:i], text[i:]
		case end >= 0 && op.names(text[open+1:i+end]):
		case open == i-1:
			return text[:open], text[open:]
		}
	}
	return text, ""
}

// names reports whether a parameter has a name.
func (op *Operation) names(name string) bool {
	return slices.ContainsFunc(op.Params, func(param wayfind.Param) bool { return param.Name == name })
}

// pieces takes a part of a template apart. A parameter may have any name.
func (op *Operation) pieces(text string) (list []piece) {
	list = make([]piece, 0, 2*strings.Count(text, "{")+1)
	for text != "" {
		open := strings.IndexAny(text, "{}")
		if open < 0 {
			return append(list, piece{text: literal(text)})
		}
		if open > 0 {
			list = append(list, piece{text: literal(text[:open])})
		}
		end := strings.IndexByte(text[open:], '}')
		if text[open] == '}' || end < 2 {
			refuse(CodeTemplate, "", "")
		}
		name := text[open+1 : open+end]
		switch {
		case strings.Contains(name, "{"):
			refuse(CodeTemplate, "", "")
		case strings.ContainsAny(name, "+#./;?&,:*=!@|") && !op.names(name):
			refuse(CodeOperator, "", "")
		}
		list, text = append(list, piece{name, true}), text[open+end+1:]
	}
	return list
}

// literal writes a part of a template that has no variables.
func literal(text string) string {
	if !strings.ContainsFunc(text, odd) {
		return text
	}
	t, err := uritemplate.Parse(text)
	if err == nil {
		text, err = t.Expand(nil)
	}
	if err != nil || !validEscapes(text) {
		refuse(CodeTemplate, "", "")
	}
	return text
}

// odd reports characters that have to be looked at.
func odd(c rune) bool {
	return c == '%' || c >= utf8.RuneSelf || c != '~' && !uritemplate.Reserved(byte(c)) && (c < '-' || c > 'z' || c == '^' || c == '`' || c == '\\' || c == '<' || c == '>')
}

func validEscapes(text string) bool {
	for i := range len(text) {
		if text[i] == '%' && !uritemplate.Escaped(text[i:]) {
			return false
		}
	}
	return true
}
