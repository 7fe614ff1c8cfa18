package call

import (
	"net/http"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/actorwire"
	"github.com/wayfindhq/wayfind/internal/pausable"
	"github.com/wayfindhq/wayfind/internal/uuid"
	"github.com/wayfindhq/wayfind/parse"
)

// actorsName is the protocol of agents of the agent framework (see package client/actors).
const actorsName = "ms-actors"

// actorsUnnamed is the text in the place of the identifiers until a message is sent.
const actorsUnnamed = "/%7BactorKey%7D/messages/%7BmessageId%7D"

// suitsActors reports whether the template of an interface has a tail that is known.
func suitsActors(f *wayfind.Interface) bool {
	return strings.HasSuffix(f.Template, actorwire.DesignTail) || strings.HasSuffix(f.Template, actorwire.PrototypeTail)
}

// prepareActors writes a message to an agent. It goes to the path of the design, and to the
// path of the prototype if a 404 or a 405 says that the first does not exist. A message is
// sent once.
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
	run := actorwire.Message{Method: "run", Params: parse.Arr(parse.Obj(parse.Member{Name: "$type", Value: parse.Quote("text")}, parse.Member{Name: "content", Value: parse.Quote(said)}))}
	m.body = agent.Body(&run, false)
	return draft{target: t, message: m, begin: func() nextFunc {
		own := run
		own.Key, own.ID = uuid.V4(), uuid.V4() // the design asks for GUIDs
		return nextActors(agent, &own)
	}}, nil
}

// messageOf is the message in the arguments for an agent.
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

// nextActors tries both paths, one after the other, with the same identifiers.
func nextActors(agent actorwire.Agent, msg *actorwire.Message) nextFunc {
	asked, prototype := false, agent.Short
	return func(_ *pausable.Context, s sent, a *answer, err error) (request, *Result, error) {
		missing := a != nil && (a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed)
		switch {
		case err != nil:
			return done(nil, err)
		case asked && (prototype || !missing):
			res, err := s.tookActors(agent.URL(msg, prototype))(s, a)
			return done(res, err)
		}
		prototype, asked = prototype || asked, true
		m, err := newMessage(http.MethodPost, agent.URL(msg, prototype), s.subject.header)
		if err != nil {
			return done(nil, err)
		}
		m.body = agent.Body(msg, prototype)
		return s.form(m), nil, nil
	}
}

// tookActors reads the state of a message.
func (s sent) tookActors(ref string) reader {
	return func(s sent, a *answer) (*Result, error) {
		res, _, err := s.take(a)
		if err != nil {
			return res, err
		}
		if a.status == http.StatusAccepted || working(a.body) || len(strings.TrimSpace(string(a.body))) == 0 {
			s.pend(res, a, ref, s.tookActors)
			return res, nil
		}
		return res, actorFailed(a.body)
	}
}

// actorFailed is the error of a message that the agent could not deal with.
func actorFailed(body []byte) error {
	root, err := (&parse.Input{Body: body}).JSONObject()
	if err != nil {
		return nil
	}
	if state, _ := root.Get("status").Str(); strings.EqualFold(state, "failed") {
		return fail(UpstreamError, nil, "the agent reports a failure")
	}
	return nil
}
