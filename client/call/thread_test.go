package call_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// newBooker returns a world with an agent that asks for a date and then for a time, in one task.
func newBooker(t *testing.T) *world {
	t.Helper()
	return newWorld(t, clienttest.Pages{"/.well-known/agent-card.json": card03}, func(w http.ResponseWriter, m rpc) {
		var sent struct {
			Message struct {
				ContextID, TaskID string
				Parts             []struct{ Text string }
			}
		}
		_ = json.Unmarshal(m.Params, &sent)
		state, says := "input-required", "Which date?"
		switch in := sent.Message; {
		case in.ContextID == "" && in.TaskID == "":
		case in.ContextID != "c1":
			state, says = "failed", "lost"
		case in.TaskID == "":
			state, says = "completed", "Another one"
		case in.Parts[0].Text == "3 May":
			says = "Which time?"
		default:
			state, says = "completed", "Room 7"
		}
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"kind":"task","id":"t1","contextId":"c1","status":{"state":%q,"message":{"parts":[{"kind":"text","text":%q}]}}}}`, m.ID, state, says)
	})
}

// A conversation with an agent goes on with the text that its answer gives, for the same user and tool, and
// for no other.
func TestAConversationWithAnAgentGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		x := newBooker(t)
		c, _ := x.caller(t, func(o *call.Options) { o.Principal, o.TicketKey = principal, []byte(ticketKey) })
		name := x.box.Tools()[0].Name
		say := func(c *call.Caller, who, message, conversation string) (*call.Result, error) {
			return c.Call(as(t, who), x.box, name, []byte(mustJSON(t, map[string]string{"message": message, "conversation": conversation})))
		}
		in := ""
		for _, turn := range [][2]string{{"Book a room", "Which date?"}, {"3 May", "Which time?"}, {"Noon", "Room 7"}, {"And one more", "Another one"}} {
			res, err := say(c, "alice", turn[0], in)
			if wantCode(t, res, err, made); res.Model.Text != turn[1] || res.Model.Conversation == "" || strings.Contains(mustJSON(t, res.Model), `"c1"`) {
				t.Errorf("%s: %+v", turn[0], res.Model)
			}
			if in = res.Model.Conversation; !strings.Contains(res.Model.Prompt(), in) {
				t.Error(res.Model.Prompt())
			}
		}
		before := len(x.got)
		for who, value := range map[string]string{"bob": in, "alice": in[:len(in)-2] + "AA", "carol": "c1"} {
			res, err := say(c, who, "3 May", value)
			wantReason(t, who, res, err, call.InvalidArguments, "the conversation is none")
		}
		if len(x.got) != before {
			t.Error("a foreign conversation was sent")
		}
		other, _ := x.caller(t, func(o *call.Options) { o.Principal, o.TicketKey = principal, []byte(ticketKey) }) // after a restart
		res, err := say(other, "alice", "And one more", in)
		if wantCode(t, res, err, made); res.Model.Text != "Another one" {
			t.Errorf("%+v", res.Model)
		}
	})
}
