package call

import (
	"crypto/rand"
	"errors"
	"mime"
	"net/http"

	"github.com/wayfindhq/wayfind/internal/act/jsonrpc"
	"github.com/wayfindhq/wayfind/internal/run/pausable"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// prepareRPC writes a request of JSON-RPC 2.0 over HTTP, according to its OpenRPC description.
func prepareRPC(t *target) (d draft, err error) {
	c := t.tool.Capability
	params := parse.Raw(t.args)
	structure, _ := (&parse.Input{Body: c.Extensions["paramStructure"]}).JSON()
	if word, _ := structure.Str(); word == "by-position" {
		var err error
		if params, err = byPosition(t); err != nil {
			return d, err
		}
	}
	d, err = t.rpcDraft(c.Invocation.Operation, params)
	if err != nil {
		return d, err
	}
	d.begin = func() nextFunc { return nextRPC(c.Invocation.Operation, params) }
	return d, nil
}

// byPosition writes params in their order. A param can be omitted only if all params after it
// are omitted too.
func byPosition(t *target) (parse.Raw, error) {
	root, err := (&parse.Input{Body: t.args}).JSONObject()
	if err != nil {
		return nil, fail(InvalidArguments, err, "")
	}
	var values []parse.Raw
	last := 0
	for _, p := range t.tool.Capability.Params {
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
	return rawjson.Arr(values[:last]...), nil
}

// nextRPC returns a conversation of one request and its answer.
func nextRPC(method string, params parse.Raw) nextFunc {
	id := rand.Text()
	return func(_ *pausable.Context, s sent, a *answer, err error) (request, *Result, error) {
		switch {
		case err != nil:
			return done(nil, err)
		case a == nil:
			return s.form(s.subject.with(jsonrpc.Request(id, method, params), nil)), nil, nil
		}
		res, result, err := rpcOutcome(&s, a, id)
		if err == nil {
			s.show(res, "application/json", result.Raw())
		}
		return done(res, err)
	}
}

func isEventStream(h http.Header) bool {
	media, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return media == "text/event-stream"
}

// rpcOutcome reads the answer to a call over JSON-RPC 2.0. A 404 that is no answer of the protocol may come
// from a gateway, after the service has done its work.
func rpcOutcome(s *sent, a *answer, id string) (*Result, parse.Node, error) {
	res, result, err := s.rpcRead(a, id)
	if e, ok := errors.AsType[*Error](err); ok && e.Code == Gone && e.Err == nil && s.effect == Once {
		return res, result, s.unknown(nil)
	}
	return res, result, err
}
