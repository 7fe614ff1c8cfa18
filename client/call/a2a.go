package call

import (
	"crypto/rand"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/callable"
	"github.com/wayfindhq/wayfind/internal/act/jsonrpc"
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
	goesOn, err := t.threadOf()
	if err != nil {
		return d, err
	}
	send := &a2aMessage{"message/send", "/message:send", func(id string) parse.Raw { return a2aParams(t.at, id, part, goesOn) }}
	if callable.Version1(t.at) {
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

// segment writes a text as one segment of a path. It refuses "." and "..", which would leave
// the path however they are escaped.
func segment(s string) (string, error) {
	if s == "." || s == ".." {
		return "", fail(Refused, nil, "a part of its path would climb")
	}
	return url.PathEscape(s), nil
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
	if !callable.Version1(t.at) {
		part = append(part, rawjson.Member{Name: "kind", Value: rawjson.Quote(kind)})
	}
	return append(part, rawjson.Member{Name: kind, Value: value}), nil
}

// a2aParams returns the params of a message, in the conversation that it goes on with. The id is empty until
// the message is sent.
func a2aParams(f *wayfind.Interface, id string, part []rawjson.Member, in thread) parse.Raw {
	quoted := func(name, value string) rawjson.Member {
		return rawjson.Member{Name: name, Value: rawjson.Quote(value)}
	}
	var all []rawjson.Member
	own := []rawjson.Member{quoted("role", "ROLE_USER")}
	if !callable.Version1(f) {
		own = []rawjson.Member{quoted("kind", "message"), quoted("role", "user")}
	}
	if id != "" {
		own = append(own, quoted("messageId", id))
	}
	if in.Context != "" {
		own = append(own, quoted("contextId", in.Context))
	}
	if in.Task != "" {
		own = append(own, quoted("taskId", in.Task))
	}
	own = append(own, rawjson.Member{Name: "parts", Value: rawjson.Arr(rawjson.Obj(part...))})
	if f.Tenant != "" {
		all = append(all, quoted("tenant", f.Tenant))
	}
	soon := rawjson.Member{Name: "blocking", Value: parse.Raw("false")} // the caller waits for a task by its handle
	if callable.Version1(f) {
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
	case callable.REST(f):
		return m.params(id)
	}
	return jsonrpc.Request(id, m.method, m.params(id))
}

// isPart reports whether a node is a part of a message that is shown: a text, data or a file.
func isPart(p parse.Node) bool {
	return slices.ContainsFunc([]string{"text", "data", "raw", "url", "file"}, func(name string) bool { return p.Get(name).Exists() })
}

// agentParts returns the parts of a message or of a task. The parts of a task are in its artifacts. The
// message of its status follows if there are none, and always if says is true: it may be a question.
func agentParts(n parse.Node, says bool) (list []parse.Node) {
	var walk func(n parse.Node, depth int)
	walk = func(n parse.Node, depth int) {
		if depth > 6 {
			return
		}
		for _, p := range n.Get("parts").Items() {
			if isPart(p) {
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
		if len(list) == 0 || says {
			if said := n.Get("status").Get("message"); said.Exists() {
				walk(said, depth+1)
			}
		}
	}
	walk(n, 0)
	return list
}

// showParts shows the parts of a message: data alone as JSON, and otherwise all as texts.
func showParts(s *sent, res *Result, parts []parse.Node) {
	if len(parts) == 1 && parts[0].Get("data").Exists() {
		s.show(res, "application/json", parts[0].Get("data").Raw())
		return
	}
	var texts []string
	for _, p := range parts {
		texts = append(texts, s.a2aPart(res, p))
	}
	s.show(res, "text/plain", []byte(strings.Join(texts, "\n")))
}
