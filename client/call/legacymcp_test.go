package call_test

import (
	"context"
	"encoding/json"
	"errors"
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

// A server of an older version sends requests while a tool runs. The caller's hook answers
// questions, a ping is answered, and any other request is refused with the error of the
// protocol.
func TestLegacyMCPAsks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		said, asks := make(chan rpc, 16), []string{}
		card := strings.Replace(serverCard, `"version": "1"`, `"version": "1", "tools": [{"name": "book", "inputSchema": {"type": "object"}}]`, 1)
		x := newWorld(t, clienttest.Pages{"/.well-known/mcp/server-card.json": card}, func(w http.ResponseWriter, m rpc) {
			switch {
			case m.Method == "initialize":
				w.Header().Set("Mcp-Session-Id", "s1")
				_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`, m.ID)
			case m.Method == "tools/call" && strings.Contains(string(m.Params), "_meta"):
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}`)
			case m.Method == "tools/call":
				w.Header().Set("Content-Type", "text/event-stream")
				for _, ask := range asks {
					_, _ = fmt.Fprintf(w, "data: %s\r\n\r\n", ask)
					w.(http.Flusher).Flush()
					m := <-said
					_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"data\":%q}}\n\n", m.ID)
				}
				_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"booked\"}]}}\n\n", m.ID)
			case m.Method == "":
				said <- m
				w.WriteHeader(http.StatusAccepted)
			default:
				w.WriteHeader(http.StatusAccepted)
			}
		})
		question := `{"jsonrpc":"2.0","id":"q%d","method":"elicitation/create","params":{"message":"How\u202e many?","requestedSchema":{"type":"object"}}}`
		for name, tt := range map[string]struct {
			asks  []string
			input func(context.Context, *call.InputRequest) (*call.InputAnswer, error)
			want  []string
			able  bool
		}{
			"an answer": {[]string{fmt.Sprintf(question, 1), `{"jsonrpc":"2.0","id":7,"method":"ping"}`}, func(_ context.Context, q *call.InputRequest) (*call.InputAnswer, error) {
				return &call.InputAnswer{Action: "accept", Content: json.RawMessage(`{"n":2}`)}, nil
			}, []string{`{"action":"accept","content":{"n":2}}`, `{}`}, true},
			"nobody":         {[]string{fmt.Sprintf(question, 1)}, nil, []string{"-32601"}, false},
			"a hook fails":   {[]string{fmt.Sprintf(question, 1)}, func(context.Context, *call.InputRequest) (*call.InputAnswer, error) { return nil, errors.New("no") }, []string{`{"action":"cancel"}`}, true},
			"a hook panics":  {[]string{fmt.Sprintf(question, 1)}, func(context.Context, *call.InputRequest) (*call.InputAnswer, error) { panic("ouch") }, []string{`{"action":"cancel"}`}, true},
			"another method": {[]string{`{"jsonrpc":"2.0","id":"r","method":"sampling/createMessage","params":{}}`}, nil, []string{"-32601"}, false},
			"again and again": {slices.Repeat([]string{fmt.Sprintf(question, 1)}, 9), func(context.Context, *call.InputRequest) (*call.InputAnswer, error) {
				return &call.InputAnswer{Action: "decline"}, nil
			}, append(slices.Repeat([]string{`{"action":"decline"}`}, 8), "-32601"), true},
		} {
			asks = tt.asks
			before := len(x.got)
			c, _ := x.caller(t, func(o *call.Options) { o.Input = tt.input })
			res, err := c.Call(t.Context(), x.box, "book", nil)
			wantCode(t, res, err, made)
			var replies []string
			for i, m := range x.got[before:] {
				switch m.Method {
				case "initialize":
					if got := strings.Contains(string(m.Params), "elicitation"); got != tt.able {
						t.Errorf("%s: %s", name, m.Params)
					}
				case "":
					if h := x.heads[before+i]; h.Get("Mcp-Session-Id") != "s1" || h.Get("Mcp-Protocol-Version") != "2025-11-25" {
						t.Errorf("%s: %v", name, h)
					}
					if string(m.Result)+string(m.Error) != "" {
						replies = append(replies, string(m.Result)+string(m.Error))
					}
				}
			}
			if res.Model.Text != "booked" || len(replies) != len(tt.want) {
				t.Fatalf("%s: %q, %q", name, res.Model.Text, replies)
			}
			for i, want := range tt.want {
				if !strings.Contains(replies[i], want) {
					t.Errorf("%s: %q", name, replies[i])
				}
			}
		}
	})
}

// A tool may ask a person eight questions in a round, and no more.
func TestQuestionsOfARound(t *testing.T) {
	bubble(t, func(t *testing.T) {
		card := strings.Replace(modernCard, `"version": "1"`, `"version": "1", "tools": [{"name": "book", "inputSchema": {"type": "object"}}]`, 1)
		questions := 0
		x := newWorld(t, clienttest.Pages{"/.well-known/mcp/server-card.json": card}, func(w http.ResponseWriter, m rpc) {
			result := `{"resultType":"complete","content":[{"type":"text","text":"booked"}]}`
			if !strings.Contains(string(m.Params), "inputResponses") {
				var list []string
				for i := range questions {
					list = append(list, fmt.Sprintf(`"q%d":{"method":"elicitation/create","params":{"message":"?"}}`, i))
				}
				result = `{"resultType":"input_required","inputRequests":{` + strings.Join(list, ",") + `}}`
			}
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
		})
		h := &hooks{}
		c, _ := x.caller(t, func(o *call.Options) {
			o.Input = func(context.Context, *call.InputRequest) (*call.InputAnswer, error) {
				return &call.InputAnswer{Action: "accept"}, nil
			}
			*o = *h.counted(o)
		})
		for n, requests := range map[int]int{8: 2, 9: 1, 1000: 1} {
			questions = n
			before := len(x.got)
			res, err := c.Call(t.Context(), x.box, "book", nil)
			if n == 8 {
				wantCode(t, res, err, made)
			} else {
				wantReason(t, "too many", res, err, call.Refused, "it wants to know too much")
			}
			h.wantAsked(t, fmt.Sprint(n), append(slices.Repeat([]string{"input"}, 8), "confirm")...)
			if got := len(x.got) - before; got != requests {
				t.Errorf("%d questions: %d requests", n, got)
			}
		}
	})
}

// The time that a person takes to answer is not part of the time of the call.
func TestPeopleTakeTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		card := strings.Replace(modernCard, `"version": "1"`, `"version": "1", "tools": [{"name": "book", "inputSchema": {"type": "object"}}]`, 1)
		results := []string{`{"resultType":"input_required","inputRequests":{"r":{"method":"elicitation/create","params":{"message":"?"}}}}`, `{"resultType":"complete","content":[{"type":"text","text":"booked"}]}`}
		x := newWorld(t, clienttest.Pages{"/.well-known/mcp/server-card.json": card}, func(w http.ResponseWriter, m rpc) {
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, results[0])
			results = results[1:]
		})
		c, _ := x.caller(t, func(o *call.Options) {
			o.Timeout = 10 * time.Second
			o.Input = func(context.Context, *call.InputRequest) (*call.InputAnswer, error) {
				time.Sleep(time.Hour)
				return &call.InputAnswer{Action: "accept"}, nil
			}
		})
		res, err := c.Call(t.Context(), x.box, "book", nil)
		if wantCode(t, res, err, made); res.Model.Text != "booked" {
			t.Errorf("%+v", res.Model)
		}
	})
}

// An agent over HTTP+JSON, and one that requires extensions.
func TestA2ABindings(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const card = `{"name": "Travel", "description": "Books.", "version": "1", "supportedInterfaces": [
			{"url": "https://shop.example/grpc", "protocolBinding": "GRPC", "protocolVersion": "1.0"},
			{"url": "https://shop.example/talk/", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0", "tenant": "a/b"}],
			"capabilities": {"extensions": [{"uri": "https://ext.example/a", "required": true}, {"uri": "https://ext.example/b"}]},
			"defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": []}`
		var got []*http.Request
		var bodies []string
		status, answer := 200, `{"task":{"id":"t/1","status":{"state":"TASK_STATE_SUBMITTED"}}}`
		x := newAgent(t, card, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			got, bodies = append(got, r), append(bodies, string(body))
			w.Header().Set("Content-Type", "application/json")
			if r.Method == http.MethodGet {
				_, _ = io.WriteString(w, `{"id":"t/1","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"parts":[{"text":"done"}]}]}`)
				return
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, answer)
		})
		c, _ := x.caller(t)
		name := x.box.Tools()[0].Name
		res, err := c.Call(t.Context(), x.box, name, []byte(`{"message":"To Oslo"}`))
		if wantCode(t, res, err, made); !res.Model.Pending {
			t.Fatalf("%+v", res)
		}
		res, err = c.Wait(t.Context(), res.Program.Handle)
		if wantCode(t, res, err, made); res.Model.Text != "done" {
			t.Errorf("%+v", res.Model)
		}
		if got[0].RequestURI != "/talk/a%2Fb/message:send" || got[1].RequestURI != "/talk/a%2Fb/tasks/t%2F1" || !strings.Contains(bodies[0], `"messageId":"`) || !strings.Contains(bodies[0], `"returnImmediately":true`) {
			t.Errorf("%s %s %s", got[0].RequestURI, got[1].RequestURI, bodies[0])
		}
		for _, r := range got {
			if r.Header.Get("A2A-Version") != "1.0" || r.Header.Get("A2A-Extensions") != "https://ext.example/a" {
				t.Errorf("%v", r.Header)
			}
		}
		for _, tt := range []struct {
			status int
			answer string
			want   call.Code
		}{
			{400, `{"error":{"code":400,"status":"FAILED_PRECONDITION","message":"no room"}}`, call.UpstreamError},
			{404, `{}`, call.UpstreamError}, {401, `{"error":{"message":"who?"}}`, call.CredentialMissing}, {200, `<html>`, call.OutcomeUnknown}, {502, ``, call.OutcomeUnknown},
		} {
			status, answer = tt.status, tt.answer
			before := len(got)
			res, err := c.Call(t.Context(), x.box, name, []byte(`{"message":"x"}`))
			wantCode(t, res, err, tt.want)
			if len(got) != before+1 || tt.status == 400 && !strings.Contains(mustJSON(t, res.Model), "no room") || tt.status == 401 && strings.Contains(res.Model.Text, "who?") {
				t.Errorf("%d: %d requests, %+v", tt.status, len(got)-before, res.Model)
			}
		}
	})
}

// newAgent returns a world with one host that has an agent below /talk.
func newAgent(t *testing.T, card string, api http.HandlerFunc) *world {
	t.Helper()
	net, x := clienttest.New(t), &world{}
	pages := clienttest.Pages{"/.well-known/agent-card.json": card}
	net.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/talk") {
			api(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	}))
	x.client = net.Client()
	x.load(t)
	return x
}
