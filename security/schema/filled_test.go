package schema

import "testing"

// A schema whose properties are filled takes no empty value of them, and is as published where it took
// none before.
func TestFilledPropertiesTakeNoEmptyValue(t *testing.T) {
	for _, test := range []struct{ published, filled string }{
		{`{"type":"string"}`, `{"type":"string","minLength":1}`},
		{`{"type":"string","minLength":0}`, `{"type":"string","minLength":1}`},
		{`{"type":"string","minLength":3}`, `{"type":"string","minLength":3}`},
		{`{"type":"string","pattern":"^a+$"}`, `{"type":"string","pattern":"^a+$"}`},
		{`{"type":"string","enum":["a"]}`, `{"type":"string","enum":["a"]}`},
		{`{"type":"string","enum":["a",""]}`, `{"type":"string","enum":["a",""],"minLength":1}`},
		{`{"type":"integer"}`, `{"type":"integer"}`},
		{`{"type":"array","items":{"type":"string"}}`, `{"type":"array","minItems":1,"items":{"type":"string","minLength":1}}`},
		{`{"type":"object"}`, `{"type":"object","minProperties":1}`},
	} {
		s, err := Check([]byte(`{"type":"object","properties":{"a":`+test.published+`,"b":{"type":"string"}}}`), Draft202012, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := &Definitions{}
		d.Add("properties", "a", []byte(test.published), nil)
		d.Add("properties", "b", []byte(`{"type":"string"}`), nil)
		shared, err := d.Object([]Member{{Name: "a", Number: 0, Filled: true}, {Name: "b", Number: 1}})
		if err != nil {
			t.Fatal(err)
		}
		want := `{"type":"object","properties":{"a":` + test.filled + `,"b":{"type":"string"}}}`
		for _, own := range []*Schema{s.Filled([]string{"a"}), shared} {
			if raw, err := own.JSON(); err != nil || string(raw) != want {
				t.Errorf("%s, %v, want %s", raw, err, want)
			}
		}
		if raw, err := s.JSON(); err != nil || string(raw) == want && test.published != test.filled {
			t.Errorf("%s was changed: %s, %v", test.published, raw, err)
		}
	}
}

// No value satisfies a schema whose types have no value within the bounds, or that requires such a property.
func TestBoundsThatLeaveNoValue(t *testing.T) {
	for _, test := range []struct {
		text          string
		never, filled bool // as it is, and as a property that is filled
	}{
		{`{"type":"integer","minimum":5,"maximum":4}`, true, true},
		{`{"type":"integer","minimum":5,"maximum":5}`, false, false},
		{`{"type":"number","exclusiveMinimum":5,"maximum":5}`, true, true},
		{`{"type":"number","minimum":5,"exclusiveMaximum":5}`, true, true},
		{`{"type":["number","string"],"minimum":5,"maximum":4}`, false, false},
		{`{"minimum":5,"maximum":4}`, false, false},
		{`{"type":"string","minLength":5,"maxLength":4}`, true, true},
		{`{"type":"array","minItems":3,"maxItems":2}`, true, true},
		{`{"type":"array","items":false,"minItems":1}`, true, true},
		{`{"type":"array","items":false}`, false, true},
		{`{"type":"array","prefixItems":[{}],"items":false,"minItems":1}`, false, false},
		{`{"type":"object","minProperties":2,"maxProperties":1}`, true, true},
		{`{"allOf":[{"type":["string","null"]},{"type":["integer","null"]}]}`, false, false},
		{`{"type":"integer","anyOf":[{"type":"string"},{"type":"boolean"}]}`, true, true},
		{`{"type":"integer","anyOf":[{"type":"string"},{"type":"number"}]}`, false, false},
		{`{"type":"string","oneOf":[{"maxLength":1},{"type":"integer"}]}`, false, false},
		{`{"allOf":[{"type":"integer","minimum":5,"maximum":4},{}]}`, true, true},
		{`{"type":"string","enum":["abc"],"maxLength":2}`, true, true},
		{`{"type":"string","enum":["é"],"maxLength":1}`, false, false},
		{`{"enum":[1,2],"minimum":3}`, true, true},
		{`{"const":"abc","minLength":4}`, true, true},
		{`{"type":"string","enum":[""]}`, false, true},
		{`{"type":"string","maxLength":0}`, false, true},
		{`{"type":"array","maxItems":0}`, false, true},
		{`{"type":"object","properties":{"a":{"type":"string","minLength":2,"maxLength":1}}}`, false, false},
		{`{"type":"object","required":["a"],"properties":{"a":{"type":"string","minLength":2,"maxLength":1}}}`, true, true},
	} {
		s, err := Check([]byte(`{"type":"object","required":["a"],"properties":{"a":`+test.text+`}}`), Draft202012, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := &Definitions{}
		d.Add("properties", "a", []byte(test.text), nil)
		for filled, want := range map[bool]bool{false: test.never, true: test.filled} {
			shared, err := d.Object([]Member{{Name: "a", Number: 0, Required: true, Filled: filled}})
			if err != nil {
				t.Fatal(err)
			}
			own := s
			if filled {
				own = s.Filled([]string{"a"})
			}
			if own.Never() != want || shared.Never() != want {
				t.Errorf("%s, filled %t: %t, %t, want %t", test.text, filled, own.Never(), shared.Never(), want)
			}
		}
	}
}
