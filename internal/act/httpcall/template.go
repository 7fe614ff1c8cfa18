package httpcall

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/uritemplate"
)

// piece is a literal of a template, or a variable.
type piece struct {
	text     string
	variable bool
}

// target is a URL that is made from a template.
type target struct {
	// origin is the scheme and the authority as they are written.
	origin string
	// path and query are the rest of the template, up to a fragment.
	path, query []piece
	hasQuery    bool
	// fixed is the beginning of the path before any variable. slashes is the number of slashes
	// in the path.
	fixed   string
	slashes int
	// writtenPath and writtenQuery are the path and the query with values.
	writtenPath, writtenQuery string
	// filled contains the variables that have a value, with their parameters. The parameter is
	// nil if the document has no parameter for the variable.
	filled map[string]*wayfind.Param
}

// places reports whether the path or the query has a variable of a name.
func (t *target) places(name string) bool {
	is := func(p piece) bool { return p.variable && p.text == name }
	return slices.ContainsFunc(t.path, is) || slices.ContainsFunc(t.query, is)
}

// parse splits the template into its parts. A fragment is never sent. If it has no variables
// it is removed, otherwise the template is refused.
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

// cutFragment cuts a template before "#", or before "{#", with which RFC 6570 writes a
// fragment. The name of a parameter may contain "#" too.
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

// names reports whether there is a parameter with a name.
func (op *Operation) names(name string) bool {
	return slices.ContainsFunc(op.Params, func(param wayfind.Param) bool { return param.Name == name })
}

// pieces splits a part of a template into literals and variables. A parameter may have any
// name.
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

// odd reports whether a character needs further checks.
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
