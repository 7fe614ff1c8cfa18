package call_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// After a challenge, the events of the answer do not contain the token that was sent because
// of it.
func TestEventsAfterAChallengeHaveNoCredential(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newSilent(t, ownChallenge)
		m.api.Handle("/api/read", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "" {
				w.Header().Set("WWW-Authenticate", ownChallenge)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			stream("data: you sent "+r.Header.Get("Authorization")+"\n\n")(w, r)
		}))
		var got []call.Event
		c := m.caller(machine(), func(o *call.Options) {
			o.Event = func(_ context.Context, e *call.Event) { got = append(got, *e) }
		})
		res, err := c.Call(t.Context(), m.box, "read", nil)
		if wantCode(t, res, err, made); len(got) != 1 || !strings.Contains(got[0].Data, call.Hidden) {
			t.Errorf("%+v", got)
		}
		leaks(t, "an event", mustJSON(t, got))
	})
}

// After a challenge, work that goes on is polled with the scopes of the challenge. Its answer
// contains neither the new token nor the one before.
func TestPollsAfterAChallenge(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newRealm(t)
		const more = `Bearer error="insufficient_scope", scope="more"`
		work := func(after http.HandlerFunc) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer s3cret-token-2" {
					w.Header().Set("WWW-Authenticate", more)
					w.WriteHeader(http.StatusForbidden)
					return
				}
				after(w, r)
			})
		}
		m.api.Handle("/api/write", work(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/api/jobs/1")
			w.WriteHeader(http.StatusAccepted)
		}))
		m.api.Handle("/api/jobs/1", work(answers("text/plain", "you sent s3cret-token-1 and s3cret-token-2")))
		c := m.caller(machine())
		res, err := c.Call(t.Context(), m.box, "write", []byte(`{"reason":"x"}`))
		if wantCode(t, res, err, made); !res.Model.Pending || len(m.forms()) != 2 {
			t.Fatalf("%+v, %d tokens", res, len(m.forms()))
		}
		res, err = c.Wait(t.Context(), res.Program.Handle)
		if wantCode(t, res, err, made); len(m.forms()) != 2 {
			t.Errorf("%d tokens", len(m.forms()))
		}
		leaks(t, "a result", mustJSON(t, res)+string(res.Program.Body))
	})
}

// A token that was replaced after a challenge is hidden too, because the site knows it and may
// repeat it.
func TestATokenThatWasReplacedIsHidden(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newRealm(t)
		m.api.Handle("/api/read", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "Bearer s3cret-token-1" {
				w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			answers("text/plain", "before: s3cret-token-1")(w, r)
		}))
		res, err := m.caller(machine()).Call(t.Context(), m.box, "read", nil)
		if wantCode(t, res, err, made); !strings.Contains(res.Model.Text, "before: "+call.Hidden) {
			t.Errorf("%q", res.Model.Text)
		}
		leaks(t, "a result", mustJSON(t, res)+string(res.Program.Body))
	})
}

// The answer to a poll does not contain the idempotency key of the call, and its events are
// passed on like the events of the call.
func TestPollsAreLikeTheCall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		key := ""
		doc := document("", operation("post", "/api/orders", "order", jsonBody+`, "parameters": [{"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}]`))
		s := newShop(t, doc, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				key = r.Header.Get("Idempotency-Key")
				w.Header().Set("Location", "/api/jobs/1")
				w.WriteHeader(http.StatusAccepted)
				return
			}
			stream("data: the key is "+key+"\n\n")(w, r)
		})
		var got []call.Event
		c := s.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm, Event: func(_ context.Context, e *call.Event) { got = append(got, *e) }})
		res, err := c.Call(t.Context(), s.box, "order", []byte(`{"reason":"x"}`))
		if wantCode(t, res, err, made); key == "" || res.Program.Key != key || !res.Model.Pending {
			t.Fatalf("%q, %+v", key, res)
		}
		res, err = c.Wait(t.Context(), res.Program.Handle)
		wantCode(t, res, err, made)
		if len(got) != 1 || got[0].Data != "the key is "+call.Hidden || strings.Contains(res.Model.Text+string(res.Program.Body), key) {
			t.Errorf("%+v, %q", got, res.Model.Text)
		}
	})
}

// If a call is refused after its request was written, its record contains the request.
func TestRecordsOfRefusalsHaveTheRequest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newRealm(t)
		var list []*call.Record
		c := m.caller(machine(), func(o *call.Options) {
			o.Credentials, o.Audit = nil, func(r *call.Record) { list = append(list, r) }
		})
		res, err := c.Call(t.Context(), m.box, "write", []byte(`{"reason":"x"}`))
		wantCode(t, res, err, call.CredentialMissing)
		if len(list) != 1 || list[0].Method != http.MethodPost || list[0].Origin != apiOrigin || list[0].Attempts != 0 || len(list[0].Credentials) != 0 {
			t.Errorf("%+v", list)
		}
	})
}

// olderServer is an MCP server with sessions. Its functions write the answers.
type olderServer struct {
	hello, call, leave func(w http.ResponseWriter, m rpc)
}

func (o olderServer) answer(w http.ResponseWriter, m rpc) {
	switch {
	case m.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", "s1")
		o.hello(w, m)
	case m.Method == "tools/call" && strings.Contains(string(m.Params), "_meta"):
		w.WriteHeader(http.StatusBadRequest)
	case m.Method == "tools/call":
		o.call(w, m)
	case m.Method == "" && m.ID == nil, m.Method == "notifications/cancelled":
		o.leave(w, m)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

const (
	olderHello  = `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`
	olderBooked = `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"booked"}]}}`
)

func newOlder(t *testing.T, change func(x *world, o *olderServer)) *world {
	t.Helper()
	o := &olderServer{
		hello: func(w http.ResponseWriter, m rpc) { _, _ = fmt.Fprintf(w, olderHello, m.ID) },
		call:  func(w http.ResponseWriter, m rpc) { _, _ = fmt.Fprintf(w, olderBooked, m.ID) },
		leave: func(w http.ResponseWriter, _ rpc) { w.WriteHeader(http.StatusNoContent) },
	}
	card := strings.Replace(serverCard, `"version": "1"`, `"version": "1", "tools": [{"name": "book", "inputSchema": {"type": "object"}}]`, 1)
	x := newWorld(t, clienttest.Pages{"/.well-known/mcp/server-card.json": card}, func(w http.ResponseWriter, m rpc) { o.answer(w, m) })
	change(x, o)
	return x
}

// The answer to the last request of a session is ignored: it causes no login, and its status
// is not in the record.
func TestAFarewellMeetsNoChallenge(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var left atomic.Int64
		x := newOlder(t, func(_ *world, o *olderServer) {
			answer := o.call
			o.call = func(w http.ResponseWriter, m rpc) {
				if left.Load() > 0 { // the second call ends with its time
					time.Sleep(time.Hour)
				}
				answer(w, m)
			}
			o.leave = func(w http.ResponseWriter, _ rpc) {
				left.Add(1)
				w.Header().Set("WWW-Authenticate", `Bearer realm="x"`)
				w.WriteHeader(http.StatusUnauthorized)
			}
		})
		h := &hooks{}
		var list []*call.Record
		c, _ := x.caller(t, func(o *call.Options) {
			o.Timeout = 5 * time.Second
			o.Audit = func(r *call.Record) { list = append(list, r) }
			o.Credentials = func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
				return call.Bearer("s3cret-token", call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
			}
			*o = *h.counted(o)
		})
		res, err := c.Call(t.Context(), x.box, "book", nil)
		_ = c.Close()
		if wantCode(t, res, err, made); left.Load() != 1 || res.Model.Text != "booked" {
			t.Errorf("%d farewells, %q", left.Load(), res.Model.Text)
		}
		h.wantAsked(t, "a farewell", "confirm")
		if len(list) != 1 || list[0].Status != http.StatusOK || list[0].Attempts != 1 {
			t.Errorf("%+v", list[0])
		}
		if _, err = c.Call(t.Context(), x.box, "book", nil); err == nil || left.Load() < 2 { // it is cancelled
			t.Errorf("%v, %d farewells", err, left.Load())
		}
		if len(list) != 2 || list[1].Status == http.StatusUnauthorized {
			t.Errorf("%+v", list)
		}
		h.wantAsked(t, "two farewells", "confirm")
	})
}

// A handshake is over when its answer has arrived, even if the server leaves the stream open
// and sends a request in it first.
func TestAHandshakeInAStreamThatStaysOpen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		x := newOlder(t, func(_ *world, o *olderServer) {
			o.hello = func(w http.ResponseWriter, m rpc) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = fmt.Fprintf(w, `data: {"jsonrpc":"2.0","id":"p","method":"ping"}`+"\n\ndata: "+olderHello+"\n\n", m.ID)
				w.(http.Flusher).Flush()
				time.Sleep(time.Hour)
			}
		})
		c, _ := x.caller(t)
		start := time.Now()
		res, err := c.Call(t.Context(), x.box, "book", nil)
		if wantCode(t, res, err, made); time.Since(start) > time.Second {
			t.Errorf("%v", time.Since(start))
		}
		pongs := 0
		for _, m := range x.got {
			if string(m.ID) == `"p"` && string(m.Result) == "{}" {
				pongs++
			}
		}
		if pongs != 1 {
			t.Errorf("%d answers to a ping", pongs)
		}
	})
}

// Requests of a server within a stream are answered with the current credential of the call,
// here the one that was sent after a challenge.
func TestRepliesAfterAChallengeHaveItsCredential(t *testing.T) {
	bubble(t, func(t *testing.T) {
		answered := make(chan string, 1)
		x := newOlder(t, func(x *world, o *olderServer) {
			usual := o.call
			o.call = func(w http.ResponseWriter, m rpc) {
				if x.lastHead().Get("Authorization") == "" {
					w.Header().Set("WWW-Authenticate", `Bearer realm="x"`)
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","id":"p","method":"ping"}`+"\n\n")
				w.(http.Flusher).Flush()
				time.Sleep(time.Second)
				answered <- x.lastHead().Get("Authorization")
				_, _ = io.WriteString(w, "data: ")
				usual(w, m)
				_, _ = io.WriteString(w, "\n\n")
			}
		})
		c, _ := x.caller(t, func(o *call.Options) {
			o.Credentials = func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
				return call.Bearer("s3cret-token", call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
			}
		})
		res, err := c.Call(t.Context(), x.box, "book", nil)
		wantCode(t, res, err, made)
		x.mu.Lock() // a session may still be ended
		defer x.mu.Unlock()
		for i, m := range x.got {
			if string(m.ID) == `"p"` && x.heads[i].Get("Authorization") != "Bearer s3cret-token" {
				t.Errorf("a reply with %v", x.heads[i])
			}
		}
		if got := <-answered; got != "Bearer s3cret-token" {
			t.Errorf("%q", got)
		}
	})
}

// lastHead returns the header of the last request.
func (x *world) lastHead() http.Header {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.heads[len(x.heads)-1]
}

// A call over a protocol without idempotency keys is not resumed, because it would be made
// twice.
func TestAToolOfAProtocolWithoutKeysIsNotResumed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		x := newOlder(t, func(*world, *olderServer) {})
		c, y := x.caller(t)
		res, err := c.Resume(t.Context(), x.box, "book", nil, "0190b6a4-0000-7000-8000-000000000000")
		wantReason(t, "no key", res, err, call.Refused, "it takes no key, so it cannot be resumed")
		if len(x.got) != 0 || y.count() != 0 {
			t.Errorf("%d requests, %d questions", len(x.got), y.count())
		}
	})
}

// The time that a person takes to answer within the stream of an answer is not part of the
// time of the call.
func TestPeopleTakeTimeWithinAStream(t *testing.T) {
	bubble(t, func(t *testing.T) {
		said := make(chan bool, 1)
		x := newOlder(t, func(_ *world, o *olderServer) {
			usual := o.call
			o.call = func(w http.ResponseWriter, m rpc) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?"}}`+"\n\n")
				w.(http.Flusher).Flush()
				<-said
				_, _ = io.WriteString(w, "data: ")
				usual(w, m)
				_, _ = io.WriteString(w, "\n\n")
			}
		})
		c, _ := x.caller(t, func(o *call.Options) {
			o.Timeout = time.Second
			o.Input = func(context.Context, *call.InputRequest) (*call.InputAnswer, error) {
				time.Sleep(10 * time.Second)
				said <- true
				return &call.InputAnswer{Action: "accept"}, nil
			}
		})
		res, err := c.Call(t.Context(), x.box, "book", nil)
		if wantCode(t, res, err, made); res.Model.Text != "booked" {
			t.Errorf("%+v", res.Model)
		}
	})
}
