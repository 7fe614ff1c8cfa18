package call

import (
	"crypto/rand"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"

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

// rpcDraft returns a request to the interface without an id. The id is created when the
// request is sent, and is not part of the agreement.
func (t *target) rpcDraft(method string, params parse.Raw) (d draft, err error) {
	m, err := newMessage(http.MethodPost, t.at.URL, jsonHeader("application/json"))
	if err != nil {
		return d, err
	}
	m.body = jsonrpc.Request("", method, params)
	return draft{target: t, message: m}, nil
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
		res, result, err := s.rpcRead(a, id)
		if err == nil {
			s.show(res, "application/json", result.Raw())
		}
		return done(res, err)
	}
}

// rpcRead reads an answer of JSON-RPC 2.0, which must be the answer to the request. Any other
// message leaves the outcome open. The text of a refusal is data.
func (s *sent) rpcRead(a *answer, id string) (*Result, parse.Node, error) {
	res := s.result(a)
	refused := slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable}, a.status)
	m, ok := jsonrpc.Find(a.body, isEventStream(a.header), id)
	if ok {
		if failed := res.unidentified(m.Error); failed != nil {
			return res, parse.Node{}, failed
		}
	}
	switch {
	case !ok || refused:
		if _, failed := s.judged(a); failed != nil {
			return res, parse.Node{}, failed
		}
		return res, parse.Node{}, s.unknown(errors.New("the answer is not a valid JSON-RPC message"))
	case m.Error != nil && m.Error.Code == jsonrpc.MethodNotFound:
		return res, parse.Node{}, fail(Gone, m.Error, "")
	case m.Error != nil:
		s.show(res, "text/plain", []byte(m.Error.Message))
		return res, parse.Node{}, fail(UpstreamError, m.Error, fmt.Sprintf("code %d", m.Error.Code))
	}
	res.Program.Body = slices.Clone(m.Result.Raw())
	return res, m.Result, nil
}

func isEventStream(h http.Header) bool {
	media, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return media == "text/event-stream"
}
