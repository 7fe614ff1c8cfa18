package schema_test

import (
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"math"
	"testing"

	"github.com/wayfindhq/wayfind/security/schema"
)

// A caller cannot set more steps than jsonschema.MaxSteps, and no value means no limit.
func TestFuelIsBounded(t *testing.T) {
	s, err := schema.Check([]byte(`{"type":"array","items":{"anyOf":[`+many(300, `{"required":["p%d"]}`, ",")+`,{}]}}`), schema.Draft202012, nil)
	if err != nil {
		t.Fatal(err)
	}
	cheap, dear := `[`+many(10, `{}`, ",")+`]`, `[`+many(8000, `{}`, ",")+`]`
	for fuel, want := range map[int64]schema.Code{0: "", -1: "", math.MinInt64: "", jsonschema.MaxSteps: "", jsonschema.MaxSteps + 1: "", math.MaxInt64: "", 10: schema.CodeCost} {
		if err := s.Validate([]byte(cheap), fuel); codeOf(err) != want {
			t.Errorf("fuel %d, a small value: %v, want %q", fuel, err, want)
		}
		if err := s.Validate([]byte(dear), fuel); codeOf(err) != schema.CodeCost {
			t.Errorf("fuel %d, a value beyond jsonschema.MaxSteps: %v, want %q", fuel, err, schema.CodeCost)
		}
	}
}
