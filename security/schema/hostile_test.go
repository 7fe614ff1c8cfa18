package schema_test

import (
	"errors"
	"fmt"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"runtime"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/security/schema"
)

// doubling returns 30 definitions, each with two references to the next.
func doubling(keyword string) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for i := range 30 {
		fmt.Fprintf(&b, `"d%d":{%q:[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, keyword, i+1, i+1)
	}
	b.WriteString(`"d30":{"type":"string"}}}`)
	return b.String()
}

// longChain returns a chain of references.
func longChain() string {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, `"d%d":{"$ref":"#/$defs/d%d"},`, i, i+1)
	}
	return `{"$defs":{` + b.String() + `"d200":{}}}`
}

// many joins copies of a text in which %d is replaced with the number of the copy.
func many(n int, format, between string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(format, "%d", fmt.Sprint(i))
	}
	return strings.Join(parts, between)
}

// branches is a schema of trees with two equal branches.
const branches = `{"$ref":"#/$defs/n","$defs":{"n":{"anyOf":[
	{"type":"object","properties":{"c":{"$ref":"#/$defs/n"}},"required":["c","x"]},
	{"type":"object","properties":{"c":{"$ref":"#/$defs/n"}}}]}}}`

// TestHostile checks schemas and values that crash or stop validators. Each is refused with a
// code, or takes few steps and little memory.
func TestHostile(t *testing.T) {
	deep := strings.Repeat(`{"c":`, 60) + `{}` + strings.Repeat(`}`, 60)
	tests := []struct {
		name, schema, value string
		check, validate     schema.Code
	}{
		{"self", `{"$ref":"#"}`, `1`, "ref_cycle", ""},
		{"property", `{"properties":{"x":{"$ref":"#/properties/x"}}}`, `{}`, "ref_cycle", ""},
		{"two", `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, `1`, "ref_cycle", ""},
		{"allOf", `{"allOf":[{"$ref":"#"}]}`, `1`, "ref_cycle", ""},
		{"not", `{"not":{"$ref":"#"}}`, `1`, "ref_cycle", ""},
		{"if", `{"if":true,"then":{"$ref":"#"}}`, `1`, "ref_cycle", ""},
		{"dependentSchemas", `{"dependentSchemas":{"a":{"$ref":"#"}}}`, `1`, "ref_cycle", ""},
		{"unused definition", `{"$defs":{"a":{"$ref":"#/$defs/a"}}}`, `1`, "ref_cycle", ""},
		{"dynamicRef", `{"$dynamicAnchor":"a","$dynamicRef":"#a"}`, `1`, "ref_dynamic", ""},
		{"doubling allOf", doubling("allOf"), `"a"`, schema.CodeCost, ""},
		{"doubling anyOf", doubling("anyOf"), `1`, schema.CodeCost, ""},
		{"two branches", branches, deep, "", ""},
		{"file", `{"$ref":"file:///etc/passwd"}`, `1`, "ref_remote", ""},
		{"http", `{"$ref":"http://169.254.169.254/"}`, `1`, "ref_remote", ""},
		{"nested plus", `{"pattern":"(a+)+$"}`, `"` + strings.Repeat("a", 1<<19) + `b"`, "", ""},
		{"repeats", `{"pattern":"((a{1,100}){1,100}){1,100}"}`, `"b"`, "", ""},
		{"large repeat", `{"pattern":"(` + strings.Repeat("[a-z]", 90) + `){1000}"}`, `"b"`, "", ""},
		{"many repeats", `{"allOf":[` + many(5000, `{"pattern":"(a%d.*){90}"}`, ",") + `]}`, `"a1"`, "", ""},
		{"exponent of a schema", `{"multipleOf":1e100000000}`, `1`, schema.CodeSize, ""},
		{"exponent of a value", `{"multipleOf":3}`, `1e100000000`, "", schema.CodeSize},
		{"small exponent of a value", `{"multipleOf":3}`, `1e-100000000`, "", schema.CodeSize},
		{"many digits", `{"multipleOf":3}`, strings.Repeat("9", 100000), "", schema.CodeSize},
		{"properties", `{"properties":{` + many(9000, `"p%d":{}`, ",") + `},"additionalProperties":false}`, `{` + many(9000, `"p%d":1`, ",") + `}`, "", ""},
		{"enum", `{"enum":[` + many(30000, `"v%d"`, ",") + `]}`, `[` + many(30000, `"v%d"`, ",") + `]`, "", ""},
		{"enums of an array", `{"items":{"enum":[` + many(20000, `%d`, ",") + `]}}`, `[` + many(20000, `%d`, ",") + `]`, "", ""},
		{"20,000 properties", `{"properties":{` + many(20_000, `"p%d":{"type":"string"}`, ",") + `}}`, `{}`, schema.CodeSize, ""},
		{"enum of 100,000", `{"enum":[` + many(100_000, `%d`, ",") + `]}`, `1`, schema.CodeSize, ""},
		{"look-ahead", `{"pattern":"^(?=.*[0-9])(?!x)(a+)+\\1$"}`, `"` + strings.Repeat("a", 1<<19) + `"`, "", ""},
		{"schema of no known rules", `{"$schema":"https://shop.example/rules","type":"string"}`, `1`, "dialect", ""},
		{"dynamicRef in the middle", `{"$defs":{"a":{"$dynamicAnchor":"x","items":{"$dynamicRef":"#x"}}},"$ref":"#/$defs/a"}`, `[[1]]`, "ref_dynamic", ""},
		{"doubling oneOf", doubling("oneOf"), `1`, schema.CodeCost, ""},
		{"uniqueItems", `{"uniqueItems":true}`, `[` + many(100000, `%d`, ",") + `]`, "", ""},
		{"nested uniqueItems", `{"$ref":"#/$defs/a","$defs":{"a":{"uniqueItems":true,"items":{"$ref":"#/$defs/a"}}}}`, strings.Repeat("[", 60) + many(100000, `%d`, ",") + strings.Repeat("]", 60), "", ""},
		{"depth", strings.Repeat(`{"items":`, 500) + `{}` + strings.Repeat(`}`, 500), `1`, schema.CodeDepth, ""},
		{"depth of a value", `{}`, strings.Repeat(`[`, 500) + strings.Repeat(`]`, 500), "", schema.CodeDepth},
		{"bytes", `{"description":"` + strings.Repeat("a", 512<<10) + `"}`, `1`, schema.CodeSize, ""},
		{"subschemas", `{"allOf":[` + many(10001, `{}`, ",") + `]}`, `1`, schema.CodeSize, ""},
		{"long chain", longChain(), `1`, schema.CodeDepth, ""},
		{"duplicate", `{"type":"string","type":"object"}`, `1`, schema.CodeSyntax, ""},
		{"no JSON", `{`, `1`, schema.CodeSyntax, ""},
		{"no schema", `[]`, `1`, "schema_type", ""},
		{"no JSON value", `{}`, `{`, "", schema.CodeSyntax},
		{"many at all levels", `{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[` + many(2000, `{"required":["p%d"]}`, ",") + `],"items":{"$ref":"#/$defs/a"},"unevaluatedItems":false}}}`, `[` + many(50000, `[%d]`, ",") + `]`, "", schema.CodeCost},
		{"long base", `{"$id":"http://a/` + strings.Repeat("a", 900) + `/","allOf":[` + many(3000, `{"$id":"b%d/"}`, ",") + `]}`, `1`, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			heap := allocated()
			s, err := schema.Check([]byte(tt.schema), schema.Draft202012, nil)
			if got := codeOf(err); got != tt.check {
				t.Fatalf("Check: %v, want code %q", err, tt.check)
			}
			if err == nil {
				if s.Steps() > jsonschema.MaxSteps {
					t.Errorf("%d steps", s.Steps())
				}
				err = s.Validate([]byte(tt.value), 0)
				if got := codeOf(err); got != tt.validate {
					t.Errorf("Validate: %v, want code %q", err, tt.validate)
				}
			}
			if used := allocated() - heap; used > 64<<20 {
				t.Errorf("%d MiB", used>>20)
			}
			if s != nil {
				decoded(t, s, tt.value)
			}
		})
	}
}

// decoded checks that expensive arguments are converted back within the same limits.
func decoded(t *testing.T, s *schema.Schema, value string) {
	t.Helper()
	for _, target := range []schema.Target{schema.OpenAIStrict, schema.Gemini} {
		p, err := s.For(target)
		if err != nil {
			continue
		}
		before := allocated()
		if _, err := p.Decode([]byte(value)); err != nil && codeOf(err) == "" {
			t.Errorf("%s: %v", target, err)
		}
		if used := allocated() - before; used > 64<<20 {
			t.Errorf("%s: Decode took %d MiB", target, used>>20)
		}
	}
}

func codeOf(err error) schema.Code {
	if e, ok := errors.AsType[*schema.Error](err); ok {
		return e.Code
	}
	return ""
}

// allocated returns the total number of allocated bytes, which is more than was in use at any
// time.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
