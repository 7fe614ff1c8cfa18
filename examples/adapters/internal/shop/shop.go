// Package shop is a shop in memory, and a model's part in its sales: the tests of the adapters use
// it in place of the Internet.
package shop

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/session"
	"github.com/wayfindhq/wayfind/client/tools"
)

// Models do not accept the parameter names of remove_orders. The descriptions of the parameters are
// their indexes in meant.
const (
	plugin = `{"schema_version": "v1", "name_for_human": "Shop", "name_for_model": "shop", "description_for_human": "Sells.",
		"description_for_model": "Use it.", "auth": {"type": "none"}, "api": {"type": "openapi", "url": "https://shop.example/openapi.json"},
		"logo_url": "https://shop.example/l.png", "contact_email": "a@shop.example", "legal_info_url": "https://shop.example/l"}`
	openAPI = `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"},
		"components": {"schemas": {"Customer": {"type": "integer"}}, "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
		"paths": {"/api/orders": {"get": {"operationId": "list_orders", "summary": "Lists the orders of a customer.", "security": [{"key": []}],
			"parameters": [{"name": "customer", "in": "query", "required": true, "schema": {"$ref": "#/components/schemas/Customer"}}],
			"responses": {"200": {"description": "ok"}}},
			"delete": {"operationId": "remove_orders", "summary": "Removes the orders that all filters match.", "parameters": [%s],
			"responses": {"200": {"description": "ok"}}}}}}`
)

// Picture contains the first bytes of an image, and Shown is the same in base64: the orders of
// customer 8.
const (
	Picture = "\x89PNG\r\n\x1a\n"
	Shown   = "iVBORw0KGgo="
)

// meant are the arguments of remove_orders with the publisher's names.
var meant = [...]string{"filter[id]", "$top", "created[gte]", "a_name_of_seventy_characters_which_is_more_than_a_model_may_be_shown70", "größe"}

// Shop is the shop with a caller for its tools, whose key no model sees.
type Shop struct {
	Caller *call.Caller
	Box    *tools.Box
	Calls  atomic.Int32 // calls of list_orders for customer 7 with the key

	mu      sync.Mutex
	removed []url.Values // the filters of each DELETE
}

// Open opens the shop until the test ends.
func Open(t *testing.T) *Shop {
	t.Helper()
	internet, stop := clienttest.Start()
	t.Cleanup(stop)
	s := new(Shop)
	internet.Host("shop.example", s.handler())
	c, err := client.New(internet.Options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if s.Box, err = tools.Load(t.Context(), c, []string{"shop.example"}, nil); err != nil || s.Box.Len() != 2 {
		t.Fatal(err, s.Box.Skipped())
	}
	s.Caller, err = call.New(c, &call.Options{
		Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			return call.Key("s3cret", call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
		},
		Confirm: func(_ context.Context, q *call.Question) (call.Answer, error) {
			if q.Request.Method == http.MethodDelete {
				return call.Answer{Verdict: call.Later}, nil // the program that runs the agent asks
			}
			return call.Answer{Verdict: call.AllowOnce}, nil // a program would ask its user here
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *Shop) handler() http.Handler {
	var parameters []string
	for i, name := range meant {
		parameters = append(parameters, fmt.Sprintf(`{"name": %q, "in": "query", "description": "%d", "schema": {"type": "string"}}`, name, i))
	}
	pages := clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": fmt.Sprintf(openAPI, strings.Join(parameters, ","))}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/orders" {
			pages.ServeHTTP(w, r)
			return
		}
		if r.Method == http.MethodDelete {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.removed = append(s.removed, r.URL.Query())
		} else if r.URL.RawQuery == "customer=8" { // the orders of this customer are a picture
			w.Header().Set("Content-Type", "image/png")
			_, _ = fmt.Fprint(w, Picture)
			return
		} else if r.Header.Get("X-Key") == "s3cret" && r.URL.RawQuery == "customer=7" {
			s.Calls.Add(1)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, `{"orders": ["one teapot"]}`)
	})
}

// Said returns the arguments of remove_orders that a model writes for this schema. It
// recognises a parameter by its description.
func Said(t *testing.T, shown any) map[string]any {
	t.Helper()
	raw, err := json.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties map[string]struct{ Description string }
	}
	if err := json.Unmarshal(raw, &schema); err != nil || len(schema.Properties) != len(meant) {
		t.Fatalf("%s, %v", raw, err)
	}
	arguments := make(map[string]any)
	for name, p := range schema.Properties {
		arguments[name] = "v" + p.Description
	}
	return arguments
}

// Removals returns the number of requests to remove orders.
func (s *Shop) Removals() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.removed)
}

// WantRemoved fails the test unless times requests to remove orders were sent, each with the
// filters that were meant.
func (s *Shop) WantRemoved(t *testing.T, times int) {
	t.Helper()
	want := make(url.Values)
	for i, name := range meant {
		want.Set(name, fmt.Sprint("v", i))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, got := range s.removed {
		if !reflect.DeepEqual(got, want) {
			t.Errorf("removed by %v, want %v", got, want)
		}
	}
	if len(s.removed) != times {
		t.Errorf("%d requests to remove orders, want %d", len(s.removed), times)
	}
}

// WantMarked fails the test unless an answer contains the text of the shop between marks.
func WantMarked(t *testing.T, answer string) {
	t.Helper()
	before, after, found := strings.Cut(answer, "one teapot")
	if !found || !strings.Contains(before, "https://shop.example/api/orders") || !strings.Contains(before, "The call was made.") || !strings.Contains(before, "untrusted-") || !strings.Contains(after, "untrusted-") {
		t.Errorf("not marked: %s", answer)
	}
}

// Odd returns a Box with two tools. The arguments of one are no object, which no model accepts.
func Odd(t *testing.T) *tools.Box {
	t.Helper()
	internet, stop := clienttest.Start()
	t.Cleanup(stop)
	internet.Host("odd.example", clienttest.Pages{"/.well-known/mcp/server-card.json": `{"serverInfo": {"name": "odd", "version": "1"},
		"transport": {"type": "streamable-http", "endpoint": "/mcp"}, "tools": [
			{"name": "good", "description": "Works.", "inputSchema": {"type": "object"}},
			{"name": "list", "description": "Lists.", "inputSchema": {"type": "array", "items": {"type": "string"}}}]}`})
	c, err := client.New(internet.Options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	box, err := tools.Load(t.Context(), c, []string{"odd.example"}, nil)
	if err != nil || box.Len() != 2 {
		t.Fatal(err, box.Skipped())
	}
	return box
}

// Session returns a Session with the tools of the shop. agree is the answer of a person; if it is nil,
// no person can be asked.
func (s *Shop) Session(t *testing.T, v tools.Vendor, agree func(context.Context, *call.Question) bool) *session.Session {
	t.Helper()
	opts := &session.Options{Vendor: v, Strict: v == tools.OpenAIChat}
	if agree != nil {
		opts.Ask = func(ctx context.Context, q *call.Question) (call.Answer, error) {
			if agree(ctx, q) {
				return call.Answer{Verdict: call.AllowOnce}, nil
			}
			return call.Answer{}, nil
		}
	}
	own, err := session.New(s.Caller, s.Box, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(own.Close)
	return own
}
