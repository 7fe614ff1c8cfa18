package httpcall

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// Operation describes how requests are made. Make one with [OperationOf].
type Operation struct {
	// Invocation is an invocation over plain HTTP. Params are the parameters of its
	// capability.
	Invocation *wayfind.Invocation
	Params     []wayfind.Param
	// Credentials are parameters that belong to a security scheme. They are not
	// placed, and an argument for one is refused.
	Credentials []Slot
	// Key is the parameter for the idempotency key, which the program sets.
	Key Slot

	locked   *Error  // see Locked
	keyName  string  // the name of the key, even if the operation has no key
	codes    []Code  // the results of Withheld, by parameter; see Prepare
	template *target // see Prepare
}

// Prepare reads the template of the URL once for all requests of the operation. The operation
// must not change afterwards. Place reports an error in the template.
func (op *Operation) Prepare() {
	defer func() {
		if e := recover(); e != nil {
			if _, ok := e.(refusal); !ok {
				panic(e)
			}
		}
	}()
	codes := make([]Code, len(op.Params))
	for i := range op.Params {
		codes[i] = op.Withheld(&op.Params[i])
	}
	op.codes = codes
	t := op.parse()
	op.template = &t
}

// Slot is the place of a parameter: its In and its Name. The case of Name does not matter in
// header fields.
type Slot struct{ In, Name string }

func (s Slot) is(in, name string) bool {
	return s.In == in && (s.Name == name || in == inHeader && strings.EqualFold(s.Name, name))
}

// Request is a request without credentials.
type Request struct {
	Method string
	// URL is absolute and has no fragment.
	URL string
	// Header contains the parameters, including Cookie, and Content-Type if there is a body.
	Header http.Header
	// Body is the body; nil if there is no body.
	Body []byte
	// Unplaced are the names of arguments that do not fit anywhere in the request, as the
	// model wrote them, in order. They are not sent.
	Unplaced []string
}

// The places of parameters.
const (
	inPath   = "path"
	inQuery  = "query"
	inHeader = "header"
	inCookie = "cookie"
	inBody   = "body"
)

// Place writes the request of an operation with arguments, a JSON object as [Decode] returns
// it. Null means that there is no value, except in a JSON body. The error is an *Error.
func Place(op *Operation, args []byte) (r *Request, err error) {
	defer func() {
		if e := recover(); e != nil {
			stopped, ok := e.(refusal)
			if !ok {
				panic(e)
			}
			r, err = nil, stopped.err
		}
	}()
	var p placer
	p.begin(op, scan(args))
	p.place()
	return p.request, nil
}

// begin sets the operation and the arguments.
func (p *placer) begin(op *Operation, root jsonscan.Node) {
	p.op, p.request, p.args = op, &Request{Method: op.Invocation.Method, Header: http.Header{}}, make([]argument, root.Len())
	for i := range p.args {
		c := root.Child(i)
		p.args[i] = argument{field: field{name: c.Name(), value: c}}
	}
	if len(p.args) > fewArguments {
		p.index = make(map[string]int, len(p.args))
		for i := range p.args {
			p.index[p.args[i].name] = i
		}
	}
}

// refusal is a panic value that unwinds to the exported function, which returns its error.
type refusal struct{ err *Error }

func refuse(code Code, in, name string) {
	e := &Error{Code: code, In: in}
	if name != "" {
		e.Name = plain(name)
	}
	panic(refusal{e})
}

// argument is a value that the model gave.
type argument struct {
	field
	placed bool
}

// fewArguments is the number of arguments up to which a linear search is faster.
const fewArguments = 8

// given returns an argument of the model; nil if there is no such argument.
func (p *placer) given(name string) *argument {
	if p.index != nil {
		if i, ok := p.index[name]; ok {
			return &p.args[i]
		}
		return nil
	}
	for i := range p.args {
		if p.args[i].name == name {
			return &p.args[i]
		}
	}
	return nil
}

// placer makes one request.
type placer struct {
	op      *Operation
	request *Request
	args    []argument
	index   map[string]int            // index into args, if there are many
	byName  map[string]*wayfind.Param // see firsts
	names   map[string][]int          // see called
	steps   int                       // parameters that were compared; see called
	url     target
	query   []byte
	cookies []string
	size    int // of the names and values in forms and exploded values; see sized
}

func (p *placer) place() {
	p.withhold()
	if p.op.template != nil {
		p.url = *p.op.template
	} else {
		p.url = p.op.parse()
	}
	p.expand()
	for i := range p.op.Params {
		param := &p.op.Params[i]
		if !p.op.code(i).IsZero() {
			continue
		}
		if !p.judged(param) {
			if _, filled := p.url.filled[param.Name]; !filled && isRequired(param) {
				refuse(CodeAmbiguous, param.In, param.Name)
			}
			continue
		}
		switch in := p.op.where(param); in {
		case inQuery, inHeader, inCookie:
			p.parameter(param, in)
		}
	}
	if p.cookies != nil {
		p.request.Header["Cookie"] = []string{strings.Join(p.cookies, "; ")}
	}
	p.body()
	p.request.URL = p.url.join(p.query)
	p.url.verify(p.request.URL)
	for i := range p.args {
		if !p.args[i].placed {
			p.request.Unplaced = append(p.request.Unplaced, p.args[i].name)
		}
	}
}

// withhold refuses arguments that a model must never set.
func (p *placer) withhold() {
	var ours map[string]*wayfind.Param
	for i := range p.op.Params {
		if param := &p.op.Params[i]; !p.op.code(i).IsZero() {
			if ours == nil {
				ours = make(map[string]*wayfind.Param)
			}
			ours[argumentOf(param)] = param
		}
	}
	for i := range p.args {
		name := p.args[i].name
		if p.args[i].value.Kind() == jsonscan.Null || p.first(name) != nil {
			continue
		}
		for _, s := range p.op.Credentials {
			if s.is(s.In, name) {
				refuse(CodeCredential, s.In, name)
			}
		}
		if param := ours[name]; param != nil {
			refuse(p.op.Withheld(param), p.op.where(param), name)
		}
	}
}

func (op *Operation) credential(in, name string) bool {
	return slices.ContainsFunc(op.Credentials, func(s Slot) bool { return s.is(in, name) })
}

// argumentOf returns the name of the argument for a parameter.
func argumentOf(param *wayfind.Param) string { return cmp.Or(param.Argument, param.Name) }

// judged reports whether the argument of a parameter was validated with the schema of that
// parameter. This is so if the parameter is the first for the argument, or accepts the same
// values as the first.
func (p *placer) judged(param *wayfind.Param) bool {
	first := p.first(argumentOf(param))
	return first == param || first != nil && first.In != param.In && bytes.Equal(first.Schema, param.Schema) && first.Schema != nil
}

// isRequired reports whether the document requires a parameter.
func isRequired(param *wayfind.Param) bool { return param.Required != nil && *param.Required }

// isFilled reports whether a variable of the template contains the value of the parameter.
func (p *placer) isFilled(param *wayfind.Param) bool {
	by, filled := p.url.filled[param.Name]
	return filled && (by == nil || by == param)
}

// first returns the first parameter for an argument that a model may set. The argument was
// validated with its schema. It returns nil if there is no such parameter.
func (p *placer) first(name string) *wayfind.Param {
	if p.index != nil || len(p.op.Params) > fewParams {
		return p.firsts()[name]
	}
	for i := range p.op.Params {
		p.steps++
		if param := &p.op.Params[i]; argumentOf(param) == name && p.op.code(i).IsZero() {
			return param
		}
	}
	return nil
}

// firsts returns the first parameters by the names of their arguments, for calls with many
// arguments.
func (p *placer) firsts() map[string]*wayfind.Param {
	if p.byName == nil {
		p.byName = make(map[string]*wayfind.Param, len(p.op.Params))
		for i := range p.op.Params {
			param := &p.op.Params[i]
			if name := argumentOf(param); p.byName[name] == nil && p.op.code(i).IsZero() {
				p.byName[name] = param
			}
		}
	}
	return p.byName
}

// where returns the place of a parameter. If the document does not specify it, a variable of
// the template is in the path. Any other parameter is in the body if the method has a body,
// otherwise in the query.
func (op *Operation) where(param *wayfind.Param) string {
	switch {
	case param.In != "":
		return param.In
	case strings.Contains(op.Invocation.Template, "{"+param.Name+"}"):
		return inPath
	case op.hasBody():
		return inBody
	}
	return inQuery
}

func (op *Operation) hasBody() bool {
	switch op.Invocation.Method {
	case "GET", "HEAD", "DELETE", "OPTIONS":
		return false
	}
	return true
}

// take returns the value of a parameter's argument, unless the template contains it, and marks
// the argument as placed. ok is false if the value is null or absent.
func (p *placer) take(param *wayfind.Param) (v jsonscan.Node, ok bool) {
	a := p.given(argumentOf(param))
	if a == nil || p.isFilled(param) {
		return jsonscan.Node{}, false
	}
	a.placed = true
	return a.value, a.value.Kind() != jsonscan.Null
}

// parameter writes a parameter of the query, a header field or a cookie.
func (p *placer) parameter(param *wayfind.Param, in string) {
	v, ok := p.take(param)
	switch {
	case !ok:
		if !p.isFilled(param) {
			absent(param, in)
		}
	case in == inHeader:
		p.header(param, v)
	case in == inCookie:
		p.cookie(param, v)
	case param.Whole:
		p.addQuery(param, p.querystring(param, v))
	default:
		p.addQuery(param, p.queryText(param, v))
	}
}

// absent refuses a required parameter whose value writes nothing, such as null or an empty list.
func absent(param *wayfind.Param, in string) {
	if isRequired(param) {
		refuse(CodeMissing, in, param.Name)
	}
}

func (p *placer) addQuery(param *wayfind.Param, text []byte) {
	if len(text) == 0 {
		absent(param, inQuery)
		return
	}
	if p.query == nil {
		p.query = make([]byte, 0, 128)
	} else {
		p.query = append(p.query, '&')
	}
	p.query = append(p.query, text...)
}
