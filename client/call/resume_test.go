package call_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// cutter is a server that ends the stream of an answer before the answer, and resumes it.
type cutter struct {
	*counter
	first   string   // the events before the first cut
	aborts  bool     // the connection breaks; otherwise the stream ends
	resumed []string // what each GET gets; a number is a status
	gets    []string // the IDs that were sent
	times   []time.Time
}

func newCutter(t *testing.T, first string, resumed ...string) *cutter {
	c := &cutter{counter: newCounter(t), first: first, resumed: resumed}
	c.work = func(w http.ResponseWriter, m rpc, head http.Header) bool {
		last := head.Get("Last-Event-Id")
		switch {
		case m.Method == "tools/call":
			c.calls["s1"]++
			c.times = append(c.times, time.Now())
			c.stream(w, c.first)
			return true
		case last == "":
			return false
		}
		c.gets, c.times = append(c.gets, last), append(c.times, time.Now())
		if head.Get("Mcp-Session-Id") != "s1" || head.Get("Content-Type") != "" || len(c.resumed) == 0 {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return true
		}
		events := c.resumed[0]
		c.resumed = c.resumed[1:]
		c.stream(w, events)
		return true
	}
	return c
}

func (c *cutter) stream(w http.ResponseWriter, events string) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprint(w, events)
	w.(http.Flusher).Flush()
	if c.aborts {
		panic(http.ErrAbortHandler)
	}
}

const resumedAnswer = "id: e9\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"2\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"resumed\"}]}}\n\n"

// A stream that is cut before the answer is resumed after its last event, in the time that the server names.
// The call is sent once, whatever its effect. A stream that is not resumed leaves the outcome open.
func TestACutStreamIsResumed(t *testing.T) {
	const begun = "id: e1\nretry: 3000\ndata: \n\n"
	for name, tt := range map[string]struct {
		first   string
		resumed []string
		aborts  bool
		want    call.Code
		gets    []string
	}{
		"ended":        {begun, []string{resumedAnswer}, false, made, []string{"e1"}},
		"broken":       {begun + "id: e2\ndata: x", []string{resumedAnswer}, true, made, []string{"e1"}},
		"again":        {begun, []string{"id: e2\ndata: \n\n", ": nothing\n\n", resumedAnswer}, false, made, []string{"e1", "e2", "e2"}},
		"without IDs":  {"data: \n\n", nil, false, call.OutcomeUnknown, nil},
		"not resumed":  {begun, nil, false, call.OutcomeUnknown, []string{"e1"}},
		"no end":       {begun, slices.Repeat([]string{": nothing\n\n"}, 100), false, call.OutcomeUnknown, slices.Repeat([]string{"e1"}, 8)},
		"a foreign ID": {"id: \u20ac\ndata: \n\n", nil, false, call.OutcomeUnknown, nil},
	} {
		for _, tool := range []string{"look", "set", "pay"} {
			t.Run(name+" "+tool, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					s := newCutter(t, tt.first, slices.Clone(tt.resumed)...)
					s.aborts = tt.aborts
					c, _ := s.caller(t)
					res, err := trusting(c).Call(t.Context(), s.box, tool, nil)
					want := tt.want
					if tool == "look" && want == call.OutcomeUnknown {
						want = call.UpstreamError // it changes nothing
					}
					wantCode(t, res, err, want)
					calls, gets := 1, tt.gets
					if name == "not resumed" && tool == "look" {
						calls, gets = 2, []string{"e1", "e1"}
					}
					if want == made && res.Model.Text != "resumed" || s.calls["s1"] != calls || !slices.Equal(s.gets, gets) {
						t.Errorf("%q, %d calls, resumed at %q", res.Model.Text, s.calls["s1"], s.gets)
					}
					if len(s.times) > 1 && s.times[1].Sub(s.times[0]) < 3*time.Second {
						t.Errorf("resumed after %v", s.times[1].Sub(s.times[0]))
					}
				})
			})
		}
	}
}

// A stream is resumed after its connection has ended, and after nothing else: one that is too large, or the
// one of a refusal, is not fetched again.
func TestAStreamThatIsRefusedIsNotResumed(t *testing.T) {
	const begun = "id: e1\ndata: \n\n"
	large := begun + strings.Repeat(": "+strings.Repeat("x", 1000)+"\n", 1100)
	for name, tt := range map[string]struct {
		first   string
		status  int
		resumed []string
		read    call.Code // of a call that reads
		gets    int
	}{
		"large":           {large, http.StatusOK, []string{resumedAnswer}, call.TooLarge, 0},
		"large and later": {begun, http.StatusOK, []string{large, resumedAnswer}, call.TooLarge, 1},
		"a refusal":       {begun, http.StatusInternalServerError, []string{resumedAnswer}, call.UpstreamError, 0},
	} {
		for _, tool := range []string{"look", "pay"} {
			t.Run(name+" "+tool, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					s := newCutter(t, tt.first, tt.resumed...)
					work := s.work
					s.work = func(w http.ResponseWriter, m rpc, head http.Header) bool {
						if m.Method == "tools/call" && tt.status != http.StatusOK {
							w.Header().Set("Content-Type", "text/event-stream")
							w.WriteHeader(tt.status)
						}
						return work(w, m, head)
					}
					c, _ := s.caller(t)
					res, err := trusting(c).Call(t.Context(), s.box, tool, nil)
					want := tt.read
					if tool == "pay" {
						want = call.OutcomeUnknown
					}
					if wantCode(t, res, err, want); s.calls["s1"] != 1 || len(s.gets) != tt.gets {
						t.Errorf("%v, %d calls, resumed at %q", err, s.calls["s1"], s.gets)
					}
				})
			})
		}
	}
}

// The streams of a call are resumed 500 times, and its questions and notices are counted, whatever events
// a server sends.
func TestTheStreamsOfACallHaveOneLimit(t *testing.T) {
	const question = `data: {"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object"}}}` + "\n\n"
	const notice = `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"x"}}` + "\n\n"
	bubble(t, func(t *testing.T) {
		stream := func(i int) string {
			said := fmt.Sprintf("id: k%d\nretry: 1\ndata: \n\n", i)
			if i < 4 {
				said += strings.Repeat(question, 3) + strings.Repeat(notice, 300)
			}
			return said
		}
		var resumed []string
		for i := range 600 {
			resumed = append(resumed, stream(i+1))
		}
		s := newCutter(t, stream(0), resumed...)
		asked, heard := 0, 0
		c, _ := s.caller(t, func(o *call.Options) {
			o.Input = func(context.Context, *call.InputRequest) (*call.InputAnswer, error) {
				asked++
				return &call.InputAnswer{Action: "decline"}, nil
			}
		})
		res, err := c.Hearing("error", func(*call.Notice) { heard++ }).Call(t.Context(), s.box, "pay", nil)
		wantCode(t, res, err, call.OutcomeUnknown)
		if len(s.gets) != 500 || asked != 8 || heard != 1000 || s.calls["s1"] != 1 {
			t.Errorf("resumed %d times, asked %d times, %d notices, %d calls", len(s.gets), asked, heard, s.calls["s1"])
		}
	})
}

// A server is never asked earlier than it wants: the call waits, or ends at once if that takes longer than
// the call may.
func TestAStreamIsNotResumedTooEarly(t *testing.T) {
	for retry, gets := range map[time.Duration]int{35 * time.Second: 1, time.Hour: 0} {
		bubble(t, func(t *testing.T) {
			s := newCutter(t, fmt.Sprintf("id: e1\nretry: %d\ndata: \n\n", retry.Milliseconds()), resumedAnswer)
			c, _ := s.caller(t, func(o *call.Options) { o.Timeout = time.Minute })
			began := time.Now()
			_, err := trusting(c).Call(t.Context(), s.box, "pay", nil)
			took := time.Since(began)
			if len(s.gets) != gets || (err == nil) != (gets == 1) || gets == 1 && took < retry || gets == 0 && took > time.Second {
				t.Errorf("%v: %v, %v, resumed at %q", retry, err, took, s.gets)
			}
		})
	}
}

// A stream of a version without sessions cannot be resumed, so a call that reads is sent once more after it
// is cut.
func TestACutStreamWithoutASessionIsReadAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		card := strings.Replace(modernCard, `"version": "1"`, `"version": "1", "tools": [{"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}]`, 1)
		calls := 0
		x := newWorld(t, clienttest.Pages{"/.well-known/mcp/server-card.json": card}, func(w http.ResponseWriter, m rpc) {
			w.Header().Set("Content-Type", "text/event-stream")
			if calls++; calls == 1 {
				_, _ = fmt.Fprint(w, "id: e1\ndata: \n\n")
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			}
			_, _ = fmt.Fprintf(w, "id: e1\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\",\"text\":\"seen\"}]}}\n\n", m.ID)
		})
		c, _ := x.caller(t)
		res, err := trusting(c).Call(t.Context(), x.box, "look", nil)
		if wantCode(t, res, err, made); res.Model.Text != "seen" || calls != 2 {
			t.Errorf("%q, %d calls", res.Model.Text, calls)
		}
	})
}
