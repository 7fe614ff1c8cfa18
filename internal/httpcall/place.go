package httpcall

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/jsonscan"
)

// Operation is what a request is made by. Make one with [OperationOf].
type Operation struct {
	// Invocation over plain HTTP, and the Params of its capability.
	Invocation *wayfind.Invocation
	Params     []wayfind.Param
	// Credentials are parameters that belong to a security scheme. They are not
	// placed, and an argument for one is refused.
	Credentials []Slot
	// Key is the parameter that has the idempotency key, which the program fills.
	Key Slot

	keyName  string  // of the key, whether the operation has one or not
	codes    []Code  // of Withheld, by parameter; see Prepare
	template *target // see Prepare
}

// Prepare reads the template of the URL once for all requests of the operation, which
// must not change any more. Place reports a fault of the template.
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

// Slot is where a parameter goes: its In and its Name, whose case does not count in
// header fields.
type Slot struct{ In, Name string }

func (s Slot) is(in, name string) bool {
	return s.In == in && (s.Name == name || in == inHeader && strings.EqualFold(s.Name, name))
}

// Request is what would be sent, without credentials.
type Request struct {
	Method string
	// URL is absolute and has no fragment.
	URL string
	// Header has the parameters, Cookie among them, and Content-Type where there is a
	// body.
	Header http.Header
	// Body, nil where there is none.
	Body []byte
	// Unplaced are arguments that the contract has no place for, as the model wrote
	// them, in order. They are not sent.
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

// Place writes the request of an operation with arguments, a JSON object as [Decode]
// returns it. Null stands for no value, but in a JSON body. The error is an *Error.
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
	root := scan(args)
	p := &placer{op: op, request: &Request{Method: op.Invocation.Method, Header: http.Header{}}, args: make([]argument, root.Len())}
	for i := range p.args {
		c := root.Child(i)
		p.args[i] = argument{field: field{c.Name(), c}}
	}
	if len(p.args) > fewArguments {
		p.index = make(map[string]int, len(p.args))
		for i := range p.args {
			p.index[p.args[i].name] = i
		}
	}
	p.place()
	return p.request, nil
}

// refusal unwinds to the exported function that returns it.
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

// fewArguments are found faster by looking at each.
const fewArguments = 8

// given finds an argument, nil for none.
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
	index   map[string]int            // of args, where they are many
	byName  map[string]*wayfind.Param // see firsts
	url     target
	query   []byte
	cookies []string
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
			if _, filled := p.url.filled[param.Name]; !filled && param.Required != nil && *param.Required {
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

// withhold refuses arguments that are never the model's.
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

// argumentOf is the name of the argument that a parameter takes.
func argumentOf(param *wayfind.Param) string { return cmp.Or(param.Argument, param.Name) }

// judged reports whether the argument of a parameter was judged by its schema: it is the
// first that takes the argument, or takes the same values as the first.
func (p *placer) judged(param *wayfind.Param) bool {
	first := p.first(argumentOf(param))
	return first == param || first != nil && first.In != param.In && bytes.Equal(first.Schema, param.Schema) && first.Schema != nil
}

// isFilled reports whether a variable of the template has the parameter's value.
func (p *placer) isFilled(param *wayfind.Param) bool {
	by, filled := p.url.filled[param.Name]
	return filled && (by == nil || by == param)
}

// first is the first parameter of an argument that is the model's, which its argument was judged
// as; nil for none.
func (p *placer) first(name string) *wayfind.Param {
	if p.index != nil {
		return p.firsts()[name]
	}
	for i := range p.op.Params {
		if param := &p.op.Params[i]; argumentOf(param) == name && p.op.code(i).IsZero() {
			return param
		}
	}
	return nil
}

// firsts are the first parameters by their names, for many arguments.
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

// where is the place of a parameter. If the document says nothing, a variable of the
// template is one of the path, and any other parameter goes into the query or the body, as
// the method has it.
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

// take gives the value of a parameter's argument, unless the template has it, and a place
// to it. It is not ok for one that is null or absent.
func (p *placer) take(param *wayfind.Param) (v jsonscan.Node, ok bool) {
	a := p.given(argumentOf(param))
	if a == nil || p.isFilled(param) {
		return jsonscan.Node{}, false
	}
	a.placed = true
	return a.value, a.value.Kind() != jsonscan.Null
}

// parameter writes one that goes into the query, a header field or a cookie.
func (p *placer) parameter(param *wayfind.Param, in string) {
	v, ok := p.take(param)
	switch {
	case !ok:
		if p.given(argumentOf(param)) == nil && param.Required != nil && *param.Required && !p.isFilled(param) {
			refuse(CodeMissing, in, param.Name)
		}
		return
	case in == inHeader:
		p.header(param, v)
	case in == inCookie:
		p.cookie(param, v)
	case param.Whole:
		p.addQuery(p.querystring(param, v))
	default:
		p.addQuery(p.queryText(param, v))
	}
}

func (p *placer) addQuery(text []byte) {
	if len(text) == 0 {
		return
	}
	if p.query == nil {
		p.query = make([]byte, 0, 128)
	} else {
		p.query = append(p.query, '&')
	}
	p.query = append(p.query, text...)
}
