package mcpserver_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

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
