package livemcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
)

// TestC01_OfficialClientConnects: the client of the official SDK opens an event
// stream by a GET (MCP 2025-11-25, Transports, "Listening for Messages from the
// Server"), over which a change of the tools is told. It does so over the
// Transport of a cache as over that of net/http.
func TestC01_OfficialClientConnects(t *testing.T) {
	tool := func(name string) *mcp.Tool {
		return &mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	server.AddTool(tool("find"), nil)
	srv := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(srv.Close)
	t.Cleanup(srv.CloseClientConnections)
	store, err := memory.New(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	tr := cache.NewTransport(store, srv.Client().Transport, nil)
	t.Cleanup(func() { _ = tr.Close() })

	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	changed := make(chan struct{}, 1)
	c := mcp.NewClient(&mcp.Implementation{Name: "buyer", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	connected := make(chan *mcp.ClientSession, 1)
	go func() {
		session, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: srv.URL, HTTPClient: &http.Client{Transport: tr}}, nil)
		if err != nil {
			t.Error(err)
		}
		connected <- session
	}()
	select {
	case session := <-connected:
		if session == nil {
			return
		}
		if tools, err := session.ListTools(ctx, nil); err != nil || len(tools.Tools) != 1 {
			t.Fatal(tools, err)
		}
		server.AddTool(tool("buy"), nil)
		select {
		case <-changed:
		case <-ctx.Done():
			t.Error("tools/list_changed does not arrive")
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	case <-ctx.Done():
		t.Error("Connect does not return")
	}
}
