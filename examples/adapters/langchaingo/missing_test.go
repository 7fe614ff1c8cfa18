package langchaingo

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/examples/adapters/internal/shop"
)

// TestAToolWithoutADefinitionIsNamed gives the adapter a tool that no model accepts.
func TestAToolWithoutADefinitionIsNamed(t *testing.T) {
	s := shop.Open(t)
	list, err := Tools(s.Caller, shop.Odd(t))
	if err == nil || !strings.Contains(err.Error(), "list: ") {
		t.Errorf("the error does not name the tool: %v", err)
	}
	if len(list) != 1 || list[0].Name() != "good" {
		t.Errorf("%v", list)
	}
}
