package mcpserver

//lint:file-ignore SA1019 hosts and servers of the earlier era send and read logs

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/call"
)

const (
	// noticePause is the shortest time between two notices of progress of one call, and maxBurst the
	// largest number of notices that a pause before them makes up for.
	noticePause = 100 * time.Millisecond
	maxBurst    = 10
	// maxLog is the largest number of log messages that one call may send.
	maxLog = 100
)

// hearing returns the Caller for a request of a host. Its calls pass the notices of servers on to
// that host, as far as the host has asked for them in this request or session. The notices are nil if it has
// not.
func (s *surface) hearing(ctx context.Context, req mcp.Request, domain string) (*call.Caller, *notices) {
	caller := s.callerFor(ctx, req)
	session, _ := req.GetSession().(*mcp.ServerSession)
	params, _ := req.GetParams().(mcp.RequestParams)
	if session == nil || params == nil {
		return caller, nil
	}
	h := &notices{session: session, domain: domain, token: params.GetProgressToken()}
	level, _ := params.GetMeta()[mcp.MetaKeyLogLevel].(string)
	if level == "" {
		level = s.levels.of(session)
	}
	if !slices.Contains(call.Levels(), level) {
		level = ""
	}
	if h.token == nil && level == "" {
		return caller, nil
	}
	return caller.Hearing(level, func(n *call.Notice) { h.pass(ctx, n) }), h
}

// notices passes on the notices about one request. A server can neither flood the host with them
// nor report less progress than before.
type notices struct {
	session *mcp.ServerSession
	domain  string
	token   any // the progress token of the host, nil if it wants no progress

	mu     sync.Mutex
	next   time.Time // when a notice could be sent if none were ever saved up; zero before the first
	done   float64
	logged int
}

func (h *notices) pass(ctx context.Context, n *call.Notice) {
	h.mu.Lock()
	defer h.mu.Unlock()
	said := marked(h.domain, n.Text, inNotice)
	switch {
	case n.Level != "":
		if h.logged++; h.logged <= maxLog {
			_ = h.session.Log(ctx, &mcp.LoggingMessageParams{Level: mcp.LoggingLevel(n.Level), Logger: h.domain, Data: said}) // the call goes on without it
		}
	case h.token == nil, !h.next.IsZero() && n.Done <= h.done, !h.hasRoom():
	default:
		h.done = n.Done
		_ = h.session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: h.token, Progress: n.Done, Total: max(0, n.Total), Message: said})
	}
}

// hasRoom counts one more notice of progress, and reports whether it may be sent now. The caller holds
// the lock.
func (h *notices) hasRoom() bool {
	now := time.Now()
	if saved := now.Add(-maxBurst * noticePause); h.next.Before(saved) {
		h.next = saved
	}
	if h.next.Add(noticePause).After(now) {
		return false
	}
	h.next = h.next.Add(noticePause)
	return true
}

// levels are the levels of log messages that hosts of the earlier era have asked for.
type levels struct {
	mu  sync.Mutex
	all map[*mcp.ServerSession]string
}

func (l *levels) of(session *mcp.ServerSession) string {
	if l == nil {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all[session]
}

// set keeps the level of a session until the session ends.
func (l *levels) set(session *mcp.ServerSession, level string) error {
	if !slices.Contains(call.Levels(), level) {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "there is no such level"}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.all[session]; !known {
		go func() {
			_ = session.Wait()
			l.mu.Lock()
			defer l.mu.Unlock()
			delete(l.all, session)
		}()
	}
	l.all[session] = level
	return nil
}
