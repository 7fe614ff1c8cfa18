package call

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/act/jsonrpc"
	"github.com/wayfindhq/wayfind/internal/act/mcp"
	"github.com/wayfindhq/wayfind/internal/run/pausable"
	"github.com/wayfindhq/wayfind/internal/syntax/mcpera"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse"
)

// mcpSession is a conversation with an MCP server: as of [mcpera.Modern] or, if the server does not
// support that version (dialect.go), with the handshake of the earlier versions
// below.
type mcpSession struct {
	op    *mcpOperation
	us    mcp.Client
	token string // the progress token of this call
	round int
	id    string      // the id of the request that was sent
	read  nextFunc    // reads its answer
	older http.Header // fields of the handshake of an older version
	// talk is the conversation of an older version, once the call may use it.
	talk *conversation
	// again is true after the call was sent in a session that the server had ended, and fresh if the call
	// has begun its session itself.
	again, fresh bool
	// place is the place in the stream of the answer. cut is the outcome of the call if that stream is not
	// resumed; nil before it was cut.
	place streamPlace
	cut   error
	// told are sentences about the session for the model.
	told []string
	// refused is the last question of the server that no one was asked.
	refused unanswered
}

func (n *mcpSession) next(ctx *pausable.Context, s sent, a *answer, err error) (request, *Result, error) {
	if n.read != nil {
		return n.read(ctx, s, a, err)
	}
	return n.dialect(ctx, s)
}

// modern sends the call as of [mcpera.Modern], without a session, in one request.
func (n *mcpSession) modern(s sent, more []rawjson.Member) (request, *Result, error) {
	fields, err := n.op.fields(s.target)
	if err != nil {
		return done(nil, err)
	}
	n.round++
	n.id, n.read = strconv.Itoa(n.round), n.answered
	params := n.op.with(append(more, rawjson.Member{Name: "_meta", Value: n.us.Meta(s.caller.hears.wishes(n.token)...)})...)
	q := s.form(s.subject.with(jsonrpc.Request(n.id, n.op.method, params), fields))
	q.listen = listenFor(n.id, n.token, nil, nil)
	return q, nil, nil
}

// answered reads the result. If the tool asks for input first, it sends the input.
func (n *mcpSession) answered(ctx *pausable.Context, s sent, a *answer, err error) (request, *Result, error) {
	if err != nil {
		return done(nil, err)
	}
	if n.round == 1 && n.mayBeOlder(s) && wantsOlder(a, n.id) {
		return n.hello(ctx, s)
	}
	res, result, err := rpcOutcome(&s, a, n.id)
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

// dialect begins the conversation in the dialect of the server. If documents name versions,
// these determine the dialect. Otherwise the server is asked.
func (n *mcpSession) dialect(ctx *pausable.Context, s sent) (request, *Result, error) {
	older, known := s.speaksOlder()
	if versions := s.at.Versions; len(versions) > 0 {
		older, known = !slices.Contains(versions, mcpera.Modern), true
		older = older || s.caller.inSession && slices.ContainsFunc(versions, mcpera.HasHandshake)
	}
	switch {
	case !known:
		n.id, n.older = "discover", http.Header{"Mcp-Protocol-Version": {mcpera.Modern}, "Mcp-Method": {mcp.Discover}}
		params := rawjson.Obj(rawjson.Member{Name: "_meta", Value: n.us.Meta()})
		return n.aside(ctx, s, jsonrpc.Request(n.id, mcp.Discover, params), n.discovered)
	case older:
		return n.hello(ctx, s)
	}
	return n.modern(s, nil)
}

// discovered reads the versions that the server supports. Only servers that support
// [mcpera.Modern] or later answer the request. All other servers get the handshake, which changes nothing
// either.
func (n *mcpSession) discovered(ctx *pausable.Context, s sent, a *answer, err error) (request, *Result, error) {
	if err != nil {
		return done(nil, notBegun(err))
	}
	if slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable}, a.status) {
		res, _, err := s.rpcRead(a, n.id)
		return done(res, notBegun(err))
	}
	m, ok := jsonrpc.Find(a.body, isEventStream(a.header), n.id)
	names := func(is func(version string) bool) bool {
		return ok && m.Error == nil && names(m.Result.Get("supportedVersions"), is)
	}
	if names(func(v string) bool { return v == mcpera.Modern }) && !(s.caller.inSession && names(mcpera.HasHandshake)) {
		s.learn(false)
		return n.modern(s, nil)
	}
	return n.hello(ctx, s)
}

// mayBeOlder reports whether the server may support an older version: documents name such a
// version, or no version at all.
func (n *mcpSession) mayBeOlder(s sent) bool {
	return len(s.at.Versions) == 0 || slices.ContainsFunc(s.at.Versions, mcpera.HasHandshake)
}

// hello joins the conversation with the server, or begins one with the handshake of the versions before
// [mcpera.Modern].
func (n *mcpSession) hello(ctx *pausable.Context, s sent) (request, *Result, error) {
	talk, begins, err := s.caller.talks.join(ctx, conversationOf(&s, n.us.Able != nil), s.epoch)
	switch {
	case err != nil:
		return done(nil, unsent(refusalOf(ctx, err)))
	case talk != nil:
		n.talk, n.fresh = talk, false
		s.use.talk, s.use.bye = talk, farewellOf(&s, talk)
		return n.enter(ctx, s)
	}
	s.use.begins = begins
	n.id, n.older, n.fresh = "1", http.Header{}, true
	s.unlearn()
	return n.aside(ctx, s, jsonrpc.Request(n.id, mcp.Initialize, rawjson.Obj(n.us.Hello(mcpera.Legacy)...)), n.welcomed)
}

// unwelcome ends a handshake that has failed.
func (n *mcpSession) unwelcome(s sent, res *Result, failed error) (request, *Result, error) {
	s.caller.talks.fail(s.use.begins)
	s.use.begins = nil
	return done(res, failed)
}

// aside sends a message of the handshake.
func (n *mcpSession) aside(ctx *pausable.Context, s sent, body []byte, read nextFunc) (request, *Result, error) {
	n.read = read
	return request{message: s.subject.with(body, n.older), kind: aside, again: beforeAnswer, listen: n.listen(ctx)}, nil, nil
}

// welcomed reads the version and the session, and completes the handshake.
func (n *mcpSession) welcomed(ctx *pausable.Context, s sent, a *answer, err error) (request, *Result, error) {
	if err != nil {
		return n.unwelcome(s, nil, notBegun(err))
	}
	res, result, err := s.rpcRead(a, n.id)
	if err != nil {
		return n.unwelcome(s, res, notBegun(err))
	}
	version, _ := mcp.Welcome(result)
	if !mcpera.HasHandshake(version) {
		return n.unwelcome(s, nil, fail(UpstreamError, nil, "the server speaks no version that is known here"))
	}
	s.learn(true)
	n.older["Mcp-Protocol-Version"] = []string{version}
	if session := a.header.Get("Mcp-Session-Id"); text.IsFieldValue(session) {
		n.older["Mcp-Session-Id"] = []string{session}
		if len(session) > maxSessionID {
			n.tell(longSession)
		}
	}
	n.id = ""
	talk := &conversation{key: conversationOf(&s, n.us.Able != nil), fields: n.older, logs: result.Get("capabilities").Get("logging").Exists()}
	return n.aside(ctx, s, jsonrpc.Request(n.id, mcp.Initialized, rawjson.Obj()), func(ctx *pausable.Context, s sent, _ *answer, err error) (request, *Result, error) {
		begins := s.use.begins
		if s.use.becomes(use{talk: talk, bye: farewellOf(&s, talk)}); err != nil {
			s.caller.talks.refuse(begins, talk)
			n.talk = talk
			return n.leave(s, nil, notBegun(err))
		}
		kept, told := s.caller.talks.keep(begins, talk)
		if told && talk.session() {
			n.tell(newSession)
		}
		if n.talk = kept; kept != talk { // another call has begun it in the meantime
			s.caller.talks.leave(talk, s.use.bye)
			n.fresh = false
			s.use.talk, s.use.bye = kept, farewellOf(&s, kept)
		}
		return n.enter(ctx, s)
	})
}

// tell adds a sentence for the model, once.
func (n *mcpSession) tell(said string) {
	if !slices.Contains(n.told, said) {
		n.told = append(n.told, said)
	}
}

// longSession tells a model that a session serves one call.
const longSession = "The name of the server's session is too long to keep: the session ends with this call."

// newSession tells a model that what a server keeps between calls is gone.
const newSession = "The server began a new session: the page, the cart or the login of earlier calls may be gone."

// enter requests log messages if they are wanted, and sends the call. If the server refuses, the call goes
// on without them.
func (n *mcpSession) enter(ctx *pausable.Context, s sent) (request, *Result, error) {
	n.older = n.talk.fields
	if h := s.caller.hears; h != nil && s.caller.talks.wants(n.talk, h.level) {
		n.id = s.caller.talks.number(n.talk)
		level := rawjson.Obj(rawjson.Member{Name: "level", Value: rawjson.Quote(h.level)})
		return n.aside(ctx, s, jsonrpc.Request(n.id, "logging/setLevel", level), n.begun)
	}
	return n.begun(ctx, s, nil, nil)
}

// begun sends the call within the session.
func (n *mcpSession) begun(ctx *pausable.Context, s sent, _ *answer, err error) (request, *Result, error) {
	if err != nil {
		return n.leave(s, nil, notBegun(err))
	}
	n.id, n.read = s.caller.talks.number(n.talk), n.called
	n.place.anew()
	params := n.op.with()
	if about := s.caller.hears.progress(n.token); about != nil {
		params = n.op.with(rawjson.Member{Name: "_meta", Value: rawjson.Obj(about...)})
	}
	q := s.form(s.subject.with(jsonrpc.Request(n.id, n.op.method, params), n.older))
	q.listen = n.listen(ctx)
	return q, nil, nil
}

// listen returns a listener that answers the requests of the server within the stream of an
// answer.
func (n *mcpSession) listen(ctx *pausable.Context) func(*sent, *http.Response) *listener {
	return listenFor(n.id, n.token, func(s *sent, m *jsonrpc.Message, number int) {
		if ctx.Err() == nil {
			n.reply(ctx, s, m, number)
		}
	}, &n.place)
}

// called reads the result.
func (n *mcpSession) called(ctx *pausable.Context, s sent, a *answer, err error) (request, *Result, error) {
	if n.isCut(a, err) {
		return n.resume(ctx, s, a, err)
	}
	if err != nil && ctx.Err() != nil && n.talk.session() {
		return n.cancel(s, err)
	}
	if err != nil {
		return n.leave(s, nil, err)
	}
	if n.isOver(a) {
		return n.over(ctx, s, a)
	}
	if _, ok := n.answerIn(a); !ok && isMissing(a.status) {
		s.unlearn()
		s.caller.talks.drop(n.talk)
	}
	res, result, err := rpcOutcome(&s, a, n.id)
	if err == nil {
		err = n.op.take(s, res, result)
	}
	return n.leave(s, res, err)
}

// isCut reports whether the stream of the answer has ended before the answer, or a stream that resumes it was
// not had.
func (n *mcpSession) isCut(a *answer, err error) bool {
	if n.place.id == "" && n.cut == nil {
		return false
	}
	if err != nil {
		return true
	}
	_, ok := n.answerIn(a)
	return !ok
}

// answerIn returns the message that answers the call itself.
func (n *mcpSession) answerIn(a *answer) (*jsonrpc.Message, bool) {
	return jsonrpc.Find(a.body, isEventStream(a.header), n.id)
}

// isBroken reports whether an error is that of a connection that has ended. After any other error, such as
// an answer that is too large, the stream is not resumed: it would end in the same way.
func isBroken(ctx context.Context, err error) bool {
	e := refusalOf(ctx, err)
	if e.Code == OutcomeUnknown && e.Err != nil {
		e = refusalOf(ctx, e.Err)
	}
	return e.Code.is().unanswered
}

// resume goes on with the stream of the answer where it was cut. The call itself is not sent again, except
// that a call that reads is sent once more if the server does not resume its streams. Any other call then ends
// as it would have after the cut.
func (n *mcpSession) resume(ctx *pausable.Context, s sent, a *answer, err error) (request, *Result, error) {
	switch {
	case err != nil && !isBroken(ctx, err):
		if n.cut != nil && s.effect != Reads { // it is the error of a request that only resumes
			err = s.unknown(err)
		}
		return n.leave(s, nil, err)
	case n.cut != nil && a != nil && (a.status != http.StatusOK || !isEventStream(a.header)) && s.effect == Reads && !n.again:
		n.again, n.cut = true, nil
		return n.begun(ctx, s, nil, nil)
	case n.cut != nil && a != nil && (a.status != http.StatusOK || !isEventStream(a.header)):
		return n.leave(s, nil, n.cut) // the server does not resume it
	case n.cut == nil && err == nil:
		n.cut = s.unknown(errors.New("the stream has ended before the answer"))
	case n.cut == nil:
		n.cut = err
	}
	pause, ok := n.place.again(ctx)
	if !ok || sleep(ctx, pause) != nil {
		if ctx.Err() != nil && n.talk.session() {
			return n.cancel(s, n.cut)
		}
		return n.leave(s, nil, n.cut)
	}
	m := s.subject.message.with(nil, n.older)
	m.method, m.header = http.MethodGet, m.header.Clone()
	m.header.Del("Content-Type")
	m.header.Set("Accept", "text/event-stream")
	m.header.Set("Last-Event-Id", n.place.id)
	return request{message: m, kind: aside, listen: n.listen(ctx), again: beforeAnswer}, nil, nil
}

// isOver reports whether an answer says that the server has ended the session: 404, as the versions with
// sessions have it (Session Management), or in a session of earlier calls a 400 that is about no request,
// as libraries of servers answer. An answer to the call itself says that the session goes on, unless its
// code says that there is none.
func (n *mcpSession) isOver(a *answer) bool {
	if m, ok := n.answerIn(a); ok && (a.status != http.StatusNotFound || m.Error == nil || m.Error.Code != noSession) {
		return false
	}
	if !n.talk.session() || a.status != http.StatusNotFound && (a.status != http.StatusBadRequest || n.fresh) {
		return false
	}
	m, ok := jsonrpc.Read(a.body)
	if a.status == http.StatusNotFound {
		return !ok || m.Error == nil || m.Error.Code != jsonrpc.MethodNotFound
	}
	return ok && m.Error != nil && (m.ID == nil || string(m.ID) == "null")
}

// noSession is the code with which servers answer, with the status 404, a request in a session that has ended.
const noSession = -32001

// over goes on after the server has ended the session. A call that only reads is sent once more, in a new
// session. Any other call is not repeated: a gateway may have answered after the server has done its work,
// and what the server kept in the session is gone.
func (n *mcpSession) over(ctx *pausable.Context, s sent, a *answer) (request, *Result, error) {
	s.caller.talks.lose(n.talk)
	if s.effect == Reads && !n.again {
		n.again = true
		n.tell(newSession)
		s.caller.talks.leave(n.talk, nil)
		s.use.becomes(use{})
		return n.hello(ctx, s)
	}
	res := s.result(a)
	failed := fail(SessionEnded, errSessionEnded, nothingRepeated)
	switch {
	case n.again:
		failed.Detail = ""
	case s.effect == Once:
		failed = s.unknown(errSessionEnded)
		failed.Detail = strings.TrimPrefix(failed.Detail+"; ", "; ") + "the server has ended its session, and " + nothingRepeated
	}
	return n.leave(s, res, failed)
}

// nothingRepeated tells a model that a call was sent once.
const nothingRepeated = "nothing was repeated"

// cancel notifies the server that no caller waits for the answer any more. Before [mcpera.Modern],
// the end of a connection does not mean that. cancel is used only in a session, because
// without one, another client might have a request with the same id.
func (n *mcpSession) cancel(s sent, failed error) (request, *Result, error) {
	n.read = func(*pausable.Context, sent, *answer, error) (request, *Result, error) {
		return n.leave(s, nil, failed)
	}
	params := rawjson.Obj(rawjson.Member{Name: "requestId", Value: rawjson.Quote(n.id)})
	body := jsonrpc.Request("", "notifications/cancelled", params)
	return request{message: s.subject.with(body, n.older), kind: aside, farewell: true}, nil, nil
}

// leave ends the use of the conversation, which goes on, and returns the outcome of the call with what the
// model must know about the session.
func (n *mcpSession) leave(s sent, res *Result, failed error) (request, *Result, error) {
	if k := conversationOf(&s, n.us.Able != nil); k.who != n.talk.key.who { // another account was asked for during the call
		s.caller.talks.change(n.talk, k)
	}
	s.caller.talks.leave(n.talk, farewellOf(&s, n.talk))
	s.use.becomes(use{})
	if n.refused != "" { // the server may not say why it has done less than it was asked to
		n.tell(string(n.refused))
	}
	if res == nil && len(n.told) > 0 {
		res = &Result{}
	}
	for _, said := range n.told {
		unanswered(said).note(res)
	}
	return done(res, failed)
}

// farewellOf returns a function that ends the session of a conversation with the credentials of a call. It
// keeps nothing else of the call, because it lives as long as the conversation.
func farewellOf(s *sent, v *conversation) func(context.Context) {
	own := sent{
		agreed: &agreed{prepared: &prepared{target: &target{
			caller: &Caller{shared: s.caller.shared}, principal: s.principal, tool: &tools.Tool{Origin: strings.Clone(s.tool.Origin)},
		}}},
		equipment: equipment{credentials: s.equipment.credentials, token: s.equipment.token, cert: s.equipment.cert},
	}
	m := message{method: http.MethodDelete, url: s.subject.url, origin: s.subject.origin, header: v.fields}
	return func(ctx context.Context) {
		_ = tellHook("Observe", func() { // on a goroutine of its own
			_, _ = own.attempt(ctx, &request{message: m, kind: aside, farewell: true}) // a session that is not ended ends by itself
		})
	}
}

// reply answers a request that a server sends within the stream of an answer. It refuses a
// question beyond the limit, and an unknown one, with the error code of the protocol.
func (n *mcpSession) reply(ctx *pausable.Context, s *sent, m *jsonrpc.Message, number int) {
	body := jsonrpc.Result(m.ID, rawjson.Obj())
	if m.Method != "ping" {
		said, err := parse.Raw(nil), error(tooMany)
		if number <= maxQuestions {
			said, err = s.elicit(ctx, "", m.Method, m.Params)
		}
		why, isRefused := errors.AsType[unanswered](err)
		switch {
		case err == nil:
			body = jsonrpc.Result(m.ID, said)
		case isRefused:
			n.refused = why
			body = jsonrpc.Failure(m.ID, jsonrpc.MethodNotFound, "not answered by this client")
		default:
			body = jsonrpc.Result(m.ID, parse.Raw(`{"action":"cancel"}`))
		}
	}
	q := request{message: s.subject.with(body, n.older), kind: aside}
	if s.permits(&q) == nil {
		_, _ = s.attempt(ctx, &q) // the server goes on, or the call ends without it
	}
}

// notBegun returns the error of a failed handshake, after which the call was not made.
func notBegun(err error) error {
	e, ok := errors.AsType[*Error](err)
	switch {
	case !ok:
		return err
	case e.Code == OutcomeUnknown:
		e = fail(Unreachable, e.Err, "")
	}
	return unsent(e)
}
