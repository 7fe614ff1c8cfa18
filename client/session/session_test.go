package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/session"
	"github.com/wayfindhq/wayfind/client/tools"
)

// shop is a site with tools that read, change, cost money and take long, and a record of its requests.
type shop struct {
	client *client.Client
	caller *call.Caller
	box    *tools.Box

	mu      sync.Mutex
	lines   []string // "METHOD path begin" and "METHOD path end"
	working int      // looks until the report is done
}

func (s *shop) note(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, line)
}

func (s *shop) requests() (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, line := range s.lines {
		if at, ok := strings.CutSuffix(line, " begin"); ok {
			list = append(list, at)
		}
	}
	return list
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := r.Method + " " + r.URL.Path
	s.note(at + " begin")
	time.Sleep(time.Second)
	defer s.note(at + " end")
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path == "/api/report" && r.Method == http.MethodPost:
		w.Header().Set("Location", "/api/report/1")
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write([]byte(`{"status":"running"}`))
	case r.URL.Path == "/api/report/1":
		s.mu.Lock()
		s.working--
		running := s.working > 0
		s.mu.Unlock()
		if running {
			w.WriteHeader(http.StatusAccepted)
			_, _ = w.Write([]byte(`{"status":"running"}`))
			return
		}
		_, _ = w.Write([]byte(`{"report":"complete"}`))
	case r.URL.Path == "/api/lose":
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"title":"refused"}`))
	default:
		_, _ = w.Write([]byte(`{"ok":true}`))
	}
}

func operation(id, more string) string {
	return fmt.Sprintf(`{"operationId": %q, "description": "Handles the %[1]s of a shop.", "responses": {"200": {"description": "ok"}}%s}`, id, more)
}

const extra = `, "requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": {"name": {"type": "string"}}}}}}`

// open returns a shop with a number of further tools. key is the TicketKey.
func open(t *testing.T, more int, key []byte) *shop {
	t.Helper()
	paths := []string{
		`"/api/orders": {"get": ` + operation("orders", "") + `}`, `"/api/stock": {"get": ` + operation("stock", "") + `}`,
		`"/api/buy": {"post": ` + operation("buy", extra) + `}`, `"/api/lose": {"post": ` + operation("lose", extra+`, "x-payment-info": {"offers": [{"method": "stripe", "amount": "100", "currency": "usd"}]}`) + `}`,
		`"/api/paid": {"post": ` + operation("paid", extra+`, "x-payment-info": {"offers": [{"method": "stripe", "amount": "100", "currency": "usd"}]}`) + `}`,
		`"/api/quoted": {"post": ` + operation("quoted", extra+`, "x-payment-info": {"offers": [{"method": "stripe", "mode": "quote"}]}`) + `}`,
		`"/api/report": {"post": ` + strings.Replace(operation("report", extra), `"200"`, `"202"`, 1) + `}`,
	}
	for i := range more {
		paths = append(paths, fmt.Sprintf(`"/api/more/%d": {"get": %s}`, i, operation(fmt.Sprintf("more%d", i), "")))
	}
	s := &shop{working: 2}
	internet := clienttest.New(t)
	mux := http.NewServeMux()
	mux.Handle("/api/", s)
	mux.Handle("/", clienttest.Pages{"/openapi.json": `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "paths": {` + strings.Join(paths, ",") + `}}`})
	internet.Host("shop.example", mux)
	s.client = internet.Client()
	var err error
	if s.box, err = tools.Load(t.Context(), s.client, []string{"shop.example"}, nil); err != nil || s.box.Len() != 7+more {
		t.Fatal(err, s.box.Skipped())
	}
	if s.caller, err = call.New(s.client, &call.Options{TicketKey: key}); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *shop) session(t *testing.T, opts *session.Options) *session.Session {
	t.Helper()
	if opts.Vendor.IsZero() {
		opts.Vendor = tools.AnthropicMessages
	}
	own, err := session.New(s.caller, s.box, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(own.Close)
	return own
}

func asks(names ...string) (calls []session.Call) {
	for i, name := range names {
		calls = append(calls, session.Call{ID: fmt.Sprint("c", i), Name: name, Arguments: []byte(`{}`)})
	}
	return calls
}

// answers gives the verdicts in turn, the last one for all that follow, and counts the questions. It fails
// if two are asked at once.
type answers struct {
	t        *testing.T
	verdicts []call.Verdict
	mu       sync.Mutex
	asked    []string
}

func (a *answers) ask(_ context.Context, q *call.Question) (call.Answer, error) {
	if !a.mu.TryLock() {
		a.t.Error("two questions at once")
		return call.Answer{}, nil
	}
	defer a.mu.Unlock()
	time.Sleep(time.Second)
	v := a.verdicts[min(len(a.asked), len(a.verdicts)-1)]
	a.asked = append(a.asked, q.Tool)
	return call.Answer{Verdict: v}, nil
}

// Calls that read run at the same time; one that changes something waits for those before it, and those
// after it wait for it. Outcomes have the order of the calls.
func TestCallsRunTogetherWhereTheirEffectsAllow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, 0, nil)
		a := &answers{t: t, verdicts: []call.Verdict{call.AllowOnce}}
		own := s.session(t, &session.Options{Ask: a.ask})
		if d := own.Definitions(); d.Search || len(d.Names) != 7 || !strings.Contains(d.System, "untrusted") {
			t.Fatalf("%+v", d)
		}
		out := own.Do(t.Context(), asks("orders", "stock", "buy", "orders", "buy"))
		for i, name := range []string{"orders", "stock", "buy", "orders", "buy"} {
			if out[i].Call.Name != name || out[i].Failed || !strings.Contains(out[i].Text, `"ok"`) {
				t.Errorf("%d: %+v", i, out[i])
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if begun := s.lines[:2]; !strings.HasSuffix(begun[0], "begin") || !strings.HasSuffix(begun[1], "begin") {
			t.Errorf("the reading calls did not run together: %v", s.lines)
		}
		for i := 4; i < len(s.lines); i += 2 {
			if !strings.HasSuffix(s.lines[i], "begin") || !strings.HasSuffix(s.lines[i+1], "end") {
				t.Errorf("calls run beside one that changes something: %v", s.lines)
			}
		}
		if !slices.Equal(a.asked, []string{"buy", "buy"}) {
			t.Errorf("asked: %v", a.asked)
		}
	})
}

// An agreement for the session holds for the next calls of the tool in this Session, and for no other
// Session. A call that is denied is not made, and the model is told.
func TestAPersonIsAskedAboutOneCallAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, 0, nil)
		a := &answers{t: t, verdicts: []call.Verdict{call.Deny, call.AllowSession}}
		own := s.session(t, &session.Options{Ask: a.ask})
		own.Definitions()
		out := own.Do(t.Context(), asks("buy", "buy", "buy"))
		if !out[0].Failed || out[0].Result.Model.Code != call.Denied || out[1].Failed || out[2].Failed || len(a.asked) != 2 || len(s.requests()) != 2 {
			t.Errorf("%+v; asked %v, sent %v", out, a.asked, s.requests())
		}
		other := s.session(t, &session.Options{})
		other.Definitions()
		if out := other.Do(t.Context(), asks("buy")); !out[0].Failed || out[0].Result.Model.Code != call.ConfirmationRequired || len(s.requests()) != 2 {
			t.Errorf("another Session: %+v", out[0])
		}
	})
}

// A request that has no room for all tools has a search; what is found is defined in the next request,
// and the general call reaches every tool.
func TestToolsThatHaveNoRoomAreFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, 200, nil)
		for _, v := range tools.Vendors() {
			own := s.session(t, &session.Options{Vendor: v, Tokens: 2000})
			d := own.Definitions()
			if !d.Search || len(d.Names) != 0 || !strings.Contains(string(d.Tools), tools.MetaSearch) {
				t.Fatalf("%s: %+v", v, d)
			}
			out := own.Do(t.Context(), []session.Call{
				{ID: "1", Name: tools.MetaSearch, Arguments: []byte(`{"query":"more137 of a shop"}`)},
				{ID: "2", Name: tools.MetaDescribe, Arguments: []byte(`{"name":"more138"}`)},
				{ID: "3", Name: tools.MetaDescribe, Arguments: []byte(`{"name":"nothing"}`)},
				{ID: "4", Name: tools.MetaCall, Arguments: []byte(`{"name":"more139","arguments":{}}`)},
				{ID: "5", Name: tools.MetaSearch, Arguments: []byte(`{"query":7}`)},
			})
			for i, failed := range []bool{false, false, true, false, true} {
				if out[i].Failed != failed {
					t.Errorf("%s, %d: %+v", v, i, out[i])
				}
			}
			again := own.Definitions()
			for _, name := range []string{"more137", "more138", "more139"} {
				if !slices.Contains(again.Names, name) || !strings.Contains(string(again.Tools), `"`+name+`"`) {
					t.Errorf("%s: %s is not defined later: %v", v, name, again.Names)
				}
			}
			if used := own.Used(); used.Calls != 1 || used.Bytes == 0 {
				t.Errorf("%s: %+v", v, used)
			}
		}
	})
}

// Each limit of the budget ends with words for the model, and nothing is sent.
func TestABudgetEndsWithWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &answers{t: t, verdicts: []call.Verdict{call.AllowOnce}}
		for _, row := range []struct {
			name   string
			budget session.Budget
			calls  []string
			want   []session.Limit
			sent   int
		}{
			{"calls", session.Budget{Calls: 2}, []string{"buy", "orders", "buy"}, []session.Limit{{}, {}, session.Calls}, 2},
			{"bytes", session.Budget{Bytes: 10}, []string{"buy", "buy"}, []session.Limit{{}, session.Bytes}, 1},
			{"time", session.Budget{Time: 3 * time.Second}, []string{"buy", "buy", "buy"}, []session.Limit{{}, session.Time, session.Time}, 1},
			{"money", session.Budget{Money: map[string]string{"usd": "2.5"}}, []string{"paid", "paid", "paid", "buy"}, []session.Limit{{}, {}, session.Money, {}}, 3},
			{"money that a refused call gives back", session.Budget{Money: map[string]string{"USD": "1"}}, []string{"lose", "paid"}, []session.Limit{{}, {}}, 2},
			{"another currency", session.Budget{Money: map[string]string{"EUR": "100"}}, []string{"paid", "buy"}, []session.Limit{session.Money, {}}, 1},
			{"a price that is not known", session.Budget{Money: map[string]string{"USD": "100"}}, []string{"quoted"}, []session.Limit{session.Money}, 0},
			{"no money", session.Budget{Money: map[string]string{}}, []string{"paid", "buy"}, []session.Limit{session.Money, {}}, 1},
		} {
			s := open(t, 0, nil)
			own := s.session(t, &session.Options{Ask: a.ask, Budget: row.budget})
			own.Definitions()
			out := own.Do(t.Context(), asks(row.calls...))
			for i, want := range row.want {
				if out[i].Limit != want || !want.IsZero() && (!out[i].Failed || !strings.Contains(out[i].Text, want.Sentence())) {
					t.Errorf("%s, %d: %q, want %q: %s", row.name, i, out[i].Limit, want, out[i].Text)
				}
			}
			if sent := s.requests(); len(sent) != row.sent {
				t.Errorf("%s: sent %v", row.name, sent)
			}
		}
		if _, err := session.New(open(t, 0, nil).caller, open(t, 0, nil).box, &session.Options{Vendor: tools.MCP, Budget: session.Budget{Money: map[string]string{"USD": "-1"}}}); err == nil {
			t.Error("a negative budget is taken")
		}
	})
}

// Arguments that end in the middle are told from others that are wrong, and never sent.
func TestArgumentsThatWereCutAreToldAndNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, 0, nil)
		own := s.session(t, &session.Options{})
		own.Definitions()
		for arguments, cut := range map[string]bool{`{"name":"lo`: true, `{`: true, `{"name":`: true, `{"name":"x"`: true, `{"name":"\u00`: true, `{"name":tru`: true, "": false, "{}": false, `{"name":x}`: false, `nonsense`: false} {
			out := own.Do(t.Context(), []session.Call{{Name: "buy", Arguments: []byte(arguments)}})
			if (out[0].Limit == session.Unfinished) != cut || !out[0].Failed {
				t.Errorf("%s: %+v", arguments, out[0])
			}
		}
		if len(s.requests()) != 0 {
			t.Errorf("sent %v", s.requests())
		}
	})
}

// Work that goes on is kept, also by a process that ends, and counted by the next one.
func TestWorkGoesOnInAnotherProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, 0, []byte(strings.Repeat("k", 32)))
		a := &answers{t: t, verdicts: []call.Verdict{call.AllowOnce}}
		opts := &session.Options{Vendor: tools.OpenAIChat, Ask: a.ask, Budget: session.Budget{Calls: 2, Money: map[string]string{"USD": "1"}}}
		own := s.session(t, opts)
		own.Definitions()
		out := own.Do(t.Context(), asks("report"))
		if out[0].Work == "" || len(own.Pending()) != 1 || own.Pending()[0].Call.ID != "c0" {
			t.Fatalf("%+v, pending %+v", out[0], own.Pending())
		}
		data, err := own.Save()
		if err != nil || strings.Contains(string(data), "/api/") {
			t.Fatalf("%s, %v", data, err)
		}
		next, err := session.Open(t.Context(), s.caller, s.box, data, opts)
		if err != nil || len(next.Pending()) != 1 || next.Used().Calls != 1 {
			t.Fatalf("%+v, %+v, %v", next.Pending(), next.Used(), err)
		}
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if o, err := next.Wait(short, out[0].Work); err != nil || o.Work == "" || len(next.Pending()) != 1 {
			t.Errorf("after a short wait: %+v, %v", o, err)
		}
		done, err := next.Wait(t.Context(), out[0].Work)
		if err != nil || done.Failed || !strings.Contains(done.Text, "complete") || len(next.Pending()) != 0 {
			t.Errorf("%+v, %v", done, err)
		}
		if _, err := next.Wait(t.Context(), out[0].Work); err == nil {
			t.Error("work that has ended is waited for again")
		}
		if out := next.Do(t.Context(), asks("orders", "orders")); out[0].Failed || out[1].Limit != session.Calls {
			t.Errorf("the budget of the run: %+v", out)
		}
		for _, bad := range []string{"", "{}", `{"schema":"wayfind/session/2"}`} {
			if _, err := session.Open(t.Context(), s.caller, s.box, []byte(bad), opts); err == nil {
				t.Errorf("%q is opened", bad)
			}
		}
		other := open(t, 0, []byte(strings.Repeat("x", 32)))
		if lost, err := session.Open(t.Context(), other.caller, other.box, data, opts); err == nil || lost == nil || len(lost.Pending()) != 0 {
			t.Errorf("with another key: %v", err)
		}
	})
}

// After Use, the definitions are of the new Box, and a call of a tool that is gone is told.
func TestTheBoxIsReplacedBetweenRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, 1, nil)
		own := s.session(t, &session.Options{})
		own.Definitions()
		s.box = nil
		next := open(t, 0, nil)
		own.Use(next.box)
		if out := own.Do(t.Context(), asks("more0")); !out[0].Failed || out[0].Result.Model.Code != call.NotFoundTool {
			t.Errorf("%+v", out[0])
		}
		if d := own.Definitions(); slices.Contains(d.Names, "more0") || len(d.Names) != 7 {
			t.Errorf("%v", d.Names)
		}
	})
}

// A Session says at once what is missing.
func TestNewSaysWhatIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, 0, nil)
		opts := &session.Options{Vendor: tools.MCP}
		for name, make := range map[string]func() error{
			"the Caller is nil": func() error { _, err := session.New(nil, s.box, opts); return err },
			"the Box is nil":    func() error { _, err := session.New(s.caller, nil, opts); return err },
			"Options.Vendor":    func() error { _, err := session.New(s.caller, s.box, nil); return err },
		} {
			if err := make(); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

type reversed struct{ err error }

func (r reversed) Rank(_ context.Context, _ string, list []*tools.Tool) (order []int, err error) {
	for i := range list {
		order = append(order, len(list)-1-i)
	}
	return order, r.err
}

// A Ranker of one's own orders what the model finds. If it fails, the words of the query do.
func TestARankerOrdersTheSearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, 50, nil)
		first := func(r tools.Ranker) string {
			own := s.session(t, &session.Options{Ranker: r})
			var found struct {
				Tools []struct{ Name string }
			}
			out := own.Do(t.Context(), []session.Call{{Name: tools.MetaSearch, Arguments: []byte(`{"query":"handles the stock of a shop"}`)}})
			if err := json.Unmarshal([]byte(out[0].Text), &found); err != nil || len(found.Tools) == 0 {
				t.Fatalf("%s, %v", out[0].Text, err)
			}
			return found.Tools[0].Name
		}
		if got := first(nil); got != "stock" {
			t.Errorf("by words: %s", got)
		}
		if got := first(reversed{}); got == "stock" {
			t.Errorf("by the Ranker: %s", got)
		}
		if got := first(reversed{errors.New("down")}); got != "stock" {
			t.Errorf("after a failure: %s", got)
		}
	})
}
