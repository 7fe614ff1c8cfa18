package call

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/internal/act/jsonrpc"
	"github.com/wayfindhq/wayfind/internal/act/mcp"
	"github.com/wayfindhq/wayfind/internal/run/pausable"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse"
)

// maxRounds is the maximum number of times that a tool may ask for more input.
const maxRounds = 3

// prepareMCP writes a request to an MCP server over streamable HTTP that calls a tool, reads a
// resource or gets a prompt. For older versions, a handshake that changes nothing is sent
// first. A call is sent once, whatever its answer. A further round with input for the server
// is not a repetition.
func prepareMCP(t *target) (d draft, err error) {
	m, err := newMessage(http.MethodPost, t.at.URL, jsonHeader("application/json, text/event-stream"))
	if err != nil {
		return d, err
	}
	op, unplaced, err := mcpOperationOf(t)
	if err != nil {
		return d, err
	}
	m.body = jsonrpc.Request("", op.method, op.with())
	us := mcp.Client{Name: "wayfind", Version: "0"}
	if t.caller.inputHook() != nil {
		us.Able = rawjson.Obj(rawjson.Member{Name: "elicitation", Value: rawjson.Obj()})
	}
	begin := func() nextFunc { return (&mcpSession{op: op, us: us, token: rand.Text()}).next }
	return draft{target: t, message: m, begin: begin, unplaced: unplaced}, nil
}

// mcpSession is a conversation with an MCP server: as of 2026-07-28 or, if the server does not
// support that version (dialect.go), with the handshake of the earlier versions
// (mcplegacy.go).
type mcpSession struct {
	op    *mcpOperation
	us    mcp.Client
	token string // the progress token of this call
	round int
	id    string      // the id of the request that was sent
	read  nextFunc    // reads its answer
	older http.Header // fields of the session of an older version
	// refused is the last question of the server that no one was asked.
	refused unanswered
}

func (n *mcpSession) next(ctx *pausable.Context, s sent, a *answer, err error) (request, *Result, error) {
	if n.read != nil {
		return n.read(ctx, s, a, err)
	}
	return n.dialect(ctx, s)
}

// modern sends the call as of 2026-07-28, without a session, in one request.
func (n *mcpSession) modern(s sent, more []rawjson.Member) (request, *Result, error) {
	fields, err := n.op.fields(s.target)
	if err != nil {
		return done(nil, err)
	}
	n.round++
	n.id, n.read = strconv.Itoa(n.round), n.answered
	params := n.op.with(append(more, rawjson.Member{Name: "_meta", Value: n.us.Meta(s.caller.hears.wishes(n.token)...)})...)
	q := s.form(s.subject.with(jsonrpc.Request(n.id, n.op.method, params), fields))
	q.listen = listenFor(n.id, n.token, nil)
	return q, nil, nil
}

// listenFor returns a listener that reads a stream of events until the answer to a request has
// arrived. It passes requests of the server to ask, with their number, and notices to the hook
// of the Caller.
func listenFor(id, token string, ask func(s *sent, m *jsonrpc.Message, number int)) func(*sent, *http.Response) *listener {
	return func(s *sent, resp *http.Response) *listener {
		if !isEventStream(resp.Header) {
			return nil
		}
		var stream jsonrpc.Stream
		done, asked, heard := false, 0, 0
		return &listener{feed: func(piece []byte) bool {
			stream.Feed(piece, func(m *jsonrpc.Message) {
				switch done = done || m.Answers(id); {
				case done || m.Method == "":
				case m.ID == nil:
					if heard++; heard <= maxNotices {
						s.hear(m, token)
					}
				case ask != nil:
					asked++
					ask(s, m, asked)
				}
			})
			return done
		}}
	}
}

// answered reads the result. If the tool asks for input first, it sends the input.
func (n *mcpSession) answered(ctx *pausable.Context, s sent, a *answer, err error) (request, *Result, error) {
	if err != nil {
		return done(nil, err)
	}
	if n.round == 1 && n.mayBeOlder(s) && wantsOlder(a, n.id) {
		return n.hello(ctx, s)
	}
	res, result, err := s.rpcRead(a, n.id)
	if err != nil {
		if isMissing(a.status) {
			s.unlearn()
		}
		return done(res, err)
	}
	kind, isText := result.Get("resultType").Str()
	switch {
	case !result.Get("resultType").Exists(), isText && kind == "complete":
		return done(res, n.op.take(s, res, result))
	case kind != "input_required":
		return done(res, s.unknown(errors.New("the result is of a type that is not known")))
	case n.round > maxRounds:
		return done(res, fail(Refused, nil, "it wants to know more again and again"))
	}
	more, err := s.input(ctx, result)
	if why, isRefused := errors.AsType[unanswered](err); isRefused {
		why.note(res)
	}
	if err != nil {
		return done(res, err)
	}
	return n.modern(s, more)
}

// fields returns header fields that repeat a part of the body, so that intermediaries can
// route the request by them.
func (o *mcpOperation) fields(t *target) (http.Header, error) {
	h := http.Header{"Mcp-Protocol-Version": {mcp.Modern}, "Mcp-Method": {o.method}}
	if o.name != "" {
		h["Mcp-Name"] = []string{fieldForm(o.name)}
	}
	if o.method != mcpCallTool {
		return h, nil
	}
	args, err := (&parse.Input{Body: t.args}).JSONObject()
	if err != nil {
		return nil, fail(InvalidArguments, err, "")
	}
	schema, err := (&parse.Input{Body: t.tool.Capability.Input}).JSON()
	if err != nil {
		return h, nil
	}
	if err := paramFields(h, schema, args); err != nil {
		return nil, err
	}
	return h, nil
}

// maxInteger is the largest integer that all programs read in the same way: 2^53 - 1.
const maxInteger = 1<<53 - 1

// paramFields adds the arguments that a schema demands in the header (2026-07-28), at any
// depth. An argument that is absent has no field.
func paramFields(h http.Header, schema, args parse.Node) error {
	for name, property := range schema.Get("properties").Members() {
		value := args.Get(name)
		if value.Kind() == parse.Object {
			if err := paramFields(h, property, value); err != nil {
				return err
			}
		}
		field, ok := property.Get("x-mcp-header").Str()
		if !ok || fieldname.CheckField("Mcp-Param-"+field) != nil || !value.Exists() || value.Kind() == parse.Null {
			continue
		}
		said, isText := value.Str()
		if !isText {
			said = string(value.Raw())
		}
		if n, whole := value.Int(); value.Kind() == parse.Number && (!whole || n > maxInteger || n < -maxInteger) {
			return fail(InvalidArguments, nil, fmt.Sprintf("%.100q is sent in a header field, which takes integers of at most 2^53 - 1", name))
		}
		h[http.CanonicalHeaderKey("Mcp-Param-"+field)] = []string{fieldForm(said)}
	}
	return nil
}

// fieldForm returns a value in the encoding of MCP header fields.
func fieldForm(s string) string {
	if text.IsFieldValue(s) && !strings.HasPrefix(s, "=?base64?") {
		return s
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}
