package livemcp_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/livemcp"
	mcpdocument "github.com/wayfindhq/wayfind/internal/formats/mcp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Servers of the official SDK, over TLS on real sockets: both eras, answers as
// JSON and as event streams, with sessions and without.
func TestServersOnLoopback(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "find", InputSchema: map[string]any{"type": "object"}}, nil)
	server.AddTool(&mcp.Tool{Name: "buy", InputSchema: map[string]any{"type": "object"}}, nil)
	get := func(*http.Request) *mcp.Server { return server }
	streamable := func(o mcp.StreamableHTTPOptions) http.Handler {
		o.DisableLocalhostProtection = true // the host is a name for loopback
		return mcp.NewStreamableHTTPHandler(get, &o)
	}
	rows := []struct {
		name, transport string
		handler         http.Handler
	}{
		{"event stream, session", "streamable-http", streamable(mcp.StreamableHTTPOptions{})},
		{"JSON, session", "streamable-http", streamable(mcp.StreamableHTTPOptions{JSONResponse: true})},
		{"event stream, stateless", "streamable-http", streamable(mcp.StreamableHTTPOptions{Stateless: true})},
		{"JSON, stateless", "streamable-http", streamable(mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})},
		{"2024-11-05", "sse", mcp.NewSSEHandler(get, &mcp.SSEOptions{DisableLocalhostProtection: true})},
	}
	for _, r := range rows {
		for _, h2 := range []bool{true, false} {
			t.Run(r.name, func(t *testing.T) {
				mux := http.NewServeMux()
				mux.Handle("/mcp", r.handler)
				mux.HandleFunc("/.well-known/mcp/server-card.json", func(w http.ResponseWriter, _ *http.Request) {
					_, _ = w.Write([]byte(`{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
						"name": "example.shop/shop", "version": "1", "description": "A shop.",
						"remotes": [{"type": "` + r.transport + `", "url": "https://example.com/mcp"}]}`))
				})
				srv := httptest.NewUnstartedServer(mux)
				srv.EnableHTTP2 = h2
				srv.StartTLS()
				t.Cleanup(srv.Close)
				t.Cleanup(srv.CloseClientConnections)
				opts := clienttest.FromServer(t, srv)
				opts.Formats, opts.Robots.Mode = []*parse.Format{mcpdocument.Format()}, client.RobotsIgnore
				opts.Live = []client.LiveProber{livemcp.New(nil)}
				c, err := client.New(opts)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				site, err := c.Resolve(t.Context(), "example.com")
				if err != nil {
					t.Fatal(err)
				}
				var live []string
				for _, capability := range site.Capabilities() {
					if !capability.Claimed {
						live = append(live, capability.Name)
					}
				}
				slices.Sort(live)
				if !slices.Equal(live, []string{"buy", "find"}) || site.Sources[0].Authority != wayfind.AuthorityLive {
					t.Errorf("live tools %q, probes %+v", live, site.Probes)
				}
			})
		}
	}
}
