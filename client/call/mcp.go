package call

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/text"
	"github.com/wayfindhq/wayfind/parse"
)

// Versions of MCP that are spoken, and the codes that only servers of the first send.
const (
	mcpModern = "2026-07-28"
	mcpLegacy = "2025-11-25"

	mcpFirstModernCode = -32022
	mcpLastModernCode  = -32020
)

// maxRounds is how often a tool may want to know more, maxLeave how long the end of a
// session may take.
const (
	maxRounds = 3
	maxLeave  = 2 * time.Second
)

// mcpCall calls a tool of an MCP server over streamable HTTP. What is sent before it
// in older versions is a handshake that changes nothing. A call is never repeated.
type mcpCall struct{}

func (mcpCall) name() string { return "mcp" }

// suits implements the choice of an interface.
func (mcpCall) suits(f *wayfind.Interface) bool {
	return f.Transport == "" || f.Transport == "streamable-http" || f.Transport == "http"
}

// prepare implements protocol.
func (p mcpCall) prepare(r *run) error {
	switch {
	case !p.suits(r.at):
		return fail(Refused, nil, "its transport "+plainWord(r.at.Transport)+" is not spoken")
	case r.tool.Capability.Kind != wayfind.KindTool:
		return fail(Refused, nil, "only tools of such servers are called")
	case r.at.URL == "":
		return fail(Refused, nil, "where it goes has variables")
	}
	w, err := newWire(r, http.MethodPost, r.at.URL)
	if err != nil {
		return err
	}
	w.header["Content-Type"], w.header["Accept"] = []string{"application/json"}, []string{"application/json, text/event-stream"}
	w.body = rpcBody("", "tools/call", p.params(r))
	r.wire = w
	return nil
}

// params are the name of the tool and its arguments, with more behind.
func (mcpCall) params(r *run, more ...parse.Member) json.RawMessage {
	return json.RawMessage(parse.Obj(append([]parse.Member{
		{Name: "name", Value: parse.Quote(r.tool.Capability.Invocation.Operation)}, {Name: "arguments", Value: parse.Raw(r.args)}}, more...)...))
}

// finish implements protocol.
func (p mcpCall) finish(r *run) error {
	legacy := len(r.at.Versions) > 0 && !slices.Contains(r.at.Versions, mcpModern)
	if !legacy {
		a, id, err := p.modern(r, 1, nil)
		if err != nil {
			return err
		}
		if !p.isOlder(r, a, id) {
			return p.rounds(r, a, id)
		}
	}
	return p.legacy(r)
}

// meta is what every request carries since 2026-07-28.
func (mcpCall) meta(r *run) parse.Member {
	able := parse.Obj()
	if r.caller.opts.Input != nil {
		able = parse.Obj(parse.Member{Name: "elicitation", Value: parse.Obj()})
	}
	return parse.Member{Name: "_meta", Value: parse.Obj(
		parse.Member{Name: "io.modelcontextprotocol/protocolVersion", Value: parse.Quote(mcpModern)},
		parse.Member{Name: "io.modelcontextprotocol/clientInfo", Value: parse.Obj(parse.Member{Name: "name", Value: parse.Quote("wayfind")}, parse.Member{Name: "version", Value: parse.Quote("0")})},
		parse.Member{Name: "io.modelcontextprotocol/clientCapabilities", Value: able})}
}

// modern sends the call as of 2026-07-28: no session, everything in one request.
func (p mcpCall) modern(r *run, number int, more []parse.Member) (*answer, string, error) {
	id := strconv.Itoa(number)
	w := *r.wire
	w.sent = 0
	fields, err := p.fields(r)
	if err != nil {
		return nil, id, err
	}
	params := p.params(r, append(more, p.meta(r))...)
	w.dress = func(req *http.Request) {
		maps.Copy(req.Header, fields)
		setBody(req, rpcBody(id, "tools/call", params))
	}
	w.whole = func(body []byte) bool { _, ok := r.rpcMessage(streamed(body), id); return ok }
	a, err := r.sendDressed(&w)
	r.wire.sent += w.sent
	if err == nil && r.stepUp(a) {
		return p.modern(r, number, more)
	}
	return a, id, err
}

// sendDressed sends a form of the request that was agreed to: what it is about is the
// same.
func (r *run) sendDressed(w *wire) (*answer, error) {
	if r.ticket != nil {
		if err := r.matches(r.ticket); err != nil {
			return nil, fail(ConfirmationRequired, err, "it is not what was agreed to")
		}
	}
	return r.exchange(w)
}

func streamed(body []byte) *answer {
	return &answer{header: http.Header{"Content-Type": {"text/event-stream"}}, body: body}
}

// fields repeat in the header what is in the body, so that others can route by it.
func (mcpCall) fields(r *run) (http.Header, error) {
	h := http.Header{"Mcp-Protocol-Version": {mcpModern}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {fieldForm(r.tool.Capability.Invocation.Operation)}}
	args, err := (&parse.Input{Body: r.args}).JSONObject()
	if err != nil {
		return nil, fail(InvalidArguments, err, "")
	}
	schema, err := (&parse.Input{Body: r.tool.Capability.Input}).JSON()
	if err != nil {
		return h, nil
	}
	for name, property := range schema.Get("properties").Members() {
		field, ok := property.Get("x-mcp-header").Str()
		value := args.Get(name)
		if !ok || parse.CheckField("Mcp-Param-"+field) != nil || !value.Exists() || value.Kind() == parse.Null {
			continue
		}
		said, isText := value.Str()
		if !isText {
			said = string(value.Raw())
		}
		h[http.CanonicalHeaderKey("Mcp-Param-"+field)] = []string{fieldForm(said)}
	}
	return h, nil
}

// fieldForm is a value as header fields of MCP have it.
func fieldForm(s string) string {
	if isFieldValue(s) && !strings.HasPrefix(s, "=?base64?") {
		return s
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

// isOlder reports whether an answer is that of a server that knows older versions
// only: it has not looked at the call.
func (mcpCall) isOlder(r *run, a *answer, id string) bool {
	if a.status != http.StatusBadRequest && a.status != http.StatusNotFound && a.status != http.StatusMethodNotAllowed {
		return false
	}
	for _, said := range []string{id, "null"} {
		m, ok := r.rpcMessage(a, said)
		if !ok {
			continue
		}
		no, _ := errors.AsType[*rpcFailure](m.err)
		if no != nil && (no.code >= mcpFirstModernCode && no.code <= mcpLastModernCode || no.code == methodNotFound && a.status == http.StatusNotFound) {
			return false
		}
	}
	return true
}

// rounds reads the result, and answers what the tool wants to know before.
func (p mcpCall) rounds(r *run, a *answer, id string) error {
	for round := 1; ; round++ {
		result, err := r.rpcResult(a, id)
		if err != nil {
			return r.rpcRefused(err)
		}
		kind, there := result.Get("resultType").Str()
		switch {
		case !there && !result.Get("resultType").Exists(), kind == "complete":
			return r.takeTool(a, result)
		case kind != "input_required":
			return r.unknown(errors.New("the result is of a type that is not known"))
		case round > maxRounds:
			return fail(Refused, nil, "it wants to know more again and again")
		}
		more, err := p.input(r, result)
		if err != nil {
			return err
		}
		if a, id, err = p.modern(r, round+1, more); err != nil {
			return err
		}
	}
}

// input asks the caller what the tool wants to know.
func (mcpCall) input(r *run, result parse.Node) ([]parse.Member, error) {
	var answers, more []parse.Member
	for id, q := range result.Get("inputRequests").Members() {
		method, _ := q.Get("method").Str()
		params := q.Get("params")
		mode, _ := params.Get("mode").Str()
		if r.caller.opts.Input == nil || method != "elicitation/create" || mode != "" && mode != "form" || len(answers) == 8 {
			return nil, fail(Refused, nil, "it wants to know what is not answered here")
		}
		message, _ := params.Get("message").Str()
		message, _ = text.Clean(message, true, 2048)
		ask := &InputRequest{Principal: r.principal, Tool: r.tool.Name, Domain: r.tool.Domain, Message: message}
		if clean, _, err := text.CleanJSON(params.Get("requestedSchema").Raw()); err == nil {
			ask.Schema = clean
		}
		given, err := r.caller.opts.Input(r.ctx, ask)
		if err != nil {
			return nil, fail(Denied, err, "nobody answers what it wants to know")
		}
		said := []parse.Member{{Name: "action", Value: parse.Quote("cancel")}}
		if given != nil && slices.Contains([]string{"accept", "decline", "cancel"}, given.Action) {
			said[0].Value = parse.Quote(given.Action)
			if given.Action == "accept" && json.Valid(given.Content) {
				said = append(said, parse.Member{Name: "content", Value: parse.Raw(given.Content)})
			}
		}
		answers = append(answers, parse.Member{Name: id, Value: parse.Obj(said...)})
	}
	if answers != nil {
		more = append(more, parse.Member{Name: "inputResponses", Value: parse.Obj(answers...)})
	}
	if state := result.Get("requestState"); state.Exists() {
		more = append(more, parse.Member{Name: "requestState", Value: parse.Raw(state.Raw())})
	}
	return more, nil
}

// takeTool puts the result of a tool into the Result.
func (r *run) takeTool(a *answer, result parse.Node) error {
	p := &r.result.Program
	p.Status, p.Header, p.Body = a.status, r.redactHeader(a.header), slices.Clone(result.Raw())
	var texts []string
	for _, c := range result.Get("content").Items() {
		said, ok := c.Get("text").Str()
		if !ok {
			said = "(content that is no text)"
		}
		texts = append(texts, said)
	}
	if s := result.Get("structuredContent"); s.Exists() {
		r.show("application/json", s.Raw())
	} else {
		r.show("text/plain", []byte(strings.Join(texts, "\n")))
	}
	if failed, _ := result.Get("isError").Bool(); failed {
		if r.result.Model.JSON != nil {
			r.show("text/plain", []byte(strings.Join(texts, "\n")))
			r.result.Model.JSON = nil
		}
		return fail(UpstreamError, nil, "the tool reports an error")
	}
	return nil
}

// legacy makes the handshake of the versions before 2026-07-28, and the call in its
// session.
func (p mcpCall) legacy(r *run) error {
	fields := http.Header{}
	post := func(id, method string, params json.RawMessage, again repeats) (*answer, error) {
		w := *r.wire
		w.sent, w.again = 0, again
		w.dress = func(req *http.Request) {
			maps.Copy(req.Header, fields)
			setBody(req, rpcBody(id, method, params))
		}
		w.whole = func(body []byte) bool { _, ok := r.rpcMessage(streamed(body), id); return ok }
		a, err := r.sendDressed(&w)
		if again == never {
			r.wire.sent += w.sent
		}
		return a, err
	}
	hello, err := post("1", "initialize", json.RawMessage(`{"protocolVersion":"`+mcpLegacy+`","capabilities":{},"clientInfo":{"name":"wayfind","version":"0"}}`), beforeAnswer)
	if err != nil {
		return r.notBegun(err)
	}
	result, err := r.rpcResult(hello, "1")
	if err != nil {
		return r.notBegun(r.rpcRefused(err))
	}
	version, _ := result.Get("protocolVersion").Str()
	if !slices.Contains([]string{mcpLegacy, "2025-06-18", "2025-03-26"}, version) {
		return fail(UpstreamError, nil, "the server speaks no version that is known here")
	}
	fields["Mcp-Protocol-Version"] = []string{version}
	if session := hello.header.Get("Mcp-Session-Id"); session != "" && isFieldValue(session) {
		fields["Mcp-Session-Id"] = []string{session}
		defer p.leave(r, fields)
	}
	if _, err := post("", "notifications/initialized", json.RawMessage(`{}`), beforeAnswer); err != nil {
		return r.notBegun(err)
	}
	a, err := post("2", "tools/call", p.params(r), never)
	if err != nil {
		return err
	}
	if result, err = r.rpcResult(a, "2"); err != nil {
		return r.rpcRefused(err)
	}
	return r.takeTool(a, result)
}

// notBegun is a failure of the handshake: nothing was called.
func (r *run) notBegun(err error) error {
	e, ok := errors.AsType[*Error](err)
	if ok && e.Code == OutcomeUnknown {
		return fail(Unreachable, e.Err, "")
	}
	return err
}

// leave ends a session, as far as that works.
func (mcpCall) leave(r *run, fields http.Header) {
	w := *r.wire
	w.method, w.body, w.again = http.MethodDelete, nil, never
	w.header = http.Header{}
	w.dress = func(req *http.Request) {
		maps.Copy(req.Header, fields)
	}
	own := *r
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), maxLeave)
	defer cancel()
	own.ctx = ctx
	_, _ = own.once(&w) // the call is over whatever comes of it
}
