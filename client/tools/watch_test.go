package tools_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/formats/mcp"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve/diff"
)

// shelf is the document of one domain, which a test changes.
type shelf struct {
	host string

	mu     sync.Mutex
	names  []string
	must   bool // the tools have a required argument more
	status int  // of all answers, 0 for 200
	age    string
	asked  int // for the document
}

func (s *shelf) set(change func(*shelf)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

// ServeHTTP implements http.Handler.
func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.age != "" {
		w.Header().Set("Cache-Control", s.age) // of a 404, too
	}
	switch {
	case s.status != 0:
		w.WriteHeader(s.status)
	case r.URL.Path != cardPlace:
		w.WriteHeader(http.StatusNotFound)
	default:
		required := ""
		if s.must {
			required = `, "properties": {"email": {"type": "string"}}, "required": ["email"]`
		}
		var list []string
		for _, name := range s.names {
			list = append(list, `{"name": "`+name+`", "inputSchema": {"type": "object"`+required+`}}`)
		}
		s.asked++
		w.Header().Set("Cache-Control", cmp.Or(s.age, "max-age=1800"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, mcpCard(s.host, `, "tools": [`+strings.Join(list, ",")+`]`))
	}
}

// cardsOnly lets a Client ask for server cards alone, of which many domains have one.
func cardsOnly(o *client.Options) { o.Formats = []*parse.Format{mcp.Format()} }

// shelves are domains with one tool each.
func shelves(n *clienttest.Internet, count int) (list []*shelf, domains []string) {
	for i := range count {
		s := &shelf{host: fmt.Sprintf("d%03d.example", i), names: []string{"find"}}
		n.Host(s.host, s)
		list, domains = append(list, s), append(domains, s.host)
	}
	return list, domains
}

// watched collects the Updates of a Watch until the time is over.
func watched(t *testing.T, c *client.Client, domains []string, lasts time.Duration) (updates []*tools.Update) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), lasts)
	defer cancel()
	for u, err := range tools.Watch(ctx, c, domains, &tools.Options{Sites: true}) {
		if err != nil {
			t.Fatal(err)
		}
		updates = append(updates, u)
	}
	return updates
}

// Five hundred domains that change at once are one Update, also if one of them never answers:
// that one holds up the others for ten seconds.
func TestAWatchOfManyDomainsThatChangeAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, count := clienttest.New(t), testkit.Crowd(500)
		list, domains := shelves(n, count)
		n.Host("stall.example", nil).FailConn(clienttest.AtAccept(clienttest.Stall))
		c := n.Client(cardsOnly)
		time.AfterFunc(15*time.Minute, func() {
			for _, s := range list {
				s.set(func(s *shelf) { s.must = true })
			}
		})
		riskier := 0
		for i, u := range watched(t, c, append(domains, "stall.example"), 40*time.Minute) {
			if n := len(u.Riskier()); n != 0 && n != count || i == 0 && u.Box.Len() != count {
				t.Errorf("%d: %d riskier, %d tools", i, n, u.Box.Len())
			}
			riskier += len(u.Riskier())
		}
		if riskier != count {
			t.Errorf("%d riskier", riskier)
		}
	})
}

// Each change of two hundred domains is in one Update, with its grade, and none is missed.
func TestAWatchYieldsEachChangeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, count := clienttest.New(t), testkit.Crowd(200)
		list, domains := shelves(n, count)
		c := n.Client(cardsOnly)
		begin := time.Now()
		var want []string
		for i, s := range list {
			at := time.Duration(i%5)*35*time.Minute + 15*time.Minute
			name := strings.ReplaceAll(s.host, ".", "_")
			switch i % 4 {
			case 0:
				want = append(want, "added "+name+"__sell")
				time.AfterFunc(at, func() { s.set(func(s *shelf) { s.names = append(s.names, "sell") }) })
			case 1:
				want = append(want, "removed "+name+"__find")
				time.AfterFunc(at, func() { s.set(func(s *shelf) { s.names = []string{"sell"} }) })
				want = append(want, "added "+name+"__sell")
			case 2:
				want = append(want, "riskier "+name+"__find")
				time.AfterFunc(at, func() { s.set(func(s *shelf) { s.must = true }) })
			}
		}
		var got []string
		for i, u := range watched(t, c, domains, 200*time.Minute) {
			if i == 0 {
				if len(u.Added) != count || len(u.Box.Skipped()) != 0 || u.Box.Len() != count || !u.Box.FreshUntil().After(begin) {
					t.Fatalf("%d, %+v", len(u.Added), u.Box.Skipped())
				}
				continue
			}
			for _, name := range u.Added {
				got = append(got, "added "+name)
			}
			for _, name := range u.Removed {
				got = append(got, "removed "+name)
			}
			for _, changed := range u.Riskier() {
				got = append(got, "riskier "+changed.Name)
			}
			if len(u.Changed) != len(u.Riskier()) || len(u.Failed) != 0 {
				t.Errorf("%+v, %+v", u.Changed, u.Failed)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%d changes, want %d: %q", len(got), len(want), got)
		}
	})
}

// A domain that fails keeps its tools. An Update has the reason, once, and another one says
// that the domain is back.
func TestAWatchKeepsTheToolsOfADomainThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		list, domains := shelves(n, 2)
		c := n.Client()
		time.AfterFunc(20*time.Minute, func() { list[0].set(func(s *shelf) { s.status = http.StatusServiceUnavailable }) })
		time.AfterFunc(5*time.Hour, func() { list[0].set(func(s *shelf) { s.status = 0; s.must = true }) })
		updates := watched(t, c, domains, 12*time.Hour)
		if len(updates) < 3 {
			t.Fatalf("%d updates", len(updates))
		}
		failed := updates[1]
		if len(failed.Failed) == 0 || failed.Failed[0].Domain != domains[0] || failed.Failed[0].Err == nil || len(failed.Removed) != 0 || failed.Box.Len() != 2 {
			t.Errorf("%+v, removed %q, %d tools", failed.Failed, failed.Removed, failed.Box.Len())
		}
		last := updates[len(updates)-1]
		if len(last.Recovered) == 0 || len(last.Changed) != 1 || last.Changed[0].Grade.Risk != diff.Riskier || last.Box.Note() != "" {
			t.Errorf("%+v, %+v, %q", last.Recovered, last.Changed, last.Box.Note())
		}
		for i, u := range updates {
			if len(u.Removed) != 0 || i > 0 && len(u.Added) != 0 {
				t.Errorf("%d: added %q, removed %q", i, u.Added, u.Removed)
			}
		}
	})
}

// The user's choice applies to every Update: a tool that Keep leaves out never appears, and a name
// for an operation stays until the operation is gone, which is then reported.
func TestAWatchKeepsWhatTheUserChose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		list, domains := shelves(n, 1)
		shop := list[0]
		shop.names = []string{"find", "drop"}
		c := n.Client(cardsOnly)
		time.AfterFunc(15*time.Minute, func() {
			shop.set(func(s *shelf) { s.names = []string{"find", "drop", "look"} })
		})
		time.AfterFunc(45*time.Minute, func() {
			shop.set(func(s *shelf) { s.names = []string{"drop", "look"} })
		})
		ctx, cancel := context.WithTimeout(t.Context(), 80*time.Minute)
		defer cancel()
		opts := &tools.Options{
			Keep:           func(_ *wayfind.Service, c *wayfind.Capability) bool { return !strings.HasSuffix(c.Key, "/drop") },
			OperationNames: []tools.OperationName{{Name: "seek", Domain: shop.host, ID: "find"}},
		}
		var names []string
		var gone []tools.Skipped
		for u, err := range tools.Watch(ctx, c, domains, opts) {
			if err != nil {
				t.Fatal(err)
			}
			var all []string
			for _, tool := range u.Box.Tools() {
				all = append(all, tool.Name)
			}
			names, gone = append(names, strings.Join(all, " ")), u.Failed
		}
		if want := []string{"seek", "look seek", "look"}; !slices.Equal(names, want) {
			t.Errorf("tools %q, want %q", names, want)
		}
		if !slices.ContainsFunc(gone, func(s tools.Skipped) bool { return s.Code == tools.CodeUnmatched && s.Key == "d000.example find" }) {
			t.Errorf("the last Update says %+v, and not that the operation of seek is gone", gone)
		}
	})
}

// A document that is never fresh is asked for after 5 minutes, and then after twice as long each time, up
// to an hour, unless the caller, who may own the site, has chosen a shorter pause. A change restores the
// pause. An answer without content is not part of any Update.
func TestAWatchHasAFloorOfItsOwn(t *testing.T) {
	for name, row := range map[string]struct {
		opts    tools.Options
		age     string
		changes time.Duration
		most    int // requests for the document within 12 hours
		least   int
		updates int
	}{
		"never fresh":        {tools.Options{}, "max-age=0, must-revalidate", 0, 15, 14, 1},
		"not to be stored":   {tools.Options{}, "no-store", 0, 15, 14, 1},
		"a change":           {tools.Options{}, "max-age=0", 6 * time.Hour, 19, 17, 2},
		"a longer lifetime":  {tools.Options{}, "max-age=14400", 0, 4, 3, 1},
		"an owner":           {tools.Options{LeastPause: time.Minute}, "max-age=0", 0, 18, 17, 1},
		"an owner with time": {tools.Options{LeastPause: 2 * time.Hour}, "max-age=0", 0, 7, 6, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := clienttest.New(t)
			list, domains := shelves(n, 1)
			list[0].age = row.age
			if row.changes > 0 {
				time.AfterFunc(row.changes, func() { list[0].set(func(s *shelf) { s.must = true }) })
			}
			c := n.Client(cardsOnly)
			ctx, cancel := context.WithTimeout(t.Context(), 12*time.Hour)
			defer cancel()
			updates := 0
			for u, err := range tools.Watch(ctx, c, domains, &row.opts) {
				if updates++; err != nil || len(u.Failed)+len(u.Recovered) > 0 {
					t.Errorf("%s: %v, %+v", name, err, u)
				}
			}
			if asked := list[0].asked; updates != row.updates || asked < row.least || asked > row.most {
				t.Errorf("%s: %d updates, asked %d times", name, updates, asked)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		_, domains := shelves(n, 1)
		for _, err := range tools.Watch(t.Context(), n.Client(), domains, &tools.Options{LeastPause: time.Millisecond}) {
			if err == nil {
				t.Error("a pause of a millisecond is accepted")
			}
		}
	})
}
