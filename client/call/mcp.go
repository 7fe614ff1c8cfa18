package call

import (
	"encoding/base64"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Versions of MCP that are spoken, and the codes that only servers of the first send.
const (
	mcpModern = "2026-07-28"
	mcpLegacy = "2025-11-25"

	mcpVersionNotSpoken = -32022
	mcpLastModernCode   = -32020
)

// maxRounds is how often a tool may want to know more, maxLeave how long the end of a
// session may take.
const (
	maxRounds = 3
	maxLeave  = 2 * time.Second
)

// mcpCall calls a tool of an MCP server over streamable HTTP, reads a resource or gets a
// prompt. Older versions send a handshake before it, which changes nothing.
// A call is never repeated.
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
	case r.at.URL == "":
		return fail(Refused, nil, "where it goes has variables")
	}
	w, err := newWire(http.MethodPost, r.at.URL)
	if err != nil {
		return err
	}
	w.header["Content-Type"], w.header["Accept"] = []string{"application/json"}, []string{"application/json, text/event-stream"}
	op, err := mcpOperationOf(r)
	if err != nil {
		return err
	}
	w.body = rpcBody("", op.method, op.with())
	r.wire, r.mcp = w, op
	return nil
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
	return parse.Member{Name: "_meta", Value: parse.Obj(
		parse.Member{Name: "io.modelcontextprotocol/protocolVersion", Value: parse.Quote(mcpModern)},
		parse.Member{Name: "io.modelcontextprotocol/clientInfo", Value: parse.Obj(parse.Member{Name: "name", Value: parse.Quote("wayfind")}, parse.Member{Name: "version", Value: parse.Quote("0")})},
		parse.Member{Name: "io.modelcontextprotocol/clientCapabilities", Value: r.able()})}
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
	params := r.mcp.with(append(more, p.meta(r))...)
	w.dress = func(req *http.Request) {
		maps.Copy(req.Header, fields)
		setBody(req, rpcBody(id, r.mcp.method, params))
	}
	w.whole = func(body []byte) bool { _, ok := r.rpcMessage(streamed(body), id); return ok }
	a, err := r.sendDressed(&w)
	r.wire.sent += w.sent
	if err == nil && r.stepUp(a) {
		return p.modern(r, number, more)
	}
	return a, id, err
}

// sendDressed sends a form of the request that was agreed to: its subject is the
// same.
func (r *run) sendDressed(w *wire) (*answer, error) {
	if r.ticket != nil {
		if err := r.matches(r.ticket); err != nil {
			return nil, fail(ConfirmationRequired, err, "it is not the request that was agreed to")
		}
	}
	return r.exchange(w)
}

func streamed(body []byte) *answer {
	return &answer{header: http.Header{"Content-Type": {"text/event-stream"}}, body: body}
}

// fields repeat a part of the body in the header, so that others can route by it.
func (mcpCall) fields(r *run) (http.Header, error) {
	h := http.Header{"Mcp-Protocol-Version": {mcpModern}, "Mcp-Method": {r.mcp.method}, "Mcp-Name": {fieldForm(r.mcp.name)}}
	if r.mcp.method != mcpCallTool {
		return h, nil
	}
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

// isOlder reports whether an answer is that of a server that does not speak the version
// of now: it has not looked at the call. Errors that only newer servers know are none of
// an older one, but for the one that lists the versions that are spoken.
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
		switch {
		case no == nil:
		case no.code == mcpVersionNotSpoken:
			return slices.ContainsFunc(texts(no.data.Get("supported")), func(v string) bool { return slices.Contains(mcpLegacyVersions(), v) })
		case no.code > mcpVersionNotSpoken && no.code <= mcpLastModernCode, no.code == methodNotFound && a.status == http.StatusNotFound:
			return false
		}
	}
	return true
}

// mcpLegacyVersions are those with a handshake that are spoken.
func mcpLegacyVersions() []string { return []string{mcpLegacy, "2025-06-18", "2025-03-26"} }

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
			return r.takeMCP(a, result)
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
