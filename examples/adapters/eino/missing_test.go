package eino

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/examples/adapters/internal/shop"
)

// TestAToolWithoutADefinitionIsNamed gives the adapter a tool that no model accepts.
func TestAToolWithoutADefinitionIsNamed(t *testing.T) {
	s := shop.Open(t)
	list, err := PartTools(s.Caller, shop.Odd(t))
	if err == nil || !strings.Contains(err.Error(), "list: ") {
		t.Errorf("the error does not name the tool: %v", err)
	}
	if len(list) != 1 {
		t.Fatalf("%d tools", len(list))
	}
	if info, err := list[0].Info(t.Context()); err != nil || info.Name != "good" {
		t.Errorf("%v, %v", info, err)
	}
}
