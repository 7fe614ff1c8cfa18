package mcpserver_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/mcpserver"
	"github.com/wayfindhq/wayfind/client/tools"
)

// TestWhatAServerNeedsIsNamed leaves out one value after another.
func TestWhatAServerNeedsIsNamed(t *testing.T) {
	c, err := client.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	caller, err := call.New(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "own", Version: "1"}, nil)
	makes := func(c *client.Client, caller *call.Caller, o *mcpserver.Options) func() error {
		return func() error { _, err := mcpserver.New(c, caller, o); return err }
	}
	adds := func(s *mcp.Server, caller *call.Caller, box *tools.Box) func() error {
		return func() error { mcpserver.AddTools(s, caller, box); return nil }
	}
	for name, row := range map[string]struct {
		do   func() error
		want string
	}{
		"no client":             {makes(nil, caller, nil), "client.New"},
		"a zero client":         {makes(&client.Client{}, caller, nil), "client.New"},
		"no caller":             {makes(c, nil, nil), "call.New"},
		"a zero caller":         {makes(c, &call.Caller{}, nil), "call.New"},
		"a zero stored client":  {makes(c, caller, &mcpserver.Options{Stored: &client.Client{}}), "client.New"},
		"a zero logger":         {makes(c, caller, &mcpserver.Options{Logger: &slog.Logger{}}), "slog.New"},
		"AddTools, no server":   {adds(nil, caller, &tools.Box{}), "mcp.NewServer"},
		"AddTools, no caller":   {adds(server, nil, &tools.Box{}), "call.New"},
		"AddTools, zero caller": {adds(server, &call.Caller{}, &tools.Box{}), "call.New"},
		"AddTools, no box":      {adds(server, caller, nil), "tools.Load"},
	} {
		t.Run(name, func(t *testing.T) {
			var said string
			func() {
				defer func() {
					if v := recover(); v != nil {
						said = fmt.Sprint(v)
					}
				}()
				if err := row.do(); err != nil {
					said = err.Error()
				}
			}()
			if !strings.Contains(said, row.want) {
				t.Errorf("it says %q, not %q", said, row.want)
			}
		})
	}
}
