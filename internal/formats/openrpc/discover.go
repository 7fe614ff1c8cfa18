package openrpc

import (
	"errors"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// DiscoverRequest is the body of the request for the document of a JSON-RPC endpoint (Service
// Discovery Method). Its type is application/json.
const DiscoverRequest = `{"jsonrpc":"2.0","id":1,"method":"rpc.discover","params":[]}`

// methodNotFound is the error code of a server that does not have a method (JSON-RPC 2.0
// §5.1).
const methodNotFound = -32601

// Discover reads the response to [DiscoverRequest]; in.URL is the endpoint that returned it.
// The endpoint is the first interface of the service, the methods are not merely claimed, and
// the authority is a live protocol. If methods are listed in short form,
// Format().Detail returns them in full, given the same Input: no other document contains them.
//
// The error is a *wayfind.Error with Op "parse". It is of kind ErrNotFound with the code
// absent if the server reports that it does not know the method. Otherwise it is of kind
// ErrInvalid, with a code of [parse.Input.JSON], or with the code schema for a body that is
// not a response of JSON-RPC 2.0 with an OpenRPC document in it.
func Discover(in *parse.Input) (*parse.Reading, error) {
	whole, err := in.JSONObject()
	if err != nil {
		return nil, err
	}
	root, enveloped := unwrap(whole)
	switch code, failed := whole.Get("error").Get("code").Int(); {
	case !isResponse(whole), whole.Get("result").Exists() == whole.Get("error").Exists():
		return nil, parse.Invalid("the answer is no response of JSON-RPC 2.0")
	case failed && code == methodNotFound:
		return nil, wayfind.NewError("parse", "", wayfind.CodeAbsent, errors.New("the server has no method rpc.discover"))
	case failed:
		return nil, parse.Invalid("the server answered with the error %d", code)
	case !enveloped || root.Get("openrpc").Kind() != parse.String:
		return nil, parse.Invalid("the result is no OpenRPC document")
	}
	reading, err := parseDocument(in, true)
	if err != nil {
		return nil, err
	}
	reading.Authority = wayfind.AuthorityLive
	for i := range reading.Services[0].Capabilities {
		reading.Services[0].Capabilities[i].Claimed = false
	}
	r := newReporter()
	if id := whole.Get("id"); !isFirst(id) {
		r.Report(ruleResponseID, id, "the id of the response is %s, and that of the request is 1", short(id))
	}
	reading.Diagnostics = append(reading.Diagnostics, r.Diagnostics()...)
	return reading, nil
}

// isFirst compares the id loosely: servers return other forms of the number.
func isFirst(id parse.Node) bool {
	number, ok := id.Int()
	text, _ := id.Str()
	return ok && number == 1 || text == "1"
}

// short returns a value as it is written, if it is short.
func short(n parse.Node) string {
	if !n.Exists() || len(n.Raw()) > 64 {
		return n.Kind().String()
	}
	return string(n.Raw())
}
