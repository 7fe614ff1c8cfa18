package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/security/schema"
)

// The shapes of a property are those of the values that its schema allows, and a schema that is
// written for them allows them and nothing else.
func TestShapes(t *testing.T) {
	const deep = schema.AnyShape
	for text, want := range map[string]schema.Shapes{
		`{}`: deep, `true`: deep, `false`: 0,
		`{"type":"string"}`: schema.Text, `{"type":["integer","null"]}`: schema.Text, `{"type":"null"}`: 0,
		`{"enum":["a",1]}`: schema.Text, `{"const":[1]}`: schema.List | schema.DeepList,
		`{"type":"array","items":{"type":"string"}}`:                                                    schema.List,
		`{"type":"array","items":{"type":["string","object"]}}`:                                         schema.List | schema.DeepList,
		`{"type":"array","items":{"type":"object"}}`:                                                    schema.DeepList,
		`{"type":"array","items":false}`:                                                                schema.List,
		`{"type":"array"}`:                                                                              schema.List | schema.DeepList,
		`{"type":"object","properties":{"a":{"type":"string"}}}`:                                        schema.Record,
		`{"type":"object","properties":{"a":{"type":"array"},"b":{"type":"boolean"}}}`:                  schema.Record | schema.DeepRecord,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/o"}}}`:                                     schema.DeepRecord,
		`{"type":"object","additionalProperties":{"type":"integer"}}`:                                   schema.Record,
		`{"type":"object"}`:                                                                             schema.Record | schema.DeepRecord,
		`{"anyOf":[{"type":"object","properties":{"a":{"type":"integer"}}},{"type":"integer"}]}`:        schema.Text | schema.Record,
		`{"allOf":[{"type":["string","array"]},{"type":["array","object"],"items":{"type":"number"}}]}`: schema.List,
		`{"$ref":"#/$defs/o"}`:                                                                          schema.Record,
		`{"$ref":"#/$defs/loop"}`:                                                                       schema.DeepRecord,
	} {
		raw := `{"type":"object","properties":{"p":` + text + `},"$defs":{"o":{"type":"object","properties":{"x":{"type":"string"}}},"loop":{"type":"object","properties":{"x":{"$ref":"#/$defs/loop"}}}}}`
		s, err := schema.Check([]byte(raw), schema.Draft202012, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := s.Shapes([]string{"p"}, 1_000_000); got[0] != want {
			t.Errorf("%s: got %05b, want %05b", text, got, want)
		}
	}
	for shapes := range deep + 1 {
		raw := `{"type":"object","properties":{"p":` + string(shapes.JSON()) + `}}`
		s, err := schema.Check([]byte(raw), schema.Draft202012, nil)
		if err != nil {
			t.Fatal(err)
		}
		for value, needs := range map[string]schema.Shapes{
			`"a"`: schema.Text, `1`: schema.Text, `[]`: schema.List | schema.DeepList, `[1]`: schema.List | schema.DeepList, `{"a":1}`: schema.Record | schema.DeepRecord,
			`[[1]]`: schema.DeepList, `[{}]`: schema.DeepList, `{"a":{}}`: schema.DeepRecord, `null`: deep + 1,
		} {
			valid := s.Validate([]byte(`{"p":`+value+`}`), 0) == nil
			if want := value == "null" || shapes&needs != 0; valid != want {
				t.Errorf("%05b: %s is %v", shapes, value, valid)
			}
		}
	}
}

// Many properties that lead to one schema in many ways take steps for each property, not for each
// way. The properties have one limit together, and those beyond it have all shapes.
func TestShapesOfManyProperties(t *testing.T) {
	const properties, levels = 1000, 10 // 1,024 ways
	var raw strings.Builder
	raw.WriteString(`{"type":"object","properties":{` + many(properties, `"p%d":{"$ref":"#/$defs/d0"}`, ",") + `},"$defs":{`)
	for i := range levels {
		raw.WriteString(fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1))
	}
	s, err := schema.Check([]byte(raw.String()+fmt.Sprintf(`"d%d":{"type":"string"}}}`, levels)), schema.Draft202012, nil)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, properties)
	for i := range names {
		names[i] = fmt.Sprintf("p%d", i)
	}
	for limit, most := range map[int64]int64{1_000_000_000: 5 * levels * properties, 1000: 1010, 1: 10, 0: 10, -1: 10} {
		list, taken := s.Shapes(names, limit)
		if len(list) != properties || taken > most || taken < min(limit, properties) {
			t.Fatalf("limit %d: %d shapes in %d steps", limit, len(list), taken)
		}
		first, last := schema.Text, schema.Text
		if limit <= 1000 {
			last = schema.AnyShape
		}
		if limit <= 1 {
			first = schema.AnyShape
		}
		if list[0] != first || list[properties-1] != last {
			t.Errorf("limit %d: from %05b to %05b, want %05b to %05b", limit, list[0], list[properties-1], first, last)
		}
	}
}
