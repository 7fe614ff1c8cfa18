package main

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/demo"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/loopback"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// A recording is read with its conversations, and its calls are listed.
func TestARecordingIsReadWithItsConversations(t *testing.T) {
	sites, err := demo.Start(nil)
	if err != nil {
		t.Fatal(err)
	}
	leadTo(t, sites)
	t.Setenv("WAYFIND_CACHE", "none")
	t.Setenv("BOOKINGS_TOKEN", "a-token-of-this-test")
	dir := humanize.Word(t.TempDir())
	live, typed, called, spoken, plain := filepath.Join(dir, "live"), filepath.Join(dir, "typed"), filepath.Join(dir, "called"), filepath.Join(dir, "spoken"), filepath.Join(dir, "plain")
	for _, line := range []string{
		"resolve --live --save " + live + " bookings.example",
		"resolve --save " + typed + " https://mcp.market.example.com/mcp",
		"resolve --save " + plain + " bookings.example",
		"call --save " + called + " bookings.example awp:search_tables city=Rome",
		"call --save " + spoken + " --yes-destructive awp:cancel_booking --credential bearer=env:BOOKINGS_TOKEN bookings.example awp:cancel_booking booking_id=b1",
	} {
		if status, out, errs := ran(t, shellWords(line)...); status > ui.ExitNothing {
			t.Fatalf("%s: %d, %s%s", line, status, out, errs)
		}
	}
	if err := sites.Close(); err != nil { // from now on, only the recordings answer
		t.Fatal(err)
	}
	for _, r := range []struct{ line, want, not string }{
		{live, "mcp:mcp/cancel_booking", "recorded calls"},
		{"describe " + live + " mcp:mcp/cancel_booking", "Cancels a booking", "recorded calls"},
		{typed, "mcp.market.example.com/mcp", "nothing found"},
		{plain, "awp:cancel_booking", "mcp:mcp/cancel_booking"},
		{called, "GET https://bookings.example/api/tables?city=Rome, 200 OK", "DELETE"},
		{spoken, "tools/call cancel_booking, https://bookings.example/mcp", "a-token-of-this-test"},
		{spoken + " --verbose", "this request is not in the recording", "a-token-of-this-test"},
	} {
		status, out, errs := ran(t, shellWords(r.line)...)
		if status != ui.ExitFound || !strings.Contains(out+errs, r.want) || strings.Contains(out+errs, r.not) {
			t.Errorf("%s: %d, want %q and no %q in\n%s%s", r.line, status, r.want, r.not, out, errs)
		}
	}
}

// A recording of a server that no document names is read at the URL that was typed.
func TestARecordingOfATypedServerIsReadAtItsURL(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "desk", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "ring"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{}, nil, nil
	})
	var site http.ServeMux
	site.Handle("/mcp", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{DisableLocalhostProtection: true}))
	sites, err := loopback.Start(loopback.AnyPort(), []string{"desk.example"}, &site, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer sites.Close()
	leadTo(t, sites)
	t.Setenv("WAYFIND_CACHE", "none")
	dir := humanize.Word(filepath.Join(t.TempDir(), "rec"))
	for _, line := range []string{"--save " + dir + " https://desk.example/mcp", dir} {
		if status, out, errs := ran(t, shellWords(line)...); status != ui.ExitFound || !strings.Contains(out, "mcp:mcp/ring") {
			t.Errorf("%s: %d, %s%s", line, status, out, errs)
		}
	}
}
