package call_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
)

// A long answer is cut by its structure, a page that follows becomes arguments, and the
// whole stays with the program.
func TestLongAnswers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		doc := document("", operation("get", "/api/list", "list", `, "parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}, {"name": "cursor", "in": "query", "schema": {"type": "string"}}]`))
		s := newShop(t, doc, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"next_cursor":"abc","items":[`+strings.TrimSuffix(strings.Repeat(`{"name":"something"},`, 5000), ",")+`]}`)
		})
		res, err := s.caller(nil).Call(t.Context(), s.box, "list", []byte(`{"q":"x"}`))
		wantCode(t, res, err, "")
		m := res.Model
		if !m.Cut || len(m.Missing) == 0 || len(m.JSON)+len(m.Text) > call.DefaultModelBytes || string(m.More) != `{"q":"x","cursor":"abc"}` || len(res.Program.Body) < 100_000 {
			t.Errorf("%d bytes, cut %t, missing %q, more %s", len(m.JSON), m.Cut, m.Missing, m.More)
		}
		if res, err = s.caller(nil).Call(t.Context(), s.box, "list", m.More); err != nil || s.calls()[1].target != "/api/list?q=x&cursor=abc" {
			t.Errorf("%v %+v", err, res.Model.Missing)
		}
	})
}

// Rates that the site tells are kept: a short wait is waited for, a long one is told.
func TestRates(t *testing.T) {
	bubble(t, func(t *testing.T) {
		reset := 3
		s := newShop(t, shopDocument, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("RateLimit", fmt.Sprintf(`"default";r=0;t=%d`, reset))
			okay(w, r)
		})
		c := s.caller(nil)
		start := time.Now()
		for range 2 {
			res, err := c.Call(t.Context(), s.box, "listOrders", nil)
			wantCode(t, res, err, "")
			reset = 600
		}
		if d := time.Since(start); d != 3*time.Second {
			t.Errorf("after %v", d)
		}
		res, err := c.Call(t.Context(), s.box, "listOrders", nil)
		wantCode(t, res, err, call.Throttled)
		if res.Model.NotBefore.IsZero() || len(s.calls()) != 2 {
			t.Errorf("%+v", res.Model)
		}
	})
}

// What a site says of its own failure is data behind our words.
func TestProblems(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, shopDocument, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(422)
			_, _ = io.WriteString(w, `{"title":"Out\u202e of stock","detail":"No lamps"}`)
		})
		res, err := s.caller(nil).Call(t.Context(), s.box, "listOrders", nil)
		wantCode(t, res, err, call.UpstreamError)
		if !strings.HasPrefix(res.Model.Text, "The service reports a failure") || strings.Contains(res.Model.Text+string(res.Model.JSON), "\u202e") ||
			!strings.Contains(res.Model.Text+string(res.Model.JSON), "No lamps") {
			t.Errorf("%q %s", res.Model.Text, res.Model.JSON)
		}
	})
}
