package call

import (
	"github.com/wayfindhq/wayfind/internal/act/reach"
	"github.com/wayfindhq/wayfind/internal/run/pausable"
)

// protocol describes how calls are made in a protocol.
type protocol struct {
	// name is the name in Invocation.Protocol.
	name string
	// prepare writes the subject of a call: the request that a person agrees to.
	prepare func(*target) (draft, error)
}

// nextFunc is one conversation about a call in a protocol. It gets an answer or an error, and
// returns either the next request or the Result. The first time it gets neither an answer nor
// an error. A returned request without a kind means that there is no further request.
type nextFunc func(ctx *pausable.Context, s sent, a *answer, err error) (request, *Result, error)

// done ends a conversation.
func done(res *Result, err error) (request, *Result, error) { return request{}, res, err }

// protocolNamed returns the protocol with one of the names of package reach.
func protocolNamed(name string) (p protocol) {
	for _, p := range [...]protocol{
		{name: reach.HTTP, prepare: prepareHTTP},
		{name: reach.RPC, prepare: prepareRPC},
		{name: reach.MCP, prepare: prepareMCP},
		{name: reach.A2A, prepare: prepareA2A},
		{name: reach.Actors, prepare: prepareActors},
	} {
		if p.name == name {
			return p
		}
	}
	return p
}
