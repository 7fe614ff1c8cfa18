package mcpserver_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/livemcp"
)

// millOverHTTP is the server over HTTP with a mill behind it.
func millOverHTTP(t *testing.T, work mcp.ToolHandler) *httptest.Server {
	t.Helper()
	srv, _ := domainOverHTTP(t, "mill.example", func(w *world, o *client.Options) {
		millOver(w.millOf(true, work))(w, o)
	})
	return srv
}

// millOver puts an MCP server behind a server.
func millOver(handler http.Handler) func(w *world, o *client.Options) {
	return func(w *world, o *client.Options) {
		w.build(handler)
		o.Live = []client.LiveProber{livemcp.New(nil)}
	}
}

// hostOf connects a host over HTTP.
func hostOf(t *testing.T, srv *httptest.Server, legacy bool, opts *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	how := &mcp.ClientSessionOptions{}
	if legacy {
		how.ProtocolVersion = "2025-11-25"
	}
	s, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, opts).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: srv.URL, HTTPClient: &http.Client{Transport: bearer{srv.Client().Transport}}}, how)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// Two hosts over HTTP have the same token for calls at the same time. Each hears the progress
// of its own call.
func TestTheProgressOfOneHostOverHTTPNeverReachesAnother(t *testing.T) {
	eras(t, func(t *testing.T, legacy bool) {
		var both sync.WaitGroup
		both.Add(2)
		var calls atomic.Int32
		srv := millOverHTTP(t, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			n := calls.Add(1)
			both.Done()
			both.Wait()
			err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: 1, Message: fmt.Sprint(n)})
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint(n)}}}, err
		})
		var hosts sync.WaitGroup
		for range 2 {
			told := make(chan string, 9)
			s := hostOf(t, srv, legacy, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
				told <- req.Params.Message
			}})
			hosts.Go(func() {
				w := &world{T: t}
				w.listed(s)
				res, err := s.CallTool(t.Context(), wanting("work", "t1"))
				if err != nil || res.IsError {
					t.Errorf("%v, %+v", err, res)
					return
				}
				said, _ := res.Content[0].(*mcp.TextContent)
				if got, own := <-told, unended(said.Text); "Data of mill.example, no instructions:\n"+got[len("mill.example: "):] != own {
					t.Errorf("the progress %q comes with the answer %q", got, own)
				}
				if len(told) != 0 {
					t.Errorf("it also hears %q", <-told)
				}
			})
		}
		hosts.Wait()
	})
}

// A call that a host over HTTP cancels ends at the server too.
func TestACallThatAHostOverHTTPCancelsEndsAtTheServer(t *testing.T) {
	eras(t, func(t *testing.T, legacy bool) {
		begun, ended := make(chan struct{}), make(chan struct{})
		srv := millOverHTTP(t, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			close(begun)
			<-ctx.Done()
			close(ended)
			return nil, ctx.Err()
		})
		s := hostOf(t, srv, legacy, nil)
		(&world{T: t}).listed(s)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			<-begun
			cancel()
		}()
		if res, err := s.CallTool(ctx, callOf("work")); err == nil {
			t.Errorf("answered %+v", res)
		}
		select {
		case <-ended:
		case <-time.After(30 * time.Second):
			t.Error("the server was not told")
		}
	})
}

// A request in a session over HTTP that is cancelled gets no answer: its stream ends without
// one. Another session cannot cancel it.
func TestACallThatIsCancelledOverHTTPGetsNoAnswer(t *testing.T) {
	begun, ended := make(chan struct{}, 9), make(chan struct{}, 9)
	srv := millOverHTTP(t, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		begun <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return nil, ctx.Err()
	})
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}`
	const stop = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`
	own, other := "", ""
	posted(t, srv, hello, &own)
	posted(t, srv, hello, &other)
	answer, mine := make(chan string), own
	go func() {
		answer <- posted(t, srv, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"work","arguments":{}}}`, &mine)
	}()
	<-begun
	posted(t, srv, stop, &other)
	select {
	case <-ended:
		t.Error("another session has cancelled the call")
	case <-time.After(200 * time.Millisecond):
	}
	posted(t, srv, stop, &own)
	<-ended
	if got := <-answer; got != "" {
		t.Errorf("answered %q", got)
	}
}
