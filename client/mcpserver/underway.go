package mcpserver

import (
	"encoding/json"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// underway are the requests of a host that are not answered yet, by their IDs. The SDK
// answers a request although the host has cancelled it, and does not answer a second one
// with the ID of the first.
type underway struct {
	mu  sync.Mutex
	ids map[string]bool // whether the host has cancelled it
}

// key is an ID as the SDK compares it.
func key(id json.RawMessage) string {
	var text string
	if json.Unmarshal(id, &text) == nil {
		return "s" + text
	}
	n, _ := strconv.ParseInt(string(id), 10, 64)
	return strconv.FormatInt(n, 10)
}

// begin reports whether a request may begin: no other with its ID is under way.
func (u *underway) begin(id json.RawMessage) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, twice := u.ids[key(id)]; twice {
		return false
	}
	u.ids[key(id)] = false
	return true
}

// cancel remembers that a host wants no answer to a request.
func (u *underway) cancel(id json.RawMessage) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, is := u.ids[key(id)]; is && isID(string(id)) {
		u.ids[key(id)] = true
	}
}

// end ends a request, and reports whether the host wants its answer.
func (u *underway) end(id json.RawMessage) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	cancelled := u.ids[key(id)]
	delete(u.ids, key(id))
	return !cancelled
}

// answers writes what a server sends, but for answers to requests that are cancelled.
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
	if json.Unmarshal(p, &m) != nil || m.Method != nil || m.ID == nil {
		return a.oneWriter.Write(p)
	}
	if !a.end(m.ID) {
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
