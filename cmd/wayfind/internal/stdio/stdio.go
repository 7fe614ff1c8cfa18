// Package stdio runs MCP servers that a person names by their commands, and that speak over
// standard input and output. A Client reaches such a server over streamable HTTP, on connections in
// memory, so that no other program can reach it. All its callers share one process.
//
// A server of [mcpera.Legacy] and before does not identify the call that a question or a log message
// belongs to. If one call is under way, it belongs to this call. Otherwise the question is refused,
// and the log message is shown as a line of standard error.
package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/internal/act/mcp"
	"github.com/wayfindhq/wayfind/internal/lab/memconn"
	"github.com/wayfindhq/wayfind/internal/syntax/mcpera"
	"github.com/wayfindhq/wayfind/parse"
)

// path is the path of the endpoint.
const path = "/mcp"

// maxRequest is the longest message of a caller, in bytes.
const maxRequest = 16 << 20

// The pause between two starts of a server that ends again and again.
const (
	leastRest = time.Second
	mostRest  = time.Minute
	// patience is the longest pause that a request waits for.
	patience = 4 * time.Second
)

// Server is an MCP server that is started for its first request, and again for the next request
// after it has ended.
type Server struct {
	spec     *Spec
	able     parse.Raw
	told     func(line string)
	listener *memconn.Listener
	http     *http.Server
	ctx      context.Context // the context of the process; ends with Close
	stop     context.CancelFunc
	work     sync.WaitGroup

	mu    sync.Mutex
	first life
	// older is a second process, for callers that want a session with a server whose first process has
	// none: it speaks versions of both eras.
	older life
}

// life is a process that is started again after it has ended.
type life struct {
	now    *beginning
	starts int
	after  time.Time // the time when it may be started again
}

// beginning is a start that is under way or has ended.
type beginning struct {
	done    chan struct{}
	session *session
	err     error
}

// New returns a server. able are the capabilities of callers that are announced to its process.
// told is called with the lines of its standard error and with the reason of its end. Close the
// server after use.
func New(spec *Spec, able parse.Raw, told func(line string)) *Server {
	s := &Server{spec: spec, able: able, told: told, listener: memconn.Listen(&net.UnixAddr{Name: spec.Name, Net: "unix"})}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.http = &http.Server{Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: startTime}
	s.work.Go(func() { _ = s.http.Serve(s.listener) }) // until Close
	return s
}

// Host is the host at which a Client reaches the server.
func (s *Server) Host() string { return s.spec.Host() }

// Dial opens a connection to the server.
func (s *Server) Dial(ctx context.Context) (net.Conn, error) { return s.listener.Dial(ctx) }

// Close ends the process and waits for its end.
func (s *Server) Close() error {
	s.stop()
	err := s.http.Close()
	s.mu.Lock()
	all := []*beginning{s.first.now, s.older.now}
	s.mu.Unlock()
	for _, b := range all {
		if b == nil {
			continue
		}
		<-b.done
		if b.session != nil {
			s.work.Go(b.session.end)
		}
	}
	s.work.Wait()
	return err
}

// session returns the session of a process: one of the older era, if the caller wants that and the server
// can. It starts a process if there is none.
func (s *Server) session(ctx context.Context, older bool) (*session, error) {
	session, err := s.of(ctx, &s.first, false)
	if err != nil || !older || session.hello != nil {
		return session, err
	}
	return s.of(ctx, &s.older, true)
}

// of returns the session of a life.
func (s *Server) of(ctx context.Context, l *life, older bool) (*session, error) {
	b, wait, err := s.beginning(l, older)
	if wait > 0 && wait <= patience {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
			b, _, err = s.beginning(l, older)
		case <-ctx.Done():
		}
	}
	if err != nil {
		return nil, err
	}
	select {
	case <-b.done:
		return b.session, b.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// beginning returns the start of the running process, or begins a new start. If it is too early for
// a new start, it returns an error and the time to wait.
func (s *Server) beginning(l *life, older bool) (*beginning, time.Duration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch wait := time.Until(l.after); {
	case s.ctx.Err() != nil:
		return nil, 0, errors.New("it is ended")
	case l.now != nil && !l.now.isOver():
		return l.now, 0, nil
	case wait > 0:
		return nil, wait, fmt.Errorf("it has ended, and may be started again in %s", wait.Round(time.Second))
	}
	if time.Since(l.after) > mostRest {
		l.starts = 0
	}
	l.after = time.Now().Add(min(leastRest<<min(l.starts, 6), mostRest))
	l.starts++
	b := &beginning{done: make(chan struct{})}
	l.now = b
	s.work.Go(func() {
		defer close(b.done)
		if b.session, b.err = begin(s.ctx, s.spec, s.able, older, s.told); b.err != nil {
			s.tell("could not be started", b.err)
			return
		}
		s.work.Go(func() {
			<-b.session.gone
			s.tell("is gone", b.session.ended)
		})
	})
	return b, 0, nil
}

// isOver reports whether a start has failed, or its process has ended.
func (b *beginning) isOver() bool {
	select {
	case <-b.done:
	default:
		return false
	}
	if b.session == nil {
		return true
	}
	select {
	case <-b.session.gone:
		return true
	default:
		return false
	}
}

// tell reports why there is no process, unless the server is closed.
func (s *Server) tell(what string, err error) {
	if s.ctx.Err() == nil {
		s.told(fmt.Sprintf("%s %s: %v", s.spec, what, err))
	}
}

// serve implements an endpoint of streamable HTTP ([mcpera.Legacy], Transports).
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case r.URL.Path != path:
		http.NotFound(w, r)
		return
	case r.Method != http.MethodPost && r.Method != http.MethodGet:
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "GET and POST", http.StatusMethodNotAllowed)
		return
	}
	version := r.Header.Get("Mcp-Protocol-Version")
	if r.Method == http.MethodGet {
		session, failed := s.session(r.Context(), mcpera.IsLegacy(version))
		if failed != nil {
			http.Error(w, failed.Error(), http.StatusMethodNotAllowed)
			return
		}
		stream(w, r, session, session.listen(r.Context().Done()))
		return
	}
	m := new(message)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil || json.Unmarshal(body, m) != nil {
		http.Error(w, "the body is no message", http.StatusBadRequest)
		return
	}
	session, failed := s.session(r.Context(), m.Method == mcp.Initialize || mcpera.IsLegacy(version))
	if failed != nil { // not an HTTP status, because the message of an error of JSON-RPC is shown
		said, err := json.Marshal(fmt.Sprintf("%s does not run: %v", s.spec.Name, failed))
		if err == nil {
			answer(w, &message{ID: m.ID, Error: fmt.Appendf(nil, `{"code":-32603,"message":%s}`, said)})
		}
		return
	}
	post(w, r, session, m)
}

// post handles a message of a caller.
func post(w http.ResponseWriter, r *http.Request, session *session, m *message) {
	isOlder := session.hello != nil
	switch {
	case m.Method == "":
		session.said(m)
		w.WriteHeader(http.StatusAccepted)
	case !m.isRequest(): // we send the notifications about the handshake and cancelled calls
		w.WriteHeader(http.StatusAccepted)
	case m.Method == mcp.Initialize && isOlder:
		answer(w, &message{ID: m.ID, Result: overHTTP(session.hello)})
	case m.Method == mcp.Initialize, m.Method == mcp.Discover && isOlder:
		answer(w, &message{ID: m.ID, Error: json.RawMessage(`{"code":-32601,"message":"the server has no such method"}`)})
	default:
		stream(w, r, session, session.open(m, r.Context().Done()))
	}
}

// overHTTP returns the result of a handshake with a version that has streamable HTTP. No one sends
// batches here.
func overHTTP(hello json.RawMessage) json.RawMessage {
	var own map[string]json.RawMessage
	var version string
	if json.Unmarshal(hello, &own) != nil || json.Unmarshal(own["protocolVersion"], &version) != nil || mcpera.OverHTTP(version) == version {
		return hello
	}
	own["protocolVersion"] = json.RawMessage(strconv.Quote(mcpera.OverHTTP(version)))
	raw, err := json.Marshal(own)
	if err != nil {
		return hello
	}
	return raw
}

// answer writes one message.
func answer(w http.ResponseWriter, m *message) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(m.raw()) // the caller may have left
}

// stream writes the messages of an exchange as events, until its answer.
func stream(w http.ResponseWriter, r *http.Request, s *session, x *exchange) {
	defer s.leave(x)
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w).Flush
	if flush() != nil {
		return
	}
	for {
		select {
		case m := <-x.out:
			if _, err := fmt.Fprintf(w, "data: %s\n\n", m.raw()); err != nil || flush() != nil || m.Method == "" {
				return
			}
		case <-r.Context().Done():
			return
		case <-s.gone:
			panic(http.ErrAbortHandler) // no answer has come, so it is not known whether the call was made
		}
	}
}
