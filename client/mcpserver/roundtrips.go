package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxRoundTrips is the largest number of requests of hosts that wait for a person at a time. A question
	// beyond it has no answer.
	maxRoundTrips = 64
	// answerState begins the state of a question of a server, and answerID is the ID of a question to which
	// the server has given none.
	answerState, answerID = "answer.", "answer"
)

// roundTrips are the requests of stateless hosts that wait for the answer to a question of a server. The host
// gets the question as the result of its request, and brings the answer with the next one (MCP
// 2026-07-28, Multi Round-Trip Requests). The call itself goes on meanwhile in this process, so that a
// server of either era can ask.
type roundTrips struct {
	mu   sync.Mutex
	open map[string]*roundTrip // by the states that hosts bring
	n    int                   // requests that wait
}

// roundTrip is one such request.
type roundTrip struct {
	all     *roundTrips
	about   string // the request without answers: a state is for it alone
	stop    context.CancelFunc
	id      string // of the question that the host has
	asks    chan serverQuestion
	answers chan *mcp.ElicitResult
	ended   chan struct{} // closed when res and err are there
	res     mcp.Result
	err     error
}

// serverQuestion is a question of a server.
type serverQuestion struct {
	id   string
	form *mcp.ElicitParams
}

// answered is what a request of a host brings besides its subject.
type answered struct {
	about     string
	state     string
	responses mcp.InputResponseMap
}

// aboutOf returns what a request is about: its method, its subject and its arguments, whose members may
// have any order.
func aboutOf(method, subject string, arguments json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(orEmpty(arguments)))
	d.UseNumber()
	var v any
	if d.Decode(&v) == nil {
		arguments, _ = json.Marshal(v) // it was JSON
	}
	return method + " " + subject + " " + string(arguments)
}

// inRoundTrips runs a request of a host. If a server asks a question meanwhile, the result is the question, and
// the request goes on when the host brings the answer. Hosts with a session are asked during the request
// instead. as makes a result of a question, and do gets the round trips, or nil if the host cannot be asked so.
func (s *surface) inRoundTrips(ctx context.Context, req mcp.Request, in answered, as func(mcp.InputRequestMap, string) mcp.Result, do func(ctx context.Context, h *roundTrip) (mcp.Result, error)) (mcp.Result, error) {
	if strings.HasPrefix(in.state, answerState) {
		h := s.roundTrips.take(in.state, in.about)
		if h == nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the question of this requestState is not open, or belongs to another request: send the request without it"}
		}
		answer, _ := in.responses[h.id].(*mcp.ElicitResult)
		if answer == nil {
			answer = &mcp.ElicitResult{Action: "cancel"}
		}
		select {
		case h.answers <- answer:
		case <-h.ended:
		}
		return s.goOn(ctx, h, as)
	}
	if !isStateless(versionOf(req)) || !elicits(capabilitiesOf(req)) {
		return do(ctx, nil)
	}
	own, stop := s.while(context.WithoutCancel(ctx))
	h := &roundTrip{all: &s.roundTrips, about: in.about, stop: stop, asks: make(chan serverQuestion), answers: make(chan *mcp.ElicitResult), ended: make(chan struct{})}
	go func() {
		defer s.roundTrips.end(h)
		defer stop()
		h.res, h.err = do(own, h)
	}()
	return s.goOn(ctx, h, as)
}

// goOn waits until a request has ended or has a question. A host that leaves meanwhile ends the request.
func (s *surface) goOn(ctx context.Context, h *roundTrip, as func(mcp.InputRequestMap, string) mcp.Result) (mcp.Result, error) {
	defer context.AfterFunc(ctx, h.stop)()
	select {
	case q := <-h.asks:
		h.id = cmp.Or(q.id, answerID)
		return as(mcp.InputRequestMap{h.id: q.form}, s.roundTrips.keep(h)), nil
	case <-h.ended:
		return h.res, h.err
	}
}

// ask gives a question to the host, and waits for the answer.
func (h *roundTrip) ask(ctx context.Context, q serverQuestion) (*mcp.ElicitResult, error) {
	if !h.all.enter() {
		return nil, errNotAsked
	}
	defer h.all.leave()
	select {
	case h.asks <- q:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	select {
	case answer := <-h.answers:
		return answer, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// enter counts one more request that waits, if there is room for it.
func (l *roundTrips) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n == maxRoundTrips {
		return false
	}
	l.n++
	return true
}

// leave counts one less.
func (l *roundTrips) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n--
}

// end ends a request, and with it the state that a host has of it.
func (l *roundTrips) end(h *roundTrip) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for state, other := range l.open {
		if other == h {
			delete(l.open, state)
		}
	}
	close(h.ended)
}

// keep returns a state for a request that waits. It is valid once.
func (l *roundTrips) keep(h *roundTrip) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	state := answerState + rand.Text()
	if l.open == nil {
		l.open = make(map[string]*roundTrip)
	}
	select {
	case <-h.ended:
	default:
		l.open[state] = h
	}
	return state
}

// take returns the request of a state, or nil if there is none, or one about something else.
func (l *roundTrips) take(state, about string) *roundTrip {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.open[state]
	if h == nil || h.about != about {
		return nil
	}
	delete(l.open, state)
	return h
}

// errNotAsked is the error for a question of a host without a session.
var errNotAsked = errors.New("the host cannot be asked during a request")
