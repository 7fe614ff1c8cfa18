package mcpserver_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/mcpserver"
)

// The server says what Allow allows when all domains have answered. An entry that allows nothing is named
// with what was meant, and if all are so, no host is served.
func TestAllowSaysWhatItAllowsAndFailsIfItAllowsNothing(t *testing.T) {
	for _, c := range []struct {
		domains, allow string
		want           []string
		fails          bool
	}{
		{"shop.example", "dropAll", []string{"--allow dropAll: calls without a question: dropAll (shop.example)"}, false},
		{"shop.example", "shop_example__dropAll", []string{"question: dropAll (shop.example)"}, false},
		{"shop.example other.example", "dropAll", []string{"question: dropAll (shop.example)"}, false}, // a unique name
		{"shop.example other.example", "other_example__*", []string{"--allow other_example__*: calls without a question: addOrder (other.example)"}, false},
		{"shop.example other.example", "other_example__t*", []string{"--allow other_example__t* allows nothing"}, true}, // it is asked about each time
		{"shop.example other.example", "listOrders take", []string{"--allow listOrders allows nothing: no tool of the domains that it could be for has this name; did you mean other_example__listOrders, shop_example__listOrders?", "question: take (other.example)"}, false},
		{"shop.example other.example", "listOrders", []string{"did you mean other_example__listOrders"}, true},
		{"shop.example", "nothing* drop", []string{"--allow nothing* allows nothing", "--allow drop allows nothing: no tool of the domains that it could be for has this name\""}, true},
		{"shop.example down.example", "drop", nil, false}, // it may be a tool of the other
		{"shop.example", "", nil, false},
	} {
		var log bytes.Buffer
		inWorld(t, plain, nil, func(w *world) {
			w.offer("other.example", "DELETE /api/take take", "GET /api/orders listOrders", "POST /api/add addOrder")
			w.serve(&mcpserver.Options{Domains: strings.Fields(c.domains), Allow: strings.Fields(c.allow), Logger: slog.New(slog.NewTextHandler(&log, nil))}, nil)
			here, there := mcp.NewInMemoryTransports()
			ended := make(chan error, 1)
			go func() { ended <- w.server.Serve(w.Context(), there) }()
			session, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, nil).Connect(w.Context(), here, nil)
			if err == nil {
				defer session.Close()
			} else if !c.fails {
				w.Fatal(err)
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			select {
			case err := <-ended:
				if !c.fails || w.server.Err() != err {
					w.Errorf("%s of %s ended: %v", c.allow, c.domains, err)
				}
			default:
				if c.fails {
					w.Errorf("%s of %s is served", c.allow, c.domains)
				}
			}
			text := strings.ReplaceAll(log.String(), `\"`, "'")
			if c.want == nil && strings.Contains(text, "--allow") {
				w.Errorf("%s of %s: %s", c.allow, c.domains, text)
			}
			for _, want := range c.want {
				w.wants(text, want)
			}
		})
	}
}
