package openapi_test

import (
	"slices"
	"strings"
	"testing"
)

// requiredInCase is a closed schema that requires one name and has a property of another, read-only
// one: a generator of .NET writes the name of the field and the name in JSON.
func requiredInCase(required, property string) object {
	return object{"type": "object", "required": []string{required}, "additionalProperties": false,
		"properties": object{property: object{"type": "integer", "readOnly": true}, "cartType": object{"type": "integer"}}}
}

func bodyOf(schema object) object {
	return object{"requestBody": object{"content": object{"application/json": object{"schema": schema}}}}
}

// A name in another case is not required. Another name that the schema forbids stays required: nothing
// says which property is meant.
func TestANameInAnotherCaseIsNotRequired(t *testing.T) {
	for _, row := range []struct {
		required string
		told     bool
	}{{"Id", true}, {"ID", true}, {"other", false}, {"cartType", false}} {
		d, c := detailOf(t, one(t, bodyOf(requiredInCase(row.required, "id")), nil))
		told := slices.ContainsFunc(codes(d.Diagnostics), func(code string) bool { return strings.Contains(code, "required_case") })
		schema := string(c.Params[0].Schema)
		if told != row.told || strings.Contains(schema, `"required"`) == row.told {
			t.Errorf("%s: told %t, schema %s", row.required, told, schema)
		}
	}
}

// A member that a body requires and its schema does not describe is an optional argument, and the
// publisher is told.
func TestARequiredMemberWithoutADescriptionIsTold(t *testing.T) {
	for _, row := range []struct {
		required []string
		told     string
	}{
		{[]string{"address"}, ""},
		{[]string{"adress"}, `requires "adress" and describes no such member`},
		{[]string{"address", "zip", "town", "zip"}, `"zip" and describes no such member, so it is an optional argument; the same holds for 1 more`},
	} {
		schema := object{"type": "object", "required": row.required, "properties": object{"address": object{"type": "string"}}}
		d, c := detailOf(t, one(t, object{"requestBody": object{"required": true, "content": object{"application/json": object{"schema": schema}}}}, nil))
		said := reported(d.Diagnostics, "openapi.required_unknown")
		if (said == "") != (row.told == "") || !strings.Contains(said, row.told) {
			t.Errorf("%v: told %q, want %q", row.required, said, row.told)
		}
		for _, p := range c.Params {
			if *p.Required != (p.Name == "address" && slices.Contains(row.required, "address")) {
				t.Errorf("%v: %s is required: %t", row.required, p.Name, *p.Required)
			}
		}
	}
}
