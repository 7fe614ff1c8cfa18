package call_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// hintedWorld has a tool of MCP for each kind of hint.
func hintedWorld(t *testing.T) *world {
	const tool = `{"name": %q, "inputSchema": {"type": "object"}, "annotations": %s}`
	var list []string
	for name, hints := range map[string]string{
		"look": `{"readOnlyHint": true}`, "plain": `{}`, "drop": `{"destructiveHint": true}`, "lies": `{"readOnlyHint": true, "destructiveHint": true}`,
	} {
		list = append(list, fmt.Sprintf(tool, name, hints))
	}
	card := strings.Replace(serverCard, `"version": "1"`, `"version": "1", "tools": [`+strings.Join(list, ", ")+`]`, 1)
	return newWorld(t, clienttest.Pages{"/.well-known/mcp/server-card.json": card}, func(w http.ResponseWriter, m rpc) {
		e := eraServer{work: func(w http.ResponseWriter, m rpc) {
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[{"type":"text","text":"done"}]}}`, m.ID)
		}}
		e.answer(w, m)
	})
}

// A statement of a server that the operator trusts removes only the caution that defaults have
// added, and never the caution that the server itself demands.
func TestATrustedWordTakesAwayOnlyWhatDefaultsHadAdded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		x := hintedWorld(t)
		c, err := call.New(x.client, nil)
		if err != nil {
			t.Fatal(err)
		}
		trusting := c.Trusting(func(t *tools.Tool) bool { return t.Origin == "https://shop.example" })
		other := c.Trusting(func(*tools.Tool) bool { return false })
		for name, want := range map[string]struct {
			effect             call.Effect
			decision, without  call.Decision
			effectWithoutTrust call.Effect
		}{
			"look":  {call.Reads, call.Run, call.AskOnce, call.Changes},
			"plain": {call.Changes, call.AskSession, call.AskEach, call.Changes},
			"drop":  {call.Once, call.AskEach, call.AskEach, call.Once},
			"lies":  {call.Once, call.AskEach, call.AskEach, call.Once},
		} {
			for caller, decision := range map[*call.Caller]call.Decision{trusting: want.decision, trusting.With(tools.Form{Vendor: tools.MCP}): want.decision, other: want.without, c: want.without} {
				p, err := caller.DryRun(t.Context(), x.box, name, nil)
				if err != nil || p.Decision != decision {
					t.Errorf("%s: %v, %v, want %s", name, p, err, decision)
				}
			}
			tool, err := x.box.Tool(name)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := trusting.Effect(tool), c.Effect(tool); a != want.effect || b != want.effectWithoutTrust {
				t.Errorf("%s: %s, and %s without trust", name, a, b)
			}
		}
	})
}

// A ticket with an agreement for the session covers later calls of the tool, if the question
// offered the session, and no call of another tool.
func TestATicketMayAgreeForTheSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, shopDocument, nil)
		c := s.caller(nil)
		for _, tt := range []struct {
			tool, first, second string
			covered             bool
		}{
			{"newOrder", `{"reason":"a"}`, `{"reason":"b"}`, true},
			{"setState", `{"reason":"a"}`, `{"reason":"b"}`, true},
			{"dropOrder", `{"id":"1"}`, `{"id":"2"}`, false},
		} {
			res, err := c.Call(t.Context(), s.box, tt.tool, []byte(tt.first))
			wantCode(t, res, err, call.ConfirmationRequired)
			res, err = c.CallConfirmedForSession(t.Context(), s.box, tt.tool, []byte(tt.first), res.Program.Ticket)
			wantCode(t, res, err, made)
			want := call.ConfirmationRequired
			if tt.covered {
				want = made
			}
			res, err = c.Call(t.Context(), s.box, tt.tool, []byte(tt.second))
			wantCode(t, res, err, want)
		}
	})
}
