package call

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/pausable"
)

// protocol describes how calls are made in a protocol.
type protocol struct {
	// name is the name in Invocation.Protocol.
	name string
	// suits reports whether this package supports the protocol at an interface. Nil if it
	// always does.
	suits func(*wayfind.Interface) bool
	// prepare writes the subject of a call: the request that a person agrees to.
	prepare func(*target) (draft, error)
}

// nextFunc is one conversation about a call in a protocol. It gets an answer or an error, and
// returns either the next request or the Result. The first time it gets neither an answer nor
// an error. A returned request without a kind means that there is no further request.
type nextFunc func(ctx *pausable.Context, s sent, a *answer, err error) (request, *Result, error)

// done ends a conversation.
func done(res *Result, err error) (request, *Result, error) { return request{}, res, err }

// protocolNamed returns the protocol with a name; ok is false if this package does not support
// it.
func protocolNamed(name string) (p protocol, ok bool) {
	for _, p := range [...]protocol{
		{name: protocolHTTP, prepare: prepareHTTP},
		{name: "jsonrpc", prepare: prepareRPC},
		{name: "mcp", suits: suitsMCP, prepare: prepareMCP},
		{name: "a2a", suits: suitsA2A, prepare: prepareA2A},
		{name: actorsName, suits: suitsActors, prepare: prepareActors},
	} {
		if p.name == name {
			return p, true
		}
	}
	return p, false
}
