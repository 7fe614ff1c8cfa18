package soak

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// mcpPath is the path of the servers of the Model Context Protocol.
const mcpPath = "/mcp"

// speak is a server of the Model Context Protocol that misbehaves.
func (w *world) speak(rw http.ResponseWriter, r *http.Request, rnd *rand.Rand) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	_ = json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&m)
	result := func(text string) {
		rw.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(rw, `{"jsonrpc": "2.0", "id": %s, "result": %s}`, m.ID, text)
	}
	events := func() { rw.Header().Set("Content-Type", "text/event-stream") }
	switch n := rnd.IntN(17); {
	case r.Method == http.MethodDelete && n < 7:
		w.wait(r, time.Minute)
	case n == 0:
		w.wait(r, time.Minute)
	case n == 1:
		events()
		_ = http.NewResponseController(rw).Flush()
		w.wait(r, time.Minute)
	case n == 2:
		events()
		for range 100_000 {
			if _, err := io.WriteString(rw, "retry: 0\nid: 7\ndata: {\"jsonrpc\": \"2.0\", \"method\": \"x\"}\n\n"); err != nil {
				return
			}
		}
	case n == 3:
		rw.WriteHeader([]int{401, 403, 404, 405, 429, 500}[rnd.IntN(6)])
	case n == 4:
		rw.Header().Set("Location", "https://other.example.com/mcp")
		rw.WriteHeader(http.StatusPermanentRedirect)
	case n == 5:
		result(strings.Repeat("[", 3000))
	case n == 6:
		panic(http.ErrAbortHandler)
	case n == 14:
		events()
		w.events(rw, r, ": \n") // for as long as it is read
	case n == 15:
		confuse(rw, string(m.ID), rnd)
	case m.Method == "initialize":
		rw.Header().Set("Mcp-Session-Id", sessionID(rnd))
		result(`{"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}`)
	case m.Method == "tools/list" && n < 10:
		result(fmt.Sprintf(`{"tools": [], "nextCursor": "%d"}`, rnd.IntN(1_000_000)))
	case m.Method == "tools/list":
		result(fmt.Sprintf(`{"tools": [{"name": "find", "description": "Version %d", "inputSchema": {"type": "object"}}]}`, rnd.IntN(3)))
	case strings.HasPrefix(m.Method, "notifications/"):
		rw.WriteHeader(http.StatusAccepted)
	default:
		rw.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(rw, `{"jsonrpc": "2.0", "id": %s, "error": {"code": -32601, "message": "no"}}`, m.ID)
	}
}
