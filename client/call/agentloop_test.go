package call_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
)

// A model that does only what the results tell it calls in the site's order and recovers from a
// failure: it calls the tool that a refusal or a recovery names, and then its own again.
func TestAnAgentRecoversAndCallsInOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		taken := true
		f := newFlights(t, `, "dependencies": {"book": ["search"], "pay": ["book"]}, "errors": {"SEAT_UNAVAILABLE": {"recovery": "retry search with different parameters"}}`, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if r.URL.Path == "/api/book" && taken {
				taken = false
				w.WriteHeader(http.StatusConflict)
				_, _ = io.WriteString(w, `{"error": "SEAT_UNAVAILABLE"}`)
			}
		})
		c := f.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm})
		for open := []string{"pay"}; len(open) > 0 && len(f.calls()) < 10; {
			tool := open[len(open)-1]
			res, err := c.Call(t.Context(), f.box, tool, nil)
			if err == nil {
				open = open[:len(open)-1]
				continue
			}
			_, first, _ := strings.Cut(res.Model.Text, "(first call ")
			_, named, _ := strings.Cut(res.Model.Text, "It names ")
			next := strings.FieldsFunc(first+named, func(r rune) bool { return r == ')' || r == '.' || r == ' ' })
			if len(next) == 0 {
				t.Fatal(res.Model.Text)
			}
			open = append(open, next[0])
		}
		if got, want := f.targets(), []string{"/api/search", "/api/book", "/api/search", "/api/book", "/api/pay"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}
