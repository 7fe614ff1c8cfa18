package call

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/pausable"
)

// protocol is how a call is made over the wire.
type protocol struct {
	// name as in Invocation.Protocol.
	name string
	// suits reports whether the protocol is spoken at an interface in a way that is known
	// here. Nil: it always is.
	suits func(*wayfind.Interface) bool
	// prepare writes the subject of a call: the request that a person agrees to.
	prepare func(*target) (draft, error)
}

// nextFunc is one conversation in a protocol about a call. It reads an answer, or the error
// in its place, and returns the next request or else the Result. The first time there is
// neither an answer nor an error. A request without a kind is none.
type nextFunc func(ctx *pausable.Context, s sent, a *answer, err error) (request, *Result, error)

// done ends a conversation.
func done(res *Result, err error) (request, *Result, error) { return request{}, res, err }

// protocolNamed finds a protocol among all that are spoken.
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
