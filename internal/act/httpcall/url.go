package httpcall

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/uritemplate"
)

// expand writes the path and the query of the template.
func (p *placer) expand() {
	var values []field
	for _, part := range [...]struct {
		in     string
		pieces []piece
	}{{inPath, p.url.path}, {inQuery, p.url.query}} {
		for _, piece := range part.pieces {
			if piece.variable && !slices.ContainsFunc(values, func(f field) bool { return f.name == piece.text }) {
				p.claim(piece.text, part.in)
				v, _ := p.take(p.param(piece.text, part.in))
				values = append(values, field{name: piece.text, value: v})
			}
		}
	}
	path := make([]byte, 0, 128)
	for _, piece := range p.url.path {
		if !piece.variable {
			path = append(path, piece.text...)
			continue
		}
		path = append(path, p.pathText(p.fill(piece.text, inPath), valueIn(values, piece.text))...)
	}
	p.url.writtenPath = string(path)
	checkSegments(p.url.writtenPath)
	p.url.writtenQuery = p.templateQuery(values)
}

// valueIn returns the value of a variable.
func valueIn(values []field, name string) jsonscan.Node {
	for i := range values {
		if values[i].name == name {
			return values[i].value
		}
	}
	return jsonscan.Node{}
}

// fill records that a variable has its value.
func (p *placer) fill(name, in string) *wayfind.Param {
	param := p.param(name, in)
	if p.url.filled == nil {
		p.url.filled = make(map[string]*wayfind.Param)
	}
	p.url.filled[name] = param
	if !slices.ContainsFunc(p.op.Params, func(own wayfind.Param) bool { return own.Name == name && (own.In == in || own.In == "") }) {
		p.url.filled[name] = nil
	}
	return param
}

// claim refuses a variable if its argument was validated as the argument of another parameter.
// If several parameters have the same name, the schema of the arguments contains the first of
// them.
func (p *placer) claim(name, in string) {
	first, own := "", false
	variable := p.param(name, in)
	if p.judged(variable) {
		return
	}
	for _, param := range p.op.Params {
		if argumentOf(&param) != argumentOf(variable) {
			continue
		}
		if first == "" {
			first = cmp.Or(param.In, in)
		}
		own = own || param.In == in
	}
	if first != "" && first != in && (own || first == inHeader || first == inCookie) || p.op.credential(first, name) {
		refuse(CodeAmbiguous, in, name)
	}
}

// param returns the parameter of a variable. If the document has no such parameter, it returns
// a new one.
func (p *placer) param(name, in string) *wayfind.Param {
	for i := range p.op.Params {
		if param := &p.op.Params[i]; param.Name == name && (param.In == in || param.In == "") {
			return param
		}
	}
	return &wayfind.Param{Name: name, In: in}
}

// templateQuery writes the query of the template. If the value of a field is only a variable,
// and the variable has no value, the field is left out.
func (p *placer) templateQuery(values []field) string {
	if len(p.url.query) == 0 {
		return ""
	}
	var fields [][]piece
	field := []piece{}
	for _, next := range p.url.query {
		if next.variable {
			field = append(field, next)
			continue
		}
		for i, text := range strings.Split(next.text, "&") {
			if i > 0 {
				fields, field = append(fields, field), nil
			}
			if text != "" {
				field = append(field, piece{text: text})
			}
		}
	}
	var written []string
	for _, field := range append(fields, field) {
		if text, ok := p.field(field, values); ok {
			written = append(written, text)
		}
	}
	return strings.Join(written, "&")
}

// field writes one field of the template's query. It returns false if the field is left out.
func (p *placer) field(field []piece, values []field) (string, bool) {
	var text []byte
	for _, piece := range field {
		if !piece.variable {
			text = append(text, piece.text...)
			continue
		}
		v := valueOf(valueIn(values, piece.text), inQuery, piece.text)
		if !v.Defined() {
			if len(field) == 2 && field[1].variable && strings.HasSuffix(field[0].text, "=") || len(field) == 1 {
				return "", false
			}
			refuse(CodeMissing, inQuery, piece.text)
		}
		p.fill(piece.text, inQuery)
		style := uritemplate.Style{Sep: ",", Comma: ",", Encode: uritemplate.AppendUnreserved}
		text = style.Append(text, "", v, false)
	}
	return string(text), len(field) > 0
}

// join returns the URL with additional fields in the query.
func (t *target) join(query []byte) string {
	var b strings.Builder
	b.Grow(len(t.origin) + len(t.writtenPath) + len(t.writtenQuery) + len(query) + len("?&"))
	b.WriteString(t.origin)
	b.WriteString(t.writtenPath)
	if t.writtenQuery != "" || len(query) > 0 || t.hasQuery && len(t.query) == 0 {
		b.WriteByte('?')
	}
	b.WriteString(t.writtenQuery)
	if t.writtenQuery != "" && len(query) > 0 {
		b.WriteByte('&')
	}
	b.Write(query)
	return b.String()
}

// verify checks the URL as other parsers read it: whatever the values are, it must still match
// the template.
func (t *target) verify(text string) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		refuse(CodeTemplate, "", "")
	case !strings.HasPrefix(text, t.origin) || len(t.origin) != len(u.Scheme)+len("://")+len(u.Host) || u.User != nil || u.Fragment != "" || u.Opaque != "":
		refuse(CodeEscape, "", "")
	case u.EscapedPath() != t.writtenPath || !strings.HasPrefix(t.writtenPath, t.fixed) || strings.Count(t.writtenPath, "/") != t.slashes:
		refuse(CodeEscape, "", "")
	}
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c == 0x7F || c > 0x7F && i >= len(t.origin) { // the host may be a U-label
			refuse(CodeTemplate, "", "")
		}
	}
}

// CheckSegments refuses a path, as written in a URL, that some reader would understand as
// going up a level. The error is an *Error.
func CheckSegments(path string) (err error) {
	defer func() {
		if e := recover(); e != nil {
			stopped, ok := e.(refusal)
			if !ok {
				panic(e)
			}
			err = stopped.err
		}
	}()
	checkSegments(path)
	return nil
}

// checkSegments refuses a path that some reader would understand as going up a level. Such a
// reader may decode the path before splitting it, once or several times, treat backslashes as
// slashes, remove text after a semicolon or blanks at the ends, or map characters to similar
// ASCII characters.
func checkSegments(path string) {
	for round := range maxDecoded {
		for segment := range strings.FieldsFuncSeq(path, func(c rune) bool { return ascii(c) == '/' }) {
			segment, _, _ = strings.Cut(segment, ";")
			dots := 0
			for _, c := range strings.Trim(segment, " \t") {
				if dots++; ascii(c) != '.' {
					dots = 3
				}
			}
			if dots == 1 || dots == 2 {
				refuse(CodeDotSegment, inPath, "")
			}
		}
		decoded := decode(path)
		if decoded == path {
			return
		}
		path = decoded
		if round > 0 && strings.ContainsFunc(path, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7F }) {
			refuse(CodeControl, inPath, "") // encoded by the model; a tab may be a delimiter of a style
		}
	}
	refuse(CodeDotSegment, inPath, "")
}

// ascii returns the ASCII character to which some servers map a character ("best fit").
func ascii(c rune) rune {
	switch c {
	case '\\', '\u2044', '\u2215', '\uFF0F', '\uFF3C', '\uFE68':
		return '/'
	case '\u2024', '\uFE52', '\uFF0E':
		return '.'
	}
	return c
}

// maxDecoded is the maximum number of times that a path is decoded in search of dots.
// Legitimate values are not encoded so often.
const maxDecoded = 5

// decode undoes percent-encoding once, if there is any.
func decode(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if uritemplate.Escaped(text[i:]) {
			b.WriteByte(unhex(text[i+1])<<4 | unhex(text[i+2]))
			i += 2
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
