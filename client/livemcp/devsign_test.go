package livemcp_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client"
)

// A server under development whose framework answers 404 to a GET is asked as a server, at a path and at
// the root of its host, with a slash and without. Targets of a list are not.
func TestADevelopmentServerNeedsNoSign(t *testing.T) {
	for _, row := range []struct {
		at, target string
		targets    client.Targets
		found      bool
	}{
		{"/mcp", "/mcp", client.TargetsOfProgram, true},
		{"/mcp", "/mcp", client.TargetsTyped, true},
		{"/mcp", "/mcp", client.TargetsListed, false},
		{"/{$}", "/", client.TargetsOfProgram, true},
		{"/{$}", "", client.TargetsOfProgram, true},
		{"/{$}", "", client.TargetsListed, false},
	} {
		var posts atomic.Int32
		mux := http.NewServeMux()
		handler := served(server(), &sdk.StreamableHTTPOptions{Stateless: true})
		mux.HandleFunc("POST "+row.at, func(w http.ResponseWriter, r *http.Request) {
			posts.Add(1)
			handler.ServeHTTP(w, r)
		})
		mux.HandleFunc("GET /", http.NotFound)
		srv := httptest.NewServer(mux)
		t.Cleanup(srv.Close)
		c := developing(t, srv.URL, func(o *client.Options) { o.Targets = row.targets })
		for i := range 3 { // the second time from memory
			ask, before := c.Resolve, posts.Load()
			if i == 2 {
				ask = c.Refresh
			}
			if _, err := ask(t.Context(), srv.URL+row.target); (err == nil) != row.found || (posts.Load() > 0) != row.found {
				t.Errorf("%d: %+v: %v, %d posts", i, row, err, posts.Load())
			}
			if asked := posts.Load() > before; row.found && asked != (i != 1) {
				t.Errorf("%d: %+v: asked %t", i, row, asked)
			}
		}
	}
}
