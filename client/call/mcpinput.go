package call

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind/internal/text"
	"github.com/wayfindhq/wayfind/parse"
)

// maxQuestions is how many questions a tool may ask in one round.
const maxQuestions = 8

// errNotAnswered is a question that is none for the caller.
var errNotAnswered = errors.New("it asks for an input that is not given here")

// input asks the caller what the tool wants to know.
func (p mcpCall) input(r *run, result parse.Node) ([]parse.Member, error) {
	var answers, more []parse.Member
	for id, q := range result.Get("inputRequests").Members() {
		if len(answers) == maxQuestions {
			return nil, fail(Refused, nil, "it wants to know too much")
		}
		var said parse.Raw
		err := r.asked(func(ctx context.Context) (err error) { said, err = p.elicit(ctx, r, q); return err })
		switch {
		case errors.Is(err, errNotAnswered):
			return nil, fail(Refused, nil, err.Error())
		case err != nil:
			return nil, fail(Denied, err, "its question was not answered")
		}
		answers = append(answers, parse.Member{Name: id, Value: said})
	}
	if answers != nil {
		more = append(more, parse.Member{Name: "inputResponses", Value: parse.Obj(answers...)})
	}
	if state := result.Get("requestState"); state.Exists() {
		more = append(more, parse.Member{Name: "requestState", Value: parse.Raw(state.Raw())})
	}
	return more, nil
}

// elicit asks one question.
func (mcpCall) elicit(ctx context.Context, r *run, q parse.Node) (parse.Raw, error) {
	method, _ := q.Get("method").Str()
	params := q.Get("params")
	mode, _ := params.Get("mode").Str()
	if r.caller.opts.Input == nil || method != "elicitation/create" || mode != "" && mode != "form" {
		return nil, errNotAnswered
	}
	message, _ := params.Get("message").Str()
	message, _ = text.Clean(message, true, 2048)
	ask := &InputRequest{Principal: r.principal, Tool: r.tool.Name, Domain: r.tool.Domain, Message: message}
	if clean, _, err := text.CleanJSON(params.Get("requestedSchema").Raw()); err == nil {
		ask.Schema = clean
	}
	given, err := r.caller.opts.Input(ctx, ask)
	if err != nil {
		return nil, err
	}
	said := []parse.Member{{Name: "action", Value: parse.Quote("cancel")}}
	if given != nil && slices.Contains([]string{"accept", "decline", "cancel"}, given.Action) {
		said[0].Value = parse.Quote(given.Action)
		if given.Action == "accept" && json.Valid(given.Content) {
			said = append(said, parse.Member{Name: "content", Value: parse.Raw(given.Content)})
		}
	}
	return parse.Obj(said...), nil
}

// listen answers what a server of the older versions asks within the stream of an
// answer, and reports whether the answer itself has come.
func (p mcpCall) listen(r *run, fields http.Header, id string) func([]byte) bool {
	done, asked := 0, 0
	return func(body []byte) bool {
		end := lastEvent(body[done:])
		list := events(body[done : done+end])
		done += end
		for _, event := range list {
			if _, ok := r.rpcMessage(&answer{body: event}, id); ok {
				return true
			}
			root, err := (&parse.Input{Body: event}).JSONObject()
			if err != nil || !root.Get("method").Exists() || !root.Get("id").Exists() || r.ctx.Err() != nil {
				continue
			}
			asked++
			p.reply(r, fields, root, asked)
		}
		return false
	}
}

// lastEvent is where the last event ends that came whole.
func lastEvent(stream []byte) (end int) {
	for _, mark := range []string{"\n\n", "\r\n\r\n", "\r\r"} {
		if at := bytes.LastIndex(stream, []byte(mark)); at >= 0 {
			end = max(end, at+len(mark))
		}
	}
	return end
}

// reply answers one request of a server. A question beyond the bound and one that is not
// known is refused by the code of the protocol.
func (p mcpCall) reply(r *run, fields http.Header, q parse.Node, number int) {
	members := []parse.Member{{Name: "jsonrpc", Value: parse.Quote("2.0")}, {Name: "id", Value: parse.Raw(q.Get("id").Raw())}}
	method, _ := q.Get("method").Str()
	said, err := parse.Raw(parse.Obj()), error(nil)
	if method != "ping" {
		said, err = nil, errNotAnswered
		if number <= maxQuestions {
			said, err = p.elicit(r.ctx, r, q)
		}
	}
	switch {
	case err == nil:
		members = append(members, parse.Member{Name: "result", Value: said})
	case errors.Is(err, errNotAnswered):
		members = append(members, parse.Member{Name: "error", Value: parse.Raw(`{"code":-32601,"message":"not answered by this client"}`)})
	default:
		members = append(members, parse.Member{Name: "result", Value: parse.Raw(`{"action":"cancel"}`)})
	}
	w := *r.wire
	w.again, w.whole = never, nil
	w.dress = func(req *http.Request) {
		maps.Copy(req.Header, fields)
		setBody(req, parse.Obj(members...))
	}
	_, _ = r.once(&w) // the server goes on, or the call ends without it
}

// asked runs a question to a person, whose time is not that of the call.
func (r *run) asked(f func(ctx context.Context) error) error {
	end, timed := r.ctx.Deadline()
	if r.outer == nil || !timed {
		return f(r.ctx)
	}
	left := time.Until(end)
	err := f(r.outer)
	ctx, cancel := context.WithTimeout(r.outer, left)
	r.ctx, r.ends = ctx, append(r.ends, cancel)
	return err
}
