package mcpserver_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/mcpserver"
	"github.com/wayfindhq/wayfind/client/tools"
)

// twoShops is a server of a shop that answers and of one that does not.
func twoShops(t *testing.T, test func(w *world)) {
	inWorld(t, plain, nil, func(w *world) {
		w.offer("silent.example", "GET /api/late late")
		w.hosts["silent.example"].Fail("", clienttest.Delay(time.Minute))
		w.serve(&mcpserver.Options{Domains: []string{"silent.example", "shop.example"}}, nil)
		test(w)
	})
}

func TestACallWaitsForItsOwnDomainAlone(t *testing.T) {
	for tool, arguments := range map[string]string{
		"shop_example__listOrders": `{}`,
		"wayfind_call":             `{"name": "shop_example__listOrders"}`,
		"wayfind_describe":         `{"name": "shop_example__listOrders"}`,
	} {
		t.Run(tool, func(t *testing.T) {
			twoShops(t, func(w *world) {
				s := w.connect(false, nil)
				began := time.Now()
				if got := w.ask(s, tool, arguments); strings.HasPrefix(got, "error") || strings.HasPrefix(got, "protocol") || time.Since(began) > time.Second {
					w.Errorf("after %v: %s", time.Since(began), got)
				}
			})
		})
	}
}

func TestASilentDomainHidesNoOther(t *testing.T) {
	twoShops(t, func(w *world) {
		s := w.connect(true, nil)
		began := time.Now()
		got := w.ask(s, "wayfind_search", `{"query": "list orders"}`)
		w.wants(got, "shop_example__listOrders")
		w.wants(got, "Not read yet: silent.example.")
		if took := time.Since(began); took > 3*time.Second {
			w.Errorf("the search took %v", took)
		}
		w.wants(w.listed(s), "shop_example__dropAll")
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := w.ask(s, "wayfind_search", `{"query": "list orders"}`); strings.Contains(got, "Not read yet") {
			w.Errorf("an hour later: %s", got)
		}
	})
}

// A domain that cannot be asked for a while keeps its tools.
func TestADomainThatFailsLaterKeepsItsTools(t *testing.T) {
	inWorld(t, plain, &mcpserver.Options{Domains: []string{"shop.example"}}, func(w *world) {
		s := w.connect(true, nil)
		w.listed(s)
		w.hosts["shop.example"].FailConn(clienttest.Refuse())
		w.hosts["shop.example"].Hangup(clienttest.Reset)
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		w.wants(w.listed(s), "listOrders")
	})
}

func TestToolsOfADomainNamedAloneHavePlainNames(t *testing.T) {
	ops := plain + "\nGET /api/w wayfind_find\nGET /api/7 7days\nGET /api/year listAllOrdersOfTheLastTwelveMonths"
	inWorld(t, ops, &mcpserver.Options{Domains: []string{"shop.example"}, Allow: []string{"shop_example__dropAll"}}, func(w *world) {
		s := w.connect(false, answering("accept", true, nil))
		if got, want := w.listed(s), "_7days dropAll listAllOrdersOfTheLastTwelveMonths listOrders shop_example__wayfind_find "+four; got != want {
			w.Errorf("listed %s, want %s", got, want)
		}
		for _, saved := range []string{"shop_example__listOrders", "SHOP_example__listorders", "listOrders"} {
			w.wants(w.ask(s, "wayfind_call", `{"name": "`+saved+`"}`), "done")
			w.wants(w.ask(s, saved, `{}`), "done")
		}
		w.wants(w.ask(w.connect(false, nil), "dropAll", `{}`), "done") // allowed under its saved name
		w.offer("other.example", "GET /api/take take", "GET /api/orders listOrders")
		w.wants(w.ask(s, "wayfind_open", `{"domain": "other.example"}`), "2 tools")
		time.Sleep(mcpserver.NotifyPause)
		synctest.Wait()
		names := w.listed(w.connect(false, nil)) // a client keeps a list until it is stale
		for _, name := range []string{"listOrders", "other_example__listOrders", "other_example__take"} {
			if !strings.Contains(" "+names+" ", " "+name+" ") {
				w.Errorf("%s is not in %s", name, names)
			}
		}
	})
}

// Tools of several domains have plain names where these are unique. The others are called by the names
// that begin with their domain, and by nothing else. All are called by those names.
func TestToolsOfSeveralDomainsHavePlainNamesWhereTheseAreUnique(t *testing.T) {
	for _, domains := range []string{"shop.example other.example", "other.example shop.example"} {
		inWorld(t, plain, nil, func(w *world) {
			w.offer("other.example", "GET /api/take take", "GET /api/orders LISTORDERS")
			w.serve(&mcpserver.Options{Domains: strings.Fields(domains)}, nil)
			s := w.connect(false, nil)
			if got, want := w.listed(s), "dropAll other_example__LISTORDERS shop_example__listOrders take "+four; got != want {
				w.Errorf("listed %s, want %s", got, want)
			}
			for name, want := range map[string]string{"take": "done", "other_example__take": "done", "shop_example__listOrders": "done", "listOrders": "no tool"} {
				w.wants(w.ask(s, "wayfind_call", `{"name": "`+name+`"}`), want)
			}
			w.offer("shop.example", "GET /api/orders listOrders", "DELETE /api/all dropAll", "GET /api/take take")
			time.Sleep(3 * time.Hour)
			synctest.Wait()
			w.wants(w.ask(s, "wayfind_call", `{"name": "take"}`), "done")
			w.wants(w.ask(s, "wayfind_call", `{"name": "shop_example__take"}`), "done")
			if got, want := w.called(), "GET other.example/api/take, GET shop.example/api/take"; !strings.HasSuffix(got, want) {
				w.Errorf("called %s, want %s", got, want)
			}
		})
	}
}

// While a domain has not answered, no name is plain, and a plain name in Allow allows nothing: the
// domain may have a tool with that name, too.
func TestAPlainNameWaitsForAllDomains(t *testing.T) {
	inWorld(t, plain, nil, func(w *world) {
		other := w.offer("other.example", "DELETE /api/all dropAll")
		other.FailConn(clienttest.Refuse())
		w.serve(&mcpserver.Options{Domains: []string{"shop.example", "other.example"}, Allow: []string{"dropAll", "shop_example__listOrders"}}, nil)
		s := w.connect(false, nil)
		w.wants(w.listed(s), "shop_example__dropAll")
		w.wants(w.ask(s, "wayfind_call", `{"name": "shop_example__dropAll"}`), "waits until all domains have answered")
		other.FailConn()
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		w.wants(w.listed(w.connect(false, nil)), "other_example__dropAll")
		w.wants(w.ask(s, "wayfind_call", `{"name": "shop_example__dropAll"}`), "the host cannot ask one")
		if got := w.called(); got != "" {
			w.Errorf("called %s", got)
		}
	})
}

// A domain that is silent in part has not answered: its tool keeps its name, and the tool of another domain
// does not get it, nor what --allow says of it.
func TestAPlainNameWaitsForEachDocument(t *testing.T) {
	inWorld(t, plain, nil, func(w *world) {
		w.hosts["shop.example"].Handle("/openapi.json", clienttest.Page{Status: http.StatusServiceUnavailable})
		w.offer("other.example", "DELETE /api/all dropAll")
		w.serve(&mcpserver.Options{Domains: []string{"shop.example", "other.example"}, Allow: []string{"dropAll"}}, nil)
		s := w.connect(false, nil)
		w.wants(w.listed(s), "other_example__dropAll")
		w.wants(w.ask(s, "wayfind_call", `{"name": "dropAll"}`), "no tool")
		w.wants(w.ask(s, "wayfind_call", `{"name": "other_example__dropAll"}`), "A person must agree to this first")
		if w.called() != "" || w.server.Err() != nil {
			w.Errorf("called %s, %v", w.called(), w.server.Err())
		}
	})
}

// A name that a person has given to an operation is that of no other tool, whichever domain answers first.
func TestAChosenNameIsNoToolOfAnotherDomain(t *testing.T) {
	opts := &mcpserver.Options{
		Domains: []string{"shop.example", "other.example"}, Allow: []string{"Search"},
		OperationNames: []tools.OperationName{{Name: "Search", Domain: "shop.example", ID: "dropAll"}},
	}
	for _, first := range []string{"shop.example", "other.example"} {
		inWorld(t, plain, nil, func(w *world) {
			w.offer("other.example", "DELETE /api/search search")
			for name, host := range w.hosts {
				if shop := w.shops[name]; name != first {
					host.Handle("/openapi.json", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
						time.Sleep(5 * time.Second)
						shop.ServeHTTP(rw, r)
					}))
				}
			}
			w.serve(opts, nil)
			s := w.connect(false, nil)
			time.Sleep(time.Minute)
			synctest.Wait()
			w.wants(" "+w.listed(s)+" ", " Search ")
			w.wants(w.ask(s, "wayfind_call", `{"name": "Search"}`), "done")
			w.wants(w.ask(s, "wayfind_call", `{"name": "other_example__search"}`), "A person must agree to this first")
			if got := w.called(); got != "DELETE shop.example/api/all" {
				w.Errorf("called %s", got)
			}
		})
	}
}

// A name that a person has chosen stays, even if it looks like one with a domain.
func TestAChosenNameStaysAsItIs(t *testing.T) {
	opts := &mcpserver.Options{Domains: []string{"shop.example"}, OperationNames: []tools.OperationName{{Name: "my__orders", Domain: "shop.example", ID: "listOrders"}}}
	inWorld(t, plain, opts, func(w *world) {
		w.wants(" "+w.listed(w.connect(false, nil))+" ", " my__orders ")
	})
}

// Filters are checked against the tools of all domains together.
func TestAFilterThatOneDomainMatchesIsNotReported(t *testing.T) {
	var log bytes.Buffer
	inWorld(t, plain, nil, func(w *world) {
		w.offer("other.example", "GET /api/take take")
		w.serve(&mcpserver.Options{
			Domains: []string{"shop.example", "other.example"}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
			Except: []tools.Filter{{Methods: []string{"DELETE"}}, {Tags: []string{"secret"}}},
		}, nil)
		w.listed(w.connect(false, nil))
		time.Sleep(time.Second)
		synctest.Wait()
		if w.wants(log.String(), "nothing matches tag secret"); strings.Contains(log.String(), "DELETE") {
			w.Error(log.String())
		}
	})
}

// A model names domains only: no URL, and no server.
func TestOpenTakesDomains(t *testing.T) {
	inWorld(t, plain, &mcpserver.Options{Domains: []string{"shop.example"}, Open: []string{"*"}}, func(w *world) {
		s := w.connect(false, nil)
		for _, name := range []string{"mcp+https://other.example/mcp", "https://other.example/hook", "other.example/?token=1", "other.example/", "mcp+other.example"} {
			w.wants(w.ask(s, "wayfind_open", `{"domain": "`+name+`"}`), "not the name of a public domain")
		}
	})
}
