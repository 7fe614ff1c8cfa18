package schema

import (
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/wayfindhq/wayfind/internal/syntax/formatschema"
)

// TestSchemasOfFormats checks that another implementation accepts the schemas of the formats,
// and that they are valid by the meta-schema.
func TestSchemasOfFormats(t *testing.T) {
	if len(formatschema.Names()) == 0 {
		t.Fatal("there is no schema")
	}
	for _, name := range formatschema.Names() {
		if theirs(t, formatschema.Of(name), jsonschema.Draft2020) == nil {
			t.Errorf("the schema of %s is not valid", name)
		}
	}
}
