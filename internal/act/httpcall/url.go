package httpcall

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"github.com/wayfindhq/wayfind/internal/syntax/uritemplate"
)

// variable is a variable of the template with its value and its parameter.
type variable struct {
	field
	param *wayfind.Param
	in    string // the part of the URL that has the value already; see fill
}

// expand writes the path and the query of the template.
func (p *placer) expand() {
	var values variables
	for _, part := range [...]struct {
		in     string
		pieces []piece
	}{{inPath, p.url.path}, {inQuery, p.url.query}} {
		for _, piece := range part.pieces {
			if piece.variable && values.find(piece.text) == nil {
				param := p.param(piece.text, part.in)
				p.claim(param, part.in)
				v, _ := p.take(param)
				values.add(variable{field: field{name: piece.text, value: v}, param: param})
			}
		}
	}
	path := make([]byte, 0, 128)
	for _, piece := range p.url.path {
		if !piece.variable {
			path = append(path, piece.text...)
			continue
		}
		v := values.find(piece.text)
		p.fill(v, inPath)
		path = append(path, p.pathText(v.param, v.value)...)
		if len(path) > jsonschema.MaxValue { // a template may repeat a variable
			refuse(CodeSize, inPath, piece.text)
		}
	}
	p.url.writtenPath = string(path)
	checkSegments(p.url.writtenPath)
	p.url.writtenQuery = p.templateQuery(&values)
}

// variables are the variables of the template. Of many there is an index.
type variables struct {
	list  []variable
	index map[string]int
}

func (v *variables) add(one variable) {
	v.list = append(v.list, one)
	switch {
	case v.index != nil:
		v.index[one.name] = len(v.list) - 1
	case len(v.list) > fewArguments:
		v.index = make(map[string]int)
		for i := range v.list {
			v.index[v.list[i].name] = i
		}
	}
}

// find returns the variable with a name; nil if there is none.
func (v *variables) find(name string) *variable {
	if v.index != nil {
		if i, ok := v.index[name]; ok {
			return &v.list[i]
		}
		return nil
	}
	for i := range v.list {
		if v.list[i].name == name {
			return &v.list[i]
		}
	}
	return nil
}

// fill records that a variable has its value, and the parameter of the document for it.
func (p *placer) fill(v *variable, in string) {
	if v.in == in {
		return
	}
	if p.url.filled == nil {
		p.url.filled = make(map[string]*wayfind.Param)
	}
	v.in, p.url.filled[v.name] = in, p.own(v.name, in)
}

// claim refuses a variable if its argument was validated as the argument of another parameter.
// If several parameters have the same name, the schema of the arguments contains the first of
// them.
func (p *placer) claim(variable *wayfind.Param, in string) {
	first, own := "", false
	if p.judged(variable) {
		return
	}
	for _, i := range p.called(argumentOf(variable)) {
		param := &p.op.Params[i]
		if argumentOf(param) != argumentOf(variable) {
			continue
		}
		if first == "" {
			first = cmp.Or(param.In, in)
		}
		own = own || param.In == in
	}
	if first != "" && first != in && (own || first == inHeader || first == inCookie) || p.op.credential(first, variable.Name) {
		refuse(CodeAmbiguous, in, variable.Name)
	}
}

// param returns the parameter of a variable. If the document has no such parameter, it returns
// a new one.
func (p *placer) param(name, in string) *wayfind.Param {
	if param := p.own(name, in); param != nil {
		return param
	}
	return &wayfind.Param{Name: name, In: in}
}

// own returns the parameter of the document for a variable; nil if there is none.
func (p *placer) own(name, in string) *wayfind.Param {
	for _, i := range p.called(name) {
		if param := &p.op.Params[i]; param.Name == name && (param.In == in || param.In == "") {
			return param
		}
	}
	return nil
}

// fewParams is the number of parameters up to which a call looks at each of them.
const fewParams = 64

// indices are those of a few parameters.
var indices = func() (list [fewParams]int) {
	for i := range list {
		list[i] = i
	}
	return list
}()

// called returns the indices of the parameters that may have a name, or an argument with this name: all of
// a few.
func (p *placer) called(name string) []int {
	if len(p.op.Params) <= fewParams {
		return indices[:len(p.op.Params)]
	}
	if p.names == nil {
		p.names = make(map[string][]int, len(p.op.Params))
		for i := range p.op.Params {
			param := &p.op.Params[i]
			p.names[param.Name] = append(p.names[param.Name], i)
			if of := argumentOf(param); of != param.Name {
				p.names[of] = append(p.names[of], i)
			}
		}
	}
	p.steps += 1 + len(p.names[name])
	return p.names[name]
}

// templateQuery writes the query of the template. If the value of a field is only a variable,
// and the variable has no value, the field is left out.
func (p *placer) templateQuery(values *variables) string {
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
	size := 0
	for _, field := range append(fields, field) {
		if text, ok := p.field(field, values); ok {
			written = append(written, text)
			if size += len(text); size > jsonschema.MaxValue {
				refuse(CodeSize, inQuery, "")
			}
		}
	}
	return strings.Join(written, "&")
}

// field writes one field of the template's query. It returns false if the field is left out.
func (p *placer) field(field []piece, values *variables) (string, bool) {
	var text []byte
	for _, piece := range field {
		if !piece.variable {
			text = append(text, piece.text...)
			continue
		}
		variable := values.find(piece.text)
		v := valueOf(variable.value, inQuery, piece.text)
		if !v.Defined() {
			if len(field) == 2 && field[1].variable && strings.HasSuffix(field[0].text, "=") || len(field) == 1 {
				return "", false
			}
			refuse(CodeMissing, inQuery, piece.text)
		}
		p.fill(variable, inQuery)
		style := uritemplate.Style{Sep: ",", Comma: ",", Encode: uritemplate.AppendUnreserved}
		if text = style.Append(text, "", v, false); len(text) > jsonschema.MaxValue {
			refuse(CodeSize, inQuery, piece.text)
		}
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
