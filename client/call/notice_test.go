package call_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// A call that ends before its answer is cancelled at a server of an older version, with the id
// of its request: the end of a connection does not cancel it. Without a session nothing is
// sent, because another client's request might have the same id.
func TestAnEndedCallIsCancelledAtAnOlderServer(t *testing.T) {
	for name, tt := range map[string]struct {
		session string
		end     func(context.Context) (context.Context, context.CancelFunc)
		want    []string
	}{
		"by the caller": {"s1", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(time.Second, cancel)
			return ctx, cancel
		}, []string{`notifications/cancelled {"requestId":"2"} s1`, "DELETE s1"}},
		"by the time": {"s1", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return ctx, func() {}
		}, []string{`notifications/cancelled {"requestId":"2"} s1`, "DELETE s1"}},
		"without a session": {"", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return ctx, func() {}
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				card := strings.Replace(serverCard, `"version": "1"`, `"version": "1", "tools": [{"name": "book", "inputSchema": {"type": "object"}}]`, 1)
				called := false
				x := newWorld(t, clienttest.Pages{"/.well-known/mcp/server-card.json": card}, func(w http.ResponseWriter, m rpc) {
					switch {
					case m.Method == "initialize":
						if tt.session != "" {
							w.Header().Set("Mcp-Session-Id", tt.session)
						}
						_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`, m.ID)
					case m.Method == "tools/call" && strings.Contains(string(m.Params), "_meta"):
						w.WriteHeader(http.StatusBadRequest)
						_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}`)
					case m.Method == "tools/call":
						called = true
						w.Header().Set("Content-Type", "text/event-stream")
						w.(http.Flusher).Flush()
						time.Sleep(time.Hour)
					default:
						w.WriteHeader(http.StatusAccepted)
					}
				})
				c, _ := x.caller(t, func(o *call.Options) { o.Timeout = 5 * time.Second })
				ctx, cancel := tt.end(t.Context())
				defer cancel()
				if _, err := c.Call(ctx, x.box, "book", nil); err == nil || !called {
					t.Fatalf("%v, called %v", err, called)
				}
				_ = c.Close()
				var got []string
				for i, m := range x.got {
					switch {
					case m.Method == "notifications/cancelled":
						got = append(got, m.Method+" "+string(m.Params)+" "+x.heads[i].Get("Mcp-Session-Id"))
					case m.Method == "":
						got = append(got, "DELETE "+x.heads[i].Get("Mcp-Session-Id"))
					}
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("after the call %q, want %q", got, tt.want)
				}
			})
		})
	}
}

// A server of an older version is asked for log messages of a level if it supports logging,
// and for progress with the call. Its notices are cleaned, and notices about other calls are
// dropped.
func TestAnOlderServerIsAskedForItsNotices(t *testing.T) {
	for _, logs := range []bool{true, false} {
		bubble(t, func(t *testing.T) {
			card := strings.Replace(serverCard, `"version": "1"`, `"version": "1", "tools": [{"name": "book", "inputSchema": {"type": "object"}}]`, 1)
			able := `{"tools":{}}`
			if logs {
				able = `{"tools":{},"logging":{}}`
			}
			x := newWorld(t, clienttest.Pages{"/.well-known/mcp/server-card.json": card}, func(w http.ResponseWriter, m rpc) {
				switch {
				case m.Method == "initialize":
					_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":%s,"serverInfo":{"name":"x","version":"1"}}}`, m.ID, able)
				case m.Method == "tools/call" && strings.Contains(string(m.Params), "protocolVersion"):
					w.WriteHeader(http.StatusBadRequest)
					_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}`)
				case m.Method == "tools/call":
					_, token, _ := strings.Cut(string(m.Params), `"progressToken":`)
					token, _, _ = strings.Cut(token, "}")
					w.Header().Set("Content-Type", "text/event-stream")
					for _, said := range []string{
						`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,"progress":1,"total":2,"message":"one\u202e\nof two"}}`,
						`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"7","progress":2}}`,
						`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":["full"]}}`,
						`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"below"}}`,
						`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"content":[]}}`,
						`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"after the end"}}`,
					} {
						_, _ = fmt.Fprintf(w, "data: %s\n\n", said)
					}
				case m.Method == "logging/setLevel":
					_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no"}}`, m.ID)
				default:
					w.WriteHeader(http.StatusAccepted)
				}
			})
			c, _ := x.caller(t, func(*call.Options) {})
			var got []string
			hearing := c.Hearing("warning", func(n *call.Notice) {
				got = append(got, fmt.Sprintf("%s %v/%v %s", n.Level, n.Done, n.Total, n.Text))
			})
			res, err := hearing.Call(t.Context(), x.box, "book", nil)
			wantCode(t, res, err, made)
			if want := []string{" 1/2 one of two", `error 0/0 ["full"]`}; !slices.Equal(got, want) {
				t.Errorf("heard %q, want %q", got, want)
			}
			asked := slices.ContainsFunc(x.got, func(m rpc) bool {
				return m.Method == "logging/setLevel" && string(m.Params) == `{"level":"warning"}`
			})
			if asked != logs {
				t.Errorf("a server that has a log: %v, asked for a level: %v", logs, asked)
			}
		})
	}
}
