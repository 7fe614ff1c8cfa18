package suites

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/bench/measure"
)

// These are the goals for what a call takes in addition to the request.
const (
	callAllocs = 60
	callCPU    = 40 * time.Microsecond
)

// callRounds is the number of rounds of this suite. The goals are medians.
const callRounds = 21

const (
	callOrigin = "https://shop.example.com"
	callSpec   = `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, "paths": {"/api/orders": {
		"get": {"operationId": "listOrders", "summary": "Lists orders.", "parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}],
			"responses": {"200": {"description": "The orders."}}},
		"post": {"operationId": "newOrder", "summary": "Orders.", "requestBody": {"required": true, "content": {"application/json": {"schema":
			{"type": "object", "properties": {"reason": {"type": "string"}}, "required": ["reason"]}}}}, "responses": {"200": {"description": "The order."}}}}}}`
	callPlugin = `{"schema_version": "v1", "name_for_human": "Shop", "name_for_model": "shop", "description_for_human": "A shop.",
		"description_for_model": "Use it.", "auth": {"type": "none"}, "api": {"type": "openapi", "url": "https://shop.example.com/openapi.json"},
		"logo_url": "https://shop.example.com/logo.png", "contact_email": "a@shop.example.com", "legal_info_url": "https://shop.example.com/legal"}`
)

// orders is a service with the documents that describe it.
func orders(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/openapi.json":
		_, _ = io.WriteString(w, callSpec)
	case "/.well-known/ai-plugin.json":
		_, _ = io.WriteString(w, callPlugin)
	case "/api/orders":
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"orders":[{"id":"1","state":"sent"},{"id":"2","state":"new"}]}`)
	default:
		http.NotFound(w, r)
	}
}

// calls compares calls with the same requests of an http.Client without a guard: HTTP/1.1 over
// TLS, one connection that is kept, and an answer that is read to its end.
func calls(c measure.Config) ([]*measure.Table, error) {
	if !c.Quick {
		c.Rounds = callRounds
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(orders))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	opts := networkOf(server).options()
	opts.Network.KeepAlive = time.Minute
	wayfind, err := client.New(opts)
	if err != nil {
		return nil, err
	}
	defer wayfind.Close()
	box, err := tools.Load(context.Background(), wayfind, []string{"shop.example.com"}, nil)
	if err != nil {
		return nil, err
	}
	caller, err := call.New(wayfind, &call.Options{Confirm: func(context.Context, *call.Question) (call.Answer, error) {
		return call.Answer{Verdict: call.AllowSession}, nil
	}})
	if err != nil {
		return nil, err
	}
	var tables []*measure.Table
	for _, row := range []struct{ title, tool, arguments, method, target, body string }{
		{"A call that reads", "listOrders", `{"q":"a"}`, http.MethodGet, "/api/orders?q=a", ""},
		{"A call that changes something, agreed to for a session", "newOrder", `{"reason":"a"}`, http.MethodPost, "/api/orders", `{"reason":"a"}`},
	} {
		bare := func(h *http.Client) func(int) {
			return times(func() error { return bareCall(h, row.method, callOrigin+row.target, row.body) })
		}
		table, err := measure.Compare(row.title, c,
			measure.Case{Name: bareCalls, Run: bare(server.Client()), MaxAllocs: -1},
			measure.Case{Name: "Client.HTTP", Run: bare(wayfind.HTTP(callOrigin)), Reference: bareCalls, MaxAllocs: -1},
			measure.Case{Name: "Caller.Call", Run: times(func() error {
				_, err := caller.Call(context.Background(), box, row.tool, []byte(row.arguments))
				return err
			}), Reference: bareCalls, MaxAllocs: -1, MoreAllocs: callAllocs, MoreCPU: callCPU},
		)
		if err != nil {
			return nil, err
		}
		tables = append(tables, table)
	}
	return tables, nil
}

const bareCalls = "http.Client"

// times runs a function n times.
func times(f func() error) func(int) {
	return func(n int) {
		for range n {
			if err := f(); err != nil {
				panic(err)
			}
		}
	}
}

// bareCall sends a request and reads its answer.
func bareCall(h *http.Client, method, url, body string) error {
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	req, err := http.NewRequest(method, url, content)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := h.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}
