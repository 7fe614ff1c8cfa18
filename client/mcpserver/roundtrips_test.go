package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/mcpserver"
)

// asksInAnswer is a tool that asks two questions, one after the other, in its answers.
func asksInAnswer(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	form := func(message string) *mcp.ElicitParams {
		return &mcp.ElicitParams{Mode: "form", Message: message, RequestedSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}
	}
	said := func(id string) string {
		answer, ok := req.Params.InputResponses[id].(*mcp.ElicitResult)
		if !ok {
			return "nothing"
		}
		return fmt.Sprint(answer.Action, " ", answer.Content["n"])
	}
	switch req.Params.RequestState {
	case "":
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"sacks": form("How many sacks?")}, RequestState: "1"}, nil
	case "1":
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"days": form("How many days?")}, RequestState: "2 " + said("sacks")}, nil
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "sacks " + req.Params.RequestState[2:] + ", days " + said("days")}}}, nil
}

// A stateless host gets the questions of a server, with the names that the server gives them, as results
// of its request, and the request goes on with each answer (MCP 2026-07-28, Multi Round-Trip Requests).
func TestQuestionsReachAStatelessHostInItsResults(t *testing.T) {
	inMill(t, true, asksInAnswer, func(w *world) {
		var shown []string
		s := w.connect(false, &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			shown = append(shown, req.Params.Message)
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"n": len(shown)}}, nil
		}})
		w.listed(s)
		w.wants(w.ask(s, "work", `{"a": 1, "b": 2}`), "sacks accept 1, days accept 2")
		if len(shown) != 2 || !strings.Contains(shown[0], "mill.example asks") || !strings.HasSuffix(shown[0], "How many sacks?") || !strings.HasSuffix(shown[1], "How many days?") {
			w.Errorf("the person sees %q", shown)
		}
	})
}

// manual is a host that shows forms and leaves the rounds to the test.
func (w *world) manual() *mcp.ClientSession {
	s := w.connect(false, &mcp.ClientOptions{
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return nil, errors.New("not asked here")
		},
	})
	w.listed(s)
	return s
}

// A state is valid once, for the same request, and until the person's time is up.
func TestTheStateOfAQuestionIsForItsRequestAlone(t *testing.T) {
	inMill(t, true, asksInAnswer, func(w *world) {
		s := w.manual()
		begin := func() *mcp.CallToolResult {
			res, err := s.CallTool(w.Context(), &mcp.CallToolParams{Name: "work", Arguments: json.RawMessage(`{"a": 1, "b": {"c": 2, "d": 3}}`)})
			if err != nil || res.InputRequests["sacks"] == nil || res.RequestState == "" {
				w.Fatalf("%v, %+v", err, res)
			}
			return res
		}
		yes := mcp.InputResponseMap{"sacks": &mcp.ElicitResult{Action: "accept", Content: map[string]any{"n": 7}}}
		answer := func(arguments, state string, answers mcp.InputResponseMap) (*mcp.CallToolResult, error) {
			return s.CallTool(w.Context(), &mcp.CallToolParams{Name: "work", Arguments: json.RawMessage(arguments), RequestState: state, InputResponses: answers})
		}
		refused := func(what string, res *mcp.CallToolResult, err error) {
			w.Helper()
			if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != jsonrpc.CodeInvalidParams {
				w.Errorf("%s: %v, %+v", what, err, res)
			}
		}
		first := begin()
		res, err := answer(`{"a": 1, "b": {"c": 2, "d": 4}}`, first.RequestState, yes)
		refused("other arguments", res, err)
		res, err = answer(`{"a": 1, "b": {"c": 2, "d": 3}}`, first.RequestState+"x", yes)
		refused("another state", res, err)
		res, err = answer(`{"b": {"d": 3, "c": 2}, "a": 1}`, first.RequestState, yes)
		if err != nil || res.InputRequests["days"] == nil {
			w.Fatalf("the same arguments in another order: %v, %+v", err, res)
		}
		state := res.RequestState
		res, err = answer(`{"a": 1, "b": {"c": 2, "d": 3}}`, first.RequestState, yes)
		refused("a state that was used", res, err)
		res, err = answer(`{"a": 1, "b": {"c": 2, "d": 3}}`, state, nil)
		if err != nil || !strings.Contains(fmt.Sprint(res.Content[0].(*mcp.TextContent).Text), "sacks accept 7, days cancel") {
			w.Errorf("no answer is a cancel: %v, %+v", err, res)
		}
		late := begin()
		time.Sleep(6 * time.Minute)
		res, err = answer(`{"a": 1, "b": {"c": 2, "d": 3}}`, late.RequestState, yes)
		refused("after the time of the person", res, err)
	})
}

// Hosts that leave questions open keep a bounded number of requests waiting. Further ones are not asked, and
// the others go on.
func TestOpenQuestionsAreBounded(t *testing.T) {
	inMill(t, true, asksInAnswer, func(w *world) {
		s := w.manual()
		open, refused := 0, 0
		for range 80 {
			res, err := s.CallTool(w.Context(), &mcp.CallToolParams{Name: "work", Arguments: json.RawMessage(`{}`)})
			switch {
			case err != nil:
				w.Fatal(err)
			case res.InputRequests != nil:
				open++
			case res.IsError:
				refused++
			}
		}
		if open != 64 || refused != 16 {
			w.Errorf("%d open, %d refused", open, refused)
		}
		time.Sleep(6 * time.Minute)
		if res, err := s.CallTool(w.Context(), &mcp.CallToolParams{Name: "work", Arguments: json.RawMessage(`{}`)}); err != nil || res.InputRequests == nil {
			w.Errorf("%v, %+v", err, res)
		}
	})
}

// Requests that a server works on take no room of those that wait for a person.
func TestRequestsThatWaitForAServerTakeNoRoom(t *testing.T) {
	slow := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		time.Sleep(time.Minute)
		return &mcp.CallToolResult{}, nil
	}
	inWorld(t, plain, nil, func(w *world) {
		w.mill(w.millOf(true, slow))
		w.internet.Host("loom.example", clienttest.Pages{"/.well-known/mcp/server-card.json": strings.ReplaceAll(museumCard, "museum", "loom")}).
			Handle("/mcp", w.millOf(true, asksInAnswer))
		w.serve(&mcpserver.Options{Domains: []string{"mill.example", "loom.example"}}, nil)
		s := w.manual()
		work := func(tool string) (*mcp.CallToolResult, error) {
			return s.CallTool(w.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(`{}`)})
		}
		var calls sync.WaitGroup
		for range 70 {
			calls.Go(func() { _, _ = work("mill_example__work") })
		}
		synctest.Wait()
		res, err := work("loom_example__work")
		if err != nil || res.InputRequests["sacks"] == nil {
			w.Errorf("a person is not asked while requests go on: %v, %+v", err, res)
		}
		calls.Wait()
	})
}
