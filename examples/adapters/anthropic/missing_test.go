package anthropic

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/examples/adapters/internal/shop"
)

// TestAToolWithoutADefinitionIsNamed gives the adapter a tool that no model accepts.
func TestAToolWithoutADefinitionIsNamed(t *testing.T) {
	defs := shop.Odd(t).Render(tools.AnthropicMessages, nil)
	if said := missing(defs); !strings.HasPrefix(said, " Tools that cannot be called here: 1 ") {
		t.Errorf("the model is told %q", said)
	}
	if said := missing(&tools.Definitions{}); said != "" {
		t.Errorf("the model is told %q", said)
	}
}
