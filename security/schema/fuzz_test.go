package schema_test

import (
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"testing"

	"github.com/wayfindhq/wayfind/security/schema"
)

// FuzzProject checks that no input causes a panic, that the work is limited, that a projection
// obeys the rules of its target, and that each value that it judges differently from the schema
// is reported.
func FuzzProject(f *testing.F) {
	for _, seed := range []struct{ schema, value string }{
		{`{"type":"object","properties":{"a b":{"type":["string","null"],"minLength":2},"c":{"enum":["x",1,null]}},"required":["c"]}`, `{"c":"x"}`},
		{`{"anyOf":[{"properties":{"a":{"$ref":"#/$defs/n"}},"required":["a"]},{"properties":{"b":{"type":"integer","exclusiveMinimum":0}}}],"$defs":{"n":{"properties":{"n":{"$ref":"#/$defs/n"}}}}}`, `{"a":{"n":{}}}`},
		{`{"properties":{"v":{"oneOf":[{"const":"a"},{"const":"b"}]},"w":{"allOf":[{"minimum":1},{"maximum":3,"type":"number"}]}},"additionalProperties":false}`, `{"v":"a","w":2}`},
		{`{"properties":{"v":{"type":"array","items":[{"type":"string"},{"type":"integer"}],"additionalItems":false},"w":{"type":"object","additionalProperties":{"type":"string"}}}}`, `{"v":["a",1],"w":{"x":"y"}}`},
		{`{"properties":{"v":{"type":"string","nullable":true,"pattern":"^(?=a)\\u0061","format":"date-time"}}}`, `{"v":null}`},
		{`{"properties":{"__proto__":{"not":{}},"x":false},"patternProperties":{"^y":{"type":"integer"}},"required":["z"]}`, `{"z":1,"y":2}`},
		{`{"type":"object","unevaluatedProperties":false,"allOf":[{"properties":{"a":true}}],"if":{"required":["a"]},"then":{"properties":{"b":{"minItems":2,"contains":{}}}}}`, `{"a":1}`},
		{`{"type":"object"}`, `{}`},
		{`{"type":"object","properties":{"m":{"type":"object","additionalProperties":{"type":"object"}},"n":{"type":["object","null"]},"d":{"$ref":"#/$defs/d"},"i":{"type":"array","items":{"oneOf":[{"type":"object"},{"type":"string"}]}}},"$defs":{"d":{"type":"object","patternProperties":{"^x":{"type":"object"}}}}}`, `{"m":{"x":{}},"n":null}`},
		{`{"anyOf":[{"required":[""]},{"":{"":{"":"","m":0}}}]}`, `{"m":{"n":{}}}`},
	} {
		f.Add([]byte(seed.schema), []byte(seed.value))
	}
	f.Fuzz(func(t *testing.T, text, value []byte) {
		s, err := schema.Check(text, schema.Unknown, nil)
		if err != nil {
			if codeOf(err) == "" {
				t.Errorf("an error without a code: %v", err)
			}
			return
		}
		if s.Steps() > jsonschema.MaxSteps {
			t.Errorf("%d steps", s.Steps())
		}
		r := &row{}
		if err := s.Validate(value, 0); err == nil {
			r.Valid = append(r.Valid, value)
		} else if codeOf(err) == "" {
			r.Invalid = append(r.Invalid, value)
		}
		for _, target := range schema.Targets() {
			r.lawful(t, s, target, schema.Wording{})
			r.lawful(t, s, target, schema.Wording{Brevity: 4})
		}
		if lifted, err := s.JSON(); err == nil {
			if _, err := schema.Check(lifted, schema.Draft202012, nil); err != nil && codeOf(err) != schema.CodeDepth && codeOf(err) != schema.CodeSize && codeOf(err) != schema.CodeCost {
				t.Errorf("lifted: %v: %s", err, lifted)
			}
		}
	})
}
