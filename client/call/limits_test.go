package call_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// gauge answers after a second and counts the requests at a time. The server notices only
// later that a caller has left.
type gauge struct {
	now, most atomic.Int32
	until     time.Time
}

func (g *gauge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// A call that ended at this instant may have left its place before the server knows.
	time.Sleep(time.Millisecond)
	if r.Context().Err() != nil {
		return
	}
	n := g.now.Add(1)
	defer g.now.Add(-1)
	for most := g.most.Load(); n > most && time.Now().Before(g.until) && !g.most.CompareAndSwap(most, n); most = g.most.Load() {
	}
	select {
	case <-time.After(time.Second):
		_, _ = io.WriteString(w, "ok")
	case <-r.Context().Done():
	}
}

// Four calls run at an origin at a time, whichever Caller makes them. The waiting calls wait
// within their time limit.
func TestCallsOfAnOrigin(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := gauge{until: time.Now().Add(3500 * time.Millisecond)}
		s := newShop(t, shopDocument, g.ServeHTTP)
		callers := [2]*call.Caller{s.caller(nil), s.caller(nil)}
		var all sync.WaitGroup
		var late, early atomic.Int32
		for i := range 20 {
			all.Go(func() {
				start := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), 3500*time.Millisecond)
				defer cancel()
				if res, err := callers[i%2].Call(ctx, s.box, "listOrders", nil); err != nil {
					wantCode(t, res, err, call.Timeout)
					late.Add(1)
					if time.Since(start) > 3500*time.Millisecond {
						early.Add(1)
					}
				}
			})
		}
		all.Wait()
		if g.most.Load() != 4 || late.Load() != 8 || early.Load() != 0 {
			t.Errorf("%d at a time, %d too late, %d waited longer than they were allowed to", g.most.Load(), late.Load(), early.Load())
		}
	})
}

// Sixty-four calls of a Client run at a time, whichever Caller makes them. Calls that wait for
// a busy origin do not use up places for other origins.
func TestCallsOfAClient(t *testing.T) {
	const origins = 20
	bubble(t, func(t *testing.T) {
		g := gauge{until: time.Now().Add(time.Minute)}
		net := clienttest.New(t)
		var names []string
		for i := range origins {
			name := fmt.Sprintf("shop%d.example", i)
			names = append(names, name)
			sniff := &sniffer{}
			net.Host(name, sniff.watch(name, clienttest.Pages{"/openapi.json": shopDocument, "/.well-known/ai-plugin.json": strings.ReplaceAll(plugin, "shop.example", name)}, g.ServeHTTP))
		}
		c := net.Client(func(o *client.Options) { o.Limits.Budget = 1000 })
		boxes := make([]*tools.Box, origins)
		for i, name := range names {
			var err error
			if boxes[i], err = tools.Load(t.Context(), c, []string{name}, nil); err != nil {
				t.Fatal(err)
			}
		}
		var callers [2]*call.Caller
		for i := range callers {
			var err error
			if callers[i], err = call.New(c, nil); err != nil {
				t.Fatal(err)
			}
		}
		var all sync.WaitGroup
		var failed atomic.Int32
		start := time.Now()
		for i := range 4 * origins {
			all.Go(func() {
				if _, err := callers[i%2].Call(t.Context(), boxes[i%origins], "listOrders", nil); err != nil {
					failed.Add(1)
				}
			})
		}
		all.Wait()
		if took := time.Since(start); g.most.Load() != 64 || failed.Load() != 0 || took > 3*time.Second {
			t.Errorf("%d at a time, %d failed, in %v", g.most.Load(), failed.Load(), took)
		}
	})
}

// loadAWP returns the tools of a site with one AWP document that has the given actions; more
// are members of its root.
func loadAWP(t *testing.T, s *shop, actions string, api http.HandlerFunc, more ...string) *tools.Box {
	t.Helper()
	s.net.Host("awp.example", s.watch("awp.example", clienttest.Pages{
		"/agent.json": `{"awp_version": "0.2", "domain": "awp.example", "intent": "Pays bills", "actions": [` + actions + `]` + strings.Join(more, "") + `}`,
	}, api))
	box, err := tools.Load(t.Context(), s.client, []string{"awp.example"}, nil)
	if err != nil || box.Len() == 0 {
		t.Fatal(err, box.Skipped())
	}
	return box
}

// A limit in a document is respected: a call waits a short time for it. If it would have to
// wait for long, the error contains the time at which it may be made.
func TestDeclaredLimits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, shopDocument, nil)
		box := loadAWP(t, s, `{"id": "slow", "description": "Reads", "endpoint": "/api/slow", "method": "GET", "auth_required": false, "inputs": {}, "rate_limit": "2/hour"},
			{"id": "fast", "description": "Reads", "endpoint": "/api/fast", "method": "GET", "auth_required": false, "inputs": {}, "rate_limit": "1/second"}`, okay)
		names := map[string]string{}
		for _, tool := range box.Tools() {
			names[tool.Capability.ID] = tool.Name
		}
		c := s.caller(nil)
		for range 2 {
			res, err := c.Call(t.Context(), box, names["slow"], nil)
			wantCode(t, res, err, made)
		}
		res, err := c.Call(t.Context(), box, names["slow"], nil)
		wantCode(t, res, err, call.Throttled)
		if len(s.calls()) != 2 || time.Until(res.Model.NotBefore) < 25*time.Minute || !res.Model.Again {
			t.Errorf("sent %d times, not before %v", len(s.calls()), res.Model.NotBefore)
		}
		start := time.Now()
		for range 3 {
			res, err := c.Call(t.Context(), box, names["fast"], nil)
			wantCode(t, res, err, made)
		}
		if took := time.Since(start); took < 2*time.Second || took > 3*time.Second {
			t.Errorf("three calls of one a second took %v", took)
		}
	})
}

// A service that accepts no requests for a time gets no requests, neither calls nor discovery:
// both pass through the same gate.
func TestRetryAfterCountsForAll(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, shopDocument, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "600")
			w.WriteHeader(http.StatusTooManyRequests)
		})
		c := s.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm})
		res, err := c.Call(t.Context(), s.box, "listOrders", nil)
		wantCode(t, res, err, call.Throttled)
		before := len(s.host.Requests())
		res, err = s.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm}).Call(t.Context(), s.box, "newOrder", []byte(`{"reason":"x"}`))
		wantCode(t, res, err, call.Throttled)
		if time.Until(res.Model.NotBefore) < 9*time.Minute {
			t.Errorf("not before %v", res.Model.NotBefore)
		}
		_, _ = s.client.Refresh(t.Context(), "shop.example")
		if n := len(s.host.Requests()); n != before {
			t.Errorf("%d more requests", n-before)
		}
		time.Sleep(10 * time.Minute)
		_, _ = s.client.Refresh(t.Context(), "shop.example")
		if len(s.host.Requests()) == before {
			t.Error("the time is over, and there was no request")
		}
	})
}

// Actions that must run first are reported, also to the person, and are never run. A dry run
// sends nothing either.
func TestDependenciesAreTold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, shopDocument, nil)
		box := loadAWP(t, s, `{"id": "search", "description": "Reads", "endpoint": "/api/search", "method": "GET", "auth_required": false, "inputs": {}},
			{"id": "book", "description": "Books", "endpoint": "/api/book", "method": "POST", "auth_required": false, "inputs": {}}`, okay, `, "dependencies": {"book": ["search"]}`)
		tool := ""
		for _, one := range box.Tools() {
			if one.Capability.ID == "book" {
				tool = one.Name
			}
		}
		y := &yes{verdict: call.AllowOnce}
		c := s.caller(&call.Options{Confirm: y.confirm, AllowAnyOrder: true})
		preview, err := c.DryRun(t.Context(), box, tool, nil)
		if err != nil || len(preview.DependsOn) != 1 || preview.Decision != call.AskSession || preview.Request.Method != http.MethodPost || len(s.calls()) != 0 || y.count() != 0 {
			t.Fatalf("%+v, %v, %d requests", preview, err, len(s.calls()))
		}
		res, err := c.Call(t.Context(), box, tool, nil)
		wantCode(t, res, err, made)
		if want := preview.DependsOn[0]; len(res.Program.DependsOn) != 1 || res.Program.DependsOn[0] != want || len(y.asked[0].DependsOn) != 1 || y.asked[0].DependsOn[0] != want || !strings.HasSuffix(want, "search") {
			t.Errorf("%v, asked with %v", res.Program.DependsOn, y.asked[0].DependsOn)
		}
		if got := s.calls(); len(got) != 1 || got[0].target != "/api/book" {
			t.Errorf("%+v", got)
		}
	})
}
