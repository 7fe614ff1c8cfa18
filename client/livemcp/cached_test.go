package livemcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
)

// TestTheOfficialClientConnectsOverACache: the client of the official SDK is told of a
// change of the tools, over the Transport of a cache as over that of net/http: in
// the era of 2025-11-25 by the event stream that it opens by a GET (MCP 2025-11-25,
// Transports, "Listening for Messages from the Server"), since 2026-07-28, which
// has no sessions, by the answer to its POST of subscriptions/listen.
func TestTheOfficialClientConnectsOverACache(t *testing.T) {
	for _, tt := range []struct {
		version   string
		stateless bool
		stream    string // the method whose answer is the event stream
	}{
		{"2025-11-25", false, http.MethodGet},
		{"2026-07-28", true, http.MethodPost},
	} {
		t.Run(tt.version, func(t *testing.T) { officialClientConnects(t, tt.version, tt.stateless, tt.stream) })
	}
}

func officialClientConnects(t *testing.T, version string, stateless bool, stream string) {
	tool := func(name string) *mcp.Tool {
		return &mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	server.AddTool(tool("find"), nil)
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: stateless})
	var streams atomic.Int64 // that are open, by the method
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == stream {
			streams.Add(1)
			defer streams.Add(-1)
		}
		handler.ServeHTTP(w, r)
	}))
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
		session, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: srv.URL, HTTPClient: &http.Client{Transport: tr}},
			&mcp.ClientSessionOptions{ProtocolVersion: version})
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
		if got := session.InitializeResult().ProtocolVersion; got != version {
			t.Errorf("version %s is spoken, want %s", got, version)
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
		if streams.Load() == 0 {
			t.Errorf("no %s is being answered", stream)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		for streams.Load() > 0 && ctx.Err() == nil {
			runtime.Gosched()
		}
		if n := streams.Load(); n > 0 {
			t.Errorf("%d streams are open after Close", n)
		}
	case <-ctx.Done():
		t.Error("Connect does not return")
	}
}
