package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
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
func ran(t *testing.T, args ...string) (status ui.Outcome, out, errs string) {
	t.Helper()
	return exec(t, "", args...)
}

// The recording of a server under development is read as that server, whether it runs or not, and is
// never asked at its port.
func TestARecordingOfAServerUnderDevelopmentIsOpened(t *testing.T) {
	pages := map[string]string{
		"/llms.txt":     "# Desk\n\n> Rings bells.\n",
		"/openapi.json": `{"openapi": "3.1.0", "info": {"title": "Desk", "version": "1"}, "paths": {"/bells": {"get": {"operationId": "bells", "description": "Lists the bells.", "responses": {"200": {"description": "ok"}}}}}}`,
	}
	var asked atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if pages[r.URL.Path] == "" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(pages[r.URL.Path]))
	}))
	defer srv.Close()
	dir := t.TempDir() + "/rec"
	status, want, errs := ran(t, "resolve", "--dev", "--cache", "none", "--save", dir, srv.URL)
	if status != ui.ExitFound || !strings.Contains(want, "openapi:openapi/bells") {
		t.Fatalf("%d\n%s\n%s", status, want, errs)
	}
	before := asked.Load()
	for _, args := range [][]string{{dir}, {dir, srv.URL}, {dir, strings.TrimPrefix(srv.URL, "http://")}} {
		if status, got, errs := ran(t, args...); status != ui.ExitFound || got != want {
			t.Errorf("%q: %d (-recorded +opened)\n%s\n%s", args, status, cmp.Diff(want, got), errs)
		}
	}
	if status, out, errs := ran(t, "tools", dir); status != ui.ExitFound || !strings.Contains(out, "Lists the bells.") {
		t.Errorf("tools: %d\n%s\n%s", status, out, errs)
	}
	if status, _, errs := ran(t, "serve", dir); status != ui.ExitUsage || !strings.Contains(errs, "only servers under development") {
		t.Errorf("serve: %d\n%s", status, errs)
	}
	if n := asked.Load(); n != before {
		t.Errorf("%d requests went to the server", n-before)
	}
}

// --dev allows requests to the servers on the command line, and reports that once. The verbs that
// follow resolve also work.
func TestDev(t *testing.T) {
	url := devServer(t) + "/mcp"
	status, out, errs := ran(t, "--dev", url)
	if status != ui.ExitFound || !strings.Contains(out, "ring") || strings.Count(out+errs, "servers under development") != 1 {
		t.Errorf("%d\n%s\n%s", status, out, errs)
	}
	if status, out, _ = ran(t, "describe", "--dev", url, "mcp:mcp/ring"); status != ui.ExitFound || !strings.Contains(out, "times") {
		t.Errorf("described: %d\n%s", status, out)
	}
	if status, out, errs = ran(t, "describe", "--dev", "ring", url); strings.Contains(errs, "one label only") || !strings.Contains(errs, `did you mean "mcp:mcp/ring"?`) {
		t.Errorf("described by the name alone, which stands first: %d\n%s\n%s", status, out, errs)
	}
	if status, out, errs = ran(t, "call", "--dev", "--yes-destructive", "mcp:mcp/ring", url, "mcp:mcp/ring", "times=2"); status != ui.ExitFound || !strings.Contains(out, "It rang.") {
		t.Errorf("called: %d\n%s\n%s", status, out, errs)
	}
	if status, out, _ = ran(t, "tools", "--dev", "--for", "mcp", strings.TrimPrefix(url, "http://")); status != ui.ExitFound || !strings.Contains(out, `"ring"`) && !strings.Contains(out, "ring") {
		t.Errorf("tools: %d\n%s", status, out)
	}
	if status, out, errs = ran(t, "check", "--dev", url); status > ui.ExitNothing || !strings.Contains(out, "1 tool") {
		t.Errorf("checked, without a word about authentication: %d\n%s\n%s", status, out, errs)
	}
	for _, refused := range []string{url, "http://localhost:3000", "localhost:3000/mcp"} {
		if status, _, errs := ran(t, refused); status != ui.ExitUsage || !strings.Contains(errs, "--dev") {
			t.Errorf("without --dev, %s: %d, %s", refused, status, errs)
		}
	}
	if status, _, errs := ran(t, "example.com:8443"); status != ui.ExitUsage || strings.Contains(errs, "--dev") {
		t.Errorf("another port: %d, %s", status, errs)
	}
}

// A list may name servers under development, with --dev and without. Their documents are asked for, and
// nothing is posted to their URLs.
func TestBatchAsksTheServersUnderDevelopmentOfAList(t *testing.T) {
	url := devServer(t)
	t.Setenv("WAYFIND_CACHE", "none")
	list := "# mine\n" + url + "/mcp\n" + strings.ToUpper(url) + "/mcp # again\nhttp://localhost:abc\n"
	const found = ".target, .site.services[0].capabilities[0].name, .error.code"
	_, out, errs := exec(t, list, "batch", "--dev", "--live", "--jq", found, "-")
	if !strings.Contains(out, url+"/mcp\nnull\nserver\n") || !strings.Contains(out, "http://localhost:abc\nnull\nscheme\n") || !strings.Contains(errs, "1 domain: 1 nothing found") || !strings.Contains(errs, "named again: 1") {
		t.Errorf("%s%s", out, errs)
	}
	if code, out, errs := exec(t, list, "batch", "--jq", ".error.message", "-"); code != ui.ExitNothing || strings.Count(out, "add --dev") != 2 || !strings.Contains(out, "its host or its port cannot be read") {
		t.Errorf("without --dev: exit status %d: %s%s", code, out, errs)
	}
}
