package call_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
)

// Work is not looked at by a request of an operation that does more than read: neither one that says so,
// nor one with a price, nor one whose path has variables. An operation that reads, or none, is polled.
func TestAPollOfAnOperationThatDoesMoreIsRefused(t *testing.T) {
	doc := document("", operation("post", "/api/order", "order", jsonBody),
		operation("get", "/api/orders/{id}/cancel", "cancel", `, "x-openai-isConsequential": true, "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]`),
		operation("get", "/api/report", "report", priced),
		operation("get", "/api/orders/{id}", "show", `, "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]`),
		operation("get", "/api/orders/all", "pay", priced))
	for location, polled := range map[string]bool{
		"/api/orders/7/cancel": false, "/api/orders/7/cancel?x=1": false, "/api/report": false, "/api/orders/all": false,
		"/api/orders/7": true, "/api/work/7": true, "/api/orders/7/cancel/": false, "/api//orders/7/%63ancel": false, "/API/report": false,
	} {
		bubble(t, func(t *testing.T) {
			s := newShop(t, doc, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					w.Header().Set("Location", location)
					w.WriteHeader(http.StatusAccepted)
				}
			})
			c := s.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm})
			res, err := c.Call(t.Context(), s.box, "order", []byte(`{"reason":"x"}`))
			if wantCode(t, res, err, made); res.Program.Handle == nil {
				t.Fatalf("%s: no handle", location)
			}
			before := len(s.calls())
			res, err = c.Wait(t.Context(), res.Program.Handle)
			if polled {
				wantCode(t, res, err, made)
			} else if wantCode(t, res, err, call.Refused); err != nil && !strings.Contains(err.Error(), "does more than read") {
				t.Error(err)
			}
			if sent := len(s.calls()) > before; sent != polled {
				t.Errorf("%s: polled %v, want %v", location, sent, polled)
			}
		})
	}
}
