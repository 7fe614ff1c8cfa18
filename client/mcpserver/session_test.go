package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// keeper is an MCP server of the era of sessions, which counts the calls in each.
type keeper struct {
	mu    sync.Mutex
	began int
	calls map[string]int // by session
	ended []string       // sessions with calls that a client has ended
}

func (k *keeper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var m struct {
		ID     json.RawMessage
		Method string
	}
	raw, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(raw, &m)
	session := r.Header.Get("Mcp-Session-Id")
	w.Header().Set("Content-Type", "application/json")
	result := `{}`
	switch {
	case r.Method == http.MethodDelete:
		if k.calls[session] > 0 {
			k.ended = append(k.ended, session)
		}
		w.WriteHeader(http.StatusNoContent)
		return
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	case m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
		return
	case m.Method == "initialize":
		k.began++
		w.Header().Set("Mcp-Session-Id", fmt.Sprint("s", k.began))
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"keeper","version":"1"}}`
	case m.Method == "tools/list":
		result = `{"tools":[{"name":"count","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`
	case m.Method == "tools/call":
		k.calls[session]++
		result = fmt.Sprintf(`{"content":[{"type":"text","text":"call %d"}]}`, k.calls[session])
	default:
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
		return
	}
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// A server keeps its session for a host until the host leaves. Two hosts never share one.
func TestAServerKeepsASessionForEachHost(t *testing.T) {
	inWorld(t, plain, nil, func(w *world) {
		k := &keeper{calls: map[string]int{}}
		w.mill(k)
		alice, stop, done := w.begin(true, nil)
		bob := w.connect(false, nil) // stateless by its era, and one host by its connection
		w.listed(alice)
		for i := range 3 {
			w.wants(w.ask(alice, "count", `{}`), fmt.Sprint("call ", i+1))
			w.wants(w.ask(bob, "count", `{}`), fmt.Sprint("call ", i+1))
		}
		_ = alice.Close()
		stop()
		<-done
		synctest.Wait()
		k.mu.Lock()
		ended := slices.Clone(k.ended)
		k.mu.Unlock()
		if len(ended) != 1 {
			t.Errorf("ended %v", ended)
		}
		w.wants(w.ask(bob, "count", `{}`), "call 4")
	})
}

// A host over HTTP that cannot be recognised has a session for each call, which ends with it.
func TestASessionOfAStatelessHostEndsWithItsCall(t *testing.T) {
	eras(t, func(t *testing.T, legacy bool) {
		k := &keeper{calls: map[string]int{}}
		srv, _ := domainOverHTTP(t, "mill.example", millOver(k))
		s := hostOf(t, srv, legacy, nil)
		w := &world{T: t}
		w.listed(s)
		for i := range 3 {
			want := 1
			if legacy {
				want = i + 1
			}
			w.wants(w.ask(s, "count", `{}`), fmt.Sprint("call ", want))
		}
	})
}
