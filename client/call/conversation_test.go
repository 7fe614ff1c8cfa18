package call_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// counter is an MCP server that keeps a session: it counts the calls in each. It has a tool that reads, one
// that may change something, and one whose second call does more than the first.
type counter struct {
	*world
	mu    sync.Mutex
	began int
	calls map[string]int  // by session
	gone  map[string]bool // sessions that the server has ended
	ended []string        // sessions that a client has ended
	says  string          // the answer to a request of a session that is gone
	code  int
	// guarded is true if the server demands a credential.
	guarded bool
	// work answers a request first; it returns false if it does not.
	work func(w http.ResponseWriter, m rpc, head http.Header) bool
	// sessionless is true if the server begins no session.
	sessionless bool
}

const counterTools = `"supportedProtocolVersions": ["2025-11-25"], `

func newCounter(t *testing.T) *counter {
	t.Helper()
	card := strings.Replace(serverCard, `"version": "1"`, `"version": "1", "tools": [
		{"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
		{"name": "set", "inputSchema": {"type": "object"}, "annotations": {"destructiveHint": false}},
		{"name": "pay", "inputSchema": {"type": "object"}, "annotations": {"destructiveHint": true, "idempotentHint": false}}]`, 1)
	card = strings.Replace(card, `"streamable-http", `, `"streamable-http", `+counterTools, 1)
	s := &counter{calls: map[string]int{}, gone: map[string]bool{}, says: `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`, code: http.StatusNotFound}
	s.world = newWorld(t, clienttest.Pages{"/.well-known/mcp/server-card.json": card}, s.answer)
	return s
}

func (s *counter) answer(w http.ResponseWriter, m rpc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.world.mu.Lock()
	head := s.heads[len(s.heads)-1]
	s.world.mu.Unlock()
	id := head.Get("Mcp-Session-Id")
	if s.work != nil && s.work(w, m, head) {
		return
	}
	switch {
	case s.guarded && head.Get("Authorization") == "":
		w.Header().Set("WWW-Authenticate", `Bearer realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	case m.Method == "initialize":
		if s.began++; !s.sessionless {
			w.Header().Set("Mcp-Session-Id", fmt.Sprint("s", s.began))
		}
		_, _ = fmt.Fprintf(w, olderHello, m.ID)
	case m.Method == "" && m.ID == nil:
		s.ended = append(s.ended, id)
		w.WriteHeader(http.StatusNoContent)
	case m.Method == "tools/call" && s.gone[id]:
		w.WriteHeader(s.code)
		_, _ = fmt.Fprint(w, s.says)
	case m.Method == "tools/call":
		s.calls[id]++
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s %d"}]}}`, m.ID, id, s.calls[id])
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

// end makes the server end all sessions.
func (s *counter) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.began {
		s.gone[fmt.Sprint("s", i+1)] = true
	}
}

// trusting is a Caller that believes what a server says about its tools.
func trusting(c *call.Caller) *call.Caller {
	return c.Trusting(func(*tools.Tool) bool { return true })
}

func (s *counter) wants(t *testing.T, ctx context.Context, c *call.Caller, want string) *call.Result {
	t.Helper()
	res, err := c.Call(ctx, s.box, "look", nil)
	if wantCode(t, res, err, made); res.Model.Text != want {
		t.Errorf("%q, want %q", res.Model.Text, want)
	}
	return res
}

// Ten calls of a server share one session, so that it keeps its state: 13 requests instead of 40.
func TestCallsShareASession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newCounter(t)
		c, _ := s.caller(t)
		for i := range 10 {
			if res := s.wants(t, t.Context(), c, fmt.Sprint("s1 ", i+1)); res.Model.Note != "" {
				t.Error(res.Model.Note)
			}
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if len(s.got) != 13 || !slices.Equal(s.ended, []string{"s1"}) {
			t.Errorf("%d requests, ended %v: %v", len(s.got), s.ended, s.methods(0))
		}
		seen := map[string]bool{}
		for _, m := range s.got {
			if m.Method == "tools/call" && seen[string(m.ID)] {
				t.Errorf("two requests have the id %s", m.ID)
			}
			seen[string(m.ID)] = true
		}
		s.wants(t, t.Context(), c, "s2 1") // after Close it is not kept
		synctest.Wait()
		if !slices.Equal(s.ended, []string{"s1", "s2"}) {
			t.Errorf("ended %v", s.ended)
		}
	})
}

// Calls that begin at the same time make one session.
func TestCallsAtTheSameTimeMakeOneSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newCounter(t)
		c, _ := s.caller(t)
		c = trusting(c)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				res, err := c.Call(t.Context(), s.box, "look", nil)
				wantCode(t, res, err, made)
			})
		}
		all.Wait()
		if s.began != 1 || s.calls["s1"] != 20 {
			t.Errorf("%d sessions, %v", s.began, s.calls)
		}
	})
}

// No session is shared by two principals, parties, accounts, or Callers of which one alone answers
// questions. Each has its own again at its next call, and what one leaves or forgets ends for it alone.
func TestASessionHasOneOwner(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newCounter(t)
		c, _ := s.caller(t, func(o *call.Options) {
			o.Principal = principal
		})
		c = trusting(c)
		answering := c.Answering(func(context.Context, *call.InputRequest) (*call.InputAnswer, error) { return nil, nil })
		for round := 1; round <= 2; round++ {
			s.wants(t, as(t, "alice"), c, fmt.Sprint("s1 ", round))
			s.wants(t, as(t, "bob"), c, fmt.Sprint("s2 ", round))
			s.wants(t, as(t, "alice"), c.AskedBy("host"), fmt.Sprint("s3 ", round))
			s.wants(t, as(t, "alice"), c.AskedBy("other"), fmt.Sprint("s4 ", round))
			s.wants(t, as(t, "alice"), answering, fmt.Sprint("s5 ", round))
		}
		c.AskedBy("host").Leave()
		synctest.Wait()
		if !slices.Equal(s.ended, []string{"s3"}) {
			t.Errorf("ended %v", s.ended)
		}
		if err := c.Forget("bob"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !slices.Equal(s.ended, []string{"s3", "s2"}) {
			t.Errorf("ended %v", s.ended)
		}
		s.wants(t, as(t, "alice"), c, "s1 3")
		s.wants(t, as(t, "bob"), c, "s6 1")
	})
}

// A session belongs to the credential with which it was made.
func TestASessionBelongsToACredential(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newCounter(t)
		token := "one"
		c, _ := s.caller(t, func(o *call.Options) {
			o.Credentials = func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
				return call.Bearer(token, call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
			}
		})
		s.guarded = true
		s.wants(t, t.Context(), c, "s1 1")
		token = "two"
		s.wants(t, t.Context(), c, "s2 1")
		token = "one"
		s.wants(t, t.Context(), c, "s1 2")
	})
}

// A session that is not used for five minutes ends, and the next call is told that what it kept is gone.
func TestAnIdleSessionEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newCounter(t)
		c, _ := s.caller(t)
		for range 3 { // each call begins the time anew
			s.wants(t, t.Context(), c, fmt.Sprint("s1 ", s.calls["s1"]+1))
			time.Sleep(5*time.Minute - time.Second)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !slices.Equal(s.ended, []string{"s1"}) {
			t.Fatalf("ended %v", s.ended)
		}
		if res := s.wants(t, t.Context(), c, "s2 1"); !strings.Contains(res.Model.Note, "new session") {
			t.Errorf("%q", res.Model.Note)
		}
		if res := s.wants(t, t.Context(), c, "s2 2"); res.Model.Note != "" {
			t.Errorf("%q", res.Model.Note)
		}
	})
}

// After the server has ended a session, a call that reads is sent once more, in a new session. No other call
// is repeated: the answer may come from a gateway, after the service has done its work.
func TestAServerEndsASession(t *testing.T) {
	const plain = `no`
	for _, tt := range []struct {
		tool, says string
		code       int
		want       call.Code
		calls      int // of the tool
	}{
		{"look", "", http.StatusNotFound, made, 2},
		{"look", plain, http.StatusNotFound, made, 2},
		{"look", "", http.StatusBadRequest, made, 2}, // about no request
		{"look", plain, http.StatusBadRequest, call.UpstreamError, 1},
		{"set", "", http.StatusNotFound, call.SessionEnded, 1},
		{"set", "", http.StatusBadRequest, call.SessionEnded, 1},
		{"set", plain, http.StatusNotFound, call.SessionEnded, 1},
		{"pay", "", http.StatusNotFound, call.OutcomeUnknown, 1},
		{"pay", plain, http.StatusNotFound, call.OutcomeUnknown, 1},
	} {
		t.Run(fmt.Sprint(tt.tool, tt.code, tt.says), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newCounter(t)
				c, _ := s.caller(t)
				c = trusting(c)
				s.wants(t, t.Context(), c, "s1 1")
				s.end()
				if s.code = tt.code; tt.says != "" {
					s.says = tt.says
				}
				before := len(s.got)
				res, err := c.Call(t.Context(), s.box, tt.tool, nil)
				wantCode(t, res, err, tt.want)
				sent := 0
				for _, m := range s.methods(before) {
					if m == "tools/call" {
						sent++
					}
				}
				if sent != tt.calls {
					t.Errorf("%d calls: %v", sent, s.methods(before))
				}
				if tt.want == made && (res.Model.Text != "s2 1" || !strings.Contains(res.Model.Note, "new session")) {
					t.Errorf("%q, %q", res.Model.Text, res.Model.Note)
				}
				if tt.want == call.SessionEnded && !strings.Contains(res.Model.Text, "ended its session") {
					t.Errorf("%q", res.Model.Text)
				}
				if res, err = c.Call(t.Context(), s.box, "look", nil); err != nil || !strings.HasPrefix(res.Model.Text, "s2 ") {
					t.Errorf("the next call: %v, %q", err, res.Model.Text)
				}
				_ = c.Close()
				if slices.Contains(s.ended, "s1") != (tt.says == plain && tt.code == http.StatusBadRequest) {
					t.Errorf("ended %v", s.ended)
				}
			})
		})
	}
}

// An error that answers the call itself leaves the session alive, whatever the status. One with the code for
// a session that has ended does not.
func TestAnErrorOfACallEndsNoSession(t *testing.T) {
	for _, code := range []int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed} {
		for _, tool := range []string{"look", "set", "pay"} {
			t.Run(fmt.Sprint(code, tool), func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					s := newCounter(t)
					c, _ := s.caller(t)
					c = trusting(c)
					s.wants(t, t.Context(), c, "s1 1")
					fails, number := 0, -32602
					s.work = func(w http.ResponseWriter, m rpc, _ http.Header) bool {
						if m.Method != "tools/call" || fails > 0 {
							return false
						}
						fails++
						w.WriteHeader(code)
						_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no such date"}}`, m.ID, number)
						return true
					}
					res, err := c.Call(t.Context(), s.box, tool, nil)
					if wantCode(t, res, err, call.UpstreamError); !strings.Contains(res.Model.Text, "no such date") {
						t.Errorf("%q", res.Model.Text)
					}
					s.wants(t, t.Context(), c, "s1 2")
					if len(s.ended) != 0 {
						t.Errorf("ended %v", s.ended)
					}
					if fails, number = 0, -32001; code == http.StatusNotFound && tool == "look" {
						s.wants(t, t.Context(), c, "s2 1")
					}
				})
			})
		}
	}
}

// A server that ends each session at once is called twice, and no more.
func TestAServerThatEndsEverySession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newCounter(t)
		for i := range 100 {
			s.gone[fmt.Sprint("s", i)] = true
		}
		c, _ := s.caller(t)
		res, err := trusting(c).Call(t.Context(), s.box, "look", nil)
		if wantCode(t, res, err, call.SessionEnded); s.began != 2 || strings.Contains(err.Error(), "nothing was repeated") {
			t.Errorf("%d sessions, %v", s.began, err)
		}
	})
}

// A 404 without a session leaves open whether a call that must not be made twice was made. An answer of the
// protocol does not.
func TestAMissingPageLeavesOpenWhatWasDone(t *testing.T) {
	for _, tt := range []struct {
		tool, says string
		want       call.Code
	}{
		{"pay", `nothing here`, call.OutcomeUnknown},
		{"pay", `{"jsonrpc":"2.0","id":"2","error":{"code":-32601,"message":"no"}}`, call.Gone},
		{"set", `nothing here`, call.Gone},
	} {
		bubble(t, func(t *testing.T) {
			s := newCounter(t)
			s.says, s.sessionless, s.gone[""] = tt.says, true, true
			c, _ := s.caller(t)
			res, err := trusting(c).Call(t.Context(), s.box, tt.tool, nil)
			wantCode(t, res, err, tt.want)
		})
	}
}
