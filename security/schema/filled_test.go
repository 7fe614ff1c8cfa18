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
