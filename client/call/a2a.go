package call

import (
	"crypto/rand"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/jsonrpc"
	"github.com/wayfindhq/wayfind/internal/act/reach"
	"github.com/wayfindhq/wayfind/internal/run/pausable"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse"
)

// a2aMessage is one message to an agent, in either binding.
type a2aMessage struct {
	method, path string
	// params returns the params for a message identifier. The identifier is created when the
	// message is sent, so it is not part of the agreement. Nil if the message has no params.
	params func(id string) parse.Raw
}

// prepareA2A writes a message to an agent.
func prepareA2A(t *target) (d draft, err error) {
	part, err := a2aPart(t)
	if err != nil {
		return d, err
	}
	send := &a2aMessage{"message/send", "/message:send", func(id string) parse.Raw { return a2aParams(t.at, id, part) }}
	if reach.Version1(t.at) {
		send.method = "SendMessage"
	}
	d, err = t.a2aDraft(send)
	if err != nil {
		return d, err
	}
	if err := d.extensions(); err != nil {
		return d, err
	}
	d.begin = func() nextFunc { return nextA2A(send) }
	return d, nil
}

// a2aDraft returns the draft of a request, in either binding.
func (t *target) a2aDraft(msg *a2aMessage) (d draft, err error) {
	if reach.REST(t.at) {
		d, err = t.restDraft(msg)
	} else {
		d, err = t.rpcDraft(msg.method, msg.params(""))
	}
	if err == nil && reach.Version1(t.at) {
		d.header["A2a-Version"] = []string{"1.0"} // without the field, 0.3 is assumed
	}
	return d, err
}

// restDraft returns the draft of a request to a path below the URL of the interface.
func (t *target) restDraft(msg *a2aMessage) (d draft, err error) {
	base, err := newMessage(http.MethodPost, t.at.URL, nil)
	if err != nil {
		return d, err
	}
	method, header, path := http.MethodGet, http.Header{"Accept": {"application/json"}}, msg.path
	if msg.params != nil {
		method, header = http.MethodPost, jsonHeader("application/json")
	}
	if t.at.Tenant != "" {
		tenant, err := segment(t.at.Tenant)
		if err != nil {
			return d, err
		}
		path = "/" + tenant + path
	}
	m, err := newMessage(method, base.origin+strings.TrimRight(base.url.EscapedPath(), "/")+path, header)
	if err == nil && msg.params != nil {
		m.body = msg.params("")
	}
	return draft{target: t, message: m}, err
}

// segment writes a text as one segment of a path. It refuses "." and "..", which would leave
// the path however they are escaped.
func segment(s string) (string, error) {
	if s == "." || s == ".." {
		return "", fail(Refused, nil, "a part of its path would climb")
	}
	return url.PathEscape(s), nil
}

// extensions adds the header field that names the extensions that the card requires. The name
// of the field depends on the version.
func (d *draft) extensions() error {
	at := slices.IndexFunc(d.at.RequiredHeaders, func(name string) bool { return strings.HasSuffix(strings.ToLower(name), "a2a-extensions") })
	if at < 0 {
		return nil
	}
	root, err := (&parse.Input{Body: d.tool.Service.Extensions["capabilities"]}).JSONObject()
	if err != nil {
		return fail(Refused, err, "it requires extensions and does not name them")
	}
	var list []string
	for _, e := range root.Get("extensions").Items() {
		uri, _ := e.Get("uri").Str()
		if required, _ := e.Get("required").Bool(); required && text.IsFieldValue(uri) && !strings.ContainsAny(uri, ", ") {
			list = append(list, uri)
		}
	}
	if list == nil {
		return fail(Refused, nil, "it requires extensions and does not name them")
	}
	d.header[http.CanonicalHeaderKey(d.at.RequiredHeaders[at])] = []string{strings.Join(list, ", ")}
	return nil
}

// a2aPart returns the content of the message: the text for an agent, or the arguments of an
// action that is called through an agent.
func a2aPart(t *target) (part []rawjson.Member, err error) {
	kind, value := "text", parse.Raw(nil)
	if t.tool.Agent {
		message, err := messageOf(t.args)
		if err != nil {
			return nil, err
		}
		value = rawjson.Quote(message)
	} else {
		if op := t.tool.Capability.Invocation.Operation; op != "" && op != "message/send" && op != "SendMessage" {
			return nil, fail(Refused, nil, "the method "+text.PlainWord(op)+" of agents is not called")
		}
		kind, value = "data", parse.Raw(t.args)
	}
	if !reach.Version1(t.at) {
		part = append(part, rawjson.Member{Name: "kind", Value: rawjson.Quote(kind)})
	}
	return append(part, rawjson.Member{Name: kind, Value: value}), nil
}

// a2aParams returns the params of a message. The id is empty until the message is sent.
func a2aParams(f *wayfind.Interface, id string, part []rawjson.Member) parse.Raw {
	quoted := func(name, value string) rawjson.Member {
		return rawjson.Member{Name: name, Value: rawjson.Quote(value)}
	}
	var all []rawjson.Member
	own := []rawjson.Member{quoted("role", "ROLE_USER")}
	if !reach.Version1(f) {
		own = []rawjson.Member{quoted("kind", "message"), quoted("role", "user")}
	}
	if id != "" {
		own = append(own, quoted("messageId", id))
	}
	own = append(own, rawjson.Member{Name: "parts", Value: rawjson.Arr(rawjson.Obj(part...))})
	if f.Tenant != "" {
		all = append(all, quoted("tenant", f.Tenant))
	}
	soon := rawjson.Member{Name: "blocking", Value: parse.Raw("false")} // the caller waits for a task by its handle
	if reach.Version1(f) {
		soon = rawjson.Member{Name: "returnImmediately", Value: parse.Raw("true")}
	}
	return rawjson.Obj(append(all, rawjson.Member{Name: "message", Value: rawjson.Obj(own...)}, rawjson.Member{Name: "configuration", Value: rawjson.Obj(soon)})...)
}

// nextA2A returns the conversation that sends one message.
func nextA2A(msg *a2aMessage) nextFunc {
	id := rand.Text()
	return func(_ *pausable.Context, s sent, a *answer, err error) (request, *Result, error) {
		switch {
		case err != nil:
			return done(nil, err)
		case a == nil:
			return s.form(s.subject.with(msg.body(s.at, id), nil)), nil, nil
		}
		res, err := s.took(a, id)
		return done(res, err)
	}
}

// body returns the body of a message as it is sent.
func (m *a2aMessage) body(f *wayfind.Interface, id string) []byte {
	switch {
	case m.params == nil:
		return nil
	case reach.REST(f):
		return m.params(id)
	}
	return jsonrpc.Request(id, m.method, m.params(id))
}

// took reads an answer that is a message or a task.
func (s sent) took(a *answer, id string) (*Result, error) {
	read := s.rpcRead
	if reach.REST(s.at) {
		read = s.restRead
	}
	res, result, err := read(a, id)
	if err != nil {
		return res, err
	}
	task := result
	if inner := result.Get("task"); inner.Exists() {
		task = inner
	}
	state, _ := task.Get("status").Get("state").Str()
	state = strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(state, "TASK_STATE_")), "_", "-")
	var texts []string
	for _, p := range agentParts(result) {
		texts = append(texts, s.a2aPart(res, p))
	}
	s.show(res, "text/plain", []byte(strings.Join(texts, "\n")))
	switch state {
	case "", "completed":
		return res, nil
	case "submitted", "working":
		if id, _ := task.Get("id").Str(); id != "" {
			res.Model.Pending, res.Program.Handle = true, s.handle(workTask, id, time.Time{})
		}
		return res, nil
	case "input-required":
		return res, nil // the answer contains the question of the agent
	}
	return res, fail(UpstreamError, nil, "the task is "+text.PlainWord(state))
}

// restRead reads an answer of HTTP+JSON.
func (s *sent) restRead(a *answer, _ string) (*Result, parse.Node, error) {
	res := s.result(a)
	root, err := (&parse.Input{Body: a.body}).JSONObject()
	if a.status/100 != 2 {
		if no := root.Get("error"); err == nil && no.Kind() == parse.Object && a.status/100 != 3 {
			message, _ := no.Get("message").Str()
			s.show(res, "text/plain", []byte(message))
		}
		if _, failed := s.judged(a); failed != nil {
			return res, root, failed
		}
	}
	if err != nil || a.status/100 != 2 {
		return res, root, s.unknown(errors.New("the answer is not a valid message of A2A"))
	}
	return res, root, nil
}

// agentParts returns the texts and files of a message or of a task. The parts of a task are in
// its artifacts or, if it has none, in its status.
func agentParts(n parse.Node) (list []parse.Node) {
	var walk func(n parse.Node, depth int)
	walk = func(n parse.Node, depth int) {
		if depth > 6 {
			return
		}
		for _, p := range n.Get("parts").Items() {
			if _, text := p.Get("text").Str(); text || p.Get("raw").Exists() || p.Get("url").Exists() || p.Get("file").Exists() {
				list = append(list, p)
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

// taskMessage returns the message that asks for a task.
func (s *sent) taskMessage(task, id string) (m message, err error) {
	get := &a2aMessage{}
	if reach.REST(s.at) {
		if task, err = segment(task); err != nil {
			return m, err
		}
		get.path = "/tasks/" + task
	} else {
		params := []rawjson.Member{{Name: "id", Value: rawjson.Quote(task)}}
		get.method, get.params = "tasks/get", func(string) parse.Raw { return rawjson.Obj(params...) }
		if reach.Version1(s.at) {
			get.method = "GetTask"
			if s.at.Tenant != "" {
				params = append(params, rawjson.Member{Name: "tenant", Value: rawjson.Quote(s.at.Tenant)})
			}
		}
	}
	d, err := s.a2aDraft(get)
	if err != nil {
		return m, err
	}
	maps.Copy(d.header, s.extensions())
	return d.with(get.body(s.at, id), nil), nil
}

// extensions returns the header fields of the subject that name extensions of A2A.
func (s *sent) extensions() http.Header {
	own := http.Header{}
	for _, name := range []string{"A2a-Extensions", "X-A2a-Extensions"} {
		if list := s.subject.header[name]; list != nil {
			own[name] = list
		}
	}
	return own
}
