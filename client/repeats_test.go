package client_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// A Trace counts the requests that were sent again.
func TestATraceCountsRepeats(t *testing.T) {
	inBubble(t, func(t *testing.T, in *clienttest.Internet) {
		h := in.Host("shop.example", clienttest.Pages{"/llms.txt": "# Shop\n"})
		failed := 0
		h.Handle("/llms.txt", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if failed++; failed <= 2 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			_, _ = w.Write([]byte("# Shop\n"))
		}))
		var trace client.Trace
		if _, err := in.Client().Resolve(client.WithTrace(t.Context(), &trace), "shop.example"); err != nil {
			t.Fatal(err)
		}
		for _, f := range trace.Fetches {
			if want := map[string]int{"https://shop.example/llms.txt": 2}[f.URL]; f.Repeats != want {
				t.Errorf("%s: %d repeats, want %d", f.URL, f.Repeats, want)
			}
		}
		if !slices.ContainsFunc(trace.Fetches, func(f client.Fetch) bool { return f.Repeats > 0 }) {
			t.Error("nothing was repeated")
		}
	})
}
