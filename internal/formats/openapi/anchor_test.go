package openapi_test

import (
	"strings"
	"testing"
)

// A reference by $anchor, a $dynamicRef and a definition that has keywords beside its $ref keep the
// contract (JSON Schema 2020-12 §8.2.2, §8.2.3.2). An anchor of another resource, or one that two
// schemas have, is reported.
func TestReferencesByAnchor(t *testing.T) {
	b := object{"$anchor": "b", "type": "object", "required": list{"n"}}
	for name, row := range map[string]struct {
		body, schemas object
		want          string
		told          bool
	}{
		"anchor":          {object{"$ref": "#b"}, object{"B": b}, `"required":["n"]`, false},
		"beside":          {object{"$ref": "#b", "maxProperties": 3}, object{"B": b}, `"required":["n"]`, false},
		"dynamic":         {object{"$dynamicRef": "#b", "maxProperties": 3}, object{"B": object{"$dynamicAnchor": "b", "required": list{"n"}}}, `"required":["n"]`, false},
		"by a definition": {object{"$ref": "#/components/schemas/A"}, object{"A": object{"$ref": "#/components/schemas/B", "maxProperties": 3}, "B": b}, `"required":["n"]`, false},
		"its siblings":    {object{"$ref": "#/components/schemas/A"}, object{"A": object{"$ref": "#/components/schemas/B", "maxProperties": 3}, "B": b}, `"maxProperties":3`, false},
		"in a default":    {object{"$ref": "#b"}, object{"default": b}, `"required":["n"]`, false},
		"in its resource": {object{"$ref": "#/components/schemas/R"}, object{"R": object{"$id": "https://r.example/", "properties": object{"p": object{"$ref": "#b"}}, "$defs": object{"x": b}}}, `"required":["n"]`, false},
		"no anchor":       {object{"$ref": "#c"}, object{"B": b}, "", true},
		"twice":           {object{"$ref": "#b"}, object{"B": b, "C": b}, "", true},
		"in data":         {object{"$ref": "#b"}, object{"B": object{"example": b}}, "", true},
		"in a resource":   {object{"$ref": "#b"}, object{"B": object{"$id": "https://r.example/", "$defs": object{"x": b}}}, "", true},
	} {
		row.body["maxLength"] = 7 // the body stays one parameter
		in := one(t, object{"requestBody": object{"content": object{"application/json": object{"schema": object{"items": row.body}}}}}, object{"components": object{"schemas": row.schemas}})
		d, c := detailOf(t, in)
		input := string(c.Params[0].Schema)
		if told := strings.Contains(strings.Join(codes(d.Diagnostics), "\n"), "ref_dangling"); told != row.told || !strings.Contains(input, row.want) {
			t.Errorf("%s: told %v, %s", name, told, input)
		}
	}
}
