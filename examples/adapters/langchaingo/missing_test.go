package langchaingo

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// odd returns a Box with two tools. The arguments of one are no object, which no model accepts.
func (*shop) odd(t *testing.T) *tools.Box {
	t.Helper()
	internet, stop := clienttest.Start()
	t.Cleanup(stop)
	internet.Host("odd.example", clienttest.Pages{"/.well-known/mcp/server-card.json": `{"serverInfo": {"name": "odd", "version": "1"},
		"transport": {"type": "streamable-http", "endpoint": "/mcp"}, "tools": [
			{"name": "good", "description": "Works.", "inputSchema": {"type": "object"}},
			{"name": "list", "description": "Lists.", "inputSchema": {"type": "array", "items": {"type": "string"}}}]}`})
	c, err := client.New(internet.Options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	box, err := tools.Load(t.Context(), c, []string{"odd.example"}, nil)
	if err != nil || box.Len() != 2 {
		t.Fatal(err, box.Skipped())
	}
	return box
}

// TestAToolWithoutADefinitionIsNamed gives the adapter a tool that no model accepts.
func TestAToolWithoutADefinitionIsNamed(t *testing.T) {
	s := open(t)
	list, err := Tools(s.caller, s.odd(t))
	if err == nil || !strings.Contains(err.Error(), "list: ") {
		t.Errorf("the error does not name the tool: %v", err)
	}
	if len(list) != 1 || list[0].Name() != "good" {
		t.Errorf("%v", list)
	}
}
