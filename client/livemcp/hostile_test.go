package livemcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// manyTools returns n tools, named from first on.
func manyTools(first, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		_, _ = fmt.Fprintf(&b, `{"name": "t%d", "inputSchema": {"type": "object"}}`, first+i)
	}
	return b.String()
}

// after returns a server of 2025-06-18 whose answer to tools/list comes from a handler.
func after(tools func(w http.ResponseWriter, m message)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		body, _ := io.ReadAll(r.Body)
		var m message
		_ = json.Unmarshal(body, &m)
		if m.Method == "tools/list" {
			tools(w, m)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		legacy(nil).ServeHTTP(w, r)
	})
}

// stream writes without end, until the client leaves. It counts the bytes.
func stream(w http.ResponseWriter, written *atomic.Int64, text string) {
	for {
		n, err := io.WriteString(w, text)
		if written.Add(int64(n)); err != nil {
			return
		}
	}
}

// At most 4 MiB are read in all, whatever their content, and nothing is kept of them.
func TestFourMebibytesAreReadAtMost(t *testing.T) {
	testkit.Large(t)
	pad := strings.Repeat(" ", 64<<10)
	rows := map[string]func(w http.ResponseWriter, m message, n *atomic.Int64){
		"a JSON answer without end": func(w http.ResponseWriter, m message, n *atomic.Int64) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": %s, "result": {"tools": [`, m.ID)
			stream(w, n, pad)
		},
		"an event without end": func(w http.ResponseWriter, _ message, n *atomic.Int64) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: ")
			stream(w, n, pad)
		},
		"comments without end": func(w http.ResponseWriter, _ message, n *atomic.Int64) {
			w.Header().Set("Content-Type", "text/event-stream")
			stream(w, n, strings.Repeat(": hello\n\n", 1000))
		},
		"notifications without end": func(w http.ResponseWriter, _ message, n *atomic.Int64) {
			w.Header().Set("Content-Type", "text/event-stream")
			stream(w, n, `data: {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "`+pad+"\"}}\n\n")
		},
		"an error without end": func(w http.ResponseWriter, _ message, n *atomic.Int64) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			stream(w, n, pad)
		},
	}
	for name, tools := range rows {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				var written atomic.Int64
				internet.Host("shop.example", nil).Handle("/mcp", after(func(w http.ResponseWriter, m message) { tools(w, m, &written) }))
				var before, then runtime.MemStats
				runtime.ReadMemStats(&before)
				_, err := probe(t.Context(), t, internet, "", nil)
				runtime.ReadMemStats(&then)
				refused(t, err, wayfind.ErrInvalid, wayfind.CodeTooLarge)
				if n := written.Load(); n > 16<<20 {
					t.Errorf("the server could write %d bytes", n)
				}
				t.Logf("%d bytes allocated", then.TotalAlloc-before.TotalAlloc)
				if n := then.TotalAlloc - before.TotalAlloc; n > 64<<20 {
					t.Errorf("%d bytes were allocated", n)
				}
			})
		})
	}
}

// The limit applies to all answers together, not to each.
func TestTheLimitOfBytesHoldsForAllPagesTogether(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		page := 0
		internet.Host("shop.example", nil).Handle("/mcp", legacy(func(message) string {
			page++
			return fmt.Sprintf(`{"tools": [], "nextCursor": "%d", "_meta": {"pad": "%s"}}`, page, strings.Repeat("x", 512<<10))
		}))
		_, err := probe(t.Context(), t, internet, "", nil)
		refused(t, err, wayfind.ErrInvalid, wayfind.CodeTooLarge)
		if page < 7 || page > 8 {
			t.Errorf("%d pages of 512 KiB were asked for", page)
		}
	})
}

// Exactly 4 MiB are allowed.
func TestExactlyFourMebibytesAreAllowed(t *testing.T) {
	for _, over := range []int{0, 1} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			said := 0
			count := func(result string) func(message) string {
				return func(message) string {
					said += len(`{"jsonrpc": "2.0", "id": 1, "result": }`) + len(result)
					return result
				}
			}
			internet.Host("shop.example", nil).Handle("/mcp", script{
				"server/discover": count(discover),
				"tools/list": func(m message) string {
					count(`{"tools": []}`)(m)
					return `{"tools": []` + strings.Repeat(" ", 4<<20-said+over) + `}`
				},
			})
			_, err := probe(t.Context(), t, internet, "", nil)
			if over == 0 && err != nil {
				t.Errorf("4 MiB: %v", err)
			}
			if over == 1 {
				refused(t, err, wayfind.ErrInvalid, wayfind.CodeTooLarge)
			}
		})
	}
}

// An unlimited number of pages, a repeated cursor and too many tools are errors after a
// limited number of requests.
func TestEndlessPagesAreErrors(t *testing.T) {
	n := 0
	rows := []struct {
		name  string
		tools func(message) string
		code  wayfind.Code
		pages int
	}{
		{"without end", func(message) string { n++; return fmt.Sprintf(`{"tools": [], "nextCursor": "%d"}`, n) }, wayfind.CodeLimit, 50},
		{"the same cursor", says(`{"tools": [], "nextCursor": "again"}`), wayfind.CodeProtocol, 2},
		{"two cursors in turn", func(message) string { n++; return fmt.Sprintf(`{"tools": [], "nextCursor": "%d"}`, n%2) }, wayfind.CodeProtocol, 3},
		{"10,000 tools at once", says(`{"tools": [` + manyTools(0, 10_000) + `]}`), wayfind.CodeLimit, 1},
		{"1,001 tools in pages", func(message) string {
			n++
			return fmt.Sprintf(`{"tools": [%s], "nextCursor": "%d"}`, manyTools(n*91, 91), n)
		}, wayfind.CodeLimit, 11},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				n = 0
				host := internet.Host("shop.example", nil).Handle("/mcp", modern(r.tools))
				_, err := probe(t.Context(), t, internet, "", nil)
				refused(t, err, wayfind.ErrInvalid, r.code)
				if got := len(host.Requests()) - 1; got != r.pages {
					t.Errorf("%d pages were asked for, want %d", got, r.pages)
				}
			})
		})
	}
}

// 1,000 tools on 50 pages are allowed.
func TestThousandToolsOnFiftyPagesAreAllowed(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		n := 0
		internet.Host("shop.example", nil).Handle("/mcp", legacy(func(message) string {
			n++
			next := fmt.Sprintf(`"%d"`, n)
			if n == 50 {
				next = "null"
			}
			return fmt.Sprintf(`{"tools": [%s], "nextCursor": %s}`, manyTools(n*20, 20), next)
		}))
		a, err := probe(t.Context(), t, internet, "", nil)
		if err != nil || len(a.Reading.Services[0].Capabilities) != 1000 {
			t.Errorf("%v", err)
		}
	})
}

// Requests of a server are refused, a ping is answered, and more than a few requests end the
// probe.
func TestRequestsOfServer(t *testing.T) {
	for _, n := range []int{3, 500} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			var answers []string
			methods := []string{"sampling/createMessage", "ping", "elicitation/create"}
			inner := after(func(w http.ResponseWriter, m message) {
				w.Header().Set("Content-Type", "text/event-stream")
				for i := range n {
					_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\": \"2.0\", \"id\": \"s%d\", \"method\": %q, \"params\": {}}\n\n", i, methods[i%3])
				}
				_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\": \"2.0\", \"id\": %s, \"result\": %s}\n\n", m.ID, oneTool)
			})
			internet.Host("shop.example", nil).Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				var m message
				_ = json.Unmarshal(body, &m)
				if m.Method == "" {
					text := string(m.Result)
					if m.Error != nil {
						text = fmt.Sprint(m.Error.Code)
					}
					answers = append(answers, string(m.ID)+" "+text)
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				inner.ServeHTTP(w, r)
			}))
			a, err := probe(t.Context(), t, internet, "", nil)
			if n == 3 {
				if err != nil || len(a.Reading.Services[0].Capabilities) != 1 {
					t.Errorf("%v", err)
				}
				if d := cmp.Diff([]string{`"s0" -32601`, `"s1" {}`, `"s2" -32601`}, answers); d != "" {
					t.Errorf("answers (-want +got):\n%s", d)
				}
				return
			}
			refused(t, err, wayfind.ErrInvalid, wayfind.CodeLimit)
			if len(answers) != 16 {
				t.Errorf("%d answers", len(answers))
			}
		})
	}
}

// Unrequested messages are skipped, up to a limit.
func TestStrayMessages(t *testing.T) {
	for n, ok := range map[int]bool{1000: true, 1001: false} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("shop.example", nil).Handle("/mcp", after(func(w http.ResponseWriter, m message) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, strings.Repeat("data: {\"jsonrpc\": \"2.0\", \"id\": 99, \"result\": {}}\n\n", n))
				_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\": \"2.0\", \"id\": %s, \"result\": %s}\n\n", m.ID, oneTool)
			}))
			_, err := probe(t.Context(), t, internet, "", nil)
			if ok != (err == nil) {
				t.Errorf("%d messages: %v", n, err)
			}
			if !ok {
				refused(t, err, wayfind.ErrInvalid, wayfind.CodeLimit)
			}
		})
	}
}

// Results are read like documents: errors that a lenient reader would correct are reported.
func TestBadJSON(t *testing.T) {
	for text, code := range map[string]wayfind.Code{
		`{"tools": [{"name": "a", "name": "b", "inputSchema": {"type": "object"}}]}`:  wayfind.CodeJSONDuplicate,
		`{"tools": [{"name": "a` + "\xff" + `", "inputSchema": {"type": "object"}}]}`: wayfind.CodeInvalidUTF8,
		`{"tools": ` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`:      wayfind.CodeJSONDepth,
		`{"tools": ` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`:    wayfind.CodeJSONDepth,
		`{"tools": [}`:   wayfind.CodeProtocol,
		`{"tools": {}}`:  wayfind.CodeSchema,
		`{"Tools": []}`:  wayfind.CodeSchema,
		`[]`:             wayfind.CodeSchema,
		`null`:           wayfind.CodeSchema,
		`{"tools": "a"}`: wayfind.CodeSchema,
		`{"tools": [` + strings.Repeat("[],", 900) + `[]]}`: "",
	} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("shop.example", nil).Handle("/mcp", legacy(says(text)))
			a, err := probe(t.Context(), t, internet, "", nil)
			if code == "" {
				if err != nil || len(a.Reading.Services[0].Capabilities) != 0 || len(a.Reading.Diagnostics) > 201 {
					t.Errorf("%.40s: %v", text, err)
				}
				return
			}
			if e, ok := err.(*wayfind.Error); !ok || e.Code != code || e.Kind != wayfind.ErrInvalid {
				t.Errorf("%.60q: %v, want code %q", text, err, code)
			}
		})
	}
}

// Errors quote only a short part of a server's text, whatever its length.
func TestErrorsAreShort(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for name, tools := range map[string]func(w http.ResponseWriter, m message){
		"a line that is no field": func(w http.ResponseWriter, _ message) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, long+"\n\n")
		},
		"a cursor": func(w http.ResponseWriter, m message) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": %s, "result": {"tools": [], "nextCursor": %q}}`, m.ID, long)
		},
	} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("shop.example", nil).Handle("/mcp", after(tools))
			_, err := probe(t.Context(), t, internet, "", nil)
			refused(t, err, wayfind.ErrInvalid, wayfind.CodeProtocol)
			if e, ok := err.(*wayfind.Error); !ok || len(e.Err.Error()) > 512 {
				t.Errorf("%s: %d bytes", name, len(e.Err.Error()))
			}
		})
	}
}
