package call_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
)

const priced = `, "x-payment-info": {"price": {"mode": "fixed", "amount": "5", "currency": "USD"}, "protocols": ["x402"]}`

// A call whose answer was lost is asked about again, whoever agreed to what, until another try has an
// answer, or an hour is over. The question says so first. Other arguments and other users are other
// intentions.
func TestALostCallIsAskedAboutAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		status := http.StatusBadGateway
		s := newShop(t, document("", operation("post", "/api/buy", "buy", priced+jsonBody), operation("post", "/api/note", "note", jsonBody)),
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		y := &yes{verdict: call.AllowSession}
		c := s.caller(&call.Options{Confirm: y.confirm, Principal: principal})
		send := func(user, tool, arguments string, want call.Code, lost bool) {
			t.Helper()
			before := y.count()
			res, err := c.Call(as(t, user), s.box, tool, []byte(arguments))
			wantCode(t, res, err, want)
			said := y.count() > before && y.asked[y.count()-1].Reasons[0] == call.ReasonLost
			if said != lost || lost && slices.Contains(y.asked[y.count()-1].Reasons[1:], call.ReasonLost) {
				t.Errorf("%s %s %s: asked %d times, lost %v, want %v", user, tool, arguments, y.count()-before, said, lost)
			}
		}
		send("ann", "buy", `{"reason":"x","amount":1}`, call.OutcomeUnknown, false)
		send("ann", "buy", `{"amount": 1.0, "reason": "\u0078"}`, call.OutcomeUnknown, true)
		send("ann", "buy", `{"reason":"y","amount":1}`, call.OutcomeUnknown, false)
		send("bob", "buy", `{"reason":"x","amount":1}`, call.OutcomeUnknown, false)
		send("ann", "note", `{"reason":"x"}`, call.OutcomeUnknown, false)
		send("ann", "note", `{"reason":"x"}`, call.OutcomeUnknown, true) // the session does not cover it
		for _, status = range []int{http.StatusConflict, http.StatusUnprocessableEntity, http.StatusForbidden, http.StatusInternalServerError} {
			before := y.count()
			res, err := c.Call(as(t, "ann"), s.box, "note", []byte(`{"reason":"x"}`))
			if err == nil || res.Program.Attempts == 0 || y.count() == before {
				t.Errorf("%d: %v, asked %d times", status, err, y.count()-before)
			}
		}
		status = http.StatusOK
		send("ann", "buy", `{"reason":"x","amount":1}`, made, true)
		send("ann", "buy", `{"reason":"x","amount":1}`, made, false) // a second order
		time.Sleep(time.Hour)
		send("ann", "note", `{"reason":"x"}`, made, false)
	})
}

// A lost call of a tool with an idempotency key is sent again with that key, and a call with other
// arguments, or after an answer, has another one. A key belongs to its user, tool and arguments.
func TestALostCallKeepsItsKey(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var keys []string
		fails, status := true, 200
		s := newShop(t, document("", operation("post", "/api/keyed", "keyed", `, "parameters": [`+keyHeader+`]`+jsonBody)), func(w http.ResponseWriter, r *http.Request) {
			keys = append(keys, r.Header.Get("Idempotency-Key"))
			if fails {
				panic(http.ErrAbortHandler)
			}
			w.WriteHeader(status)
		})
		y := &yes{verdict: call.AllowOnce}
		c := s.caller(&call.Options{Confirm: y.confirm, Principal: principal})
		one := []byte(`{"reason":"x"}`)
		lost, err := c.Call(as(t, "ann"), s.box, "keyed", one)
		wantCode(t, lost, err, call.OutcomeUnknown)
		for _, other := range []struct{ user, arguments string }{{"bob", `{"reason":"x"}`}, {"ann", `{"reason":"y"}`}} {
			res, err := c.Resume(as(t, other.user), s.box, "keyed", []byte(other.arguments), lost.Program.Key)
			wantCode(t, res, err, call.Refused)
		}
		fails, keys = false, keys[:1]
		for _, status = range []int{http.StatusConflict, http.StatusInternalServerError} {
			if _, err := c.Call(as(t, "ann"), s.box, "keyed", one); err == nil {
				t.Errorf("%d is a success", status)
			}
		}
		if status = 200; slices.ContainsFunc(keys, func(k string) bool { return k != keys[0] }) {
			t.Errorf("keys %q", keys)
		}
		keys = keys[:1]
		for _, arguments := range []string{`{"reason":"y"}`, `{"reason":"x"}`, `{"reason":"x"}`} {
			res, err := c.Call(as(t, "ann"), s.box, "keyed", []byte(arguments))
			wantCode(t, res, err, made)
		}
		if len(keys) != 4 || keys[0] == keys[1] || keys[0] != keys[2] || keys[0] == keys[3] {
			t.Errorf("keys %q", keys)
		}
		if slices.ContainsFunc(y.asked, func(q *call.Question) bool { return slices.Contains(q.Reasons, call.ReasonLost) }) {
			t.Error("a person was asked about a call that its key repeats")
		}
	})
}

// lostFile is a LostStore, as one that keeps files.
type lostFile struct {
	t    *testing.T
	kept map[string]string
	till map[string]time.Time
	err  error
	mu   sync.Mutex
}

func (l *lostFile) Load(_ context.Context, intention string) (string, time.Time, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept[intention], l.till[intention], l.err
}

func (l *lostFile) Keep(_ context.Context, intention, key string, until time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(intention) != 64 || strings.ContainsAny(intention, "{x ") {
		l.t.Errorf("the intention is %q", intention)
	}
	l.kept[intention], l.till[intention] = key, until
	return l.err
}

func (l *lostFile) Forget(_ context.Context, intention string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.kept, intention)
	delete(l.till, intention)
	return l.err
}

// Another Caller, as after a restart, asks about a lost call, or sends it again with its key. So does one
// without the key that tags idempotency keys.
func TestALostCallIsRememberedAcrossRestarts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		status := http.StatusBadGateway
		var keys []string
		s := newShop(t, document("", operation("post", "/api/buy", "buy", priced+jsonBody), operation("post", "/api/keyed", "keyed", `, "parameters": [`+keyHeader+`]`+jsonBody)),
			func(w http.ResponseWriter, r *http.Request) {
				if key := r.Header.Get("Idempotency-Key"); key != "" {
					keys = append(keys, key)
				}
				w.WriteHeader(status)
			})
		kept := &lostFile{t: t, kept: map[string]string{}, till: map[string]time.Time{}}
		send := func(user, tool, arguments string, want call.Code) (asked, lost bool) {
			t.Helper()
			y := &yes{verdict: call.AllowOnce}
			c := s.caller(&call.Options{Confirm: y.confirm, Principal: principal, Lost: kept}) // a restart
			res, err := c.Call(as(t, user), s.box, tool, []byte(arguments))
			wantCode(t, res, err, want)
			return y.count() > 0, y.count() > 0 && y.asked[0].Reasons[0] == call.ReasonLost
		}
		wants := func(user, tool, arguments string, want call.Code, lost bool) {
			t.Helper()
			if _, was := send(user, tool, arguments, want); was != lost {
				t.Errorf("%s %s %s: lost %v, want %v", user, tool, arguments, was, lost)
			}
		}
		wants("ann", "buy", `{"reason":"x"}`, call.OutcomeUnknown, false)
		wants("ann", "buy", `{"reason": "\u0078"}`, call.OutcomeUnknown, true)
		wants("bob", "buy", `{"reason":"x"}`, call.OutcomeUnknown, false)
		status = http.StatusOK
		wants("ann", "buy", `{"reason":"x"}`, made, true)
		wants("ann", "buy", `{"reason":"x"}`, made, false) // a second order
		time.Sleep(time.Hour)
		wants("bob", "buy", `{"reason":"x"}`, made, false)

		status = http.StatusBadGateway
		wants("ann", "keyed", `{"reason":"x"}`, call.OutcomeUnknown, false)
		status = http.StatusOK
		first := keys[0]
		keys = nil
		wants("ann", "keyed", `{"reason":"x"}`, made, false)
		wants("ann", "keyed", `{"reason":"x"}`, made, false)
		if len(keys) != 2 || keys[0] != first || keys[1] == first {
			t.Errorf("keys %q, and %q before", keys, first)
		}

		kept.err = errors.New("the disk is gone")
		wants("ann", "buy", `{"reason":"z"}`, call.Refused, false)
	})
}
