package call_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/livemcp"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/pins"
)

// usersRows returns the rows of the table about several users, by their first cells.
func usersRows(t *testing.T) (rows []string) {
	t.Helper()
	raw, err := os.ReadFile("../../docs/SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(raw), "## Several users in one process\n")
	if !found {
		t.Fatal("docs/SECURITY.md has no table about several users")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); len(cells) == 5 {
			if name := strings.TrimSpace(cells[1]); name != "" && !strings.HasPrefix(name, "-") {
				rows = append(rows, name)
			}
		}
	}
	return rows
}

// Two users of one Client and one Caller share only the data that the table in
// docs/SECURITY.md lists.
func TestTwoUsersShareNoMoreThanTheTableSays(t *testing.T) {
	checks := map[string]func(*testing.T){
		"Site": twoSites, "Box": twoBoxes, "answers": twoAnswers, "tokens": twoLogins, "pins": twoPins, "approvals": twoApprovals, "sessions": twoSessions,
	}
	rows := usersRows(t)
	for _, row := range rows {
		check := checks[row]
		if check == nil {
			t.Errorf("nothing checks the row %q", row)
			continue
		}
		t.Run(row, func(t *testing.T) { bubble(t, check) })
	}
	if len(rows) != len(checks) {
		t.Errorf("%d rows, and %d checks", len(rows), len(checks))
	}
}

func twoSites(t *testing.T) {
	e := newElsewhere(t, "vendor.net", false)
	c, caller := e.callers(t, "WithCredentials")
	for _, user := range []string{"alice", "bob", ""} {
		e.loaded(e.as(t, "WithCredentials", user, caller), t, c, "shop.example")
		site, err := c.Resolve(as(t, user), "shop.example")
		raw, _ := json.Marshal(site)
		if err != nil || strings.Contains(string(raw), "_only") {
			t.Errorf("%s: %v, %s", user, err, raw)
		}
	}
}

func twoBoxes(t *testing.T) {
	e := newElsewhere(t, "vendor.net", false)
	c, caller := e.callers(t, "WithCredentials")
	boxes := make(map[string]*tools.Box)
	for _, user := range []string{"alice", "bob", ""} {
		boxes[user] = e.loaded(e.as(t, "WithCredentials", user, caller), t, c, "shop.example")
		e.shows(t, boxes[user], user)
	}
	raw, err := boxes["alice"].Save()
	if err != nil {
		t.Fatal(err)
	}
	again, err := tools.Open(raw)
	if err != nil || !again.Private() {
		t.Errorf("a Private Box that was saved is for anyone: %v", err)
	}
	joined, err := again.Join(boxes[""], nil)
	if err != nil || !joined.Private() {
		t.Errorf("a Box with a Private one is for anyone: %v", err)
	}
	res, err := caller.Call(as(t, "bob"), boxes["alice"], "alice_only", nil)
	if err != nil || res.Model.Text != "for bob" {
		t.Errorf("a call of bob was made for another user: %v, %q", err, res.Model.Text)
	}
}

// noting is a Store that records everything that was saved.
type noting struct {
	cache.Store
	mu    sync.Mutex
	saved strings.Builder
	saves int
}

// Save implements cache.Store.
func (n *noting) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	n.mu.Lock()
	n.saves++
	n.saved.WriteString(key + string(raw))
	for _, e := range v.Entries {
		n.saved.Write(e.Body)
	}
	n.mu.Unlock()
	return n.Store.Save(ctx, key, v, retain)
}

func twoAnswers(t *testing.T) {
	e := newElsewhere(t, "vendor.net", false)
	kept, err := memory.New(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kept.Close() })
	store := &noting{Store: kept}
	var mu sync.Mutex
	var recorded strings.Builder
	c := e.net.Client(func(o *client.Options) {
		o.Live, o.Store = []client.LiveProber{livemcp.New(nil)}, store
		o.Approve = func(context.Context, security.ApprovalRequest) error { return nil }
		o.Lab.Record = func(x *client.Exchange) {
			raw, _ := json.Marshal(x)
			mu.Lock()
			defer mu.Unlock()
			recorded.Write(raw)
		}
	})
	for _, user := range []string{"alice", "bob"} {
		e.shows(t, e.loaded(e.as(t, "WithCredential", user, nil), t, c, "shop.example"), user)
	}
	for name, text := range map[string]string{"the Store": store.saved.String(), "the recording": recorded.String()} {
		if store.saves == 0 || strings.Contains(text, "_only") || strings.Contains(text, "s3cret") {
			t.Errorf("%s has an answer to a credential, or nothing was kept (%d)", name, store.saves)
		}
	}
}

func twoLogins(t *testing.T) {
	e := newElsewhere(t, "vendor.net", true)
	c, caller := e.callers(t, "WithCredentials with OAuth")
	for range 2 {
		for _, user := range []string{"alice", "bob"} {
			box := e.loaded(e.as(t, "WithCredentials with OAuth", user, caller), t, c, "shop.example")
			e.shows(t, box, user)
			res, err := caller.Call(as(t, user), box, user+"_only", nil)
			wantCode(t, res, err, made)
		}
	}
	clients := make(map[string]int)
	for _, r := range e.oauth.Requests() {
		clients[r.Header.Get("Authorization")]++
	}
	if n := e.oauth.Count("client_credentials"); n != 2 || len(clients) != 2 {
		t.Errorf("%d tokens for %d clients, want one for each user", n, len(clients))
	}
}

func twoPins(t *testing.T) {
	s := newShop(t, securedDocument, nil)
	tool, pinned := pinsOfAlice(t, s)
	if !pinned(as(t, "alice"), tool) || pinned(as(t, "bob"), tool) {
		t.Errorf("alice: %v, bob: %v", pinned(as(t, "alice"), tool), pinned(as(t, "bob"), tool))
	}
}

func twoApprovals(t *testing.T) {
	e := newElsewhere(t, "vendor.net", false)
	approvals := new(pins.Approvals)
	c := e.net.Client(func(o *client.Options) {
		o.Live = []client.LiveProber{livemcp.New(nil)}
		o.Approve = func(ctx context.Context, r security.ApprovalRequest) error {
			if principal(ctx) == "alice" {
				approvals.Grant("alice", r, 0)
			}
			return approvals.For(principal(ctx))(ctx, r)
		}
	})
	for _, user := range []string{"alice", "bob"} {
		box := e.loaded(e.as(t, "WithCredential", user, nil), t, c, "shop.example")
		if n := box.Len(); n != map[string]int{"alice": 1}[user] {
			t.Errorf("%s: %d tools", user, n)
		}
	}
}

func twoSessions(t *testing.T) {
	e := newElsewhere(t, "shop.example", false)
	asked := make(map[string]int)
	c, _ := e.callers(t, "WithCredentials")
	caller, err := call.New(c, &call.Options{
		Principal: principal, Approve: func(context.Context, security.ApprovalRequest) error { return nil },
		Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			return call.Bearer("s3cret-"+q.Principal, call.Binding{Origin: q.Origin, Proof: call.ProofPerson}), nil
		},
		Confirm: func(_ context.Context, q *call.Question) (call.Answer, error) {
			asked[q.Principal]++
			return call.Answer{Verdict: call.AllowSession}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		for _, user := range []string{"alice", "bob"} {
			box := e.loaded(e.as(t, "WithCredentials", user, caller), t, c, "shop.example")
			res, err := caller.Call(as(t, user), box, user+"_only", nil)
			wantCode(t, res, err, made)
		}
	}
	before := asked["bob"]
	if before == 0 || asked["alice"] != before || before > 2 {
		t.Errorf("asked %v", asked)
	}
	if err := caller.Forget("alice"); err != nil {
		t.Error(err)
	}
	for _, user := range []string{"alice", "bob"} {
		box := e.loaded(e.as(t, "WithCredentials", user, caller), t, c, "shop.example")
		res, err := caller.Call(as(t, user), box, user+"_only", nil)
		wantCode(t, res, err, made)
	}
	if asked["alice"] == before || asked["bob"] != before {
		t.Errorf("after alice was forgotten: asked %v", asked)
	}
}
