package adk

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// A shop in memory takes the place of the Internet.
const (
	plugin = `{"schema_version": "v1", "name_for_human": "Shop", "name_for_model": "shop", "description_for_human": "Sells.",
		"description_for_model": "Use it.", "auth": {"type": "none"}, "api": {"type": "openapi", "url": "https://shop.example/openapi.json"},
		"logo_url": "https://shop.example/l.png", "contact_email": "a@shop.example", "legal_info_url": "https://shop.example/l"}`
	openAPI = `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"},
		"components": {"schemas": {"Customer": {"type": "integer"}}, "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
		"paths": {"/api/orders": {"get": {"operationId": "list_orders", "summary": "Lists the orders of a customer.", "security": [{"key": []}],
			"parameters": [{"name": "customer", "in": "query", "required": true, "schema": {"$ref": "#/components/schemas/Customer"}}],
			"responses": {"200": {"description": "ok"}}}}}}`
)

// world is the shop, and who calls its tools with a key that no model sees.
func world(t *testing.T) (caller *call.Caller, box *tools.Box, calls *atomic.Int32) {
	t.Helper()
	internet, stop := clienttest.Start()
	t.Cleanup(stop)
	pages := clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": openAPI}
	calls = new(atomic.Int32)
	internet.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/orders" {
			pages.ServeHTTP(w, r)
			return
		}
		if r.Header.Get("X-Key") == "s3cret" && r.URL.RawQuery == "customer=7" {
			calls.Add(1)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, `{"orders": ["one teapot"]}`)
	}))
	c, err := client.New(internet.Options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if box, err = tools.Load(t.Context(), c, []string{"shop.example"}, nil); err != nil || box.Len() != 1 {
		t.Fatal(err, box.Skipped())
	}
	caller, err = call.New(c, &call.Options{
		Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			return call.Key("s3cret", call.Bound{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
		},
		Confirm: func(context.Context, *call.Question) (call.Answer, error) {
			return call.Answer{Verdict: call.AllowOnce}, nil // a program asks its user here
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return caller, box, calls
}
