package call_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// crowdOf is the number of users that one Caller serves at once.
const crowdOf = 100

// tally counts per user, and keeps one value for each user.
type tally struct {
	mu    sync.Mutex
	count map[string]int
	value map[string]string
}

func newTally() *tally { return &tally{count: map[string]int{}, value: map[string]string{}} }

// add counts a value of a user, which must not change.
func (n *tally) add(t *testing.T, what, user, value string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.count[user]++; n.count[user] > 1 && n.value[user] != value {
		t.Errorf("%s has the %s %q and %q", user, what, n.value[user], value)
	}
	n.value[user] = value
}

// want checks the count of each user, and that no two users have the same value.
func (n *tally) want(t *testing.T, what string, each int, distinct bool) {
	t.Helper()
	users := map[string]string{}
	for user, value := range n.value {
		if other, there := users[value]; there && distinct {
			t.Errorf("%s and %s share the %s %q", user, other, what, value)
		}
		if users[value] = user; n.count[user] != each {
			t.Errorf("%s: %d of the %s, want %d", user, n.count[user], what, each)
		}
	}
	if len(n.value) != crowdOf {
		t.Errorf("%d users have a %s", len(n.value), what)
	}
}

// everybody makes all users call a tool at once, each with its name as an argument.
func everybody(t *testing.T, c *call.Caller, box *tools.Box, tool, member string) {
	t.Helper()
	var all sync.WaitGroup
	for i := range crowdOf {
		user := fmt.Sprintf("user-%03d", i)
		all.Go(func() {
			res, err := c.Call(as(t, user), box, tool, fmt.Appendf(nil, `{%q:%q}`, member, user))
			if err != nil {
				t.Errorf("%s: %v, %+v", user, err, res.Model)
			}
		})
	}
	all.Wait()
}

// Each of a hundred users of one Caller has its own login, token and agreement. Forgetting one
// of them does not affect the others.
func TestAHundredUsersOfOneCallerShareNoToken(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m, logins, questions, records := newRealm(t), newTally(), newTally(), newTally()
		cfg := &call.OAuthConfig{Grant: call.DeviceCode, ClientID: "app", Device: func(ctx context.Context, _, _ string) error {
			logins.add(t, "login", principal(ctx), principal(ctx))
			return nil
		}}
		c := m.caller(cfg, func(o *call.Options) {
			o.Principal, o.AuditArguments = principal, true
			o.Confirm = func(ctx context.Context, q *call.Question) (call.Answer, error) {
				if !strings.Contains(string(q.Request.Body), principal(ctx)) {
					t.Errorf("%s is asked about %s", principal(ctx), q.Request.Body)
				}
				questions.add(t, "question", principal(ctx), principal(ctx))
				return call.Answer{Verdict: call.AllowSession}, nil
			}
			o.Audit = func(r *call.Record) {
				if !strings.Contains(mustJSON(t, r.Arguments), r.Principal) {
					t.Errorf("the record of %s has %s", r.Principal, mustJSON(t, r.Arguments))
				}
				records.add(t, "record", r.Principal, r.Principal)
			}
		})
		for range 3 {
			everybody(t, c, m.box, "write", "reason")
		}
		tokens := newTally()
		for _, r := range m.calls() {
			var body struct{ Reason string }
			if err := json.Unmarshal([]byte(r.body), &body); err != nil {
				t.Fatal(err)
			}
			tokens.add(t, "token", body.Reason, r.header.Get("Authorization"))
		}
		logins.want(t, "login", 1, true)
		questions.want(t, "question", 1, true)
		records.want(t, "record", 3, true)
		tokens.want(t, "token", 3, true)
		if err := c.Forget("user-007"); err != nil {
			t.Fatal(err)
		}
		everybody(t, c, m.box, "write", "reason")
		for user, n := range logins.count {
			if want := map[bool]int{true: 2, false: 1}[user == "user-007"]; n != want || questions.count[user] != want {
				t.Errorf("%s: %d logins, %d questions after user-007 was forgotten", user, n, questions.count[user])
			}
		}
	})
}

// Each of a hundred users of one MCP server has its own sessions.
func TestAHundredUsersOfOneCallerShareNoSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		net, sessions, opened := clienttest.New(t), newTally(), map[string]string{}
		var mu sync.Mutex
		card := clienttest.Pages{"/.well-known/mcp/server-card.json": strings.Replace(serverCard, `"version": "1"`,
			`"version": "1", "tools": [{"name": "book", "inputSchema": {"type": "object", "properties": {"v": {"type": "string"}}}}]`, 1)}
		net.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, page := card[r.URL.Path]; page {
				card.ServeHTTP(w, r)
				return
			}
			raw, _ := io.ReadAll(r.Body)
			var m rpc
			_ = json.Unmarshal(raw, &m)
			mu.Lock()
			defer mu.Unlock()
			key, session := r.Header.Get("Authorization"), r.Header.Get("Mcp-Session-Id")
			switch {
			case session != "" && opened[session] != key:
				t.Errorf("%q in a session of %q", key, opened[session])
			case m.Method == "initialize":
				session = fmt.Sprintf("session-%d", len(opened))
				opened[session] = key
				w.Header().Set("Mcp-Session-Id", session)
			case m.Method == "tools/call":
				_, user, _ := strings.Cut(string(m.Params), "user-")
				sessions.add(t, "key", "user-"+user[:3], key)
				if session == "" {
					t.Errorf("%q has no session", key)
				}
			}
			w.Header().Set("Content-Type", "application/json")
			(&eraServer{older: true, work: func(w http.ResponseWriter, m rpc) {
				_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"booked"}]}}`, m.ID)
			}}).answer(w, m)
		}))
		client := net.Client()
		box, err := tools.Load(t.Context(), client, []string{"shop.example"}, nil)
		if err != nil || box.Len() != 1 {
			t.Fatal(err, box.Skipped())
		}
		box = edited(t, box, `"interfaces":[{`, `"interfaces":[{"auth":{"schemes":{"bearer":{"kind":"http","httpScheme":"bearer"}},"requirements":[[{"scheme":"bearer"}]]},`)
		c, err := call.New(client, &call.Options{Principal: principal, Confirm: (&yes{verdict: call.AllowSession}).confirm, Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			return call.Bearer("s3cret-of-"+q.Principal, call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			everybody(t, c, box, "book", "v")
		}
		sessions.want(t, "key", 2, true)
		if len(opened) < crowdOf {
			t.Errorf("%d sessions", len(opened))
		}
		for user, key := range sessions.value {
			if key != "Bearer s3cret-of-"+user {
				t.Errorf("%s called with %q", user, key)
			}
		}
	})
}
