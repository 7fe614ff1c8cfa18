package schema_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/security/schema"
)

// At the place where a recursive schema is cut, a model sees exactly the types that the schema
// accepts there.
func TestACutOfARecursionKeepsItsTypes(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"object","properties":{"and":{"type":"array","items":{"$ref":"#/$defs/f"}}}}`:                               `"items":{"type":"OBJECT","properties":{}}`,
		`{"properties":{"and":{"type":"array","items":{"$ref":"#/$defs/f"}}}}`:                                               `"items":{"type":"OBJECT","properties":{}}`,
		`{"anyOf":[{"type":"object","properties":{"and":{"type":"array","items":{"$ref":"#/$defs/f"}}}},{"type":"object"}]}`: `"items":{"type":"OBJECT","properties":{}}`,
		`{"oneOf":[{"properties":{"and":{"type":"array","items":{"$ref":"#/$defs/f"}}}},{"required":["x"]}]}`:                `"items":{"type":"OBJECT","properties":{}}`,
		`{"oneOf":[{"properties":{"and":{"type":"array","items":{"$ref":"#/$defs/f"}}}},{"type":"string"}]}`:                 `"items":{"anyOf":[{"type":"STRING"},{"type":"OBJECT","properties":{}}]}`,
		`{"allOf":[{"type":"object"},{"properties":{"and":{"type":"array","items":{"$ref":"#/$defs/f"}}}}]}`:                 `"items":{"type":"OBJECT","properties":{}}`,
		`{"anyOf":[{"type":"object","properties":{"and":{"type":"array","items":{"$ref":"#/$defs/f"}}}},{"enum":["all"]}]}`:  `"items":{"anyOf":[{"type":"STRING"},{"type":"OBJECT","properties":{}}]}`,
	} {
		s, err := schema.Check([]byte(`{"type":"object","properties":{"filter":{"$ref":"#/$defs/f"}},"$defs":{"f":`+text+`}}`), schema.Draft202012, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.For(schema.Gemini)
		if err != nil || !strings.Contains(string(p.JSON), want) {
			t.Errorf("%s is written as %s, %v; want %s", text, p.JSON, err, want)
		}
	}
}
