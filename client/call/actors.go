package call

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// actorsCall sends a message to an agent of the agent framework (see package
// client/actors): to the path of the design, and to that of the prototype where a 404
// or a 405 says that the first does not exist. A message is sent once.
type actorsCall struct{}

const actorsName = "ms-actors"

// The tails of the templates of interfaces, and the text in the place of the
// identifiers until a message is sent.
const (
	actorsDesign    = "/{actorKey}/messages/{messageId}"
	actorsPrototype = "/{actorKey}/{messageId}"
	actorsUnnamed   = "/%7BactorKey%7D/messages/%7BmessageId%7D"
)

func (actorsCall) name() string { return actorsName }

// suits implements the choice of an interface.
func (actorsCall) suits(f *wayfind.Interface) bool {
	return strings.HasSuffix(f.Template, actorsDesign) || strings.HasSuffix(f.Template, actorsPrototype)
}

// prepare implements protocol.
func (p actorsCall) prepare(r *run) error {
	base, _ := actorsBase(r.at)
	if base == "" || strings.ContainsAny(base, "{}?#") {
		return fail(Refused, nil, "its address is none of the protocol")
	}
	message, err := messageOf(r.args)
	if err != nil {
		return err
	}
	if r.wire, err = newWire(http.MethodPost, base+actorsUnnamed); err != nil {
		return err
	}
	r.wire.header["Content-Type"], r.wire.header["Accept"] = []string{"application/json"}, []string{"application/json"}
	r.wire.body = parse.Obj(actorsBody(message)...)
	return nil
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

// finish implements protocol.
func (p actorsCall) finish(r *run) error {
	base, short := actorsBase(r.at)
	message, err := messageOf(r.args)
	if err != nil {
		return err
	}
	key, id := newGUID(), newGUID()
	ways := []actorsWay{
		{base + "/" + key + "/messages/" + id, actorsBody(message)},
		{base + "/" + key + "/" + id, append([]parse.Member{
			{Name: "actorId", Value: parse.Quote(base[strings.LastIndexByte(base, '/')+1:] + "/" + key)}, {Name: "messageId", Value: parse.Quote(id)},
		}, actorsBody(message)...)},
	}
	if short {
		ways = ways[1:]
	}
	for i, way := range ways {
		a, err := p.send(r, way)
		if err != nil {
			return err
		}
		if missing := a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed; missing && i+1 < len(ways) {
			continue
		}
		return p.took(r, a, way.url)
	}
	return nil
}

// actorsWay is a URL of a message with its body.
type actorsWay struct {
	url  string
	body []parse.Member
}

// send sends the message that was agreed to, with its identifiers.
func (actorsCall) send(r *run, way actorsWay) (*answer, error) {
	at, err := newWire(http.MethodPost, way.url)
	if err != nil {
		return nil, err
	}
	w := *r.wire
	w.sent = 0
	w.dress = func(req *http.Request) {
		own := *at.url
		req.URL = &own
		setBody(req, parse.Obj(way.body...))
	}
	a, err := r.sendDressed(&w)
	r.wire.sent += w.sent
	if err == nil && r.stepUp(a) {
		w.credentials = r.wire.credentials
		a, err = r.sendDressed(&w)
		r.wire.sent += w.sent
	}
	return a, err
}

// took reads the state of a message.
func (p actorsCall) took(r *run, a *answer, ref string) error {
	if err := r.take(a); err != nil {
		return err
	}
	if a.status == http.StatusAccepted || working(a.body) || len(strings.TrimSpace(string(a.body))) == 0 {
		r.pend(ref, a)
		r.result.Program.Handle.look = func(ctx context.Context) (*Result, error) { return p.look(ctx, r, ref) }
		return nil
	}
	return actorFailed(a.body)
}

// look asks once how far a message is.
func (p actorsCall) look(ctx context.Context, r *run, ref string) (*Result, error) {
	own, a, err := r.ask(ctx, ref)
	if err == nil {
		err = p.took(own, a, ref)
	}
	return own.end(err)
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
