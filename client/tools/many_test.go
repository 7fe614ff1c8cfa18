package tools_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// crowd adds hosts that offer two tools each, and the faults that ill gives them. It returns their names.
func crowd(n *clienttest.Internet, count int, ill func(i int) clienttest.ConnFault) (names []string) {
	for i := range count {
		name := fmt.Sprintf("d%d.example", i)
		host := n.Host(name, clienttest.Pages{cardPlace: mcpCard(name, `, "tools": [{"name": "find", "inputSchema": {"type": "object"}}, {"name": "buy", "inputSchema": {"type": "object"}}]`)})
		if fault := ill(i); fault != (clienttest.ConnFault{}) {
			host.FailConn(fault)
		}
		names = append(names, name)
	}
	return names
}

// unmentioned are the domains without a tool and without an entry, and those with both.
func unmentioned(box *tools.Box, domains []string) (list []string) {
	said := make(map[string]int)
	for _, tool := range box.Tools() {
		said[tool.Domain] |= 1
	}
	for _, s := range box.Skipped() {
		if s.Whole() {
			said[s.Domain] |= 2
		}
	}
	for _, domain := range domains {
		if said[domain] != 1 && said[domain] != 2 {
			list = append(list, domain)
		}
	}
	return list
}

func few(i int) clienttest.ConnFault {
	switch i % 20 {
	case 3:
		return clienttest.BlackHole()
	case 11:
		return clienttest.AtAccept(clienttest.Stall)
	}
	return clienttest.ConnFault{}
}

// Two hundred domains take about as long as the slowest of them, and again no time.
func TestManyDomainsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		n.Latency(50 * time.Millisecond)
		domains := crowd(n, 200, few)
		begin := time.Now()
		box := load(t, n.Client(), domains, nil)
		if took := time.Since(begin); took > 15*time.Second {
			t.Errorf("%v", took)
		}
		if left := unmentioned(box, domains); len(left) > 0 || box.Len() != 360 {
			t.Errorf("%d tools, unmentioned %q", box.Len(), left)
		}
		var order []string
		for _, s := range box.Skipped() {
			order = append(order, s.Domain)
		}
		if !slices.IsSortedFunc(order, func(a, b string) int { return slices.Index(domains, a) - slices.Index(domains, b) }) {
			t.Errorf("not in the order of the list: %q", order)
		}
	})
}

// When the time is up, each domain has tools, or is named with the code of the context.
func TestNoDomainIsForgottenAtADeadline(t *testing.T) {
	for _, row := range []struct {
		name     string
		count    int
		patience time.Duration
		ill      func(int) clienttest.ConnFault
		tools    int
	}{
		{"a few hang", 200, 10 * time.Second, few, 360},
		{"a few hang, and little time", 200, 2 * time.Second, few, 1},
		{"half of them hang", 500, 5 * time.Second, func(i int) clienttest.ConnFault {
			if i%2 == 1 {
				return clienttest.AtAccept(clienttest.Stall)
			}
			return clienttest.ConnFault{}
		}, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := clienttest.New(t)
				n.Latency(50 * time.Millisecond)
				domains := crowd(n, row.count, row.ill)
				ctx, cancel := context.WithTimeout(t.Context(), row.patience)
				defer cancel()
				begin := time.Now()
				box, err := tools.Load(ctx, n.Client(), domains, nil)
				if took := time.Since(begin); err != ctx.Err() || took > row.patience+time.Second {
					t.Errorf("%v after %v", err, took)
				}
				if left := unmentioned(box, domains); len(left) > 0 || box.Len() < row.tools {
					t.Errorf("%d tools, unmentioned %d: %q", box.Len(), len(left), left)
				}
				t.Logf("%d tools of %d", box.Len(), 2*row.count)
				for _, s := range box.Skipped() {
					e, ok := errors.AsType[*wayfind.Error](s.Err)
					if !ok || s.Code == tools.CodeDeadline && (s.Asked || e.Code != wayfind.CodeDeadline || !errors.Is(e, context.DeadlineExceeded)) {
						t.Errorf("%+v", s)
					}
				}
			})
		})
	}
}

// A caller that leaves is another reason than a deadline, also for a list that was not
// begun.
func TestCanceledIsNoDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		box, err := tools.Load(ctx, clienttest.New(t).Client(), []string{"a.example", "b.example"}, nil)
		skipped := box.Skipped()
		if !errors.Is(err, context.Canceled) || len(skipped) != 2 || skipped[0].Domain != "a.example" || skipped[1].Code != tools.CodeCanceled || !errors.Is(skipped[1].Err, context.Canceled) {
			t.Errorf("%v, %+v", err, skipped)
		}
	})
}

// A panic while a domain is read is that domain's, with every capability that was left.
func TestAPanicIsOneDomains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		domains := crowd(n, 3, func(int) clienttest.ConnFault { return clienttest.ConnFault{} })
		box := load(t, n.Client(), domains, &tools.Options{Keep: func(s *wayfind.Service, _ *wayfind.Capability) bool {
			if s.Interfaces[0].URL == "https://d1.example/mcp" {
				panic("no such service")
			}
			return true
		}})
		skipped := box.Skipped()
		if box.Len() != 4 || len(skipped) != 1 || skipped[0].Domain != "d1.example" || skipped[0].Code != "panic" || skipped[0].Asked || !errors.Is(skipped[0].Err, wayfind.ErrInternal) {
			t.Errorf("%q, %+v", namesOf(box), skipped)
		}
	})
}

// Hosts of one registrable domain are asked one after another with the pause of
// ResolveAll, and no more domains at a time than InFlight.
func TestOneDomainIsSpared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		var domains []string
		for i := range 4 {
			name := fmt.Sprintf("h%d.shop.com", i)
			n.Host(name, http.NotFoundHandler())
			domains = append(domains, name)
		}
		took := func(opts *tools.Options) time.Duration {
			begin := time.Now()
			load(t, n.Client(), domains, opts)
			return time.Since(begin)
		}
		if d := took(nil); d < 3*time.Second || d > 4*time.Second {
			t.Errorf("%v", d)
		}
		if d := took(&tools.Options{Pause: -1, InFlight: 1}); d > time.Second {
			t.Errorf("%v without a pause", d)
		}
	})
}

// A second path of a site is asked too, and a domain that is there twice is asked once.
func TestPathsOfOneOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := hosts(t, map[string]string{"shop.example": `, "tools": [{"name": "find", "inputSchema": {"type": "object"}}]`})
		box := load(t, n.Client(), []string{"shop.example", "https://shop.example/", "Shop.Example", "shop.example/eu"}, nil)
		skipped := box.Skipped()
		if box.Len() != 1 || len(skipped) != 1 || skipped[0].Code != tools.CodeTwice || !errors.Is(skipped[0].Err, tools.ErrSameKey) {
			t.Errorf("%q, %+v", namesOf(box), skipped)
		}
	})
}

// A Box that is joined to another has the names of both, and what neither could ask.
func TestJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		find := `, "tools": [{"name": "find", "inputSchema": {"type": "object"}}]`
		n := hosts(t, map[string]string{"a.example": find, "b.example": find})
		c := n.Client()
		a := load(t, c, []string{"a.example", "gone.example"}, nil)
		b := load(t, c, []string{"b.example", "a.example", "gone.example"}, nil)
		both, err := a.Join(b, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := namesOf(both), []string{"find", "b__find"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		if skipped := both.Skipped(); len(skipped) != 1 || skipped[0].Domain != "gone.example" {
			t.Errorf("%+v", skipped)
		}
		again, err := both.Join(a, &tools.NameOptions{Sites: true})
		if err != nil || !slices.Equal(namesOf(again), namesOf(both)) {
			t.Errorf("%q, %v", namesOf(again), err)
		}
	})
}

// A Client that is closed is the reason of every domain, and the error.
func TestAClosedClientIsTheReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		domains := crowd(n, 3, func(int) clienttest.ConnFault { return clienttest.ConnFault{} })
		c := n.Client()
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		box, err := tools.Load(t.Context(), c, domains, nil)
		if !errors.Is(err, wayfind.ErrClosed) || box == nil {
			t.Fatalf("%v, %v", box, err)
		}
		skipped := box.Skipped()
		if len(skipped) != 3 || skipped[2].Domain != domains[2] || skipped[2].Code != "closed" || !errors.Is(skipped[2].Err, wayfind.ErrClosed) {
			t.Errorf("%+v", skipped)
		}
	})
}
