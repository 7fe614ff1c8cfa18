package call_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
)

// A long answer is cut by its structure, the next page becomes arguments, and the program
// keeps the whole answer.
func TestLongAnswers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		doc := document("", operation("get", "/api/list", "list", `, "parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}, {"name": "cursor", "in": "query", "schema": {"type": "string"}}]`))
		s := newShop(t, doc, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"next_cursor":"abc","items":[`+strings.TrimSuffix(strings.Repeat(`{"name":"something"},`, 5000), ",")+`]}`)
		})
		res, err := s.caller(nil).Call(t.Context(), s.box, "list", []byte(`{"q":"x"}`))
		wantCode(t, res, err, made)
		m := res.Model
		if !m.Cut || len(m.Cuts) == 0 || len(m.JSON)+len(m.Text) > 32<<10 || !strings.Contains(string(m.Next), `"cursor":"abc"`) || len(res.Program.Body) < 100_000 {
			t.Errorf("%d bytes, cut %t, cuts %v, next %s", len(m.JSON), m.Cut, m.Cuts, m.Next)
		}
	})
}

// A site's description of its own failure is data, after the words of this package.
func TestProblems(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, shopDocument, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(422)
			_, _ = io.WriteString(w, `{"title":"Out\u202e of stock","detail":"No lamps"}`)
		})
		res, err := s.caller(nil).Call(t.Context(), s.box, "listOrders", nil)
		wantCode(t, res, err, call.UpstreamError)
		if !strings.HasPrefix(res.Model.Text, "The service reports a failure") || strings.Contains(mustJSON(t, res.Model), "\u202e") ||
			!strings.Contains(mustJSON(t, res.Model), "No lamps") {
			t.Errorf("%q %s", res.Model.Text, res.Model.JSON)
		}
	})
}
