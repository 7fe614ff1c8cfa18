package mcpserver

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// underway are the requests of a host that are not answered yet, by the keys of their IDs. The SDK
// answers a request even if the host has cancelled it, and does not answer a second request with
// the ID of the first.
type underway struct {
	mu  sync.Mutex
	ids map[string]bool // whether the host has cancelled it
}

// key returns an ID in the form in which the SDK compares it.
func key(id json.RawMessage) string {
	var text string
	if json.Unmarshal(id, &text) == nil {
		return "s" + text
	}
	n, _ := strconv.ParseInt(string(id), 10, 64)
	return strconv.FormatInt(n, 10)
}

// begin reports whether a request may begin: no other request with its key is under way.
func (u *underway) begin(key string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, twice := u.ids[key]
	if !twice {
		u.ids[key] = false
	}
	return !twice
}

// cancel remembers that a host wants no answer to a request, and reports whether it is under way.
func (u *underway) cancel(key string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, is := u.ids[key]
	if is {
		u.ids[key] = true
	}
	return is
}

// isCancelled reports whether a host wants no answer to a request that is under way.
func (u *underway) isCancelled(key string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.ids[key]
}

// end ends a request, and reports whether the host wants its answer.
func (u *underway) end(key string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	cancelled := u.ids[key]
	delete(u.ids, key)
	return !cancelled
}

// cancelled returns the ID of the request that a notification cancels. ok is false if it has none.
func cancelled(params json.RawMessage) (id json.RawMessage, ok bool) {
	var asked struct {
		ID json.RawMessage `json:"requestId"`
	}
	err := json.Unmarshal(params, &asked)
	return asked.ID, err == nil && isID(string(asked.ID))
}

// answers writes the messages of a server, except answers to cancelled requests.
type answers struct {
	*oneWriter
	*underway
}

// Write implements io.Writer. The SDK writes each message at once.
func (a answers) Write(p []byte) (int, error) {
	var m struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id,omitempty"`
		Method  *string         `json:"method,omitempty"`
		Error   *jsonrpc.Error  `json:"error,omitempty"`
	}
	if json.Unmarshal(p, &m) != nil || m.Method != nil || !isID(string(m.ID)) {
		return a.oneWriter.Write(p)
	}
	if !a.end(key(m.ID)) {
		return len(p), nil
	}
	if m.Error == nil || m.Error.Code != 0 {
		return a.oneWriter.Write(p)
	}
	m.Error.Code = jsonrpc.CodeInvalidRequest // the SDK has no code for a request before initialize
	own, err := json.Marshal(m)
	if err != nil {
		return 0, err
	}
	_, err = a.oneWriter.Write(append(own, '\n'))
	return len(p), err
}

// silenced writes an answer over HTTP, and drops it after its request is cancelled.
type silenced struct {
	http.ResponseWriter
	*underway
	key string
}

// Write implements io.Writer.
func (s silenced) Write(p []byte) (int, error) {
	if s.isCancelled(s.key) {
		return len(p), nil
	}
	return s.ResponseWriter.Write(p)
}

// Flush implements http.Flusher.
func (s silenced) Flush() { _ = http.NewResponseController(s.ResponseWriter).Flush() } // the end of the answer flushes it too

// Unwrap is for http.ResponseController.
func (s silenced) Unwrap() http.ResponseWriter { return s.ResponseWriter }
