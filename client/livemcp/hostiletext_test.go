package livemcp_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/mcp"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// Whatever a server writes in tools, names, schemas and errors, the Site contains no
// invisible characters, and the text of an error contains no unescaped text of the server.
func TestAHostileServerShowsNothingInvisible(t *testing.T) {
	const tools = `{"tools": [{"name": "pay", "title": "Pay it", "description": "Pays what is due.",
		"inputSchema": {"type": "object", "properties": {"to": {"type": "string", "description": "who gets it", "enum": ["a b", "c d"]}}},
		"annotations": {"title": "Pay now"}, "_meta": {"x": "y z"}}]}`
	hostile := golden.NewHostile(t)
	tries, found := 3*60/testkit.Stride(), 0
	for i := range tries {
		result := string(hostile.Poison([]byte(tools), i%3 == 0))
		failure := fmt.Sprintf(`{"jsonrpc": "2.0", "id": 2, "error": %s}`, hostile.Poison([]byte(`{"code": -32000, "message": "no such thing", "data": "a b"}`), false))
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			var answers http.Handler = legacy(says(result))
			if i%3 == 2 {
				answers = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					_, _ = w.Write([]byte(failure))
				})
			}
			internet.Host("shop.example", clienttest.Pages{mcp.PathCard: card(endpoint)}).Handle("/mcp", answers)
			site, err := live(internet).Resolve(t.Context(), "shop.example")
			if site == nil {
				t.Fatal(err)
			}
			if why := hostile.HiddenIn(t, site); why != "" {
				t.Error(why)
			}
			var e *wayfind.Error
			if errors.As(err, &e) && hostile.Hidden(e.Error()+e.URL) != "" {
				t.Errorf("error %+q", e.Error())
			}
			for _, c := range site.Capabilities() {
				if !c.Claimed {
					found++
				}
			}
		})
	}
	if found < tries/4 {
		t.Errorf("%d tools were found in %d tries", found, tries)
	}
}
