package call

import (
	"net/http"
	"strings"

	"github.com/wayfindhq/wayfind/internal/act/actorwire"
	"github.com/wayfindhq/wayfind/internal/act/uuid"
	"github.com/wayfindhq/wayfind/internal/run/pausable"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// actorsUnnamed is the placeholder for the identifiers until a message is sent.
const actorsUnnamed = "/%7BactorKey%7D/messages/%7BmessageId%7D"

// prepareActors writes a message to an agent. The message is sent once: to the path of the
// design or, if that path does not exist, to the path of the prototype.
func prepareActors(t *target) (d draft, err error) {
	agent, ok := actorwire.Read(t.at.Template)
	if !ok {
		return d, fail(Refused, nil, "its address is none of the protocol")
	}
	said, err := messageOf(t.args)
	if err != nil {
		return d, err
	}
	m, err := newMessage(http.MethodPost, agent.Base+actorsUnnamed, jsonHeader("application/json"))
	if err != nil {
		return d, err
	}
	run := actorwire.Message{Method: "run", Params: rawjson.Arr(rawjson.Obj(rawjson.Member{Name: "$type", Value: rawjson.Quote("text")}, rawjson.Member{Name: "content", Value: rawjson.Quote(said)}))}
	m.body = agent.Body(&run, false)
	return draft{target: t, message: m, begin: func() nextFunc {
		own := run
		own.Key, own.ID = uuid.V4(), uuid.V4() // the design asks for GUIDs
		return (&actorTalk{agent: agent, msg: &own}).next
	}}, nil
}

// messageOf returns the message in the arguments for an agent.
func messageOf(args []byte) (string, error) {
	root, err := (&parse.Input{Body: args}).JSONObject()
	if err != nil {
		return "", fail(InvalidArguments, err, "")
	}
	message, _ := root.Get("message").Str()
	if strings.TrimSpace(message) == "" {
		return "", fail(InvalidArguments, nil, "there is no message")
	}
	return message, nil
}

// actorTalk is a conversation with an agent.
type actorTalk struct {
	agent actorwire.Agent
	msg   *actorwire.Message
	// prototype is true if the request for the methods, or the message, was last sent to the
	// path of the prototype. sent is true after the message was sent.
	prototype, sent bool
}

// next finds out which path exists, unless that is known, and sends the message to that path.
func (n *actorTalk) next(_ *pausable.Context, s sent, a *answer, err error) (request, *Result, error) {
	prototype, known := s.speaksOlder()
	known = known || n.agent.Short
	switch {
	case err != nil && !n.sent:
		return done(nil, notBegun(err))
	case err != nil:
		return done(nil, err)
	case n.sent:
		if actorwire.IsMissing(a.status) {
			s.unlearn()
		}
		res, err := s.tookActors(n.agent.URL(n.msg, n.prototype))(s, a)
		return done(res, err)
	case known:
		return n.send(s, prototype || n.agent.Short)
	case a == nil:
		return n.ask(s, false)
	}
	takes, sure := actorwire.Takes(a.status, a.header)
	switch {
	case takes:
		if sure {
			s.learn(n.prototype)
		}
		return n.send(s, n.prototype)
	case n.prototype:
		return n.send(s, false) // the server confirms neither path
	}
	return n.ask(s, true)
}

// ask sends a request for the methods of a path.
func (n *actorTalk) ask(s sent, prototype bool) (request, *Result, error) {
	n.prototype = prototype
	m, err := newMessage(http.MethodOptions, n.agent.URL(n.msg, prototype), http.Header{"Accept": {"*/*"}})
	if err != nil {
		return done(nil, err)
	}
	return request{message: m, kind: aside, again: beforeAnswer}, nil, nil
}

// send sends the message.
func (n *actorTalk) send(s sent, prototype bool) (request, *Result, error) {
	n.prototype, n.sent = prototype, true
	m, err := newMessage(http.MethodPost, n.agent.URL(n.msg, prototype), s.subject.header)
	if err != nil {
		return done(nil, err)
	}
	m.body = n.agent.Body(n.msg, prototype)
	return s.form(m), nil, nil
}

// actorFailed returns the error of a message that the agent could not process.
func actorFailed(body []byte) error {
	root, err := (&parse.Input{Body: body}).JSONObject()
	if err != nil {
		return nil
	}
	if state, _ := root.Get("status").Str(); strings.EqualFold(state, "failed") {
		return failedWork("the agent reports a failure")
	}
	return nil
}
