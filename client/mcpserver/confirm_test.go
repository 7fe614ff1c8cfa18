package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/mcpserver"
)

// A call that may change something is made only after the host has asked a person, who sees the
// request.
func TestConfirm(t *testing.T) {
	hanging := &mcp.ClientOptions{ElicitationHandler: func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	failing := &mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return nil, errors.New("no screen")
	}}
	var asked, no []string
	for name, row := range map[string]struct {
		host         *mcp.ClientOptions
		made         bool
		want, legacy string // in the answer
	}{
		"agrees":          {answering("accept", true, &asked), true, "done", "done"},
		"does not tick":   {answering("accept", false, &no), false, "error: A person has refused this", "error: A person has refused this"},
		"declines":        {answering("decline", false, &no), false, "error: A person has refused this", "error: A person has refused this"},
		"turns away":      {answering("cancel", false, &no), false, "error: A person has refused this", "error: A person has refused this"},
		"cannot be asked": {nil, false, "start", "start"},
		"fails to ask":    {failing, false, "no screen", "the host has not asked one"},
		"hangs":           {hanging, false, "", "no one has answered in time"},
	} {
		t.Run(name, func(t *testing.T) {
			eras(t, func(t *testing.T, legacy bool) {
				if row.host == hanging && !legacy {
					return // the host waits for itself there
				}
				inWorld(t, plain, &mcpserver.Options{Domains: []string{"shop.example"}, AskTime: time.Minute}, func(w *world) {
					s := w.connect(legacy, row.host)
					w.listed(s)
					want := row.want
					if legacy {
						want = row.legacy
					}
					got := w.ask(s, nameOf(w, "dropAll")[0], `{}`)
					if w.wants(got, want); (w.called() != "") != row.made {
						w.Errorf("reached the shop: %q, with the answer %q", w.called(), got)
					}
					if row.host == nil && !strings.Contains(got, "--allow "+nameOf(w, "dropAll")[0]) {
						w.Errorf("nothing says how to allow it: %q", got)
					}
				})
			})
		})
	}
	for _, message := range asked {
		for _, part := range []string{"DELETE https://shop.example/api/all", "shop.example?", "may destroy something"} {
			if !strings.Contains(message, part) {
				t.Errorf("a person saw %q, and not %q", message, part)
			}
		}
	}
	if len(asked) != 2 || len(no) != 6 {
		t.Errorf("asked %d times for a yes and %d times for a no, want one question to a call", len(asked), len(no))
	}
}

// A tool that the person who runs the server allows is called without asking, and no
// other tool is.
func TestAllow(t *testing.T) {
	inWorld(t, plain+"\nDELETE /api/other dropOther", nil, func(w *world) {
		w.serve(&mcpserver.Options{Domains: []string{"shop.example"}}, nil)
		s := w.connect(false, nil)
		w.listed(s)
		name, other := nameOf(w, "dropAll")[0], nameOf(w, "dropOther")[0]
		w.serve(&mcpserver.Options{Domains: []string{"shop.example"}, Allow: []string{name}}, nil)
		w.wants(w.ask(w.connect(false, nil), name, `{}`), "done")
		w.wants(w.ask(w.connect(true, nil), "wayfind_call", `{"name": "`+name+`"}`), "done")
		for _, legacy := range []bool{false, true} {
			s := w.connect(legacy, nil)
			w.wants(w.ask(s, other, `{}`), "error: A person must agree")
			w.wants(w.ask(s, "wayfind_call", `{"name": "`+other+`"}`), "--allow "+other)
		}
		if w.called() != "DELETE shop.example/api/all, DELETE shop.example/api/all" {
			w.Errorf("reached the shop: %s", w.called())
		}
	})
}

// What comes back from a host is as an attacker may have made it: a state that was
// changed, was used, is for other arguments or another tool, or is too old.
func TestState(t *testing.T) {
	inWorld(t, plain+"\nDELETE /api/other/{id} dropOther", &mcpserver.Options{Domains: []string{"shop.example"}}, func(w *world) {
		// A host that asks no person returns the question to the caller.
		var state string
		var asked []string
		s := w.connect(false, answering("accept", true, &asked))
		w.listed(s)
		all, other := nameOf(w, "dropAll")[0], nameOf(w, "dropOther")[0]
		yes := mcp.InputResponseMap{"confirm": &mcp.ElicitResult{Action: "accept", Content: map[string]any{"agree": true}}}
		redeem := func(tool, arguments, state string) string {
			res, err := s.CallTool(w.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments), InputResponses: yes, RequestState: state})
			if err != nil {
				return err.Error()
			}
			raw, _ := json.Marshal(res.Content)
			return string(raw)
		}
		state = w.stateOf(all, `{}`)
		for name, got := range map[string]string{
			"of another tool": redeem(other, `{"id": "7"}`, state),
			"changed":         redeem(all, `{}`, "A"+state),
			"cut":             redeem(all, `{}`, state[:len(state)-2]),
			"made up":         redeem(all, `{}`, "x.y"),
			"of wayfind_open": redeem(all, `{}`, w.stateOf("wayfind_open", `{"domain": "other.example"}`)),
		} {
			if !strings.Contains(got, "A person must agree") || w.called() != "" {
				w.Errorf("%s: %s; reached the shop: %s", name, got, w.called())
			}
		}
		if got := redeem(all, `{}`, state); !strings.Contains(got, "done") {
			w.Errorf("as it was: %s", got)
		}
		if got := redeem(all, `{}`, state); strings.Contains(got, "done") {
			w.Errorf("used twice: %s", got)
		}
		old := w.stateOf(all, `{}`)
		time.Sleep(11 * time.Minute)
		if got := redeem(all, `{}`, old); strings.Contains(got, "done") {
			w.Errorf("too old: %s", got)
		}
		if w.called() != "DELETE shop.example/api/all" || len(asked) != 0 {
			w.Errorf("reached the shop: %s; asked %q", w.called(), asked)
		}
	})
}

// stateOf returns the state of a question that a person answers with no.
func (w *world) stateOf(tool, arguments string) (state string) {
	w.Helper()
	w.server.MCP().AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if r, ok := res.(*mcp.CallToolResult); ok && r.RequestState != "" {
				state = r.RequestState
			}
			return res, err
		}
	})
	w.wants(w.ask(w.connect(false, answering("decline", false, nil)), tool, arguments), "error: A person has refused")
	if len(state) < 100 {
		w.Fatalf("the state of the question is %q", state)
	}
	return state
}

// A domain is opened when a person agrees. The model names a domain, never a URL.
func TestOpen(t *testing.T) {
	eras(t, func(t *testing.T, legacy bool) {
		inWorld(t, plain, nil, func(w *world) {
			var asked []string
			s := w.connect(legacy, answering("accept", true, &asked))
			for _, bad := range []string{`{"domain": "https://shop.example/api/orders"}`, `{"domain": "shop.example/x"}`, `{"domain": "127.0.0.1"}`, `{"domain": "localhost"}`,
				`{"domain": "http://169.254.169.254"}`, `{"domain": "shop.example:8443"}`, `{"domain": "a@shop.example"}`, `{"domain": ""}`, `{}`, `{"domain": 7}`, `{"domain": "shop.example", "url": "x"}`} {
				w.wants(w.ask(s, "wayfind_open", bad), "error: ")
			}
			if len(asked) != 0 || len(w.hosts["shop.example"].Requests()) != 0 {
				w.Fatalf("asked %q, requests %v", asked, w.hosts["shop.example"].Paths())
			}
			w.wants(w.ask(s, "wayfind_open", `{"domain": "Shop.Example"}`), "2 tools")
			w.wants(w.ask(s, "wayfind_open", `{"domain": "shop.example"}`), "2 tools")
			if len(asked) != 1 || !strings.Contains(asked[0], "shop.example") {
				w.Errorf("asked %q", asked)
			}
			time.Sleep(mcpserver.NotifyPause)
			synctest.Wait()
			w.wants(w.listed(w.connect(legacy, nil)), "listOrders")
			w.wants(w.ask(s, "wayfind_open", `{"domain": "nothing.example"}`), "error: nothing.example is open, and offers no tool")
		})
	})
	t.Run("refused", func(t *testing.T) {
		eras(t, func(t *testing.T, legacy bool) {
			inWorld(t, plain, nil, func(w *world) {
				w.wants(w.ask(w.connect(legacy, nil), "wayfind_open", `{"domain": "shop.example"}`), "--domain shop.example")
				var asked []string
				w.wants(w.ask(w.connect(legacy, answering("decline", false, &asked)), "wayfind_open", `{"domain": "shop.example"}`), "error: A person has refused")
				w.serve(&mcpserver.Options{NoOpen: true}, nil)
				w.wants(w.ask(w.connect(legacy, answering("accept", true, &asked)), "wayfind_open", `{"domain": "shop.example"}`), "--domain shop.example")
				if len(asked) != 1 {
					w.Errorf("asked %q, want one question: the server that opens nothing asks none", asked)
				}
				if n := len(w.hosts["shop.example"].Requests()); n != 0 {
					w.Errorf("%d requests reached it", n)
				}
			})
		})
	})
}
