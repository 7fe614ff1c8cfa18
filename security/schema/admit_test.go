package schema_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind/security/schema"
)

// If several alternatives of a oneOf accept a value, the value is admitted. Nothing else is
// less strict: under not and if, oneOf is applied exactly.
func TestAdmitTakesOverlapsAlone(t *testing.T) {
	overlap := `{"oneOf":[{"type":"integer"},{"type":"number"}]}`
	for _, tt := range []struct {
		name, schema, value string
		valid, admitted     bool
		overlaps            []string
	}{
		{"one", overlap, `1.5`, true, true, nil},
		{"both", overlap, `1`, false, true, []string{""}},
		{"none", overlap, `"x"`, false, false, nil},
		{"below a property", `{"properties":{"a/b":` + overlap + `}}`, `{"a/b":1}`, false, true, []string{"/a~1b"}},
		{"under not", `{"not":` + overlap + `}`, `1`, true, true, nil},
		{"under not, where one takes it", `{"not":` + overlap + `}`, `1.5`, false, false, nil},
		{"as a condition", `{"if":` + overlap + `,"then":false}`, `1`, true, true, nil},
		{"beside another rule", `{"allOf":[` + overlap + `,{"maximum":0}]}`, `1`, false, false, nil},
		{"shared by not and in place", `{"allOf":[{"$ref":"#/$defs/o"},{"not":{"$ref":"#/$defs/o"}}],"$defs":{"o":` + overlap + `}}`, `1`, false, true, []string{""}},
	} {
		s, err := schema.Check([]byte(tt.schema), schema.Draft202012, nil)
		if err != nil {
			t.Fatal(tt.name, err)
		}
		overlaps, err := s.Admit([]byte(tt.value), 0)
		if (s.Validate([]byte(tt.value), 0) == nil) != tt.valid || (err == nil) != tt.admitted || !slices.Equal(overlaps, tt.overlaps) {
			t.Errorf("%s: %v, %v, overlaps %q, want %q", tt.name, s.Validate([]byte(tt.value), 0), err, overlaps, tt.overlaps)
		}
	}
}

// If no alternative accepts a value, the nearest alternative explains the error: by a constant,
// then by the members that are present. If several are equally near, none is named.
func TestTheNearestAlternativeIsNamed(t *testing.T) {
	const pets = `{"oneOf":[{"$ref":"#/$defs/cat"},{"type":"object","allOf":[{"properties":{"kind":{"enum":["dog"]}}},{"required":["kind","bone"]}]},{"type":"string"}],
		"$defs":{"cat":{"type":"object","required":["kind","lives"],"properties":{"kind":{"const":"cat"},"lives":{"anyOf":[{"type":"integer"},{"const":"many"}]}}}}}`
	s, err := schema.Check([]byte(pets), schema.Draft202012, nil)
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]struct{ by, rule, pointer string }{
		`{"kind":"dog"}`:               {"kind", "required", ""},
		`{"kind":"cat","lives":"few"}`: {"kind", "anyOf", "/lives"},
		`{"lives":9}`:                  {"", "required", ""},
		`{"kind":"cow"}`:               {},
		`7`:                            {},
	} {
		e, ok := errors.AsType[*schema.ValueError](s.Validate([]byte(value), 0))
		if !ok || e.Rule != "oneOf" {
			t.Fatalf("%s: %v", value, e)
		}
		if near := e.Nearest; (near != nil) != (want.rule != "") || near != nil && (near.Rule != want.rule || near.Pointer != want.pointer || e.By != want.by) {
			t.Errorf("%s: by %q, %v, want %+v", value, e.By, near, want)
		}
	}
}

// A discriminator of OpenAPI names the alternative by its mapping, or by the name of the
// definition. It refuses nothing by itself.
func TestADiscriminatorNamesTheAlternative(t *testing.T) {
	const pets = `{"oneOf":[{"$ref":"#/$defs/Cat"},{"$ref":"#/$defs/Dog"}],"discriminator":{"propertyName":"kind","mapping":{"hound":"Dog","Cat":7}},
		"$defs":{"Cat":{"type":"object","required":["kind","lives"],"properties":{"lives":{"type":"integer"}}},"Dog":{"type":"object","required":["kind","bone"],"properties":{"bone":{"type":"string"}}}}}`
	s, err := schema.Check([]byte(pets), schema.Draft202012, nil)
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]struct{ by, name string }{
		`{"kind":"hound"}`:         {"kind", "bone"},
		`{"kind":"Dog"}`:           {"kind", "bone"},
		`{"kind":"Cat"}`:           {"kind", "lives"},
		`{"kind":"cow"}`:           {},
		`{"kind":7}`:               {},
		`"Cat"`:                    {},
		`{"kind":"cow","lives":9}`: {"", "ok"},
		`{"kind":"Dog","lives":9}`: {"", "ok"},
	} {
		e, refused := errors.AsType[*schema.ValueError](s.Validate([]byte(value), 0))
		if refused == (want.name == "ok") {
			t.Errorf("%s: %v", value, e)
		}
		if refused && (e.By != want.by || (e.Nearest == nil) != (want.name == "") || e.Nearest != nil && e.Nearest.Name != want.name) {
			t.Errorf("%s: by %q, %v, want %+v", value, e.By, e.Nearest, want)
		}
	}
}

// In a strict definition null means absence for an optional property, even if its schema
// accepts null. For a required property null remains null.
func TestAStrictNullIsAbsence(t *testing.T) {
	s, err := schema.Check([]byte(`{"type":"object","required":["must"],"properties":{
		"must":{"type":["string","null"]},"may":{"type":["string","null"]},"any":{"type":"object","properties":{"deep":{"type":["integer","null"]}}},
		"list":{"type":"array","items":{"type":["object","null"],"properties":{"x":{"type":["string","null"]}}}}}}`), schema.Draft202012, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.For(schema.OpenAIStrict)
	if err != nil || !p.Strict || !p.LosesNull() {
		t.Fatal(p, err)
	}
	const args = `{"must":null,"may":null,"any":{"deep":null},"list":[null,{"x":null}]}`
	got, err := p.Decode([]byte(args))
	if want := `{"must":null,"any":{},"list":[null,{}]}`; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	if p, err = s.For(schema.OpenAI); err != nil || p.LosesNull() {
		t.Fatal(p, err)
	}
	if got, err := p.Decode([]byte(args)); err != nil || string(got) != args {
		t.Errorf("%s, %v", got, err)
	}
}
