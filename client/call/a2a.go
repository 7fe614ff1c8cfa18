package call

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// a2aCall sends a message to an agent (A2A 0.3 and 1.0, binding JSON-RPC).
type a2aCall struct{}

func (a2aCall) name() string { return "a2a" }

// suits implements the choice of an interface.
func (a2aCall) suits(f *wayfind.Interface) bool {
	return f.Transport == "" || strings.EqualFold(f.Transport, "jsonrpc")
}

// isVersion1 reports whether an interface speaks 1.0, whose names are others.
func isVersion1(f *wayfind.Interface) bool {
	return slices.ContainsFunc(f.Versions, func(v string) bool { return v == "1" || strings.HasPrefix(v, "1.") })
}

// prepare implements protocol.
func (p a2aCall) prepare(r *run) (err error) {
	if !p.suits(r.at) {
		return fail(Refused, nil, "its binding "+plainWord(r.at.Transport)+" is not spoken")
	}
	root, err := (&parse.Input{Body: r.args}).JSONObject()
	if err != nil {
		return fail(InvalidArguments, err, "")
	}
	message, _ := root.Get("message").Str()
	if strings.TrimSpace(message) == "" {
		return fail(InvalidArguments, nil, "there is no message")
	}
	write := func(id string) json.RawMessage { return p.params(r.at, id, message) }
	if r.wire, err = r.rpcWire(p.method(r.at), write("")); err != nil {
		return err
	}
	id := r.wire.rpcID
	r.wire.dress = func(req *http.Request) { setBody(req, rpcBody(id, p.method(r.at), write(id))) }
	p.version(r.at, r.wire)
	return nil
}

func (a2aCall) method(f *wayfind.Interface) string {
	if isVersion1(f) {
		return "SendMessage"
	}
	return "message/send"
}

// version says which version is spoken: without the field, 0.3 is assumed.
func (a2aCall) version(f *wayfind.Interface, w *wire) {
	if isVersion1(f) {
		w.header["A2a-Version"] = []string{"1.0"}
	}
}

// params of a message, whose id is made when it is sent.
func (a2aCall) params(f *wayfind.Interface, id, message string) json.RawMessage {
	quoted := func(name, value string) parse.Member { return parse.Member{Name: name, Value: parse.Quote(value)} }
	var own, part, all []parse.Member
	if isVersion1(f) {
		own, part = []parse.Member{quoted("role", "ROLE_USER")}, []parse.Member{quoted("text", message)}
	} else {
		own, part = []parse.Member{quoted("kind", "message"), quoted("role", "user")}, []parse.Member{quoted("kind", "text"), quoted("text", message)}
	}
	if id != "" {
		own = append(own, quoted("messageId", id))
	}
	own = append(own, parse.Member{Name: "parts", Value: parse.Arr(parse.Obj(part...))})
	if f.Tenant != "" {
		all = append(all, quoted("tenant", f.Tenant))
	}
	return json.RawMessage(parse.Obj(append(all, parse.Member{Name: "message", Value: parse.Obj(own...)})...))
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
	result, err := r.rpcResult(a, r.wire.rpcID)
	if err != nil {
		return r.rpcRefused(err)
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
		return nil // what it asks is the answer
	}
	return fail(UpstreamError, nil, "the task is "+plainWord(state))
}

// agentTexts are the texts of a message, or of a task: what it made, else what it says.
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
	method, params := "tasks/get", []parse.Member{{Name: "id", Value: parse.Quote(id)}}
	if isVersion1(r.at) {
		method = "GetTask"
		if r.at.Tenant != "" {
			params = append(params, parse.Member{Name: "tenant", Value: parse.Quote(r.at.Tenant)})
		}
	}
	w, err := own.rpcWire(method, json.RawMessage(parse.Obj(params...)))
	if err != nil {
		return own.end(err)
	}
	p.version(r.at, w)
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
