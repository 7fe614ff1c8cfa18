package openai

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
	defs := s.odd(t).Render(tools.OpenAIChat, &tools.RenderOptions{Strict: true})
	if said := missing(defs); !strings.HasPrefix(said, " Tools that cannot be called here: 1 ") {
		t.Errorf("the model is told %q", said)
	}
	if said := missing(&tools.Definitions{}); said != "" {
		t.Errorf("the model is told %q", said)
	}
}
