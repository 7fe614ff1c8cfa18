package livemcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// session calls the methods of one server. It is used by one goroutine.
type session struct {
	conn  mcp.Connection
	meter *meter
	// about is the metadata of every request since mcpera.Modern; nil for older versions.
	about    parse.Raw
	greeting *greeting

	calls, stray, replies int
	pages, items          int
}

// close ends the session. The transport's background work ends with the context
// of the probe.
func (s *session) close() { _ = s.conn.Close() }

// call calls a method and returns its result as the server wrote it. If the server refuses the
// method, the error is a *jsonrpc.Error, otherwise a *wayfind.Error.
func (s *session) call(ctx context.Context, method string, params ...rawjson.Member) (parse.Raw, error) {
	s.calls++
	id, err := jsonrpc.MakeID(float64(s.calls))
	if err != nil {
		return nil, s.meter.explain(ctx, method, err)
	}
	params = append(params, rawjson.Member{Name: "_meta", Value: s.about})
	if err := s.conn.Write(ctx, &jsonrpc.Request{ID: id, Method: method, Params: rawjson.Obj(params...)}); err != nil {
		return nil, s.meter.explain(ctx, method, err)
	}
	for {
		message, err := s.conn.Read(ctx)
		if err != nil {
			return nil, s.meter.explain(ctx, method, err)
		}
		if r, ok := message.(*jsonrpc.Response); ok && r.ID == id {
			if r.Error != nil {
				return nil, s.meter.explain(ctx, method, r.Error)
			}
			return r.Result, nil
		}
		if s.stray++; s.stray > maxStray {
			return nil, s.meter.invalid(wayfind.CodeLimit, "%q: more than %d unrequested messages", method, maxStray)
		}
		if r, ok := message.(*jsonrpc.Request); ok && r.IsCall() {
			if err := s.reply(ctx, r); err != nil {
				return nil, err
			}
		}
	}
}

// notify sends a notification to the server.
func (s *session) notify(ctx context.Context, method string) error {
	if err := s.conn.Write(ctx, &jsonrpc.Request{Method: method}); err != nil {
		return s.meter.explain(ctx, method, err)
	}
	return nil
}

// reply answers a request of the server: "ping" as the protocol demands, and all other
// requests, including sampling, elicitation and roots, with "method not found", because no
// capability was advertised.
func (s *session) reply(ctx context.Context, r *jsonrpc.Request) error {
	if s.replies++; s.replies > maxReplies {
		return s.meter.invalid(wayfind.CodeLimit, "the server asks more than %d times", maxReplies)
	}
	answer := &jsonrpc.Response{ID: r.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found"}}
	if r.Method == "ping" {
		answer = &jsonrpc.Response{ID: r.ID, Result: rawjson.Obj()}
	}
	if err := s.conn.Write(ctx, answer); err != nil {
		return s.meter.explain(ctx, r.Method, err)
	}
	return nil
}

// result reads a result strictly. Since [mcpera.Modern] a result may be a request for more input.
// Such a result is refused, because the methods that are called here have no reason to ask.
func (s *session) result(method string, in *parse.Input) (parse.Node, error) {
	root, err := in.JSONObject()
	if err != nil {
		return parse.Node{}, s.meter.invalid(codeOf(err), "result of %q: %w", method, err)
	}
	if kind := root.Get("resultType"); s.about != nil && kind.Exists() {
		if text, _ := kind.Str(); text != "complete" {
			return parse.Node{}, s.meter.invalid(wayfind.CodeProtocol, "%q: the result is of type %.100q", method, text)
		}
	}
	return root, nil
}
