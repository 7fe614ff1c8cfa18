package mcpserver_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/mcpserver"
	"github.com/wayfindhq/wayfind/client/tools"
)

// A host sees the operations that filters select, under the names that the user gave them. The log
// names filters that match nothing.
func TestAHostSeesChosenOperations(t *testing.T) {
	var log bytes.Buffer
	opts := &mcpserver.Options{
		Domains: []string{"shop.example"}, Except: []tools.Filter{{Methods: []string{"DELETE"}}, {Tags: []string{"secret"}}},
		OperationNames: []tools.OperationName{{Name: "orders", Domain: "shop.example", Method: "GET", Path: "/api/orders"}, {Name: "drop", Domain: "shop.example", ID: "dropAll"}},
		Logger:         slog.New(slog.NewTextHandler(&log, nil)),
	}
	inWorld(t, plain, opts, func(w *world) {
		s := w.connect(false, nil)
		w.wants(w.ask(s, "orders", `{"q":"x"}`), "done")
		if names := w.listed(s); strings.Contains(names, "drop") || !strings.Contains(" "+names, " orders ") || w.called() != "GET shop.example/api/orders?q=x" {
			w.Errorf("%s; called %s", names, w.called())
		}
		synctest.Wait()
		w.wants(log.String(), "nothing matches tag secret")
		w.wants(log.String(), "nothing matches shop.example dropAll")
		caller, err := call.New(w.client, nil)
		if err != nil {
			w.Fatal(err)
		}
		if _, err := mcpserver.New(w.client, caller, &mcpserver.Options{OperationNames: []tools.OperationName{{Name: "orders", ID: "x"}}}); err == nil || !strings.Contains(err.Error(), "it needs a domain") {
			w.Errorf("a name for the operation of any site: %v", err)
		}
	})
}
