package mcpserver_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/mcpserver"
	"github.com/wayfindhq/wayfind/client/tools"
)

// A yes to one domain opens that domain, in the minutes after the question, and nothing
// else.
func TestAYesOpensOneDomain(t *testing.T) {
	for name, row := range map[string]struct {
		tool, arguments string // of the question
		late            time.Duration
		bend            func(state string) string
		opens           bool
	}{
		"as it was":            {"wayfind_open", `{"domain": "shop.example"}`, 0, nil, true},
		"written in capitals":  {"wayfind_open", `{"domain": "Shop.Example"}`, 0, nil, true},
		"in time":              {"wayfind_open", `{"domain": "shop.example"}`, call.TicketLifetime - time.Second, nil, true},
		"too late":             {"wayfind_open", `{"domain": "shop.example"}`, call.TicketLifetime, nil, false},
		"of another domain":    {"wayfind_open", `{"domain": "other.example"}`, 0, nil, false},
		"of a parent":          {"wayfind_open", `{"domain": "www.shop.example"}`, 0, nil, false},
		"of a call":            {"elsewhere_example__dropAll", `{}`, 0, nil, false},
		"changed":              {"wayfind_open", `{"domain": "shop.example"}`, 0, func(s string) string { return "A" + s }, false},
		"without its proof":    {"wayfind_open", `{"domain": "shop.example"}`, 0, func(s string) string { s, _, _ = strings.Cut(s, "."); return s + "." }, false},
		"with another's proof": {"wayfind_open", `{"domain": "shop.example"}`, 0, func(s string) string { return s[:len(s)-1] + "AB" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, plain, nil, func(w *world) {
				w.offer("elsewhere.example", strings.Split(plain, "\n")...)
				w.serve(&mcpserver.Options{Domains: []string{"elsewhere.example"}}, nil)
				state := w.stateOf(row.tool, row.arguments)
				time.Sleep(row.late)
				if row.bend != nil {
					state = row.bend(state)
				}
				got := w.redeem("wayfind_open", `{"domain": "shop.example"}`, state)
				if row.opens {
					w.wants(got, "shop.example is open")
					return
				}
				if w.wants(got, "does not cover this domain"); len(w.hosts["shop.example"].Requests()) != 0 {
					w.Errorf("%d requests reached the domain", len(w.hosts["shop.example"].Requests()))
				}
			})
		})
	}
}

// redeem repeats a call with the state of a question and the consent of a person, and returns the
// texts of the answer. The host asks no further question.
func (w *world) redeem(tool, arguments, state string) string {
	w.Helper()
	yes := mcp.InputResponseMap{"confirm": &mcp.ElicitResult{Action: "accept", Content: map[string]any{"agree": true}}}
	res, err := w.connect(false, nil).CallTool(w.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments), InputResponses: yes, RequestState: state})
	if err != nil {
		return "protocol error: " + err.Error()
	}
	raw, err := json.Marshal(res.Content)
	if err != nil {
		w.Fatal(err)
	}
	return string(raw)
}

// The server keeps the names of its own tools, even if a site uses them for its tools, and even if
// a tool had one of them before.
func TestNoSiteTakesTheNameOfAnOwnTool(t *testing.T) {
	ops := "GET /api/call wayfind_call\nGET /api/search WAYFIND_SEARCH\nGET /api/open Wayfind_Open\nGET /api/orders listOrders"
	for _, kept := range []bool{false, true} {
		inWorld(t, ops, nil, func(w *world) {
			box := w.load(nil)
			if kept { // a table of names, in which an earlier version gave such a name
				table, err := box.Names()
				if err != nil {
					w.Fatal(err)
				}
				box = w.load(regexp.MustCompile(`"wayfind_call[^"]*"`).ReplaceAll(table, []byte(`"wayfind_call"`)))
			}
			server := mcp.NewServer(&mcp.Implementation{Name: "desk", Version: "1"}, nil)
			caller, err := call.New(w.client, nil)
			if err != nil {
				w.Fatal(err)
			}
			mcpserver.AddTools(server, caller, box)
			s := w.connectTo(server)
			if got, want := w.listed(s), "listOrders wayfind_call wayfind_describe wayfind_search"; got != want {
				w.Errorf("kept %v: listed %s, want %s", kept, got, want)
			}
			w.wants(w.ask(s, "wayfind_call", `{"name": "listOrders"}`), "done")
			if w.called() != "GET shop.example/api/orders" {
				w.Errorf("kept %v: reached the shop: %s", kept, w.called())
			}
		})
	}
}

// load reads the tools of the shop, under the names of a table.
func (w *world) load(names []byte) *tools.Box {
	w.Helper()
	box, err := tools.Load(w.Context(), w.client, []string{"shop.example"}, &tools.Options{Names: names})
	if err != nil {
		w.Fatal(err)
	}
	return box
}

// connectTo connects a client of the SDK to a server of one's own until the test ends.
func (w *world) connectTo(server *mcp.Server) *mcp.ClientSession {
	w.Helper()
	here, there := mcp.NewInMemoryTransports()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Run(w.Context(), there)
	}()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, nil).Connect(w.Context(), here, nil)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		_ = s.Close()
		<-done
	})
	return s
}
