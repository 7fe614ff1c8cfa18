package call

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/patience"
	"github.com/wayfindhq/wayfind/parse"
)

// actorsName is the protocol of agents of the agent framework (see package client/actors).
const actorsName = "ms-actors"

// The tails of the templates of interfaces, and the text in the place of the
// identifiers until a message is sent.
const (
	actorsDesign    = "/{actorKey}/messages/{messageId}"
	actorsPrototype = "/{actorKey}/{messageId}"
	actorsUnnamed   = "/%7BactorKey%7D/messages/%7BmessageId%7D"
)

// suitsActors reports whether the template of an interface has a tail that is known.
func suitsActors(f *wayfind.Interface) bool {
	return strings.HasSuffix(f.Template, actorsDesign) || strings.HasSuffix(f.Template, actorsPrototype)
}

// prepareActors writes a message to an agent. It goes to the path of the design, and to the
// path of the prototype if a 404 or a 405 says that the first does not exist. A message is
// sent once.
func prepareActors(t *target) (*draft, error) {
	base, short := actorsBase(t.at)
	if base == "" || strings.ContainsAny(base, "{}?#") {
		return nil, fail(Refused, nil, "its address is none of the protocol")
	}
	said, err := messageOf(t.args)
	if err != nil {
		return nil, err
	}
	m, err := newMessage(http.MethodPost, base+actorsUnnamed, jsonHeader("application/json"))
	if err != nil {
		return nil, err
	}
	m.body = parse.Obj(actorsBody(said)...)
	return &draft{target: t, message: m, begin: func() nextFunc { return nextActors(actorsWays(base, short, said)) }}, nil
}

// actorsBase is the part before the identifiers, and whether the prototype's path
// is the only one.
func actorsBase(f *wayfind.Interface) (base string, short bool) {
	if base, found := strings.CutSuffix(f.Template, actorsDesign); found {
		return base, false
	}
	base, _ = strings.CutSuffix(f.Template, actorsPrototype)
	return base, true
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

func actorsBody(message string) []parse.Member {
	text := parse.Obj(parse.Member{Name: "$type", Value: parse.Quote("text")}, parse.Member{Name: "content", Value: parse.Quote(message)})
	return []parse.Member{{Name: "method", Value: parse.Quote("run")}, {Name: "params", Value: parse.Arr(text)}}
}

// actorsWay is a URL of a message with its body.
type actorsWay struct {
	url  string
	body []byte
}

// actorsWays are the ways to send a message, each with the same identifiers.
func actorsWays(base string, short bool, said string) []actorsWay {
	key, id := newGUID(), newGUID()
	ways := []actorsWay{
		{base + "/" + key + "/messages/" + id, parse.Obj(actorsBody(said)...)},
		{base + "/" + key + "/" + id, parse.Obj(append([]parse.Member{
			{Name: "actorId", Value: parse.Quote(base[strings.LastIndexByte(base, '/')+1:] + "/" + key)}, {Name: "messageId", Value: parse.Quote(id)},
		}, actorsBody(said)...)...)},
	}
	if short {
		return ways[1:]
	}
	return ways
}

// nextActors tries the ways, one after the other.
func nextActors(ways []actorsWay) nextFunc {
	at := -1
	return func(_ *patience.Context, s sent, a *answer, err error) (*request, *Result, error) {
		missing := a != nil && (a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed) && at+1 < len(ways)
		switch {
		case err != nil:
			return nil, nil, err
		case a != nil && !missing:
			res, err := s.tookActors(ways[at].url)(s, a)
			return nil, res, err
		}
		at++
		m, err := newMessage(http.MethodPost, ways[at].url, s.subject.header)
		if err != nil {
			return nil, nil, err
		}
		m.body = ways[at].body
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

// newGUID makes a UUID of version 4 (RFC 9562 §5.4): the design asks for GUIDs.
func newGUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand documents it
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
