package mcpserver_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/mcpserver"
)

// Two hosts call tools, open domains and get notices while the tools change. No call reaches a site
// other than the site of its tool, and no goroutine is left.
func TestTwoHosts(t *testing.T) {
	inWorld(t, plain, &mcpserver.Options{Domains: []string{"shop.example"}}, func(w *world) {
		var wg sync.WaitGroup
		for i, legacy := range []bool{true, false} {
			s := w.connect(legacy, answering("accept", true, nil))
			w.listed(s)
			wg.Go(func() {
				for round := range 6 {
					host := fmt.Sprintf("h%d-%d.example", i, round)
					w.offer(host, "GET /api/search search", "DELETE /api/all dropAll")
					w.wants(w.ask(s, "wayfind_open", `{"domain": "`+host+`"}`), "2 tools")
					for _, tool := range w.server.Box().Tools() {
						got := w.ask(s, "wayfind_call", `{"name": "`+tool.Name+`"}`)
						if !strings.Contains(got, "Data of "+tool.Domain+", ") && !strings.Contains(got, "There is no tool") {
							w.Errorf("%s: %s", tool.Name, got)
						}
					}
					w.offer("shop.example", "GET /api/orders listOrders", fmt.Sprintf("DELETE /api/all%d dropAll", round))
					time.Sleep(20 * time.Minute)
				}
			})
		}
		wg.Wait()
		synctest.Wait()
		if n := w.server.Box().Len(); n != 26 {
			w.Errorf("%d tools", n)
		}
	})
}

// What a person agrees to for the session of one host is asked about again for another, and so is the
// first credential for an origin. A host over HTTP without a session is not offered one.
func TestAYesForTheSessionIsForOneHost(t *testing.T) {
	eras(t, func(t *testing.T, legacy bool) {
		inWorld(t, shopOps, &mcpserver.Options{Domains: []string{"shop.example"}}, func(w *world) {
			var alices, carols []string
			alice := w.connect(legacy, sessionYes(&alices))
			bob := w.connect(legacy, nil)
			carol := w.connect(!legacy, sessionYes(&carols))
			w.listed(alice)
			for range 2 {
				w.wants(w.ask(alice, "addOrder", `{}`), "done")
				w.wants(w.ask(bob, "addOrder", `{}`), "A person must agree to this first")
				w.wants(w.ask(bob, "wayfind_call", `{"name":"addOrder"}`), "A person must agree to this first")
			}
			for range 2 {
				w.wants(w.ask(carol, "addOrder", `{}`), "done")
			}
			if len(alices) != 1 || len(carols) != 1 {
				w.Errorf("asked alice %d times, carol %d times", len(alices), len(carols))
			}
		})
	})
}

// sessionYes answers each question with a yes for the session, if it is offered.
func sessionYes(asked *[]string) *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		*asked = append(*asked, req.Params.Message)
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"agree": true, "session": true}}, nil
	}}
}

// A call that was lost is not made again without a person, whatever a flag allows and whichever host
// tries. A host that can ask asks, and the question begins with it.
func TestALostCallNeedsAPerson(t *testing.T) {
	inWorld(t, shopOps, nil, func(w *world) {
		calls := 0
		w.hosts["shop.example"].Handle("/api/add", http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			calls++
			rw.WriteHeader(http.StatusBadGateway)
		}))
		w.serve(&mcpserver.Options{Domains: []string{"shop.example"}, Allow: []string{"addOrder"}, HostConfirms: true}, nil)
		var asked []string
		first, second, third := w.connect(true, nil), w.connect(false, nil), w.connect(true, answering("accept", false, &asked))
		w.listed(first)
		w.wants(w.ask(first, "addOrder", `{}`), "It is not known")
		for _, s := range []*mcp.ClientSession{first, second} {
			w.wants(w.ask(s, "addOrder", `{}`), "because the last try was lost, and may have been carried out")
			w.wants(w.ask(s, "wayfind_call", `{"name":"addOrder","arguments":{}}`), "because the last try was lost")
		}
		w.wants(w.ask(third, "addOrder", `{}`), "A person has refused this")
		if calls != 1 || len(asked) != 1 || !strings.HasPrefix(asked[0], "The last try was lost") {
			w.Errorf("%d calls, asked %q", calls, asked)
		}
	})
}
