package schema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/security/schema"
)

// A value that has one meaning is taken in the type of the schema. Every other value is unchanged.
func TestTake(t *testing.T) {
	const text = `{"type":"object","required":["must"],"properties":{"must":{},
		"i":{"type":"integer"},"n":{"type":"number"},"b":{"type":"boolean"},"s":{"type":"string"},"si":{"type":["string","integer"]},"z":{"type":["integer","null"]},
		"l":{"type":"array","items":{"type":"integer"}},"o":{"type":"object","properties":{"i":{"type":"integer"}},"additionalProperties":false},
		"e":{"anyOf":[{"type":"integer"},{"type":"boolean"}]},"c":{"enum":[1,2]}}}`
	s, err := schema.Check([]byte(text), schema.Draft202012, nil)
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		`"i":5.0`: `"i":5`, `"i":1e3`: `"i":1000`, `"i":-0.0`: `"i":0`, `"i":-7.00`: `"i":-7`, `"i":9007199254740992.0`: `"i":9007199254740992`,
		`"i":9007199254740993`: "", `"i":9007199254740993.0`: "", `"i":1e30`: "", `"i":5`: "", `"i":5.5`: "", `"n":5.0`: "", `"n":1e3`: "",
		`"i":"5"`: `"i":5`, `"i":"5.0"`: `"i":5`, `"i":"9007199254740993"`: `"i":9007199254740993`, `"n":"5.0"`: `"n":5.0`, `"b":"true"`: `"b":true`,
		`"l":"[1,\"2\"]"`: `"l":[1,2]`, `"l":["1",2.0]`: `"l":[1,2]`, `"o":"{\"i\":5}"`: `"o":{"i":5}`, `"e":"true"`: `"e":true`, `"e":"5"`: `"e":5`, `"c":"2"`: `"c":2`,
		`"i":" 5"`: "", `"i":"0x10"`: "", `"i":"1e30"`: "", `"i":"05"`: "", `"i":"５"`: "", `"b":"yes"`: "", `"b":"True"`: "", `"i":""`: "", `"i":"null"`: "", `"i":"+5"`: "",
		`"o":"{\"i\":1,\"i\":2}"`: "", `"o":"{\"x\":1}"`: "", `"l":"1"`: "", `"i":"\"5\""`: "", `"s":"5"`: "", `"s":5`: "", `"si":"5"`: "", `"si":5.0`: `"si":5`, `"c":"3"`: "",
		`"i":null`: `-`, `"z":null`: "", `"must":null`: "", `"o":{"i":null}`: `"o":{}`, `"unknown":null`: "",
	} {
		given, expected := `{"must":1,`+args+`}`, `{"must":1,`+want+`}`
		switch {
		case args == `"must":null`:
			given, expected = `{`+args+`}`, `{`+args+`}`
		case want == "":
			expected = given
		case want == "-":
			expected = `{"must":1}`
		}
		got := s.Take([]byte(given), nil)
		if string(got.Args) != expected {
			t.Errorf("%s: got %s, want %s", given, got.Args, expected)
		}
		changed, null := string(got.Args) != given, strings.Contains(args, ":null")
		if left := changed && null; left != slices.Equal(got.Nulls, []string{"i"}) || !left && got.Nulls != nil {
			t.Errorf("%s: left out %q", given, got.Nulls)
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(args, `"`), `"`)
		if retyped := changed && !null; retyped != slices.Equal(got.Retyped, []string{name}) || !retyped && got.Retyped != nil {
			t.Errorf("%s: retyped %q", given, got.Retyped)
		}
		if inexact := slices.Contains([]string{`"i":9007199254740993.0`, `"i":1e30`, `"i":5.5`}, args); inexact != (got.Inexact == "/i") || !inexact && got.Inexact != "" {
			t.Errorf("%s: inexact %q", given, got.Inexact)
		}
	}
}

// A string stays a string where an alternative accepts it, and an object in a string has the names of
// the definition that the model was shown.
func TestTakeKeepsWhatIsValidAndUndoesNames(t *testing.T) {
	for text, rows := range map[string]map[string]string{
		`{"anyOf":[{"properties":{"a":{"type":"integer"},"b":{"const":1}},"required":["b"]},{"properties":{"a":{"type":"string"}}}]}`: {
			`{"a":"5"}`: `{"a":"5"}`, `{"a":"5","b":1}`: `{"a":"5","b":1}`,
		},
		`{"properties":{"o":{"type":"object","properties":{"a b":{"type":"integer"},"a.b":{}}}}}`: {
			`{"o":"{\"a_b\":\"5\",\"a_b_2\":2}"}`: `{"o":{"a b":5,"a.b":2}}`, `{"o":{"a_b":1.0}}`: `{"o":{"a b":1}}`,
		},
		`{"allOf":[{"properties":{"o":{}}},{"properties":{"o":{"type":"object"}}}]}`: {`{"o":"{}"}`: `{"o":{}}`, `{"o":"{} "}`: `{"o":"{} "}`},
	} {
		s, err := schema.Check([]byte(text), schema.Draft202012, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.For(schema.MCP)
		if err != nil {
			t.Fatal(err)
		}
		for given, want := range rows {
			decoded, err := p.Decode([]byte(given))
			if got := s.Take(decoded, p); err != nil || string(got.Args) != want {
				t.Errorf("%s: %s is %s, %v, want %s", text, given, got.Args, err, want)
			}
		}
	}
}
