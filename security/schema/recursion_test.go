package schema_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/security/schema"
)

// At the place where a recursive schema is cut, a model sees exactly the types that the schema
// accepts there. Gemini has a text for an object, unless any text is accepted there.
func TestACutOfARecursionKeepsItsTypes(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"object","properties":{"and":{"type":"array","items":{"$ref":"#/$defs/f"}}}}`:                               `"items":{"type":"STRING","description":"(a JSON object, as text)","pattern":"^\\s*\\{"}`,
		`{"properties":{"and":{"type":"array","items":{"$ref":"#/$defs/f"}}}}`:                                               `"items":{"type":"STRING","description":"(a JSON object, as text)","pattern":"^\\s*\\{"}`,
		`{"anyOf":[{"type":"object","properties":{"and":{"type":"array","items":{"$ref":"#/$defs/f"}}}},{"type":"object"}]}`: `"items":{"type":"STRING","description":"(a JSON object, as text)","pattern":"^\\s*\\{"}`,
		`{"oneOf":[{"properties":{"and":{"type":"array","items":{"$ref":"#/$defs/f"}}}},{"required":["x"]}]}`:                `"items":{"type":"STRING","description":"(a JSON object, as text)","pattern":"^\\s*\\{"}`,
		`{"oneOf":[{"properties":{"and":{"type":"array","items":{"$ref":"#/$defs/f"}}}},{"type":"string"}]}`:                 `"items":{"type":"STRING"}`,
		`{"allOf":[{"type":"object"},{"properties":{"and":{"type":"array","items":{"$ref":"#/$defs/f"}}}}]}`:                 `"items":{"type":"STRING","description":"(a JSON object, as text)","pattern":"^\\s*\\{"}`,
		`{"anyOf":[{"type":"object","properties":{"and":{"type":"array","items":{"$ref":"#/$defs/f"}}}},{"enum":["all"]}]}`:  `"items":{"type":"STRING"}`,
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
