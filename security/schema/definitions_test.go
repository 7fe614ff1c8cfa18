package schema_test

import (
	"errors"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"testing"

	"github.com/wayfindhq/wayfind/security/schema"
)

// An object of definitions is a schema with these definitions in "$defs". They may refer to
// each other and to themselves.
func TestAnObjectOfDefinitionsIsTheSchemaThatHasThem(t *testing.T) {
	var d schema.Definitions
	d.Add("properties", "pet", []byte(`{"$ref":"#/$defs/2"}`), nil)
	d.Add("properties", "count", []byte(`{"type":"integer","minimum":1}`), nil)
	d.Add("$defs", "Pet", []byte(`{"type":"object","properties":{"name":{"type":"string"},"friend":{"$ref":"#/$defs/2"}},"required":["name"]}`), nil)
	shared, err := d.Object([]schema.Member{{Name: "pet", Number: 0, Required: true}}, []schema.Member{{Name: "count", Number: 1}})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := schema.Check([]byte(`{"type":"object","properties":{"pet":{"$ref":"#/$defs/Pet"},"count":{"type":"integer","minimum":1}},"required":["pet"],
		"$defs":{"Pet":{"type":"object","properties":{"name":{"type":"string"},"friend":{"$ref":"#/$defs/Pet"}},"required":["name"]}}}`), schema.Draft202012, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []schema.Target{schema.Plain, schema.OpenAIStrict, schema.GeminiJSON} {
		a, errA := shared.For(target)
		b, errB := whole.For(target)
		if errA != nil || errB != nil || string(a.JSON) != string(b.JSON) {
			t.Errorf("%v: %s %v, want %s %v", target, a.JSON, errA, b.JSON, errB)
		}
	}
	for value, valid := range map[string]bool{
		`{"pet":{"name":"a","friend":{"name":"b"}},"count":1}`: true,
		`{"pet":{"name":"a","friend":{}}}`:                     false,
		`{"pet":{"name":"a"},"count":0}`:                       false,
		`{"count":1}`:                                          false,
	} {
		if err := shared.Validate([]byte(value), 0); (err == nil) != valid {
			t.Errorf("%s: %v", value, err)
		}
	}
}

// A definition with a name is only referred to by this name.
func TestADefinitionIsReferredToByItsName(t *testing.T) {
	for ref, known := range map[string]bool{"#/$defs/Pet": true, "Pet": false, "#/$defs/0": false, "#/$defs/Dog": false} {
		var d schema.Definitions
		d.Add("$defs", "Pet", []byte(`{"type":"object","properties":{"friend":{"$ref":"#/$defs/Pet"}}}`), nil)
		d.Name(0, "Pet")
		d.Add("properties", "pet", []byte(`{"$ref":"`+ref+`"}`), nil)
		if _, err := d.Object([]schema.Member{{Name: "pet", Number: 1}}); (err == nil) != known {
			t.Errorf("%s: %v", ref, err)
		}
	}
}

// If a definition is refused, only the schemas that use it have the error.
func TestARefusedDefinitionIsTheErrorOfItsUsers(t *testing.T) {
	var d schema.Definitions
	d.Add("properties", "good", []byte(`{"type":"string"}`), nil)
	d.Add("properties", "large", []byte(`{"maximum":1e999}`), nil)
	d.Add("properties", "user", []byte(`{"items":{"$ref":"#/$defs/1"}}`), nil)
	d.Add("$defs", "circle", []byte(`{"allOf":[{"$ref":"#/$defs/3"}]}`), nil)
	d.Add("properties", "missing", []byte(`{"$ref":"#/$defs/9"}`), nil)
	d.Add("properties", "absent", nil, nil)
	for number, want := range []schema.Code{"", schema.CodeSize, schema.CodeSize, "ref_cycle", "ref_missing", schema.CodeSize} {
		_, err := d.Object([]schema.Member{{Name: "a", Number: number}})
		refused, _ := errors.AsType[*schema.Error](err)
		if want == "" && err != nil || want != "" && (refused == nil || refused.Code != want) {
			t.Errorf("%d: %v, want %q", number, err, want)
		}
	}
}

// Definitions that are small separately are refused if they are too large together.
func TestDefinitionsCountTogether(t *testing.T) {
	var d schema.Definitions
	text := make([]byte, jsonschema.MaxBytes/2)
	for i := range text {
		text[i] = 'a'
	}
	var all []schema.Member
	for i, name := range []string{"a", "b", "c"} {
		d.Add("properties", name, []byte(`{"description":"`+string(text)+`"}`), nil)
		all = append(all, schema.Member{Name: name, Number: i})
	}
	if _, err := d.Object(all[:1]); err != nil {
		t.Error(err)
	}
	if refused, _ := errors.AsType[*schema.Error](func() error { _, err := d.Object(all); return err }()); refused == nil || refused.Code != schema.CodeSize {
		t.Errorf("%v", refused)
	}
}
