package call

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/wayfindhq/wayfind/parse"
)

// legacy makes the handshake of the versions before 2026-07-28, and the call in its
// session.
func (p mcpCall) legacy(r *run) error {
	fields := http.Header{}
	var post func(id, method string, params json.RawMessage, again repeats) (*answer, error)
	post = func(id, method string, params json.RawMessage, again repeats) (*answer, error) {
		w := *r.wire
		w.sent, w.again = 0, again
		w.dress = func(req *http.Request) {
			maps.Copy(req.Header, fields)
			setBody(req, rpcBody(id, method, params))
		}
		w.whole = p.listen(r, fields, id)
		a, err := r.sendDressed(&w)
		if again == never {
			r.wire.sent += w.sent
		}
		if err == nil && r.stepUp(a) {
			return post(id, method, params, again)
		}
		return a, err
	}
	hello, err := post("1", "initialize", p.hello(r), beforeAnswer)
	if err != nil {
		return r.notBegun(err)
	}
	result, err := r.rpcResult(hello, "1")
	if err != nil {
		return r.notBegun(r.rpcRefused(err))
	}
	version, _ := result.Get("protocolVersion").Str()
	if !slices.Contains(mcpLegacyVersions(), version) {
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
	a, err := post("2", r.mcp.method, r.mcp.with(), never)
	if err != nil {
		return err
	}
	if result, err = r.rpcResult(a, "2"); err != nil {
		return r.rpcRefused(err)
	}
	return r.takeMCP(a, result)
}

// hello are the params of the handshake.
func (mcpCall) hello(r *run) json.RawMessage {
	return json.RawMessage(parse.Obj(
		parse.Member{Name: "protocolVersion", Value: parse.Quote(mcpLegacy)}, parse.Member{Name: "capabilities", Value: r.able()},
		parse.Member{Name: "clientInfo", Value: parse.Raw(`{"name":"wayfind","version":"0"}`)}))
}

// able is what this client can answer.
func (r *run) able() parse.Raw {
	if r.caller.opts.Input == nil {
		return parse.Obj()
	}
	return parse.Obj(parse.Member{Name: "elicitation", Value: parse.Obj()})
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
