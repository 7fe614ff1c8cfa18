package call_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
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
