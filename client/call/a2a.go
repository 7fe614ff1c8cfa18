package call

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// a2aCall sends a message to an agent (A2A 0.3 and 1.0): by JSON-RPC, and with 1.0 also
// by HTTP+JSON, of which the libraries write 0.3 in different ways.
type a2aCall struct{}

func (a2aCall) name() string { return "a2a" }

// suits implements the choice of an interface.
func (a2aCall) suits(f *wayfind.Interface) bool {
	return f.Transport == "" || strings.EqualFold(f.Transport, "jsonrpc") || isREST(f) && isVersion1(f)
}

// isREST reports whether the binding of an interface is HTTP+JSON.
func isREST(f *wayfind.Interface) bool { return strings.EqualFold(f.Transport, "http+json") }

// isVersion1 reports whether an interface speaks 1.0, whose names are others.
func isVersion1(f *wayfind.Interface) bool {
	return slices.ContainsFunc(f.Versions, func(v string) bool { return v == "1" || strings.HasPrefix(v, "1.") })
}

// prepare implements protocol.
func (p a2aCall) prepare(r *run) (err error) {
	if !p.suits(r.at) {
		return fail(Refused, nil, "its binding "+plainWord(r.at.Transport)+" is not spoken")
	}
	part, err := p.part(r)
	if err != nil {
		return err
	}
	write := func(id string) json.RawMessage { return p.params(r.at, id, part) }
	if r.wire, err = p.request(r, p.method(r.at), "/message:send", write); err != nil {
		return err
	}
	return p.extensions(r)
}

// request is a request of either binding. The bytes on the wire may have an identifier that is
// made when it is sent: it is no part of the agreement.
func (p a2aCall) request(r *run, method, path string, params func(id string) json.RawMessage) (w *wire, err error) {
	if isREST(r.at) {
		w, err = p.restRequest(r, path, params)
	} else if w, err = r.rpcWire(method, params("")); err == nil {
		id := w.rpcID
		w.dress = func(req *http.Request) { setBody(req, rpcBody(id, method, params(id))) }
	}
	if err != nil {
		return nil, err
	}
	if isVersion1(r.at) {
		w.header["A2a-Version"] = []string{"1.0"} // without the field, 0.3 is assumed
	}
	return w, nil
}

// restRequest is a request below the URL of the interface.
func (a2aCall) restRequest(r *run, path string, params func(id string) json.RawMessage) (*wire, error) {
	if r.at.URL == "" {
		return nil, fail(Refused, nil, "where it goes has variables")
	}
	base, err := newWire(http.MethodPost, r.at.URL)
	if err != nil {
		return nil, err
	}
	if r.at.Tenant != "" {
		tenant, err := segment(r.at.Tenant)
		if err != nil {
			return nil, err
		}
		path = "/" + tenant + path
	}
	method := http.MethodGet
	if params != nil {
		method = http.MethodPost
	}
	w, err := newWire(method, base.origin+strings.TrimRight(base.url.EscapedPath(), "/")+path)
	if err != nil {
		return nil, err
	}
	w.header["Accept"] = []string{"application/json"}
	if params != nil {
		w.header["Content-Type"] = []string{"application/json"}
		w.body = params("")
		id := rand.Text()
		w.dress = func(req *http.Request) { setBody(req, params(id)) }
	}
	return w, nil
}

// segment writes a text as one segment of a path. One of dots is none, however it is
// escaped.
func segment(s string) (string, error) {
	if s == "." || s == ".." {
		return "", fail(Refused, nil, "a part of its path would climb")
	}
	return url.PathEscape(s), nil
}

// extensions names those that the card requires, in the field of its version.
func (a2aCall) extensions(r *run) error {
	at := slices.IndexFunc(r.at.RequiredHeaders, func(name string) bool { return strings.HasSuffix(strings.ToLower(name), "a2a-extensions") })
	if at < 0 {
		return nil
	}
	root, err := (&parse.Input{Body: r.tool.Service.Extensions["capabilities"]}).JSONObject()
	if err != nil {
		return fail(Refused, err, "it requires extensions and does not name them")
	}
	var list []string
	for _, e := range root.Get("extensions").Items() {
		uri, _ := e.Get("uri").Str()
		if required, _ := e.Get("required").Bool(); required && isFieldValue(uri) && !strings.ContainsAny(uri, ", ") {
			list = append(list, uri)
		}
	}
	if list == nil {
		return fail(Refused, nil, "it requires extensions and does not name them")
	}
	r.wire.header[http.CanonicalHeaderKey(r.at.RequiredHeaders[at])] = []string{strings.Join(list, ", ")}
	return nil
}

func (a2aCall) method(f *wayfind.Interface) string {
	if isVersion1(f) {
		return "SendMessage"
	}
	return "message/send"
}

// part is what the message holds: the text for an agent, and the arguments of an action
// that goes by way of one.
func (p a2aCall) part(r *run) (part []parse.Member, err error) {
	kind, value := "text", parse.Raw(nil)
	if r.tool.Agent {
		message, err := messageOf(r.args)
		if err != nil {
			return nil, err
		}
		value = parse.Quote(message)
	} else {
		if op := r.tool.Capability.Invocation.Operation; op != "" && op != "message/send" && op != "SendMessage" {
			return nil, fail(Refused, nil, "the method "+plainWord(op)+" of agents is not called")
		}
		kind, value = "data", parse.Raw(r.args)
	}
	if !isVersion1(r.at) {
		part = append(part, parse.Member{Name: "kind", Value: parse.Quote(kind)})
	}
	return append(part, parse.Member{Name: kind, Value: value}), nil
}

// params of a message, whose id is made when it is sent.
func (a2aCall) params(f *wayfind.Interface, id string, part []parse.Member) json.RawMessage {
	quoted := func(name, value string) parse.Member { return parse.Member{Name: name, Value: parse.Quote(value)} }
	var all []parse.Member
	own := []parse.Member{quoted("role", "ROLE_USER")}
	if !isVersion1(f) {
		own = []parse.Member{quoted("kind", "message"), quoted("role", "user")}
	}
	if id != "" {
		own = append(own, quoted("messageId", id))
	}
	own = append(own, parse.Member{Name: "parts", Value: parse.Arr(parse.Obj(part...))})
	if f.Tenant != "" {
		all = append(all, quoted("tenant", f.Tenant))
	}
	soon := parse.Member{Name: "blocking", Value: parse.Raw("false")} // a task is waited for by its handle
	if isVersion1(f) {
		soon = parse.Member{Name: "returnImmediately", Value: parse.Raw("true")}
	}
	return json.RawMessage(parse.Obj(append(all, parse.Member{Name: "message", Value: parse.Obj(own...)}, parse.Member{Name: "configuration", Value: parse.Obj(soon)})...))
}

// finish implements protocol.
func (p a2aCall) finish(r *run) error {
	a, err := r.exchangeAs(r.wire)
	if err != nil {
		return err
	}
	return p.took(r, a)
}

// took reads a message or a task.
func (p a2aCall) took(r *run, a *answer) error {
	result, err := p.result(r, a)
	if err != nil {
		return err
	}
	r.result.Program.Status, r.result.Program.Header, r.result.Program.Body = a.status, r.redactHeader(a.header), slices.Clone(result.Raw())
	task := result
	if inner := result.Get("task"); inner.Exists() {
		task = inner
	}
	state, _ := task.Get("status").Get("state").Str()
	state = strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(state, "TASK_STATE_")), "_", "-")
	r.show("text/plain", []byte(strings.Join(agentTexts(result), "\n")))
	switch state {
	case "", "completed":
		return nil
	case "submitted", "working":
		id, _ := task.Get("id").Str()
		p.pend(r, id)
		return nil
	case "input-required":
		return nil // the question is the answer
	}
	return fail(UpstreamError, nil, "the task is "+plainWord(state))
}

// result is what an answer of either binding holds.
func (a2aCall) result(r *run, a *answer) (parse.Node, error) {
	if !isREST(r.at) {
		result, err := r.rpcResult(a, r.wire.rpcID)
		return result, r.rpcRefused(err)
	}
	root, err := (&parse.Input{Body: a.body}).JSONObject()
	if a.status/100 != 2 {
		if no := root.Get("error"); err == nil && no.Kind() == parse.Object && a.status/100 != 3 {
			message, _ := no.Get("message").Str()
			r.show("text/plain", []byte(message))
		}
		if err := r.takeStatus(a); err != nil {
			return root, err
		}
	}
	if err != nil || a.status/100 != 2 {
		return root, r.unknown(errors.New("the answer is none of the protocol"))
	}
	return root, nil
}

// agentTexts are the texts of a message, or of a task: its artifacts, else its status.
func agentTexts(n parse.Node) (list []string) {
	var walk func(n parse.Node, depth int)
	walk = func(n parse.Node, depth int) {
		if depth > 6 {
			return
		}
		for _, p := range n.Get("parts").Items() {
			if s, ok := p.Get("text").Str(); ok {
				list = append(list, s)
			}
		}
		for _, artifact := range n.Get("artifacts").Items() {
			walk(artifact, depth+1)
		}
		for _, name := range []string{"message", "task"} {
			if inner := n.Get(name); inner.Exists() {
				walk(inner, depth+1)
			}
		}
		if len(list) == 0 {
			if said := n.Get("status").Get("message"); said.Exists() {
				walk(said, depth+1)
			}
		}
	}
	walk(n, 0)
	return list
}

// pend puts a handle for a task into the Result.
func (p a2aCall) pend(r *run, id string) {
	if id == "" {
		return
	}
	h := &Handle{URL: r.at.URL}
	h.look = func(ctx context.Context) (*Result, error) { return p.poll(ctx, r, id) }
	r.result.Model.Pending, r.result.Program.Handle = true, h
}

// poll asks once how far a task is. That changes nothing, so it may be repeated.
func (p a2aCall) poll(ctx context.Context, r *run, id string) (*Result, error) {
	own := *r
	own.result, own.started, own.ticket = &Result{}, time.Now(), nil
	ctx, cancel := context.WithTimeout(ctx, r.caller.opts.Timeout)
	defer cancel()
	own.ctx = ctx
	w, err := p.askTask(&own, id)
	if err != nil {
		return own.end(err)
	}
	if list := r.wire.header; list != nil {
		for _, name := range []string{"A2a-Extensions", "X-A2a-Extensions"} {
			if list[name] != nil {
				w.header[name] = list[name]
			}
		}
	}
	w.placed, w.again = r.wire.placed, beforeAnswer
	own.wire = w
	if err := own.equip(); err != nil {
		return own.end(err)
	}
	a, err := own.exchange(w)
	if err == nil {
		err = p.took(&own, a)
	}
	return own.end(err)
}

// askTask is the request for a task.
func (p a2aCall) askTask(r *run, id string) (*wire, error) {
	if isREST(r.at) {
		task, err := segment(id)
		if err != nil {
			return nil, err
		}
		return p.request(r, "", "/tasks/"+task, nil)
	}
	method, params := "tasks/get", []parse.Member{{Name: "id", Value: parse.Quote(id)}}
	if isVersion1(r.at) {
		method = "GetTask"
		if r.at.Tenant != "" {
			params = append(params, parse.Member{Name: "tenant", Value: parse.Quote(r.at.Tenant)})
		}
	}
	return p.request(r, method, "", func(string) json.RawMessage { return json.RawMessage(parse.Obj(params...)) })
}
