package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/internal/act/jsonrpc"
	"github.com/wayfindhq/wayfind/internal/act/mcp"
	"github.com/wayfindhq/wayfind/internal/syntax/mcpera"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// message is a message of JSON-RPC 2.0. Its values are not decoded.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// raw returns a message as JSON.
func (m *message) raw() []byte {
	m.Version = "2.0"
	raw, err := json.Marshal(m)
	if err != nil {
		return nil // there is no error, because each value was read as JSON
	}
	return raw
}

// isRequest reports whether a message requires an answer.
func (m *message) isRequest() bool {
	return m.Method != "" && len(m.ID) > 0 && !bytes.Equal(m.ID, []byte("null"))
}

// session is the only session of a process. Its callers share it.
type session struct {
	*process
	name string
	told func(line string)

	hello json.RawMessage // the result of the handshake; nil since mcpera.Modern

	mu    sync.Mutex
	last  int
	calls map[string]*exchange // by the IDs that the server sees
	heard map[*exchange]bool   // exchanges that listen for changes of lists
	asked map[string]bool      // IDs of questions of the server that are passed on
}

// exchange is a request of a caller, or a caller that listens for changes of lists.
type exchange struct {
	id     json.RawMessage // the ID that the caller gave it
	method string
	token  string // the token of its progress, as JSON
	out    chan *message
	done   <-chan struct{} // of the caller
}

// startTime is the time that a server has for its first answer. A program that runs packages, such
// as npx, downloads them first.
const startTime = 2 * time.Minute

// discoverTime is the time that a server has for an answer to a method that it may not know.
const discoverTime = 3 * time.Second

// begin starts a process and finds out which era of the protocol it speaks ([mcpera.Modern], Versioning
// and Backward Compatibility). Only servers since that version answer the first request with a
// result. If older is set, the process must begin a session.
func begin(ctx context.Context, spec *Spec, able parse.Raw, older bool, told func(line string)) (*session, error) {
	s := &session{name: spec.Name, told: told, calls: make(map[string]*exchange), heard: make(map[*exchange]bool), asked: make(map[string]bool)}
	ready := make(chan struct{})
	take := func(line []byte) bool { <-ready; return s.take(line) }
	p, err := start(spec, take, told)
	if err != nil {
		return nil, err
	}
	s.process = p
	close(ready)
	us := mcp.Client{Name: "wayfind", Version: "0", Able: able}
	if !older {
		answer, err := s.first(ctx, discoverTime, mcp.Discover, rawjson.Obj(rawjson.Member{Name: "_meta", Value: us.Meta()}))
		if err == nil && answer.Result != nil {
			return s, nil
		}
	}
	answer, err := s.first(ctx, startTime, mcp.Initialize, rawjson.Obj(us.Hello(mcpera.Legacy)...))
	if err == nil && answer.Result == nil {
		err = errors.New("it refuses the handshake")
	}
	if err != nil {
		p.end()
		return nil, err
	}
	s.hello = answer.Result
	return s, s.send(ctx.Done(), jsonrpc.Request("", mcp.Initialized, rawjson.Obj()))
}

// first sends a request before the session begins, and waits for its answer.
func (s *session) first(ctx context.Context, most time.Duration, method string, params parse.Raw) (*message, error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	x := s.open(&message{ID: json.RawMessage(`0`), Method: method, Params: json.RawMessage(params)}, ctx.Done())
	defer s.forget(x)
	for {
		select {
		case m := <-x.out:
			if m.Method == "" {
				return m, nil
			}
		case <-s.gone:
			return nil, s.ended
		case <-ctx.Done():
			return nil, errors.New("it does not answer")
		}
	}
}

// open sends a request of a caller with a new ID.
func (s *session) open(m *message, done <-chan struct{}) *exchange {
	var about struct {
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &about) // params that are not an object have no token, and the server reports the error
	x := &exchange{id: m.ID, method: m.Method, token: string(about.Meta.Token), out: make(chan *message), done: done}
	s.mu.Lock()
	s.last++
	id := strconv.Itoa(s.last)
	s.calls[id] = x
	s.mu.Unlock()
	own := *m
	own.ID = json.RawMessage(id)
	_ = s.send(done, own.raw()) // the caller also waits for done and for the end of the process
	return x
}

// forget ends an exchange. It returns its ID if its answer has not come yet, otherwise "".
func (s *session) forget(x *exchange) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.heard, x)
	for id, other := range s.calls {
		if other == x {
			delete(s.calls, id)
			return id
		}
	}
	return ""
}

// leave ends an exchange whose caller is gone, and notifies the server.
func (s *session) leave(x *exchange) {
	id := s.forget(x)
	if id == "" || x.method == mcp.Initialize {
		return
	}
	params := rawjson.Obj(rawjson.Member{Name: "requestId", Value: parse.Raw(id)})
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	_ = s.send(ctx.Done(), jsonrpc.Request("", "notifications/cancelled", params)) // a server that reads nothing is not notified
}

// listen returns an exchange that receives changes of lists.
func (s *session) listen(done <-chan struct{}) *exchange {
	x := &exchange{out: make(chan *message), done: done}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard[x] = true
	return x
}
