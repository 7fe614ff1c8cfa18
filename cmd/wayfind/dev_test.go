package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// devServer is an MCP server over plain http on this machine.
func devServer(t *testing.T) string {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "desk", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "ring", Description: "Rings the bell.", InputSchema: map[string]any{"type": "object", "properties": map[string]any{"times": map[string]any{"type": "integer"}}}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "It rang."}}}, nil
		})
	srv := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(srv.Close)
	t.Cleanup(srv.CloseClientConnections)
	return srv.URL
}

// ran runs the command.
func ran(t *testing.T, args ...string) (status int, out, errs string) {
	t.Helper()
	return exec(t, "", args...)
}

// --dev allows requests to the servers on the command line, and reports that once. The verbs that
// follow resolve also work.
func TestDev(t *testing.T) {
	url := devServer(t) + "/mcp"
	status, out, errs := ran(t, "--dev", url)
	if status != exitFound || !strings.Contains(out, "ring") || strings.Count(out+errs, "servers under development") != 1 {
		t.Errorf("%d\n%s\n%s", status, out, errs)
	}
	if status, out, _ = ran(t, "describe", "--dev", url, "mcp:mcp/ring"); status != exitFound || !strings.Contains(out, "times") {
		t.Errorf("described: %d\n%s", status, out)
	}
	if status, out, errs = ran(t, "call", "--dev", "--yes-destructive", "mcp:mcp/ring", url, "mcp:mcp/ring", "times=2"); status != exitFound || !strings.Contains(out, "It rang.") {
		t.Errorf("called: %d\n%s\n%s", status, out, errs)
	}
	if status, out, _ = ran(t, "tools", "--dev", "--for", "mcp", strings.TrimPrefix(url, "http://")); status != exitFound || !strings.Contains(out, `"ring"`) && !strings.Contains(out, "ring") {
		t.Errorf("tools: %d\n%s", status, out)
	}
	for _, refused := range []string{url, "http://localhost:3000", "localhost:3000/mcp"} {
		if status, _, errs := ran(t, refused); status != exitUsage || !strings.Contains(errs, "--dev") {
			t.Errorf("without --dev, %s: %d, %s", refused, status, errs)
		}
	}
	if status, _, errs := ran(t, "example.com:8443"); status != exitUsage || strings.Contains(errs, "--dev") {
		t.Errorf("another port: %d, %s", status, errs)
	}
}
