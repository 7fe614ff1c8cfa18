package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// A table without earlier names has the names of the present tools.
func TestOwnNames(t *testing.T) {
	internet, stop := clienttest.Start()
	defer stop()
	c, err := client.New(internet.Options())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	load := func(host string, names []byte) (*tools.Box, []byte) {
		internet.Host(host, clienttest.Pages{"/.well-known/mcp/server-card.json": fmt.Sprintf(`{"name": "example.%[1]s/all", "version": "1.0.0", "description": "All.",
			"remotes": [{"type": "streamable-http", "url": "https://%[1]s/mcp"}], "tools": [{"name": "find", "inputSchema": {"type": "object"}}]}`, host)})
		box, err := tools.Load(t.Context(), c, []string{host}, &tools.Options{Sites: true, Names: names})
		if err != nil || box.Len() != 1 {
			t.Fatalf("%v, %d tools", err, box.Len())
		}
		if names, err = box.Names(); err != nil {
			t.Fatal(err)
		}
		return box, names
	}
	_, names := load("old.example", nil)
	box, names := load("new.example", names)
	if !strings.Contains(string(names), "old_example__find") {
		t.Fatalf("all names: %s", names)
	}
	names, err = box.OwnNames()
	if err != nil || strings.Contains(string(names), "old_example") || !strings.Contains(string(names), `"new_example__find":{"origin":"https://new.example"`) {
		t.Errorf("%s, %v", names, err)
	}
	if _, err := tools.Load(t.Context(), c, nil, &tools.Options{Names: names}); err != nil {
		t.Error(err)
	}
}
