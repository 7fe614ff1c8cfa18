package call

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// speaker is who speaks a protocol that is not plain HTTP; nil for none.
func speaker(name string) protocol {
	switch name {
	case "jsonrpc":
		return rpcCall{}
	case "mcp":
		return mcpCall{}
	case "a2a":
		return a2aCall{}
	case actorsName:
		return actorsCall{}
	}
	return nil
}

// methodNotFound is the code of JSON-RPC for a method that is not there.
const methodNotFound = -32601

// rpcBody writes a request of JSON-RPC 2.0.
func rpcBody(id, method string, params json.RawMessage) []byte {
	members := []parse.Member{{Name: "jsonrpc", Value: parse.Quote("2.0")}}
	if id != "" {
		members = append(members, parse.Member{Name: "id", Value: parse.Quote(id)})
	}
	members = append(members, parse.Member{Name: "method", Value: parse.Quote(method)}, parse.Member{Name: "params", Value: parse.Raw(params)})
	return parse.Obj(members...)
}

// rpcWire is the wire of a request to the interface, whose id is made when it is
// sent: it is no part of the agreement.
func (r *run) rpcWire(method string, params json.RawMessage) (*wire, error) {
	if r.at.URL == "" {
		return nil, fail(Refused, nil, "where it goes has variables")
	}
	w, err := newWire(http.MethodPost, r.at.URL)
	if err != nil {
		return nil, err
	}
	w.header["Content-Type"], w.header["Accept"] = []string{"application/json"}, []string{"application/json"}
	w.body = rpcBody("", method, params)
	id := rand.Text()
	w.dress = func(req *http.Request) { setBody(req, rpcBody(id, method, params)) }
	w.rpcID = id
	return w, nil
}

// rpcFailure is an error of JSON-RPC.
type rpcFailure struct {
	code    int64
	message string
	data    parse.Node
}

// Error tells the code alone: the message is the site's.
func (e *rpcFailure) Error() string { return fmt.Sprintf("the service refuses with code %d", e.code) }

// rpcResult reads an answer of JSON-RPC 2.0, which must be that of the request. An
// answer that is none leaves the outcome open.
func (r *run) rpcResult(a *answer, id string) (parse.Node, error) {
	refused := slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable}, a.status)
	if e, ok := r.rpcMessage(a, id); ok && !refused {
		return e.result, e.err
	}
	if err := r.takeStatus(a); err != nil {
		return parse.Node{}, err
	}
	return parse.Node{}, r.unknown(fmt.Errorf("the answer is none of the protocol"))
}

// rpcAnswer is a result or an error.
type rpcAnswer struct {
	result parse.Node
	err    error
}

// rpcMessage finds the answer to a request in a body.
func (r *run) rpcMessage(a *answer, id string) (*rpcAnswer, bool) {
	bodies := [][]byte{a.body}
	if isEventStream(a.header) {
		bodies = events(a.body)
	}
	for _, body := range bodies {
		root, err := (&parse.Input{Body: body}).JSONObject()
		if err != nil {
			continue
		}
		said := string(root.Get("id").Raw())
		if text, ok := root.Get("id").Str(); ok {
			said = text
		}
		if said != id {
			continue
		}
		if no := root.Get("error"); no.Kind() == parse.Object {
			code, _ := no.Get("code").Int()
			message, _ := no.Get("message").Str()
			return &rpcAnswer{err: &rpcFailure{code, message, no.Get("data")}}, true
		}
		if result := root.Get("result"); result.Exists() {
			return &rpcAnswer{result: result}, true
		}
	}
	return nil, false
}

// rpcRefused turns an error of JSON-RPC into one of ours. What the site says of it is
// data.
func (r *run) rpcRefused(err error) error {
	no, ok := errors.AsType[*rpcFailure](err)
	if !ok {
		return err
	}
	if no.code == methodNotFound {
		return fail(Gone, no, "")
	}
	r.show("text/plain", []byte(no.message))
	return fail(UpstreamError, no, fmt.Sprintf("code %d", no.code))
}

func isEventStream(h http.Header) bool {
	media, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return media == "text/event-stream"
}

// events are the data of the events of a stream, those that came whole.
func events(stream []byte) (list [][]byte) {
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(stream))
	for {
		event, rest, whole := strings.Cut(text, "\n\n")
		if !whole {
			return list
		}
		var data []string
		for line := range strings.SplitSeq(event, "\n") {
			if value, ok := strings.CutPrefix(line, "data:"); ok {
				data = append(data, strings.TrimPrefix(value, " "))
			}
		}
		if data != nil {
			list = append(list, []byte(strings.Join(data, "\n")))
		}
		text = rest
	}
}

// rpcCall is JSON-RPC 2.0 over HTTP, as OpenRPC describes it.
type rpcCall struct{}

func (rpcCall) name() string { return "jsonrpc" }

// prepare implements protocol.
func (rpcCall) prepare(r *run) (err error) {
	c := r.tool.Capability
	params := json.RawMessage(r.args)
	if structure, _ := (&parse.Input{Body: c.Extensions["paramStructure"]}).JSON(); isByPosition(structure) {
		if params, err = byPosition(r); err != nil {
			return err
		}
	}
	r.wire, err = r.rpcWire(c.Invocation.Operation, params)
	return err
}

func isByPosition(n parse.Node) bool {
	word, _ := n.Str()
	return word == "by-position"
}

// byPosition writes params in their order. One in the middle cannot be left out.
func byPosition(r *run) (json.RawMessage, error) {
	root, err := (&parse.Input{Body: r.args}).JSONObject()
	if err != nil {
		return nil, fail(InvalidArguments, err, "")
	}
	var values []parse.Raw
	last := 0
	for _, p := range r.tool.Capability.Params {
		value := root.Get(p.Name)
		if !value.Exists() {
			values = append(values, parse.Raw("null"))
			continue
		}
		values = append(values, parse.Raw(value.Raw()))
		if last++; last != len(values) {
			return nil, fail(InvalidArguments, nil, "its parameters go by their places: one before the last is missing")
		}
	}
	return json.RawMessage(parse.Arr(values[:last]...)), nil
}

// finish implements protocol.
func (rpcCall) finish(r *run) error {
	a, err := r.exchangeAs(r.wire)
	if err != nil {
		return err
	}
	result, err := r.rpcResult(a, r.wire.rpcID)
	if err != nil {
		return r.rpcRefused(err)
	}
	r.result.Program.Status, r.result.Program.Header, r.result.Program.Body = a.status, r.redactHeader(a.header), bytes.Clone(result.Raw())
	r.show("application/json", result.Raw())
	return nil
}
