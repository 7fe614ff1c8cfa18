package call

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/wayfindhq/wayfind/internal/act/jsonrpc"
	"github.com/wayfindhq/wayfind/internal/act/mcp"
	"github.com/wayfindhq/wayfind/internal/run/pausable"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// Some protocols have two dialects. A call is written in one of them and never repeated in the
// other. Before the first call to a server, a request that changes nothing finds out which
// dialect the server supports, and the Caller remembers the result.

// dialectKey identifies the server of an interface for one user.
type dialectKey struct{ principal, url string }

func (t *target) dialectKey() dialectKey {
	return dialectKey{t.principal, cmp.Or(t.at.URL, t.at.Template)}
}

// speaksOlder reports whether the server supports the older dialect. known is false if the
// server was not asked.
func (t *target) speaksOlder() (older, known bool) {
	c := t.caller
	c.mu.Lock()
	defer c.mu.Unlock()
	older, known = c.dialects[t.dialectKey()]
	return older, known
}

// learn remembers the dialect of the server.
func (t *target) learn(older bool) {
	c := t.caller
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dialects == nil || len(c.dialects) >= maxSessions {
		c.dialects = make(map[dialectKey]bool)
	}
	c.dialects[t.dialectKey()] = older
}

// unlearn forgets the dialect of a server that did not understand it, so that the next call
// asks again.
func (t *target) unlearn() {
	c := t.caller
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.dialects, t.dialectKey())
}

// isMissing reports whether a status may mean that there is nothing at the requested URL.
func isMissing(status int) bool {
	return slices.Contains([]int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed}, status)
}

// dialect begins the conversation in the dialect of the server. If documents name versions,
// these determine the dialect. Otherwise the server is asked.
func (n *mcpSession) dialect(ctx *pausable.Context, s sent) (request, *Result, error) {
	older, known := s.speaksOlder()
	if versions := s.at.Versions; len(versions) > 0 {
		older, known = !slices.Contains(versions, mcp.Modern), true
	}
	switch {
	case !known:
		n.id, n.older = "discover", http.Header{"Mcp-Protocol-Version": {mcp.Modern}, "Mcp-Method": {mcp.Discover}}
		params := rawjson.Obj(rawjson.Member{Name: "_meta", Value: n.us.Meta()})
		return n.aside(ctx, s, jsonrpc.Request(n.id, mcp.Discover, params), n.discovered)
	case older:
		return n.hello(ctx, s)
	}
	return n.modern(s, nil)
}

// discovered reads the versions that the server supports. Only servers that support 2026-07-28
// or later answer the request. All other servers get the handshake, which changes nothing
// either.
func (n *mcpSession) discovered(ctx *pausable.Context, s sent, a *answer, err error) (request, *Result, error) {
	if err != nil {
		return done(nil, notBegun(err))
	}
	if slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable}, a.status) {
		res, _, err := s.rpcRead(a, n.id)
		return done(res, notBegun(err))
	}
	m, ok := jsonrpc.Find(a.body, isEventStream(a.header), n.id)
	if ok && m.Error == nil && names(m.Result.Get("supportedVersions"), func(v string) bool { return v == mcp.Modern }) {
		s.learn(false)
		return n.modern(s, nil)
	}
	return n.hello(ctx, s)
}

// wantsOlder reports whether a server refuses the version of a call and supports a version
// with a handshake. The server has not processed such a call.
func wantsOlder(a *answer, id string) bool {
	m, ok := jsonrpc.Find(a.body, isEventStream(a.header), id)
	if !ok || m.Error == nil {
		return false
	}
	refusal := mcp.Refused(m.Error.Code, m.Error.Data)
	return refusal.Version && names(refusal.Supported, mcp.HasHandshake)
}

// names reports whether a list contains a version for which is returns true.
func names(list parse.Node, is func(string) bool) bool {
	for _, v := range list.Items() {
		if version, _ := v.Str(); is(version) {
			return true
		}
	}
	return false
}

// mayBeOlder reports whether the server may support an older version: documents name such a
// version, or no version at all.
func (n *mcpSession) mayBeOlder(s sent) bool {
	return len(s.at.Versions) == 0 || slices.ContainsFunc(s.at.Versions, mcp.HasHandshake)
}
