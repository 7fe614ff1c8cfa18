package mcpserver

import (
	"context"
	"crypto/rand"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/call"
)

// askers tells hosts apart, so that neither an agreement that a person gave to one host for its session nor a
// session of a server is used for another.
type askers struct {
	mu  sync.Mutex
	ids map[*mcp.ServerSession]string
	// left is called with the identity of a host that has left.
	left func(id string)
}

// of returns the identity of the host that has sent a request. keeps is false if the next request of the
// host cannot be recognised: it is stateless, and over HTTP.
func (a *askers) of(req mcp.Request) (id string, keeps bool) {
	session, _ := req.GetSession().(*mcp.ServerSession)
	if session == nil {
		return "", false
	}
	if extra := req.GetExtra(); session.ID() == "" && extra != nil && extra.Header != nil {
		return "", false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if id = a.ids[session]; id != "" {
		return id, true
	}
	if a.ids == nil {
		a.ids = make(map[*mcp.ServerSession]string)
	}
	if id = session.ID(); id == "" { // as over standard input
		id = rand.Text()
	}
	a.ids[session] = id
	go func() {
		_ = session.Wait() // why the host has left does not matter
		a.mu.Lock()
		delete(a.ids, session)
		a.mu.Unlock()
		a.left(id)
	}()
	return id, true
}

// callerFor returns the Caller for a request of a host. What a host that cannot be recognised is allowed, and
// what servers keep for it, is for this request alone, which ends with ctx.
func (s *surface) callerFor(ctx context.Context, req mcp.Request) *call.Caller {
	id, keeps := s.askers.of(req)
	if keeps {
		return s.caller.AskedBy(id)
	}
	own := s.caller.AskedBy(rand.Text())
	context.AfterFunc(ctx, own.Leave)
	return own
}

// newAskers returns askers for the hosts of a Caller.
func newAskers(caller *call.Caller) *askers {
	return &askers{left: func(id string) { caller.AskedBy(id).Leave() }}
}
