package mcpserver_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/mcpserver"
)

// A call that the host cancels ends at the server, and gets no answer, not even if the server
// answers it all the same.
func TestACancelledCallGetsNoAnswer(t *testing.T) {
	var ended atomic.Int32
	work := func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		ended.Add(1)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "too late"}}}, nil
	}
	for _, stateless := range []bool{true, false} {
		inMill(t, stateless, work, func(w *world) {
			h := w.wired()
			defer h.in.Close()
			h.send(request(1, "tools/list", ""))
			w.wants(h.next(), `"work"`)
			h.send(request(2, "tools/call", `"name":"work","arguments":{},`))
			synctest.Wait()
			h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"enough"}}` + "\n")
			if line := h.next(); line != "" || ended.Swap(0) != 1 {
				w.Errorf("stateless %v: the server was not told, or the host was: %q", stateless, line)
			}
			h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}` + "\n") // which has ended
			h.send(request(3, "tools/list", ""))
			w.wants(h.next(), `"id":3,"result"`)
		})
	}
}

// A second request with the ID of one that is under way is refused, and the first one is
// answered. After that the ID can be used again.
func TestAnIDThatIsUnderWayIsRefused(t *testing.T) {
	work := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		time.Sleep(5 * time.Second)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "flour"}}}, nil
	}
	inMill(t, true, work, func(w *world) {
		h := w.wired()
		defer h.in.Close()
		h.send(request(1, "tools/call", `"name":"work","arguments":{},`))
		synctest.Wait()
		h.send(request(1, "tools/list", ""))
		w.wants(h.next(), `"id":1,"error":{"code":-32600`)
		h.send(`{"jsonrpc":"2.0","id":"1","method":"tools/list","params":{` + about + "}}\n") // a text is another ID
		w.wants(h.next(), `"id":"1","result"`)
		w.wants(h.next(), "flour")
		h.send(request(1, "tools/list", ""))
		w.wants(h.next(), `"id":1,"result"`)
	})
}

// Each error has a code of the protocol, before initialize too.
func TestErrorsHaveTheCodesOfTheProtocol(t *testing.T) {
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}` + "\n"
	older := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + "}}\n"
	}
	rows := []struct{ send, want string }{
		{older("tools/list", ""), `"error":{"code":-32600`},
		{older("prompts/get", `"name":"x"`), `"error":{"code":-32600`},
		{older("ping", ""), `"result"`},
		{hello, `"result"`},
		{hello, `"error":{"code":-32600`},
		{older("tools/nothing", ""), `"error":{"code":-32601`},
		{older("tools/call", `"name":"gone"`), `"error":{"code":-32602`},
		{older("prompts/get", `"name":"gone"`), `"error":{"code":-32602`},
		{older("resources/read", `"uri":"wayfind://gone"`), `"error":{"code":-32602`},
		{older("logging/setLevel", `"level":"loud"`), `"error":{"code":-32602`},
		{older("logging/setLevel", `"level":"info"`), `"result"`},
		{older("completion/complete", `"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":"b"}`), `"error":{"code":-32601`},
		{older("resources/subscribe", `"uri":"wayfind://gone"`), `"error":{"code":-32601`},
		{older("tasks/get", `"taskId":"x"`), `"error":{"code":-32601`},
		{older("tasks/list", ""), `"error":{"code":-32601`},
		{older("tasks/cancel", `"taskId":"x"`), `"error":{"code":-32601`},
		{older("tasks/result", `"taskId":"x"`), `"error":{"code":-32601`},
		// A server that declares no tasks ignores the parameter (2025-11-25, Tasks, Capability Negotiation).
		{older("tools/call", `"name":"wayfind_search","arguments":{"query":"orders"},"task":{"ttl":60000}`), `"result":{"content"`},
		{older("server/discover", ""), `"error":{"code":-32601`},
		{request(1, "logging/setLevel", `"level":"info",`), `"error":{"code":-32601`},
		{request(1, "tasks/get", `"taskId":"x",`), `"error":{"code":-32601`},
		{request(1, "tasks/update", `"taskId":"x",`), `"error":{"code":-32601`},
		{request(1, "tasks/cancel", `"taskId":"x",`), `"error":{"code":-32601`},
		{request(1, "tasks/result", `"taskId":"x",`), `"error":{"code":-32601`},
		{request(1, "resources/subscribe", `"uri":"wayfind://gone",`), `"error":{"code":-32601`},
	}
	inWorld(t, plain, &mcpserver.Options{Domains: []string{"shop.example"}}, func(w *world) {
		h := w.wired()
		defer h.in.Close()
		for _, row := range rows {
			h.send(row.send)
			if got := h.next(); !strings.Contains(got, row.want) {
				w.Errorf("%s: %.300s, want %s", row.send, got, row.want)
			}
		}
	})
	srv, _ := overHTTP(t)
	session := ""
	for _, row := range rows {
		if got := posted(t, srv, row.send, &session); !strings.Contains(got, row.want) {
			t.Errorf("over HTTP: %s: %.300s, want %s", row.send, got, row.want)
		}
	}
}

// posted is the answer to a message over HTTP, in the session that initialize begins.
func posted(t *testing.T, srv *httptest.Server, message string, session *string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + token}}
	if strings.Contains(message, about) {
		_, method, _ := strings.Cut(message, `"method":"`)
		method, _, _ = strings.Cut(method, `"`)
		req.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		req.Header.Set("Mcp-Method", method)
	} else if *session != "" {
		req.Header.Set("Mcp-Session-Id", *session)
	}
	resp, err := srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if own := resp.Header.Get("Mcp-Session-Id"); own != "" {
		*session = own
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// Unsupported features are not declared: tasks, subscriptions, and completion without a server that
// completes.
func TestOnlyWhatIsSupportedIsDeclared(t *testing.T) {
	const want = `"capabilities":{"logging":{},"prompts":{"listChanged":true},"resources":{"listChanged":true},"tools":{"listChanged":true}}`
	inWorld(t, plain, &mcpserver.Options{Domains: []string{"shop.example"}}, func(w *world) {
		for _, first := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}` + "\n",
			request(1, "server/discover", ""),
		} {
			h := w.wired()
			h.send(first)
			w.wants(h.next(), want)
			_ = h.in.Close()
		}
	})
}

// A cancellation of a request that was never sent changes nothing, for a later request with its ID
// either.
func TestACancellationOfNoRequestChangesNothing(t *testing.T) {
	const stop = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}` + "\n"
	const none = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}` + "\n"
	inWorld(t, plain, &mcpserver.Options{Domains: []string{"shop.example"}}, func(w *world) {
		h := w.wired()
		defer h.in.Close()
		h.send(stop + none + request(9, "tools/list", ""))
		w.wants(h.next(), `"id":9,"result"`)
	})
	srv, _ := overHTTP(t)
	session := ""
	posted(t, srv, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}`, &session)
	for _, message := range []string{stop, none} {
		if got := posted(t, srv, message, &session); got != "" {
			t.Errorf("answered %s", got)
		}
	}
	if got := posted(t, srv, `{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{}}`, &session); !strings.Contains(got, `"id":9,"result"`) {
		t.Errorf("answered %.300s", got)
	}
}

// Streams are not resumed, and no event has an ID. A GET with the ID of one is refused, and since
// 2026-07-28 every GET is.
func TestAStreamIsNotResumed(t *testing.T) {
	srv, _ := overHTTP(t)
	session := ""
	posted(t, srv, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}`, &session)
	for version, want := range map[string]int{"2025-11-25": http.StatusBadRequest, "2026-07-28": http.StatusMethodNotAllowed} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Accept": {"text/event-stream"}, "Authorization": {"Bearer " + token}, "Mcp-Protocol-Version": {version}, "Last-Event-Id": {"1_0"}}
		if version < "2026" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		resp, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _ = resp.Body.Close(); resp.StatusCode != want {
			t.Errorf("%s: status %d, want %d", version, resp.StatusCode, want)
		}
	}
}
