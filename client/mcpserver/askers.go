package mcpserver

import (
	"crypto/rand"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/call"
)

// askers tells hosts apart, so that an agreement that a person gave to one host for its session is not
// used for another.
type askers struct {
	mu  sync.Mutex
	ids map[*mcp.ServerSession]string // of sessions without an ID, as over standard input
}

// of returns the identity of the host that has sent a request. keeps is false if the next request of the
// host cannot be recognised: it is stateless, and over HTTP.
func (a *askers) of(req mcp.Request) (id string, keeps bool) {
	session, _ := req.GetSession().(*mcp.ServerSession)
	switch extra := req.GetExtra(); {
	case session == nil:
		return "", false
	case session.ID() != "":
		return session.ID(), true
	case extra != nil && extra.Header != nil:
		return "", false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ids[session] == "" {
		if a.ids == nil {
			a.ids = make(map[*mcp.ServerSession]string)
		}
		a.ids[session] = rand.Text()
		go func() {
			_ = session.Wait() // why the host has left does not matter
			a.mu.Lock()
			defer a.mu.Unlock()
			delete(a.ids, session)
		}()
	}
	return a.ids[session], true
}

// callerFor returns the Caller for a request of a host. What a host that cannot be recognised is allowed is
// for this request alone.
func (s *surface) callerFor(req mcp.Request) *call.Caller {
	id, keeps := s.askers.of(req)
	if !keeps {
		id = rand.Text()
	}
	return s.caller.AskedBy(id)
}
