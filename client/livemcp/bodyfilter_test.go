package livemcp_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/clienttest"
)

// A text that is not exactly a message of JSON-RPC 2.0 is not an answer, neither as a
// body nor as an event. %s is replaced with the id of the request.
func TestWhatIsNoExactMessageIsNoAnswer(t *testing.T) {
	for text, ok := range map[string]bool{
		`{"jsonrpc": "2.0", "id": %s, "result": ` + oneTool + `}`:                                                      true,
		`{"jsonrpc": "2.0", "result": ` + oneTool + `, "id": %s, "trace": 1}`:                                          true,
		`{"jsonrpc": "2.0", "id": %s.0, "result": ` + oneTool + `}`:                                                    false,
		`{"jsonrpc": "2.0", "id": %se0, "result": ` + oneTool + `}`:                                                    false,
		`{"jsonrpc": "2.0", "id": "%s", "result": ` + oneTool + `}`:                                                    false,
		`{"jsonrpc": "2.0", "id": null, "result": ` + oneTool + `}`:                                                    false,
		`{"jsonrpc": "2.0", "id": true, "result": ` + oneTool + `}`:                                                    false,
		`{"jsonrpc": "2.0", "id": 00%s, "result": ` + oneTool + `}`:                                                    false,
		`{"jsonrpc": "2.0", "ID": %s, "result": ` + oneTool + `}`:                                                      false,
		`{"jsonrpc": "2.0", "id": %s, "Result": {"tools": []}, "result": ` + oneTool + `}`:                             false,
		`{"jsonrpc": "2.0", "id": %s, "result": ` + oneTool + `, "error": {"code": 1, "message": ""}}`:                 false,
		`{"jsonrpc": "2.0", "id": %s, "result": ` + oneTool + `, "error": null}`:                                       false,
		`{"jsonrpc": "2.0", "id": %s, "result": ` + oneTool + `, "method": "ping"}`:                                    false,
		`{"jsonrpc": "2.0", "id": %s}`:                                                                                 false,
		`{"jsonrpc": "1.0", "id": %s, "result": ` + oneTool + `}`:                                                      false,
		`{"jsonrpc": "2.0", "jsonrpc": "2.0", "id": %s, "result": ` + oneTool + `}`:                                    false,
		`[{"jsonrpc": "2.0", "id": %s, "result": ` + oneTool + `}]`:                                                    false,
		`{"jsonrpc": "2.0", "id": %s, "result": ` + oneTool + `} {}`:                                                   false,
		`{"jsonrpc": "2.0", "id": %s, "result": ` + strings.Replace(oneTool, `{"name"`, `{"name": 1, "name"`, 1) + `}`: false,
	} {
		for media, form := range map[string]string{"application/json": "%s", "text/event-stream": "id: 7\ndata: %s\n\n"} {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example", nil).Handle("/mcp", listing(func(w http.ResponseWriter, m message) {
					w.Header().Set("Content-Type", media)
					fmt.Fprintf(w, form, strings.ReplaceAll(text, "%s", string(m.ID)))
				}))
				ctx, cancel := contextOf(t)
				defer cancel()
				_, err := probe(ctx, t, internet, "", nil)
				if ok != (err == nil) {
					t.Errorf("%s as %s: %v", text, media, err)
				}
			})
		}
	}
}

// Events that are not messages are skipped, including comments and fields without a colon. A
// message may be split over several lines.
func TestEventsThatAreNoMessagesAreSkipped(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", nil).Handle("/mcp", listing(func(w http.ResponseWriter, m message) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, ": hello\r\n\r\nid: 1\n\nevent: other\ndata: {\n\ndata\n\nretry: 5\nevent: message\n"+
				"data: {\"jsonrpc\": \"2.0\",\ndata:\"id\": %s,\ndata: \"result\": %s}", m.ID, oneTool)
		}))
		if a, err := probe(t.Context(), t, internet, "", nil); err != nil || len(operations(a.Reading)) != 1 {
			t.Errorf("%+v, %v", a, err)
		}
	})
}

// Only short visible ASCII of a server is sent back to it. This applies to the id of an
// event too, at which a stream would be resumed.
func TestOnlyVisibleASCIIOfAnEventIDIsSentBack(t *testing.T) {
	for name, id := range map[string]string{"long": strings.Repeat("a", 60<<10), "not ASCII": "a\x80\xff"} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", nil).Handle("/mcp", listing(func(w http.ResponseWriter, _ message) {
					w.Header().Set("Content-Type", "text/event-stream")
					fmt.Fprintf(w, "id: %s\ndata:\n\n", id)
				}))
				ctx, cancel := contextOf(t)
				defer cancel()
				if _, err := probe(ctx, t, internet, "", nil); err == nil {
					t.Error("no answer is an answer")
				}
				for _, r := range host.Requests() {
					if r.Header.Get("Last-Event-Id") != "" {
						t.Errorf("%s %s carries it", r.Method, r.Path)
					}
				}
			})
		})
	}
}

// IDs up to the limit are sent back.
func TestSessionIDsUpToTheLimitAreSentBack(t *testing.T) {
	for n, want := range map[int]bool{256: true, 257: false} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			server, id := legacy(says(oneTool)), strings.Repeat("~", n)
			host := internet.Host("shop.example", nil).Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Mcp-Session-Id", id)
				server.ServeHTTP(w, r)
			}))
			_, err := probe(t.Context(), t, internet, "", nil)
			requests := host.Requests()
			if carried := requests[len(requests)-1].Header.Get("Mcp-Session-Id") == id; carried != want || (err == nil) != want {
				t.Errorf("%d: carried %t, %v", n, carried, err)
			}
		})
	}
}
