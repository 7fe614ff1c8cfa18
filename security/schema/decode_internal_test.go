package schema

import (
	"fmt"
	"testing"

	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
)

// Each renamed member takes one look-up of its name in a schema and one of its property, and the
// names of the schema are counted once.
func TestRenamedMembersAreLookedUp(t *testing.T) {
	const members = 1000
	n, names := &node{}, make(map[string]string)
	for i := range members {
		name := fmt.Sprintf("$%d", i)
		n.required = append(n.required, name)
		names[fmt.Sprintf("p%d", i)] = name
	}
	d := &decoder{projection: &Projection{Names: names}, count: fuel.Within(jsonschema.MaxSteps)}
	for shown, name := range names {
		if got, _ := d.declared([]*node{n}, shown); got != name {
			t.Fatalf("%s is %s, want %s", shown, got, name)
		}
	}
	if d.count.Steps() != 3*members {
		t.Errorf("%d steps for %d members", d.count.Steps(), members)
	}
}
