package placing

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/jsonscan"
)

// Operation is what a request is made by.
type Operation struct {
	// Invocation over plain HTTP, and the Params of its capability.
	Invocation *wayfind.Invocation
	Params     []wayfind.Param
	// Credentials are parameters that belong to a security scheme. They are not
	// placed, and an argument for one is refused.
	Credentials []Slot
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

// GetBody opens the body, as often as it is asked to: see http.Request. It is nil
// where there is none.
func (r *Request) GetBody() func() (io.ReadCloser, error) {
	if r.Body == nil {
		return nil
	}
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(r.Body)), nil }
}

// ContentType is the media type of the body, "" where there is none.
func (r *Request) ContentType() string { return r.Header.Get("Content-Type") }

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
	p := &placer{op: op, request: &Request{Method: op.Invocation.Method, Header: http.Header{}}, left: make(map[string]jsonscan.Node)}
	for name, value := range root.Members() {
		p.order = append(p.order, name)
		p.left[name] = value
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

// placer makes one request.
type placer struct {
	op      *Operation
	request *Request
	order   []string                 // names of the arguments
	left    map[string]jsonscan.Node // arguments that have no place yet
	url     target
	query   []byte
	cookies []string
}

func (p *placer) place() {
	p.withhold()
	p.url = p.parse()
	p.expand()
	taken := map[string]bool{}
	for i := range p.op.Params {
		param := &p.op.Params[i]
		if p.credential(param.In, param.Name) {
			continue
		}
		if taken[param.Name] {
			if param.Required != nil && *param.Required && !p.url.filled[param.Name] {
				refuse(CodeAmbiguous, param.In, param.Name)
			}
			continue
		}
		taken[param.Name] = true
		switch in := p.where(param); in {
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
	for _, name := range p.order {
		if _, ok := p.left[name]; ok {
			p.request.Unplaced = append(p.request.Unplaced, name)
		}
	}
}

// withhold refuses arguments for credentials.
func (p *placer) withhold() {
	for _, name := range p.order {
		if p.left[name].Kind() == jsonscan.Null || p.declared(name) {
			continue
		}
		for _, s := range p.op.Credentials {
			if s.is(s.In, name) {
				refuse(CodeCredential, s.In, name)
			}
		}
	}
}

// declared reports that a parameter which is no credential takes the argument.
func (p *placer) declared(name string) bool {
	return slices.ContainsFunc(p.op.Params, func(param wayfind.Param) bool {
		return param.Name == name && !p.credential(param.In, name)
	})
}

func (p *placer) credential(in, name string) bool {
	return slices.ContainsFunc(p.op.Credentials, func(s Slot) bool { return s.is(in, name) })
}

// where is the place of a parameter. One that the document says nothing of, and that
// is no variable of the template, goes into the query or the body, as the method has
// it.
func (p *placer) where(param *wayfind.Param) string {
	switch {
	case param.In != "":
		return param.In
	case p.hasBody():
		return inBody
	}
	return inQuery
}

func (p *placer) hasBody() bool {
	switch p.op.Invocation.Method {
	case "GET", "HEAD", "DELETE", "OPTIONS":
		return false
	}
	return true
}

// take removes an argument. It is not there for one that is null or absent.
func (p *placer) take(name string) (v jsonscan.Node, ok bool) {
	v, ok = p.left[name]
	delete(p.left, name)
	return v, ok && v.Kind() != jsonscan.Null
}

// parameter writes one that goes into the query, a header field or a cookie.
func (p *placer) parameter(param *wayfind.Param, in string) {
	_, given := p.left[param.Name]
	v, ok := p.take(param.Name)
	if !ok {
		if !given && param.Required != nil && *param.Required && !p.url.filled[param.Name] {
			refuse(CodeMissing, in, param.Name)
		}
		return
	}
	switch {
	case in == inHeader:
		checkField(param.Name)
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
	if len(p.query) > 0 {
		p.query = append(p.query, '&')
	}
	p.query = append(p.query, text...)
}
